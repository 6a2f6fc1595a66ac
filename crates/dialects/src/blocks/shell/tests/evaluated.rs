//! Places where a shell evaluates what it is given: which are refused, which are doubted, and which twins of them are neither.

use super::*;

pub(super) fn doubts(template: &str) -> Vec<Doubt> {
    compile(&parts(template), &[]).doubts.into_iter().map(|(_, doubt)| doubt).collect()
}

/// Neither refused nor doubted.
pub(super) fn is_plain(template: &str) {
    let Compiled { script, doubts } = compile(&parts(template), &[]);
    assert!(script.is_ok(), "{template}: {script:?}");
    assert_eq!(doubts, [], "{template}");
}

#[test]
fn what_a_descriptor_is_copied_from_takes_no_reference() {
    let cases = [
        "echo a >&@",
        "echo a >& \"out/@.log\"",
        "echo a >&'@'",
        "echo a 1>&@",
        "echo a 2>&log-@",
        "exec >&@",
        "{ echo a; } >&@",
        "( echo a ) >& @",
        "echo a >&$(echo @)",
        "cat <&@",
    ];
    for template in cases {
        assert_eq!(reasons(template), [Reason::Copied], "{template}");
    }
    for template in [
        "echo @ >&2",
        "echo a &> @",
        "echo a &>> @",
        "echo a >| @",
        "echo a > @ 2>&1",
        "echo a 2>&1 @",
        "a <> @",
    ] {
        is_plain(template);
    }
}

#[test]
fn arithmetic_and_subscripts_take_no_reference() {
    let cases = [
        ("for ((i=0;i<@;i++)); do :; done", Reason::Bash),
        ("for((i=@;;)) { break; }", Reason::Bash),
        ("time [[ @ -eq 1 ]]", Reason::Bash),
        ("time -p [[ @ -eq 1 ]]", Reason::Bash),
        ("coproc [[ @ -eq 1 ]]", Reason::Bash),
        ("function f (( @ )); f", Reason::Bash),
        ("function f [[ @ -eq 1 ]]; f", Reason::Bash),
        ("(\\\n( @ ))", Reason::Bash),
        ("[\\\n[ @ -eq 1 ]]", Reason::Bash),
        ("echo $[a[0]+@]", Reason::Bash),
        ("echo $[ $(echo 1) + @]", Reason::Bash),
        ("x[@]=1", Reason::Subscript),
        ("x[\"@\"]=1", Reason::Subscript),
        ("x['@']=1", Reason::Subscript),
        ("x[@]+=1", Reason::Subscript),
        ("x[ 1 + @ ]=1", Reason::Subscript),
        ("y=1 x[@]=1", Reason::Subscript),
        ("if x[y[0]+@]=1; then :; fi", Reason::Subscript),
        ("a=([@]=1)", Reason::Subscript),
        ("a+=(1 [@]=3)", Reason::Subscript),
        ("a=(\n[0]=1\n[@]=3)", Reason::Subscript),
        ("declare -a a=([@]=1)", Reason::Subscript),
        ("local x[@]=1", Reason::Subscript),
        ("builtin typeset x[@]=1", Reason::Subscript),
        ("exec {x[@]}>/dev/null", Reason::Subscript),
        ("echo $\\\n(( @ ))", Reason::Unclear),
        ("echo $(\\\n( @ ))", Reason::Unclear),
        ("cat <\\\n<E\n@\nE", Reason::Unclear),
    ];
    for (template, reason) in cases {
        assert_eq!(reasons(template), [reason], "{template}");
    }
    for template in [
        "x=@; x+=@",
        "a=(@ \"@\" b@)",
        "a+=(let @)",
        "local -a a=(@)",
        "echo x[@]=1",
        "curl -d item[@]=1 -d \"item[@]=2\"",
        "[ @ = 1 ]",
        "case @ in a[0-9]) echo @;; esac",
        "x[$((@))]=1",
        "for ((i=0;i<$((@));i++)); do :; done",
        "[[ $((@)) -eq 1 ]]",
        "(echo @); ( (echo @) )",
        "echo $[1] @ $[a[0]] @",
    ] {
        is_plain(template);
    }
}

