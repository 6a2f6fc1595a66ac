//! Programs that people drive by hand.

use crate::world::{LONG, World, bash, has, open, python, spec};
use terminal::{Exit, Input, Mode, Outcome, Settle, Size};

#[test]
fn a_shell_runs_commands_and_ends_with_a_code() {
    let bash = bash();
    bash.text("echo $((6 * 7))\n");
    assert_eq!(bash.expect(r"^\d+$").text, "42");
    bash.text("printf 'a\\tb\\n'; pwd\n");
    bash.expect(&format!("{}$", bash.folder.path().display()));
    assert!(bash.screen().text.contains("a       b\n"));
    bash.text("exit 7\n");
    assert_eq!(bash.wait_exit(LONG), Some(Exit::Code(7)));
    let refused = bash.send(Input::Text("ls\n"), Settle::default()).unwrap_err().to_string();
    assert_eq!(refused, "the program has ended (exit code 7); open another terminal");
}

#[test]
fn the_environment_is_what_was_given_and_nothing_else() {
    // Cargo sets this for every test: there is something to inherit.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let env = open("env", &[]);
    env.wait_exit(LONG);
    let shown = env.content(Mode::History, 100_000).text;
    let mut names: Vec<&str> = shown.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    assert_eq!(names, ["HOME", "LANG", "LESS", "PATH", "PS1", "TERM"]);
    assert!(shown.contains("TERM=xterm-256color"));
}

#[test]
fn a_python_prompt_answers() {
    if !has("python3") {
        return;
    }
    let python = open("python3", &["-q"]);
    python.expect(">>> $");
    python.text("5\n");
    assert_eq!(python.expect(r"^5$").text, "5");
    python.text("for n in range(3):\n    print('number', n)\n\n");
    python.expect("number 2");
    python.text("import sys; sys.exit(3)\n");
    assert_eq!(python.wait_exit(LONG), Some(Exit::Code(3)));
}

#[test]
fn a_pager_scrolls_and_gives_the_screen_back() {
    if !has("less") {
        return;
    }
    let bash = bash();
    bash.text("seq 1000 > numbers; echo before; less numbers\n");
    bash.expect("numbers");
    assert!(bash.screen().modes.alternate_screen);
    bash.keys("<PageDown>");
    bash.expect("^46$");
    bash.text("/^777\n");
    bash.expect("^777$");
    assert_eq!(bash.foreground().unwrap().name.as_deref(), Some("less"));
    assert!(!bash.foreground().unwrap().is_first);
    let tail = bash.content(Mode::Tail(3), 1_000);
    assert!(tail.left_out.unwrap().contains("whole screen"), "{}", tail.text);
    bash.text("q");
    bash.expect(r"\$ $");
    assert!(bash.screen().text.contains("before"), "{}", bash.screen().text);
    assert!(!bash.screen().modes.alternate_screen);
    assert!(bash.foreground().unwrap().is_first);
}

#[test]
fn an_editor_writes_a_file() {
    if !has("vi") {
        return;
    }
    let vi = open("vi", &["-u", "NONE", "-i", "NONE", "note.txt"]);
    vi.expect(r"note\.txt");
    vi.keys("ihello 世界<Enter>second line<Esc>");
    vi.expect("世界");
    vi.keys("<Up>A!<Esc>");
    vi.keys(":wq<Enter>");
    assert_eq!(vi.wait_exit(LONG), Some(Exit::Code(0)));
    let written = std::fs::read_to_string(vi.folder.path().join("note.txt")).unwrap();
    assert_eq!(written, "hello 世界!\nsecond line\n");
}

#[test]
fn a_password_is_typed_unseen() {
    if !has("python3") {
        return;
    }
    let script =
        "import getpass\np = getpass.getpass('Password: ')\nprint('length', len(p))\nprint('again', p)";
    let program = python(script);
    program.expect("Password: $");
    program.text("open sesame\n");
    assert_eq!(program.expect(r"length (\d+)").groups[0].text.as_deref(), Some("11"));
    // What was not echoed is no echo when the program says it.
    program.expect("open sesame");
}

#[test]
fn each_state_of_what_redraws_is_seen_and_the_screen_shows_the_last() {
    if !has("python3") {
        return;
    }
    let script = "import sys\nfor n in range(0, 101, 10):\n    sys.stdout.write(f'\\r{n:3}% done')\nprint('\\nfinished')\ninput()";
    let program = python(script);
    program.expect("finished");
    program.expect(" 50% done");
    assert!(program.screen().text.starts_with("100% done\nfinished"), "{}", program.screen().text);
    assert_eq!(program.content(Mode::SinceInput, 1_000).text, "100% done\nfinished");
}

