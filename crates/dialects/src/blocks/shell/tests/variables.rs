//! Variables that the script, or the shell itself, holds as numbers, as names of others or as arrays; and commands
//! whose name is not plain text.

use super::evaluated::{doubts, is_plain};
use super::*;

#[test]
fn a_variable_that_the_script_makes_a_number_takes_no_reference() {
    for template in [
        "declare -i n\nn=@",
        "typeset -i n; n=@",
        "f() { local -i n; n=@; }; f",
        "declare -i n; n+=@",
        "n=@; declare -i n",
        "declare -i n=0; n=$n+@",
        "declare -i n=0; n=\"$(echo @)\"",
        "declare -i n=0; n=`echo @`",
        "declare -i a b; a=1 b=@",
        "declare -i \"n=5\"; n=@ true",
        "integer n; n=@",
        "float -F 2 n; n=@",
        "echo \"$(declare -i n; n=@)\"",
        "if declare -ri m; then n=@; declare -i n; fi",
        "declare -Ai m; m[k]=@",
        "declare -ai m; m=(@)",
        "declare -ai m; m+=(1 @)",
        "declare -ai m; declare -a m=(@)",
        "declare -i m[3]; m[4]=@",
        "declare -i n; for n in 1 @; do :; done",
        "declare -i n; case x in x) for n in @; do :; done;; esac",
        "declare -i n; select n in @; do :; done",
        "declare -i n; read n <<< @",
        "declare -i n; read -r m n <<E\n@\nE\n",
        "declare -i n; read n < <(echo @)",
        "declare -i REPLY; read <<< @",
        "declare -ai n; mapfile -t n <<< @",
        "declare -ai MAPFILE; readarray <<< @",
        "declare -i n; printf -v n a @",
        "declare -i n; printf -vn a @",
        "declare -ai n; printf -v 'n[0]' a @",
        "declare -i OPTARG; getopts a: x -a @",
        "declare -i n; export n=@",
        "declare -i n; declare n=@",
        "declare -i n; readonly n=@",
        "declare -i n; : \"${n:=$(echo @)}\"",
        "declare -i n; : ${n=`echo @`}",
        "declare $'-i' n; n=@",
        "declare -n r; r=@; echo $r",
        "declare -n r; for r in @; do echo $r; done",
        "declare -n r=x; for r in @; do echo $r; done",
        "nameref r; r=@",
        "for RANDOM in @; do :; done",
        "for OPTIND in @; do :; done",
        "read RANDOM <<< @",
        "read OPTIND < <(echo @)",
        "printf -v RANDOM a @",
        "export RANDOM=@",
        "mapfile -t RANDOM <<< @",
        "RANDOM=(@)",
        "SECONDS[0]=@",
        "BASHPID+=@",
    ] {
        assert_eq!(reasons(template), [Reason::Number], "{template}");
    }
    for template in [
        "declare -a x; declare x=@",
        "x=(); declare x=@",
        "f() { local -A x; local x=@; }; f",
        "read -ra x; declare x=@",
        "coproc x { :; }; declare x=@",
        "coproc x (:); declare x=@",
        "declare DIRSTACK=@",
        "true | true; typeset \"PIPESTATUS=@\"",
        "[[ b =~ (b) ]]; declare BASH_REMATCH=@",
        "coproc { :; }; declare COPROC=@",
    ] {
        assert_eq!(reasons(template), [Reason::Counted], "{template}");
    }
    assert_eq!(reasons("read x < <(echo a) @"), [Reason::Name]);
    for template in [
        "declare -i n; n=$((@))",
        "declare -i n=0; n+=1; m=@",
        "declare -x n; n=@",
        "declare -i n; echo n=@ n @",
        "declare -i n; for m in @; do n+=1; done",
        "declare -i n; printf -v m a @",
        "declare -i n; read m <<< @",
        "export -n n; n=@",
        "declare +i n; n=@",
        "x=(a b); x=@; x+=(@)",
        "COLUMNS=@ ls; export LINES=@",
        "case x in x) for f in @ @; do echo $f; done;; esac",
        "while getopts a: opt; do case $opt in a) x=$OPTARG;; esac; done; y=@",
        "cat <(echo @) >(cat) @",
    ] {
        is_plain(template);
    }
}

