//! Runs compiled scripts in real shells: a hostile value must come out byte for byte, and nothing may run.
#![expect(clippy::disallowed_types, reason = "the crate is pure, this test of it runs shells")]

use dialects::blocks::shell::{Part, Script, compile, variable};
use std::process::Command;

/// What a value must survive.
const HOSTILE: [&str; 22] = [
    "",
    " ",
    "plain",
    "two  words",
    "-n",
    "--help",
    "$(echo run)",
    "`echo run`",
    "${HOME}",
    "$HOME",
    "'",
    "\"",
    "'; echo run; '",
    "\"; echo run; \"",
    "\\",
    "a\\nb\\",
    "line\nline\n\nEOF\nlast",
    "*",
    "~ ? [a-z] {a,b} !x # y",
    "; echo run & | > /dev/null",
    "a[$(echo run >&2)]",
    "é漢🙂\ttab\u{1}",
];

/// Commands with `@` for the value, and what they print around it.
const PLACES: [(&str, &str); 27] = [
    ("printf %s @", "@"),
    ("printf %s a@b@", "a@b@"),
    ("printf '%s,' @ x", "@,x,"),
    ("printf %s \"@\"", "@"),
    ("printf %s \"a '@' \\\"@\\\" b\"", "a '@' \"@\" b"),
    ("printf %s 'a @ \"@\" $HOME'", "a @ \"@\" $HOME"),
    ("printf %s \\'@\\\"", "'@\""),
    ("printf %s \"$(printf '%s.' @)\"", "@."),
    ("printf %s \"$(printf '%s.' \"@\")\"", "@."),
    ("printf %s \"$(printf 'a@%s.' b)\"", "!a@b."),
    ("printf %s \"`printf '%s.' @`\"", "@."),
    ("printf %s \"`printf '%s.' \"@\"`\"", "@."),
    ("x=`printf '%s.' '@'`; printf %s \"$x\"", "@."),
    ("cat <<E\n@ \"'@'\"\nE\n", "@ \"'@'\"\n"),
    ("cat <<-E\n\t@\n\tE\nprintf %s @", "@\n@"),
    ("{ cat; cat <&3; } <<A 3<<B\n'@\nA\n@\"\nB\nprintf %s '@'", "'@\n@\"\n@"),
    ("cat <<E\n$(printf '%s.' \"@\" '@')\nE\n", "@.@.\n"),
    ("printf %s \"$(cat <<E\n'@.\nE\n)@\"", "'@.@"),
    ("# it's @ `\nprintf %s @ # \"@", "@"),
    ("x=@; printf %s \"$x\"", "@"),
    ("for x in @ b; do printf '%s,' \"$x\"; done", "@,b,"),
    ("case @ in @) printf same;; *) printf other;; esac", "same"),
    ("printf %s \"$(case x in x) printf '%s.' @;; esac)@\"", "@.@"),
    ("printf '%s,' $(printf 5) \"${y:-its}@\" ${y:-'}'}@", "5,its@,}@,"),
    ("(printf %s @) | cat; { printf %s @; }", "@@"),
    ("f() { printf %s \"$1\"; }; f @", "@"),
    ("[ @ = @ ] && printf %s '$@ ' \"$@\"", "$@ $@"),
];

fn shells() -> Vec<&'static str> {
    ["sh", "bash", "dash", "ksh", "ksh93", "mksh", "zsh", "busybox"]
        .into_iter()
        .filter(|name| run(name, "exit 0", "").is_some())
        .collect()
}

fn run(shell: &str, script: &str, value: &str) -> Option<(String, String, Option<i32>)> {
    let mut command = Command::new(shell);
    if shell == "busybox" {
        command.arg("sh");
    }
    let output = command.arg("-c").arg(script).env(variable(0), value).output().ok()?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints what it was given");
    Some((text(output.stdout), text(output.stderr), output.status.code()))
}

fn parts(template: &str) -> Vec<Part<'_>> {
    let pieces: Vec<&str> = template.split('@').collect();
    let mut parts = vec![Part::Text(pieces[0])];
    for piece in &pieces[1..] {
        parts.extend([Part::Reference(0), Part::Text(piece)]);
    }
    parts
}

fn compiled(template: &str) -> String {
    match compile(&parts(template), &[]).script {
        Ok(Script::Text(script)) => script,
        other => panic!("{template}: {other:?}"),
    }
}

#[test]
fn a_value_comes_through_every_place_byte_for_byte() {
    let shells = shells();
    assert!(shells.contains(&"sh"), "no shell to test with");
    for (template, expected) in PLACES {
        let script = compiled(template);
        for value in HOSTILE {
            // A `printf` format is read by printf: there only what it leaves alone can be compared.
            let Some(expected) = expected
                .strip_prefix('!')
                .map_or(Some(expected), |rest| (!value.contains(['\\', '%'])).then_some(rest))
            else {
                continue;
            };
            for shell in &shells {
                let (stdout, stderr, code) = run(shell, &script, value).expect("the shell starts");
                assert_eq!(stdout, expected.replace('@', value), "{shell}: {template}: {value:?}\n{script}");
                assert_eq!(
                    (stderr.as_str(), code),
                    ("", Some(0)),
                    "{shell}: {template}: {value:?}\n{script}"
                );
            }
        }
    }
}