#[test]
fn a_full_screen_program_that_writes_only_changes_is_matched_on_its_rows() {
    if !has("python3") {
        return;
    }
    let script = "import sys\nw = sys.stdout.write\nw('\\x1b[?1049h\\x1b[2J\\x1b[2;3HScore: 1');sys.stdout.flush()\n\
                  input()\nw('\\x1b[2;10H2');sys.stdout.flush()\ninput()\nw('\\x1b[?1049l')";
    let program = python(script);
    program.expect("Score: 1");
    program.text("\n");
    assert_eq!(program.expect(r"Score: (\d)").text, "Score: 2");
    let since = program.content(Mode::SinceInput, 1_000);
    assert!(since.text.contains("  Score: 2") && since.left_out.unwrap().contains("whole screen"));
}

#[test]
fn what_floods_is_kept_up_with_and_bounded() {
    let bash = bash();
    bash.text("yes 'the same line again' | head -n 80000; echo all of it\n");
    bash.expect("^all of it$");
    let history = bash.content(Mode::History, 20_000);
    assert!(history.text.len() <= 20_100);
    assert!(history.left_out.unwrap().starts_with("older lines are no longer kept; "));
    let since = bash.content(Mode::SinceInput, 2_000);
    assert!(since.text.ends_with("all of it\n$"), "{}", since.text);
    assert!(since.left_out.unwrap().contains("bytes are no longer kept"));
    // Interrupted while it floods.
    bash.text("yes\n");
    bash.expect("^y$");
    bash.keys("<C-c>");
    bash.expect(r"\$ $");
}

