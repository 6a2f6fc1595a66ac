//! Waiting, by the clock as little as can be.

use std::time::{Duration, Instant};

use crate::world::{LONG, SHORT, bash, has, open, python};
use terminal::{Input, Outcome, Pattern, Settle};

#[test]
fn the_echo_at_the_prompt_is_no_match() {
    let bash = bash();
    bash.text("sleep 1; echo do''ne\n");
    bash.expect_not("sleep|echo|do");
    let waited = bash.waited("done", LONG);
    assert!(waited.outcome.matched().is_some() && waited.elapsed > Duration::from_millis(100));
    assert!(waited.screen.contains("\ndone"));
}

#[test]
fn the_echo_before_the_first_prompt_is_no_match() {
    for _ in 0..10 {
        let bash = open("bash", &["--norc", "--noprofile"]);
        bash.text("sleep 0.3; expr 40 + 2 # marker\n");
        bash.expect_not_for("marker|expr", Duration::from_millis(200));
        assert_eq!(bash.expect(r"^\d+$").text, "42");
    }
}

#[test]
fn the_echo_that_wraps_is_no_match() {
    let bash = bash();
    let long = "word ".repeat(40);
    bash.text(&format!("sleep 0.3; echo {long} | wc -w\n"));
    bash.expect_not_for("word|wc", Duration::from_millis(200));
    assert_eq!(bash.expect(r"^\d+$").text, "40");
}

#[test]
fn the_echo_of_what_is_typed_ahead_is_no_match() {
    let bash = bash();
    bash.text("sleep 0.5\n");
    bash.text("echo first$((1))\n");
    bash.text("echo second$((2))\n");
    assert_eq!(bash.expect("first.*").text, "first1");
    assert_eq!(bash.expect("second.*").text, "second2");
}

#[test]
fn the_prompt_that_counts_is_the_one_after_what_was_typed_ahead() {
    let bash = open("bash", &["--norc", "--noprofile"]);
    bash.text("sleep 0.4; echo over\n");
    let waited = bash.waited(r"\$ $", LONG);
    assert!(waited.screen.contains("\nover\n"), "{}", waited.screen);
}

#[test]
fn what_a_program_repeats_is_a_match() {
    let cat = open("cat", &[]);
    cat.text("hello\n");
    cat.expect("hello");
    let twice = cat.screen().text;
    assert_eq!(twice, "hello\nhello");
}

#[test]
fn what_a_shell_says_of_what_was_typed_is_a_match() {
    let bash = bash();
    bash.text("nosuch_program\n");
    assert_eq!(bash.expect("nosuch_program.*").text, "nosuch_program: command not found");
}

#[test]
fn the_echo_of_control_characters_is_no_match() {
    let cat = open("sh", &["-c", "sleep 1; cat"]);
    cat.text("mark\x01\x02\x1b[Aed\n");
    cat.expect_not("mark|ed");
    cat.expect("mark");
}

#[test]
fn the_echo_of_what_was_completed_is_no_match() {
    let bash = bash();
    std::fs::write(bash.folder.path().join("unmistakable"), "").expect("a file");
    bash.text("sleep 0.5; ls unmi\t # marked\n");
    bash.expect_not_for("marked", Duration::from_millis(200));
    bash.expect("^unmistakable");
}

#[test]
fn an_editor_that_does_not_say_so_may_echo_what_was_typed_ahead() {
    if !has("python3") {
        return;
    }
    let python = open("bash", &["-c", "sleep 0.5; exec python3 -q"]);
    python.text("6 * 7 # marker\n");
    python.expect_not_for("marker", Duration::from_secs(2));
    assert_eq!(python.expect(r"^\d+$").text, "42");
}

#[test]
fn what_a_program_says_behind_what_was_typed_is_a_match() {
    let bash = bash();
    bash.text("read name; sleep 0.2; echo \"Good morning $name\"\n");
    bash.text("Alice\n");
    assert_eq!(bash.expect("Good.*Alice").text, "Good morning Alice");
}

#[test]
fn old_output_is_no_match() {
    let bash = bash();
    bash.text("echo marker$((1))\n");
    bash.expect("marker1");
    bash.text("true\n");
    bash.expect_not("marker1");
    // Asked twice without typing in between, the answer is the same.
    bash.text("echo again$((1))\n");
    assert_eq!(bash.expect("again1"), bash.expect("again1"));
}

#[test]
fn what_comes_in_pieces_is_one_match_with_its_groups() {
    if !has("python3") {
        return;
    }
    let script = "import time\nfor c in 'result: ':\n    print(c, end='', flush=True); time.sleep(0.01)\n\
                  for c in '12 passing, 3 failing':\n    print(c, end='', flush=True); time.sleep(0.01)\nprint()\ninput()";
    let program = python(script);
    let found = program.expect(r"(?P<good>\d+) passing, (\d+) failing(!)?");
    assert_eq!(found.text, "12 passing, 3 failing");
    let groups: Vec<_> =
        found.groups.iter().map(|group| (group.name.as_deref(), group.text.as_deref())).collect();
    assert_eq!(groups, [(Some("good"), Some("12")), (None, Some("3")), (None, None)]);
}