#[test]
fn the_result_of_a_command_is_evaluated_where_a_reference_would_be() {
    let cases = [
        ("echo $(( $(echo @) + 1 ))", Reason::Result),
        ("echo $(( `echo @` + 1 ))", Reason::Result),
        ("echo $(( ${x:-$(echo @)} + 1 ))", Reason::Result),
        ("echo $(( $(cat <<E\n@\nE\n) ))", Reason::Result),
        ("echo \"$(( $(echo \"$(echo '@')\") ))\"", Reason::Result),
        ("echo ${a[$(echo @)]}", Reason::Result),
        ("echo ${a[`echo @`]}", Reason::Result),
        ("echo ${x:$(echo @)}", Reason::Result),
        ("echo ${x:0:$(echo @)}", Reason::Result),
        ("[[ $(echo @) -eq 1 ]]", Reason::Bash),
        ("[[ `echo @` -eq 1 ]]", Reason::Bash),
        ("(( $(echo @) ))", Reason::Bash),
        ("echo $[ $(echo @) ]", Reason::Bash),
        ("x[$(echo @)]=1", Reason::Subscript),
        ("x[`echo @`]=1", Reason::Subscript),
        ("let x=$(echo @)", Reason::Counted),
        ("declare -i x=\"`echo @`\"", Reason::Counted),
        ("read \"$(echo @)\"", Reason::Name),
    ];
    for (template, reason) in cases {
        assert_eq!(reasons(template), [reason], "{template}");
    }
    for template in [
        "echo \"${x:-$(echo @)}\" ${y#$(echo @)} ${z/$(echo @)/`echo @`}",
        "x=$(echo @); y=`echo @`",
        "echo $(echo $((@)))",
        "export $(cat @ | xargs)",
        "[ $(cat @ | wc -l) -eq 3 ]",
    ] {
        is_plain(template);
    }
}

#[test]
fn builtins_that_evaluate_take_no_reference() {
    let cases = [
        ("let x=@", Reason::Counted),
        ("let \"x = @ + 1\"", Reason::Counted),
        ("'let' x=@", Reason::Counted),
        ("l\\et x=@", Reason::Counted),
        ("if true; then let x=@; fi", Reason::Counted),
        ("f() { let x=@; }", Reason::Counted),
        ("function f { let x=@; }", Reason::Counted),
        ("for x do let y=@; done", Reason::Counted),
        ("time -p command let x=@", Reason::Counted),
        ("2>&1 let x=@", Reason::Counted),
        ("{fd}>/dev/null let x=@", Reason::Counted),
        ("x=1 y=2 let z=@", Reason::Counted),
        ("echo \"$(let x=@)\" `true`", Reason::Counted),
        ("echo `let x=@`", Reason::Counted),
        ("declare -i x=@", Reason::Counted),
        ("typeset -ri x=@", Reason::Counted),
        ("local -i x=@", Reason::Counted),
        ("declare -i a=(@)", Reason::Counted),
        ("declare -a x=@", Reason::Counted),
        ("readonly -a x=@", Reason::Counted),
        ("declare -n x=@", Reason::Counted),
        ("RANDOM=@", Reason::Number),
        ("OPTIND=\"@\" getopts a b", Reason::Number),
        ("declare @=3", Reason::Name),
        ("declare \"@\"", Reason::Name),
        ("local x@=3", Reason::Name),
        ("export @=3", Reason::Name),
        ("[ -v @ ]", Reason::Name),
        ("test -v \"@\"", Reason::Name),
        ("[ -n x -a -v @ ]", Reason::Name),
        ("[[ -v @ ]]", Reason::Bash),
        ("printf -v @ a x", Reason::Name),
        ("printf -v@ a x", Reason::Name),
        ("read @", Reason::Name),
        ("read -r -p 'your name' @", Reason::Name),
        ("while read -r a @; do :; done", Reason::Name),
        ("read 2>&1 @", Reason::Name),
        ("read < file @", Reason::Name),
        ("unset @", Reason::Name),
        ("unset -v 'a[@]'", Reason::Name),
        ("mapfile -t @", Reason::Name),
        ("wait -n -p @", Reason::Name),
        ("wait -n -p@", Reason::Name),
    ];
    for (template, reason) in cases {
        assert_eq!(reasons(template), [reason], "{template}");
    }
    for template in [
        "echo let @",
        "declare x=@",
        "local x=@ y=\"@\"",
        "export X=@ Y='@'",
        "readonly x=@",
        "typeset -x X=@",
        "read -r x < @",
        "read -r -p @ x",
        "read -rp \"@: \" x",
        "read x <<< @",
        "while read -r line; do echo @; done < @",
        "git read @",
        "printf 'a' @",
        "printf -v x a @",
        "printf -- @",
        "[ -n @ ] && test -f @",
        "[ @ -eq 1 ]",
        "for read in @; do :; done",
        "case let in let) echo @;; esac",
        "a=(unset @)",
        "unset x; echo @",
        "mapfile -t x < @",
        "trap - EXIT; echo @",
        "SECONDS_MAX=@ x",
    ] {
        is_plain(template);
    }
}

