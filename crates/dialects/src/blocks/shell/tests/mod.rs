//! Templates and the exact scripts they become; `tests/shell.rs` runs such scripts.

mod evaluated;
mod handed;
mod variables;

use super::*;

/// Reads `@` as the first reference and `%` as the second.
fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['@', '%']) {
        parts.push(Part::Text(&rest[..at]));
        parts.push(Part::Reference(usize::from(rest[at..].starts_with('%'))));
        rest = &rest[at + 1..];
    }
    parts.push(Part::Text(rest));
    parts
}

fn script(template: &str) -> String {
    match compile(&parts(template), &[]).script {
        Ok(Script::Text(text)) => text,
        other => panic!("{template}: {other:?}"),
    }
}

fn reasons(template: &str) -> Vec<Reason> {
    let refusals = compile(&parts(template), &[]).script.expect_err(template);
    refusals.into_iter().map(|refusal| refusal.reason).collect()
}

#[test]
fn a_reference_is_quoted_as_its_place_asks() {
    let cases = [
        ("echo @", r#"echo "${SB_1}""#),
        ("echo a@b%", r#"echo a"${SB_1}"b"${SB_2}""#),
        (r#"echo "a @ b""#, r#"echo "a ${SB_1} b""#),
        ("echo 'a @ b'", r#"echo 'a '"${SB_1}"' b'"#),
        (r#"echo "it's @" '@'"#, r#"echo "it's ${SB_1}" ''"${SB_1}"''"#),
        (r#"echo \"@\'%"#, r#"echo \""${SB_1}"\'"${SB_2}""#),
        (r"echo \\@", r#"echo \\"${SB_1}""#),
        (r#"echo "\\@""#, r#"echo "\\${SB_1}""#),
        (r"echo '\@'", r#"echo '\'"${SB_1}"''"#),
        ("x=@; y=\"$x@\"", "x=\"${SB_1}\"; y=\"$x${SB_1}\""),
        ("echo $x@ ${y}@ $$@ $#@", r#"echo $x"${SB_1}" ${y}"${SB_1}" $$"${SB_1}" $#"${SB_1}""#),
        ("echo $@ \"$%\"", r#"echo \$"${SB_1}" "\$${SB_2}""#),
        ("echo # it's @\necho @", "echo # it's ${SB_1}\necho \"${SB_1}\""),
        ("echo a#'@'", r#"echo a#''"${SB_1}"''"#),
        ("echo $(cat @)", r#"echo $(cat "${SB_1}")"#),
        (r#"echo "$(cat @ "x @" '@') @""#, r#"echo "$(cat "${SB_1}" "x ${SB_1}" ''"${SB_1}"'') ${SB_1}""#),
        ("echo `cat @` @", r#"echo `cat "${SB_1}"` "${SB_1}""#),
        (r#"echo "`cat @` @""#, r#"echo "`cat "${SB_1}"` ${SB_1}""#),
        (r#"echo "$( (a; b @) )@""#, r#"echo "$( (a; b "${SB_1}") )${SB_1}""#),
        (
            r#"x="$(case @ in a|b) echo @;; esac)@""#,
            r#"x="$(case "${SB_1}" in a|b) echo "${SB_1}";; esac)${SB_1}""#,
        ),
        (
            r#"x="$(case x in (a) echo @;; (b) ;; esac) @""#,
            r#"x="$(case x in (a) echo "${SB_1}";; (b) ;; esac) ${SB_1}""#,
        ),
        (r#"x="$(echo case)@""#, r#"x="$(echo case)${SB_1}""#),
        (r#"x="$(echo ')')@""#, r#"x="$(echo ')')${SB_1}""#),
        (r#"x="${y:-"}"}@""#, r#"x="${y:-"}"}${SB_1}""#),
        (r#"x=${y:-'}'}@"#, r#"x=${y:-'}'}"${SB_1}""#),
        (r#"[ @ = a ] && (echo @)"#, r#"[ "${SB_1}" = a ] && (echo "${SB_1}")"#),
        ("echo $((1+2)) @", r#"echo $((1+2)) "${SB_1}""#),
        ("echo <<<x @", r#"echo <<<x "${SB_1}""#),
        ("echo é漢 @", r#"echo é漢 "${SB_1}""#),
    ];
    for (template, expected) in cases {
        assert_eq!(script(template), expected, "{template}");
    }
}

#[test]
fn here_documents_are_followed_by_whole_lines() {
    let cases = [
        ("cat <<A\n\"@\" '@'\nA\necho @", "cat <<A\n\"${SB_1}\" '${SB_1}'\nA\necho \"${SB_1}\""),
        (
            "cat <<-A; echo @\n\t@\n\tA\necho @",
            "cat <<-A; echo \"${SB_1}\"\n\t${SB_1}\n\tA\necho \"${SB_1}\"",
        ),
        ("cat <<A <<B\n@\nA\n@\nB\necho @", "cat <<A <<B\n${SB_1}\nA\n${SB_1}\nB\necho \"${SB_1}\""),
        ("cat <<'A'\nit's $(\nA\necho @", "cat <<'A'\nit's $(\nA\necho \"${SB_1}\""),
        ("cat <<A\n$(echo '@')\nA\n", "cat <<A\n$(echo ''\"${SB_1}\"'')\nA\n"),
        ("x=\"$(cat <<A\n'@\nA\n)@\"", "x=\"$(cat <<A\n'${SB_1}\nA\n)${SB_1}\""),
        ("cat <<A\nA@\n A\nA", "cat <<A\nA${SB_1}\n A\nA"),
        ("cat <<A\nx \\\ny @\nA", "cat <<A\nx \\\ny ${SB_1}\nA"),
        ("cat <<A\n@", "cat <<A\n${SB_1}"),
    ];
    for (template, expected) in cases {
        assert_eq!(script(template), expected, "{template}");
    }
}

#[test]
fn arithmetic_takes_whole_numbers_only() {
    let text = script("echo $((@ + %)) $(( (@) ))");
    let (guards, body) = text.split_at(text.find("echo").expect("the command is there"));
    assert_eq!(body, "echo $(((${SB_1}) + (${SB_2}))) $(( ((${SB_1})) ))");
    assert_eq!(guards.matches("esac;").count(), 2);
    assert_eq!(guards.lines().count(), 1);
    assert!(!script("echo $((1)) @").contains("esac"));
}

#[test]
fn a_whole_reference_is_the_script_itself() {
    assert_eq!(compile(&parts("@"), &[]).script, Ok(Script::Value(0)));
    assert_eq!(compile(&parts(" %\n"), &[]).script, Ok(Script::Value(1)));
    // For a shell this is no blank but part of a word.
    assert!(matches!(compile(&parts("@\u{a0}"), &[]).script, Ok(Script::Text(_))));
    assert_eq!(compile(&parts("@%"), &[]).script, Ok(Script::Text("\"${SB_1}\"\"${SB_2}\"".to_owned())));
    assert_eq!(compile(&parts(""), &[]).script, Ok(Script::Text(String::new())));
    assert_eq!(compile(&[], &[]).script, Ok(Script::Text(String::new())));
}

#[test]
fn where_a_value_could_not_be_a_value_it_is_refused() {
    let cases = [
        ("cat <<'A'\n@\nA", Reason::QuotedHereDocument),
        ("cat <<\"A\"\n@\nA", Reason::QuotedHereDocument),
        ("cat <<\\A\n@\nA", Reason::QuotedHereDocument),
        ("cat <<A'B'\n@\nAB", Reason::QuotedHereDocument),
        ("cat <<A@\nA", Reason::HereDocumentMark),
        (r"echo \@", Reason::Backslash),
        (r#"echo "\@""#, Reason::Backslash),
        ("cat <<A\n\\@\nA", Reason::Backslash),
        ("echo ${x:-@}", Reason::Expansion),
        ("echo ${x#\"@\"}", Reason::Expansion),
        ("echo \"${@}\"", Reason::Expansion),
        (r"echo `echo \$x @`", Reason::Backticks),
        (r"echo `echo \`echo @\``", Reason::Backticks),
        ("echo $'@'", Reason::DollarQuote),
        ("[[ @ -eq 1 ]]", Reason::Bash),
        ("if [[ \"@\" ]]; then :; fi", Reason::Bash),
        ("((x = @))", Reason::Bash),
        ("echo $[@]", Reason::Bash),
        ("echo \"$[ @ ]\"", Reason::Bash),
        ("echo $((echo @) | cat)", Reason::Unclear),
        ("echo $'\\'' @", Reason::Unclear),
        ("echo ` @", Reason::Unclear),
        ("size=$[1<<4]\nrm @", Reason::Unclear),
        // bash goes on behind a list that is wrong, in the middle of what the line has begun.
        ("y=( a | b ); cat <<E\n@\nE", Reason::Unclear),
        ("y=(;); cat <<E\n@\nE", Reason::Unclear),
        ("y+=( < ); cat <<E\n@\nE", Reason::Unclear),
        ("declare -a y=(-x & -y); msg=\"\n@\n\"", Reason::Unclear),
        ("echo $(y=(a (b)))\ncat <<E\n@\nE", Reason::Unclear),
        ("echo <(y=(; done)); read z <<E\n@\nE", Reason::Unclear),
        ("alias d='#'\nd cat <<E\n@\nE", Reason::Unclear),
        ("{ alias 'd=echo \"'; }\nd @ \"", Reason::Unclear),
        ("eval \"alias d='#'\"\nd cat <<E\n@\nE", Reason::Unclear),
        ("BASH_ALIASES[d]='#'\nd cat <<E\n@\nE", Reason::Unclear),
        ("SB_1=own; echo @", Reason::Taken),
        ("for SB_1 in a; do echo \"@ $SB_1\"; done", Reason::Taken),
        ("echo @ ${SB_1:-x}", Reason::Taken),
        ("if [ $[ x <<= 1 ] -gt 3 ]; then\nrm @\nfi", Reason::Unclear),
        ("echo \"${x:-it's} @\"", Reason::Unclear),
        ("cat <<A $(\nx\n) @\nA", Reason::Unclear),
        ("echo $(cat <<A)\n@\nA", Reason::Unclear),
        ("cat <<A\nx\\\nA\n@", Reason::Unclear),
        ("cat <<A\n\\\nA\n@", Reason::Unclear),
        ("cat <<$x\n@\n$x", Reason::Unclear),
        ("echo `echo '` @", Reason::Unclear),
    ];
    for (template, reason) in cases {
        assert_eq!(reasons(template), [reason], "{template}");
    }
    assert!(script("[[ a ]] && echo @").ends_with("\"${SB_1}\""));
    assert!(script("echo $[1] @").ends_with("\"${SB_1}\""));
}

#[test]
fn all_refusals_come_at_once_and_know_their_part() {
    let found = compile(&parts("echo \\@ ${x:-%}"), &[]).script.expect_err("both are refused");
    let expected = [(1, Reason::Backslash), (3, Reason::Expansion)];
    assert_eq!(found.iter().map(|one| (one.part, one.reason)).collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_nested_without_end_ends() {
    for template in ["$(".repeat(100_000), "\"$(".repeat(50_000), "`".repeat(99_999), "${".repeat(100_000)] {
        assert_eq!(compile(&[Part::Text(&template)], &[]).script, Ok(Script::Text(template.clone())));
    }
    let heres: String = (0..2_000).map(|level| format!("$(cat <<A{level}\n")).collect();
    let text = format!("{heres}@");
    assert_eq!(reasons(&text), [Reason::Unclear]);
}

#[test]
fn without_references_a_script_stays_as_it_is() {
    let script = "set -eu\nfor f in *.rs; do\n  case \"$f\" in a*) echo \"it's $f\" ;; esac # `x\ndone <<'E' | wc\n$(\nE\n";
    assert_eq!(compile(&[Part::Text(script)], &[]).script, Ok(Script::Text(script.to_owned())));
}

#[test]
fn what_nests_deep_has_an_edge() {
    let nested = |levels: usize| format!("{}echo @{}", "$(".repeat(levels), ")".repeat(levels));
    assert!(script(&nested(63)).contains("SB_1"));
    assert_eq!(reasons(&nested(64)), [Reason::Unclear]);
    // What has no reference in it may nest deeper, but what follows is not known then.
    assert!(script(&nested(199).replace('@', "x")).contains("echo x"));
    assert_eq!(reasons(&(nested(200).replace('@', "x") + "; echo @")), [Reason::Unclear]);
    assert!(script(&(nested(199).replace('@', "x") + "; echo @")).contains("SB_1"));
}