#[test]
fn a_variable_that_may_be_a_number_is_doubted() {
    for template in [
        "declare -n r=x; r=@",
        "f() { local -n out=$1; out=@; }",
        "declare -i \"$x\"; n=@",
        "declare -i {a,b}; a=@",
        "declare $x n; n=@",
        "declare \"$x\" n=@",
        "declare {-i,n=@}",
        "declare -i n; echo @ | read n",
        "declare -i n; while read n; do :; done <<< @",
        "printf a @ | { read -r SECONDS; }",
    ] {
        assert_eq!(doubts(template), [Doubt::Variable], "{template}");
    }
    for template in [
        "BASH_ALIASES[x]=@",
        "BASH_ENV=@ bash x",
        "export BASH_ENV=@",
        "read -r PS4 <<< @",
        "GIT_SSH_COMMAND=@ git fetch",
        "export LD_PRELOAD=@",
    ] {
        assert_eq!(doubts(template), [Doubt::Again], "{template}");
    }
    assert!(doubts("env \"BASH_FUNC_y%%=() { @; }\" bash x").contains(&Doubt::Again));
}

#[test]
fn a_variable_that_may_be_an_array_is_doubted_where_it_is_declared() {
    for template in [
        "declare -a {x,y}; declare x=@",
        "n=x; declare -a \"$n\"; declare x=@",
        "n=x; read -ra \"$n\"; declare x=@",
        "mapfile -t $1; local x=@",
        "printf -v 'x[0]' 1; declare x=@",
        "printf -v x\"[0]\" 1; declare x=@",
        "printf -v \"$1[0]\" 1; declare x=@",
        "read \"x[0]\" <<< 1; declare x=@",
        "read \"$1[0]\" <<< 1; declare x=@",
        "let x[0]=1; declare x=@",
        "echo $((x[0]=1)); declare x=@",
        ": ${x[0]:=1}; declare x=@",
        "exec {x[0]}>f; declare x=@",
        "declare x=@; eval 'x=(1)'",
        "eval 'x+=(1)'; f() { local x=@; }; f",
        "eval \"$1=(1)\"; declare x=@",
    ] {
        assert_eq!(doubts(template), [Doubt::Array], "{template}");
        assert!(compile(&parts(template), &[]).script.is_ok(), "{template}");
    }
    for template in [
        "x=@; let x[0]=1",
        "export x=@; echo \"x[0]\"",
        "local y=@; echo ${x[0]} $((x[1])) xy[0] y [0] y=1",
        "read -r \"$n\"; local x=@",
        "printf -v \"$n\" a; local x=@",
        "eval \"$n=1\"; local x=@",
        "coproc x { :; }; x=@",
        "local f=@; [ -f \"$f\" ]",
    ] {
        is_plain(template);
    }
}

#[test]
fn numbers_of_other_shells_are_guarded() {
    assert!(script("COLUMNS=@ ls").starts_with("case \"${KSH_VERSION-}${ZSH_VERSION-}\" in ?*)"));
    assert_eq!(script("COLUMNS=$(echo @) ls"), "COLUMNS=$(echo \"${SB_1}\") ls");
}