#[test]
fn arithmetic_counts_with_numbers_and_stops_at_all_else() {
    let script = compiled("printf %s $((5-@)) \"$((@*2))\"");
    for shell in shells() {
        for (value, expected) in [("3", "26"), ("-3", "8-6"), ("0", "50"), ("12", "-724")] {
            let (stdout, ..) = run(shell, &script, value).expect("the shell starts");
            assert_eq!(stdout, expected, "{shell}: {value}");
        }
        for value in HOSTILE.into_iter().chain(["1+1", "x", "--1", "-", "0x1", "1 2", "1;", "SB_1"]) {
            let (stdout, stderr, code) = run(shell, &script, value).expect("the shell starts");
            assert_eq!((stdout.as_str(), code), ("", Some(2)), "{shell}: {value:?}");
            assert_eq!(stderr, format!("arithmetic needs a whole number, not: {value}\n"), "{shell}");
        }
    }
}

/// Words that print the word in the place of `□`, and a full stop that keeps the line breaks before it.
const AROUND: [&str; 8] = [
    "\"$(printf '%s.' □)\"",
    "\"`printf '%s.' □`\"",
    "\"$(cat <<E\n$(printf '%s.' □)\nE\n)\"",
    "\"$(cat <<-'E'\n\tE\nprintf '%s.' □)\"",
    "\"$(case x in (y) ;; x) printf '%s.' □;; esac)\"",
    "\"$( (printf '%s.' □) )\"",
    "\"$(if [ 1 = $((3-(1+1))) ]; then # it's \"\nprintf '%s.' □; fi)\"",
    "\"${none:-}$(printf '%s.' \\\n □)\"",
];

#[test]
fn a_value_comes_through_places_inside_places() {
    let value = HOSTILE.join("\n");
    let shells = shells();
    let mut words: Vec<String> = ["@", "\"@\"", "'@'"].map(str::to_owned).to_vec();
    let mut tried = 0;
    for depth in 1..=3 {
        words = AROUND
            .iter()
            .flat_map(|around| {
                words.iter().map(|word| around.replace('E', &format!("E{depth}")).replace('□', word))
            })
            .collect();
        for word in words.iter().step_by(if depth < 3 { 1 } else { 7 }) {
            // Backticks inside backticks need backslashes, and with these a reference is refused.
            let has_backslash = word.contains('\\') && word.contains('`');
            if word.matches('`').count() > 2 || has_backslash {
                continue;
            }
            let script = compiled(&format!("printf %s {word}@"));
            tried += 1;
            let expected = format!("{value}{}{value}", ".".repeat(depth));
            for shell in &shells {
                let (stdout, stderr, code) = run(shell, &script, &value).expect("the shell starts");
                assert_eq!(
                    (stdout, stderr.as_str(), code),
                    (expected.clone(), "", Some(0)),
                    "{shell}: {script}"
                );
            }
        }
    }
    assert!(tried > 200, "only {tried} were tried");
}

/// Commands that bash would run a value in: `%` is where the value would be named, as it would be without our help.
const EVALUATED: [&str; 68] = [
    "for ((i=0;i<%;i++)); do :; done",
    "x[%]=1",
    "x[\"%\"]=1",
    "x[%]+=1",
    "a=([%]=1)",
    "a=(); a+=([%]=3)",
    "declare -a a=([%]=1)",
    "f() { local x[%]=1; }; f",
    "f() { local -i x=%; }; f",
    "exec {x[%]}>/dev/null",
    "time [[ % -eq 1 ]]",
    "coproc [[ % -eq 1 ]]; wait",
    "function f (( % )); f",
    "(\\\n( % ))",
    "echo $\\\n(( % ))",
    "echo $[y[0] + %]",
    "echo $(( $(echo %) + 1 ))",
    "echo $(( `echo %` + 1 ))",
    "[[ $(echo %) -eq 1 ]]",
    "(( $(echo %) ))",
    "echo ${a[$(echo %)]}",
    "x=abc; echo ${x:$(echo %)}",
    "x[$(echo %)]=1",
    "let x=%",
    "let \"x = $(echo %)\"",
    "declare -i x=%",
    "declare %=3",
    "declare -n x=%; x=1",
    "declare -a x=\"(%)\"",
    "RANDOM=%",
    "OPTIND=%",
    "[ -v % ]",
    "test -v %",
    "[[ -v % ]]",
    "printf -v % %%s x",
    "read % <<< x",
    "read 2>/dev/stderr -r % <<< x",
    "a=(1); unset %",
    "declare -i n\nn=%",
    "typeset -i n; n=%",
    "f() { local -i n; n=%; }; f",
    "declare -i n; n+=%",
    "n=%; declare -i n; n+=1",
    "declare -i n; for n in %; do :; done",
    "declare -i n; read n <<< %",
    "declare -i n; read n <<E\n%\nE\n",
    "declare -i n; read n < <(echo %)",
    "declare -i n; mapfile n <<< %",
    "declare -i n; printf -v n %%s %",
    "declare -i OPTARG; getopts a: x -a %",
    "declare -i n; export n=%",
    "declare -i n; n=\"$(echo %)\"",
    "declare -i n; : ${n:=$(echo %)}",
    "declare -ai m; m=(%)",
    "declare -ai m; m+=(%)",
    "declare -Ai m; m[k]=%",
    "declare -n r; r=%; echo $r",
    "declare -n r=x; for r in %; do echo $r; done",
    "for RANDOM in %; do :; done",
    "for OPTIND in %; do :; done",
    "read SRANDOM <<< %",
    "printf -v HISTCMD %%s %",
    "export RANDOM=%",
    "BASHPID+=%",
    "SECONDS=(%)",
    "$'let' x=%",
    "$\"let\" x=%",
    "read x < <(echo a) %",
];