#[test]
fn code_that_the_script_asks_for_is_doubted() {
    let cases = [
        ("eval \"echo @\"", Doubt::Again),
        ("eval echo @", Doubt::Again),
        ("builtin eval 'echo @'", Doubt::Again),
        ("trap 'rm -rf @' EXIT", Doubt::Again),
        ("trap -- \"rm @\" EXIT", Doubt::Again),
        ("alias x=@", Doubt::Again),
        ("PS4=@; set -x", Doubt::Again),
        ("mapfile -C 'echo @' x", Doubt::Again),
        ("mapfile -c 1 -C@ x", Doubt::Again),
        ("readarray -tc1 -C\"@\" x", Doubt::Again),
        ("compgen -W @", Doubt::Again),
        ("sh -c 'echo @'", Doubt::Script),
        ("bash -c @", Doubt::Script),
        ("/bin/bash -lc \"echo @\" x", Doubt::Script),
        ("bash -o pipefail -euc \"echo @\"", Doubt::Script),
        ("bash -c -e \"echo @\"", Doubt::Script),
        ("bash -c - \"echo @\"", Doubt::Script),
        ("env A=1 sh -c 'echo @'", Doubt::Script),
        ("ls | xargs -n 1 sh -c 'echo @'", Doubt::Script),
        ("sudo -u me bash -c \"echo @\"", Doubt::Script),
        ("docker exec box sh -c 'echo @'", Doubt::Script),
        ("find . -exec sh -c 'echo @' \\;", Doubt::Script),
        ("echo \"$(sh -c 'echo @')\"", Doubt::Script),
        ("su -c 'echo @' me", Doubt::Script),
        ("sudo su - me -c \"echo @\"", Doubt::Script),
        ("su --command=@ me", Doubt::Script),
        ("flock lock -c 'echo @'", Doubt::Script),
        ("ssh host \"echo @\"", Doubt::Remote),
        ("ssh -p 22 -t host rm @", Doubt::Remote),
        ("python3 -c 'print(\"@\")'", Doubt::Program),
        ("node -e \"console.log('@')\"", Doubt::Program),
        ("perl -ne 'print if /@/' file", Doubt::Program),
        ("bash <<E\necho @\nE", Doubt::Input),
        ("bash -s -- x <<E\necho '@'\nE", Doubt::Input),
        ("ssh host <<E\necho @\nE", Doubt::Input),
        ("ssh host bash -s <<E\necho @\nE", Doubt::Input),
        ("sh <<< \"echo @\"", Doubt::Input),
    ];
    for (template, doubt) in cases {
        assert_eq!(doubts(template), [doubt], "{template}");
        assert!(compile(&parts(template), &[]).script.is_ok(), "{template}");
    }
    for template in [
        "sh -c 'echo \"$1\"' sh @",
        "bash @ -c",
        "sh @",
        "bash script.sh @ <<E\n@\nE",
        "sh -c 'cat' <<E\n@\nE",
        "sh -s -- @ <<'E'\necho \"$1\"\nE",
        "ssh @ uptime",
        "ssh -i @ host uptime",
        "ssh host cat <<E\n@\nE",
        "printf a @ | ssh host 'x=$(cat); echo \"$x\"'",
        "trap 'rm -rf \"$x\"' EXIT; echo @",
        "trap '' @",
        "x=@; eval 'echo \"$x\"'",
        "python3 script.py -c @",
        "python3 -c 'import sys; print(sys.argv[1])' @",
        "cat <<E\n@\nE",
        "grep -c @ file",
        "cc -c @ && tar -cf @",
    ] {
        is_plain(template);
    }
}

#[test]
fn depth_has_an_edge() {
    let nested = |depth: usize| format!("{}@{}", "$(".repeat(depth), ")".repeat(depth));
    assert!(compile(&parts(&nested(63)), &[]).script.is_ok());
    assert_eq!(reasons(&nested(64)), [Reason::Unclear]);
}