#[test]
fn a_command_that_cannot_be_seen_is_doubted() {
    for template in [
        "{let,x=@}",
        "{l..l}et x=@",
        "$nothing let x=@",
        "${nothing} let x=@",
        "$(:) let x=@",
        "`:` declare -i x=@",
        "\"$x\"let x=@",
        "de${x}are -i x=@",
        "$'l\\x65t' x=@",
        "% @",
        "command % x=@",
        "cmd=let; $cmd x=@",
        "cmd=test; $cmd -v @",
        "cmd='printf'; \"$cmd\" -v @ a",
        "cmd=(declare -i); \"${cmd[@]}\" x=@",
        "tool=@; $tool %",
        "tool=@\nif \"$tool\" %; then :; fi",
        "export tool=@; ${tool:-ls} %",
        "alias L='let '\nL x=@",
        "$(echo eval) @",
        "`printf let` x=@",
        "[ {-v,@} ]",
    ] {
        let template = &template.replace("[@]", "[*]");
        assert_eq!(doubts(template), [Doubt::Command], "{template}");
    }
    for template in ["$'let' x=@", "$\"let\" x=@", "$\"de\"clare -i x=@"] {
        assert_eq!(reasons(template), [Reason::Counted], "{template}");
    }
    for template in [
        "$SUDO apt-get install @",
        "mode=test; ./run \"$mode\" @; $SUDO ./run @",
        "echo eval failed; m=$(echo local); $SUDO apt-get install @",
        "\"$PYTHON\" -m pip install @",
        "${MAKE:-make} V=@",
        "$(command -v python3) x.py @",
        "\"$VENV/bin/pip\" install @",
        "./bin/$tool @",
        "% --version",
        "%/bin/tool @",
        "docker-% @",
        "test-$x @",
        "echo {a,b}@ {1..3} @",
        "{ echo @; }",
        "mkdir -p {src,tests}/@",
        "cmd=(cargo test); \"${cmd[*]}\" @",
        "echo $'a\\tb' $\"c\" @",
    ] {
        is_plain(template);
    }
}

#[test]
fn a_number_whose_name_cannot_be_read_puts_all_in_doubt() {
    for template in [
        "declare -i n{1,2}; n1=@",
        "declare -i n$x=1; n1=@",
        "eval 'declare -i n'; n=@",
        "eval \"typeset -i $n\"; n=@",
        "eval declare $o n; n=@",
        "trap 'declare -i n' DEBUG; n=@",
        "alias d='declare -i'; d n; n=@",
        "d='declare -i'; $d n; n=@",
        "declare -n r=n; declare -i r; n=@",
        "declare -i r; x=1; declare -n r=n; n=@",
        "n=@; f() { local -n r=n; typeset -i r; }; f",
        "(eval 'integer n'; n=@)",
        "declare {-i,n}; n=@",
        "{declare,-i,n}; n=@",
        "d=declare; $d -i n; n=@",
        "declare -i REPLY; select x in a; do break; done <<<@",
        "declare -i _; echo @",
    ] {
        assert_eq!(doubts(template), [Doubt::Variable], "{template}");
    }
    for template in [
        "mode=local; n=@",
        "mode=local; $tool -v x; n=@",
        "declare {a,b}; n=@",
        "x='local -r y'; n=@",
        "x='we declare -s'; n=@",
        "eval 'declare n'; n=@",
        "eval \"$(ssh-agent)\"; n=@",
        "declare -n r=n; r=1; x=@",
        "declare -r n{1,2}; n1=@",
        "declare -i n=1 m[0]=2; x=@",
    ] {
        is_plain(template);
    }
}

#[test]
fn a_name_that_comes_with_a_command_may_be_that_of_a_builtin() {
    for template in [
        "$TOOL @",
        "\"$TOOL\" @",
        "x=1; \"${TOOL}\" @",
        "if $TOOL @; then :; fi",
        "a | $TOOL @",
        "( $TOOL @ )",
    ] {
        let doubted = |filled: &[&str]| compile(&parts(template), filled).doubts;
        assert_eq!(doubted(&["OTHER", "TOOL"]), [(1, Doubt::Command)], "{template}");
        assert_eq!(doubted(&["OTHER", "TOO", "TOOLS"]), [], "{template}");
    }
    for plain in [
        "echo $TOOL; \"$PYTHON\" x @",
        "grep \"$TOOL\" @",
        "x=${TOOL}; $y @",
        "echo TOOL @",
        "[ \"$TOOL\" = x ] && \"$PY\" @",
    ] {
        assert_eq!(compile(&parts(plain), &["TOOL"]).doubts, [], "{plain}");
    }
}