#[test]
fn running_out_of_time_and_ending_are_outcomes() {
    let bash = bash();
    let waited = bash.waited("never", Duration::from_millis(100));
    assert_eq!(waited.outcome, Outcome::TimedOut);
    assert!(waited.elapsed >= Duration::from_millis(100) && waited.elapsed < Duration::from_secs(5));
    assert_eq!(bash.waited("never", Duration::ZERO).outcome, Outcome::TimedOut);
    bash.text("exit\n");
    let begin = Instant::now();
    assert_eq!(bash.waited("never", LONG).outcome, Outcome::Ended);
    assert!(begin.elapsed() < LONG);
}

#[test]
fn a_wait_can_be_called_off() {
    let bash = bash();
    let call_off = bash.call_off_handle();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let never = Pattern::new("never").unwrap();
            bash.wait(&never, Duration::from_secs(600), Some(&call_off)).unwrap()
        });
        call_off.call_off();
        assert_eq!(waiting.join().unwrap().outcome, Outcome::CalledOff);
    });
}

#[test]
fn many_wait_for_one_session_at_once() {
    let bash = bash();
    bash.text("sleep 0.2; seq 150000; echo la''st\n");
    std::thread::scope(|scope| {
        for number in ["^1$", "^99999$", "^150000$", "last"] {
            let bash = &bash;
            scope.spawn(move || bash.expect(number));
        }
    });
}

#[test]
fn a_pattern_that_takes_too_many_steps_is_said_so_and_the_session_goes_on() {
    let bash = bash();
    bash.text("printf 'a%.0s' $(seq 5000); echo\n");
    bash.expect("aaaa");
    let hard = Pattern::new(r"(?=(a+)+b)(a+)+\1c").unwrap();
    let error = bash.wait(&hard, LONG, None).unwrap_err().to_string();
    assert!(error.starts_with("the pattern took more than 1000000 steps"), "{error}");
    bash.text("echo fi''ne\n");
    bash.expect("fine");
}

#[test]
fn typing_returns_at_the_first_output_or_soon() {
    if !has("python3") {
        return;
    }
    let silent = python("import os, time, tty\ntty.setraw(0)\nos.write(1, b'ready')\ntime.sleep(60)");
    silent.expect("ready");
    let sent = silent.send(Input::Text("x"), Settle::default()).unwrap();
    assert!(
        !sent.has_output
            && sent.elapsed >= Duration::from_millis(5)
            && sent.elapsed < Duration::from_millis(500)
    );
    let bash = bash();
    let sent = bash.send(Input::Text("e"), Settle { first: LONG, ..Settle::default() }).unwrap();
    assert!(sent.has_output && sent.elapsed < Duration::from_secs(5), "{sent:?}");
}

#[test]
fn typing_waits_for_quiet_if_asked() {
    let bash = bash();
    let settle = Settle::quiet(SHORT);
    let sent =
        bash.send(Input::Text("for n in 1 2 3 4; do sleep 0.1; echo tick $n; done\n"), settle).unwrap();
    assert!(sent.is_quiet && sent.elapsed >= Duration::from_millis(600), "{sent:?}");
    assert!(bash.screen().text.contains("tick 4"));
    let hasty = Settle { at_most: SHORT, ..Settle::quiet(LONG) };
    let sent = bash.send(Input::Text("yes\n"), hasty).unwrap();
    assert!(!sent.is_quiet && sent.elapsed >= SHORT && sent.elapsed < LONG, "{sent:?}");
}

#[test]
fn who_looks_has_a_turn_while_the_heaviest_output_comes() {
    if !has("python3") {
        return;
    }
    // A few bytes that write thousands of characters, again and again.
    let program = python("import sys\nsys.stdout.write('a\\x1b[9999b' * 500)");
    let mut looks = 0;
    while program.wait_exit(Duration::ZERO).is_none() {
        assert_eq!(program.screen().size.columns(), 80);
        looks += 1;
    }
    assert!(looks >= 5, "{looks}");
}

#[test]
fn a_drawing_in_one_go_is_not_seen_half_done_and_not_held_for_ever() {
    if !has("python3") {
        return;
    }
    let program = python("import sys\nsys.stdout.write('old\\x1b[?2026h\\rnew');sys.stdout.flush()\ninput()");
    program.expect("old");
    let begin = Instant::now();
    while program.screen().text != "new" {
        assert_eq!(program.screen().text.replace("new", "old"), "old");
        assert!(begin.elapsed() < LONG, "held for ever");
    }
}