#[test]
fn a_terminal_answers_what_programs_ask() {
    if !has("python3") {
        return;
    }
    let script = "import sys, termios, tty\nold = termios.tcgetattr(0)\ntty.setraw(0)\n\
        def ask(q, end):\n    sys.stdout.write(q); sys.stdout.flush()\n    a = ''\n    while not a.endswith(end): a += sys.stdin.read(1)\n    return a\n\
        answers = [ask('\\x1b[c', 'c'), ask('\\x1b[>c', 'c'), ask('\\x1b[5n', 'n'), ask('\\x1b[3;7H\\x1b[6n', 'R'), \
        ask('\\x1b[?2004$p', 'y'), ask('\\x1b]11;?\\x1b\\\\', '\\\\'), ask('\\x1b[18t', 't')]\n\
        termios.tcsetattr(0, termios.TCSANOW, old)\nprint('\\n\\n')\nfor a in answers: print(repr(a))";
    let program = python(script);
    program.wait_exit(LONG);
    let answers = program.content(Mode::Tail(7), 10_000).text;
    let expected = [
        r"'\x1b[?6c'",
        r"'\x1b[>0;2600;1c'",
        r"'\x1b[0n'",
        r"'\x1b[3;7R'",
        r"'\x1b[?2004;2$y'",
        r"'\x1b]11;rgb:0000/0000/0000\x1b\\'",
        r"'\x1b[8;24;80t'",
    ];
    assert_eq!(answers.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_resize_reaches_the_program_and_flows_the_text() {
    let program = python(
        "import os, signal, sys\n\
         def told(*_):\n\
         \x20   size = os.get_terminal_size(1)\n\
         \x20   print('now', size.lines, size.columns, flush=True)\n\
         signal.signal(signal.SIGWINCH, told)\n\
         print('above\\n' * 3 + '0123456789' * 4, flush=True)\n\
         for line in sys.stdin:\n\
         \x20   print('read', len(line), flush=True)\n",
    );
    program.expect("^0123456789");
    assert_eq!(program.resize(Size::clamped(30, 10)).unwrap().to_string(), "30x10");
    program.expect("now 10 30");
    assert!(
        program.screen().text.contains("012345678901234567890123456789\n0123456789"),
        "{}",
        program.screen().text
    );
    assert!(
        program.content(Mode::Tail(20), 10_000).text.contains("0123456789012345678901234567890123456789")
    );
    assert_eq!(program.resize(Size::clamped(0, 9_999)).unwrap().to_string(), "2x200");
    program.resize(Size::clamped(80, 24)).unwrap();
    program.expect("now 24 80");
    program.text("four\n");
    program.expect("read 5");
}

#[test]
fn title_bell_and_cursor_are_told() {
    let bash = bash();
    bash.text("printf '\\033]2;a title\\007\\a\\a\\033[5;9H'; sleep 30\n");
    bash.send(Input::Text(""), Settle::quiet(std::time::Duration::from_millis(200))).unwrap();
    let looks = bash.screen();
    assert_eq!((looks.title.as_str(), looks.bells), ("a title", 2));
    assert_eq!((looks.cursor.row, looks.cursor.column, looks.cursor.is_shown), (4, 8, true));
}

#[test]
fn a_paste_is_one_piece_to_who_wants_to_know() {
    let bash = bash();
    assert!(bash.screen().modes.bracketed_paste);
    bash.send(Input::Paste("echo one\necho two"), Settle::default()).unwrap();
    bash.expect_not("^one$");
    bash.keys("<Enter>");
    bash.expect("(?s)^one$.*^two$");
}

#[test]
fn wide_and_combining_characters_stand_where_they_should() {
    let bash = bash();
    bash.text("printf '%s\\n' '日本|e\u{301}|👍|end'\n");
    bash.expect("^日本\\|e\u{301}\\|👍\\|end\n\\$ $");
    assert!(bash.screen().text.contains("\n日本|e\u{301}|👍|end\n"), "{}", bash.screen().text);
}

#[test]
fn a_program_that_does_not_read_does_not_hold_the_caller() {
    if !has("python3") {
        return;
    }
    let program = python("import time, tty\ntty.setraw(0)\nprint('ready')\ntime.sleep(60)");
    program.expect("ready");
    let sent = program.send(Input::Text(&"x".repeat(200_000)), Settle::default()).unwrap();
    assert!(sent.written > 0 && sent.unwritten > 0 && sent.written + sent.unwritten == 200_000, "{sent:?}");
    assert!(matches!(
        program.waited("never", std::time::Duration::from_millis(10)).outcome,
        Outcome::TimedOut
    ));
}

#[test]
fn a_line_that_the_system_would_cut_is_refused() {
    let cat = open("cat", &[]);
    let refused = cat.send(Input::Text(&"x".repeat(5_000)), Settle::default()).unwrap_err().to_string();
    assert!(refused.starts_with("a line of 5000 bytes is too long"), "{refused}");
    let lines = format!("{}\n", "x".repeat(4_000)).repeat(5);
    // Typed while the program writes, an echo may stand in the middle of a line, where nobody can tell it.
    cat.send(Input::Text(&lines), Settle::quiet(std::time::Duration::from_secs(1))).unwrap();
    cat.text("end\n");
    cat.expect("^end$");
}

#[test]
fn a_debugger_is_led_by_its_prompt_and_not_by_the_one_before() {
    if !has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "import time\ntotal = 0\nfor n in range(3):\n    total += n\ntime.sleep(0.3)\nprint('sum is', total)\n";
    std::fs::write(folder.path().join("script.py"), script).unwrap();
    let session = terminal::Session::open(&spec(&folder, "python3", &["-m", "pdb", "script.py"])).unwrap();
    let pdb = World { session, folder };
    pdb.expect(r"\(Pdb\) $");
    pdb.text("p 6 * 7\n");
    assert_eq!(pdb.expect(r"^\d+$").text, "42");
    pdb.text("list\n");
    pdb.expect(r"print\('sum is', total\)(?s:.*)\(Pdb\) $");
    // It takes a while; the prompts above must not answer for the one to come.
    pdb.text("continue\n");
    let waited = pdb.waited(r"\(Pdb\) $", LONG);
    assert!(
        waited.outcome.matched().is_some() && waited.screen.contains("\nsum is 3\n"),
        "{}",
        waited.screen
    );
    pdb.text("quit\n");
    assert!(pdb.wait_exit(LONG).is_some());
}

#[test]
fn a_plain_shell_without_a_line_editor_is_led_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let session = terminal::Session::open(&spec(&folder, "sh", &["-i"])).unwrap();
    let sh = World { session, folder };
    sh.expect(r"\$ $");
    sh.text("sleep 0.3; echo out $((2 + 3))\n");
    sh.expect_not_for("echo|out", std::time::Duration::from_millis(150));
    assert_eq!(sh.expect(r"^out \d$").text, "out 5");
    sh.text("read -r answer\n");
    sh.text("out 5\n");
    sh.text("echo \"<$answer>\"\n");
    assert_eq!(sh.expect("<.*>$").text, "<out 5>");
}

#[test]
fn editors_of_other_houses_are_led_by_their_prompts() {
    let programs: [(&str, &[&str], &str, &str, &str); 4] = [
        ("node", &["-i"], "> $", "setTimeout(() => console.log('is', 6 * 7), 300); 'now'\n", "is 42"),
        ("sqlite3", &[], "sqlite> $", "select 'is', 6 * 7;\n", "is|42"),
        ("gdb", &["-q", "-nx"], r"\(gdb\) $", "shell sleep 0.3; echo is $((6 * 7))\n", "is 42"),
        ("ipython", &["--no-banner"], r"In \[1\]: ", "print('is', 6 * 7)\n", "is 42"),
    ];
    for (program, args, prompt, input, answer) in programs {
        if !has(program) {
            continue;
        }
        let session = open(program, args);
        session.expect(prompt);
        session.text(input);
        let found = session.expect(r"\bis\b.*");
        assert_eq!(found.text, answer, "{program}");
    }
}
