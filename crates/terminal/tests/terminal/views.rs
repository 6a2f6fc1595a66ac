//! What is shown of a session, mode by mode.

use crate::world::{LONG, bash, open};
use terminal::Mode;

#[test]
fn since_input_is_what_came_after_it_and_its_echo() {
    let bash = bash();
    bash.text("echo old\n");
    bash.expect(r"^old\n\$ $");
    bash.text("echo $((40 + 2))\n");
    bash.expect(r"^42\n\$ $");
    let since = bash.content(Mode::SinceInput, 1_000);
    assert_eq!((since.text.as_str(), since.left_out), ("echo $((40 + 2))\n42\n$", None));
}

#[test]
fn the_tail_counts_lines_above_the_screen_and_joins_what_was_wrapped() {
    let program = open("sh", &["-c", "seq 100; printf '%0200d\\n' 7; echo end"]);
    program.wait_exit(LONG);
    let tail = program.content(Mode::Tail(4), 10_000);
    assert_eq!(tail.text, format!("99\n100\n{:0200}\nend", 7));
    assert_eq!(tail.left_out, None);
    let all = program.content(Mode::Tail(1_000), 100_000).text;
    assert_eq!((all.lines().count(), all.lines().next()), (102, Some("1")));
    assert_eq!(program.content(Mode::Tail(0), 1_000).text, "");
    let cut = program.content(Mode::Tail(50), 300);
    assert!(cut.text.ends_with("end") && cut.text.len() <= 300);
    assert!(cut.left_out.unwrap().ends_with("of 50 lines left out"));
}

#[test]
fn the_history_is_all_that_is_kept() {
    let program = open("sh", &["-c", "seq 100"]);
    program.wait_exit(LONG);
    let history = program.content(Mode::History, 10_000);
    assert_eq!(history.text, (1..=100).map(|number| number.to_string()).collect::<Vec<_>>().join("\n"));
    assert_eq!(history.left_out, None);
    let cut = program.content(Mode::History, 100);
    assert!(cut.text.starts_with("1\n2\n") && cut.text.ends_with("\n100"), "{}", cut.text);
    assert!(cut.left_out.unwrap().ends_with("of 100 lines left out"));
}

#[test]
fn the_screen_is_clean_text() {
    let program = open(
        "sh",
        &[
            "-c",
            "printf '\\033[31mred\\033[0m   \\n\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\n\\001\\002\\177\\033[8mhidden\\033[0m|\\n\\n\\n'",
        ],
    );
    program.wait_exit(LONG);
    let screen = program.content(Mode::Screen, 10_000);
    assert_eq!(screen.text, "red\nlink\n      |");
    assert!(screen.text.chars().all(|character| character == '\n' || !character.is_control()));
}

#[test]
fn raw_output_is_given_from_any_place() {
    let program = open("sh", &["-c", "printf 'one\\033[1mtwo'"]);
    program.wait_exit(LONG);
    let all = program.read_output(0, LONG, None);
    assert_eq!((all.bytes.as_slice(), all.start, all.is_last), (b"one\x1b[1mtwo".as_slice(), 0, true));
    let rest = program.read_output(7, LONG, None);
    assert_eq!((rest.bytes.as_slice(), rest.end()), (b"two".as_slice(), program.output_end()));
    assert!(program.read_output(10, LONG, None).bytes.is_empty());
}