#[test]
fn what_bash_would_run_is_refused() {
    let value = "a[$(pwd>&2)]";
    let here = env!("CARGO_MANIFEST_DIR");
    let has_bash = shells().contains(&"bash");
    for template in EVALUATED {
        let naive = template.replace("%%", "\0").replace('%', "${SB_1}").replace('\0', "%");
        if has_bash {
            let (_, stderr, _) = run("bash", &naive, value).expect("bash starts");
            assert!(stderr.contains(here), "bash leaves it alone: {naive}: {stderr}");
        }
        let template = template.replace("%%", "\0").replace('%', "@").replace('\0', "%");
        let refused = compile(&parts(&template), &[]).script;
        assert!(refused.is_err(), "{template}: {refused:?}");
    }
}

/// Twins of those that are refused: what they print if the value is harmless.
const TWINS: [(&str, &str); 14] = [
    ("x[$((@))]=5; printf %s \"${x[3]}\"", "5"),
    ("for ((i=0;i<$((@));i++)); do printf x; done", "xxx"),
    ("[[ $((@)) -eq 3 ]] && printf yes", "yes"),
    ("a=(@ b); printf %s \"${a[0]}\"", "3"),
    ("declare -a a=(@ b); printf %s \"${a[0]}\"", "3"),
    ("declare x=@; printf %s \"$x\"", "3"),
    ("f() { local x=@; printf %s \"$x\"; }; f", "3"),
    ("export X=@; printf %s \"$X\"", "3"),
    ("printf -v x %s @; printf %s \"$x\"", "3"),
    ("read -r x <<< @; printf %s \"$x\"", "3"),
    ("[ @ -eq 3 ] 2>/dev/null && printf yes", "yes"),
    ("x=; printf %s \"${x:-$(printf %s @)}\"", "3"),
    ("x=@; trap 'printf %s \"$x\"' EXIT", "3"),
    ("sh -c 'printf %s \"$1\"' sh @", "3"),
];

#[test]
fn what_may_stand_there_is_not_run() {
    for (template, expected) in TWINS {
        let script = compiled(template);
        for shell in shells().into_iter().filter(|shell| *shell == "bash") {
            assert_eq!(run(shell, &script, "3").expect("bash starts").0, expected, "{script}");
            for value in
                ["a[$(echo run >&2)]", "($(echo run >&2))", "x[$(echo run >&2)]=5", "$(echo run >&2)"]
            {
                let (_, stderr, _) = run(shell, &script, value).expect("bash starts");
                let said = stderr.replace(value, "");
                assert!(!said.contains("run"), "{script}: {value}: {stderr}");
            }
        }
    }
}

#[test]
fn shells_that_count_with_what_they_compare_get_numbers_only() {
    let script = compiled("if [ @ -gt 2 ]; then printf yes; fi");
    for shell in shells() {
        for value in ["3", " 3"] {
            let (stdout, ..) = run(shell, &script, value).expect("the shell starts");
            assert_eq!(stdout, "yes", "{shell}: {value:?}");
        }
        for value in HOSTILE.into_iter().chain(["a[$(echo run >&2)]", "x=9"]) {
            let (stdout, stderr, _) = run(shell, &script, value).expect("the shell starts");
            assert_eq!(stdout, "", "{shell}: {value:?}");
            assert_ne!(stderr, "run\n", "{shell}: {value:?}");
        }
        let (_, stderr, code) =
            run(shell, &format!("KSH_VERSION=x; {script}"), "a[$(echo run >&2)]").expect("it starts");
        assert_eq!(code, Some(2), "{shell}: {stderr}");
        assert_eq!(stderr, "arithmetic needs a whole number, not: a[$(echo run >&2)]\n", "{shell}");
    }
}
