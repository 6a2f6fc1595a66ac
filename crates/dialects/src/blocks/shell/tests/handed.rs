//! Code that programs read from a here-document, a here-string or `<(...)`, and options that a value may be taken for.

use super::evaluated::{doubts, is_plain};
use super::*;

#[test]
fn what_an_interpreter_reads_is_doubted() {
    for template in [
        "python3 - <<E\nprint(\"@\")\nE\n",
        "python3 <<E\n@\nE\n",
        "python3 -W ignore -u <<E\n@\nE\n",
        "uv run python - x <<E\n@\nE\n",
        "docker exec -i box python3.12 <<E\n@\nE\n",
        "python3 <<< \"print(@)\"",
        "python3 /dev/stdin <<E\n@\nE\n",
        "node <<E\n@\nE\n",
        "node --input-type=module - <<E\n@\nE\n",
        "deno run - <<E\n@\nE\n",
        "ruby <<E\n@\nE\n",
        "perl -w <<E\n@\nE\n",
        "php <<E\n@\nE\n",
        "psql -U me base <<E\nselect '@'\nE\n",
        "sudo -u postgres psql -q <<< \"select '@'\"",
        "sqlite3 a.db <<E\n.shell @\nE\n",
        "mysql -u root base <<E\nselect '@'\nE\n",
        "make -f - <<E\nall:\n\techo @\nE\n",
        "make --file=- x <<E\n@\nE\n",
        "awk -f - x <<E\n@\nE\n",
        "ed -s x <<E\n!@\nE\n",
        "at now <<E\n@\nE\n",
        "crontab - <<E\n@\nE\n",
        "python3 <(echo @)",
        "xargs -I{} sh -c 'echo {}' <<< @",
        "xargs -0 bash -c <<< @",
        "xargs -a <(echo @) sh -c",
    ] {
        assert_eq!(doubts(template), [Doubt::Read], "{template}");
    }
    for template in [
        ". /dev/stdin <<E\necho @\nE\n",
        "source /dev/stdin <<< @",
        "source -- /dev/stdin <<< @",
        "source <(echo @)",
        ". <(printf x @)",
        "bash <(echo @)",
        "bash /dev/stdin <<E\n@\nE\n",
        "<<E sh\n@\nE\n",
        "sh /dev/fd/3 3<<E\n@\nE\n",
        ". /dev/fd/3 3<<E\n@\nE\n",
        "S=sh; echo @ | $S",
        "echo @ | $(which sh)",
    ] {
        assert_eq!(doubts(template), [Doubt::Input], "{template}");
    }
    for template in [
        "python3 -m json.tool <<E\n@\nE\n",
        "python3 -c 'import sys; print(sys.stdin.read())' <<< @",
        "python3 x.py <<E\n@\nE\n",
        "python3 - @ <<'E'\nimport sys\nE\n",
        "node x.js <<< @",
        "perl -pe 's/a/b/' <<< @",
        "ruby -ne 'puts 1' <<< @",
        "psql -c 'select 1' <<< @",
        "psql -f x.sql <<< @",
        "mysql -e 'select 1' <<< @",
        "make -f x.mk <<< @",
        "awk '{print}' <<< @",
        "grep node <<< @",
        "grep -c bash <<E\n@\nE\n",
        "xargs -n 1 sh -c 'echo \"$1\"' sh <<< @",
        "jq -r . <<< @",
        "kubectl apply -f - <<E\n@\nE\n",
        "source @/lib.sh",
        "diff <(echo @) <(sort @)",
        "<<E cat\n@\nE\n",
        "sh x.sh > @",
        "echo @ | $FILTER -n",
        "while read -r x; do echo \"$x\"; done < <(ls @)",
    ] {
        is_plain(template);
    }
}

#[test]
fn command_lines_that_another_program_runs_are_doubted() {
    for template in [
        "env -S @",
        "env -iS \"x @\"",
        "env --split-string=\"x @\"",
        "script -qc \"echo @\" /dev/null",
        "script -qc@ /dev/null",
        "bash --rcfile x -c @",
        "\"$SHELL\" -c \"echo @\"",
        "b=bash; $b -ec \"echo @\"",
        "sudo -n \"$SHELL\" -c \"echo @\"",
        "watch -n1 \"echo @\"",
        "watch -n 1 ls @",
        "parallel \"echo @\" ::: 1",
        "parallel -j 4 echo @ {} ::: 1",
    ] {
        assert_eq!(doubts(template), [Doubt::Script], "{template}");
    }
    assert_eq!(doubts("ENV=@ sh -i x"), [Doubt::Again]);
    for template in [
        "env A=1 x @",
        "\"$SHELL\" @",
        "\"$SHELL\" -c 'echo \"$1\"' sh @",
        "echo \"$x\" -c @",
        "env -i x -S @",
        "watch -x ls @",
        "parallel echo ::: @",
        "ENV=@ npm start",
        "script -q log.txt; echo @",
    ] {
        is_plain(template);
    }
}

#[test]
fn a_value_that_may_be_an_option_or_an_operator_is_doubted() {
    for template in ["printf @ x", "printf \"@\\n\"", "printf '@ a' b", "printf -v x @ y", "printf -vx @"] {
        assert_eq!(doubts(template), [Doubt::Format], "{template}");
    }
    for template in [
        "[ @ % ]",
        "test \"@\" \"%\"",
        "[ ! @ % ]",
        "[ -n x -a @ % ]",
        "test @ \"$(echo %)\"",
        "[ $o @ ]",
        "[ \"$o\" @ ]",
        "test -$o @",
    ] {
        assert_eq!(doubts(template), [Doubt::Operator], "{template}");
    }
    for template in [
        "printf -- @",
        "printf 'a @' x",
        "printf \"$f\" @",
        "[ @ = % ]",
        "[ @ ]",
        "test -n @",
        "[ @ != a ] && [ % = b ]",
        "[ -f @ -a -d % ]",
        "[ \"$x\" = @ ]",
        "[ \"$x/y\" @ ]",
        "[ \"x@\" \\< % ]",
    ] {
        is_plain(template);
    }
}

#[test]
fn what_goes_through_a_pipe_is_read_like_a_here_document() {
    for template in [
        "echo @ | sh",
        "echo \"ls @\" | bash -s",
        "printf a @ | sudo bash -s -- x",
        "echo @ |& sh",
        "echo @ | sh -",
        "echo @ | sudo bash -e -",
        "bash - <<E\n@\nE\n",
        "bash -x - <<< @",
        "echo @ |\n sh",
        "echo @ | tr a b | base64 -d | sh -x",
        "cat <<< @ | sh",
        "cat <<E | sh\n@\nE\n",
        "cat <<E | tee x | bash -s\n@\nE\n",
        "{ echo a; echo @; } | sh",
        "(echo a; echo @) | sh",
        "( (echo @); echo a ) 2>&1 | sh",
        "for x in a; do echo @; done | sh",
        "if true; then echo @; fi | sh",
        "case x in x) echo @;; esac | sh",
        "case x in (x) echo @;; esac | sh",
        "if (true) then echo @; fi | sh",
        "(case x in x) echo @;; esac) | sh",
        "f() { (echo @); } ; (true); { echo @; } | sh",
        "echo @ | { sh; }",
        "echo @ | (sh)",
        "echo @ | ssh host",
        "echo $(echo @) | sh",
        "x=$(echo @ | sh)",
        "sh < <(echo @)",
    ] {
        assert_eq!(doubts(template), [Doubt::Input], "{template}");
    }
    let long = format!("echo {}@ | sh", "a ".repeat(500));
    assert_eq!(doubts(&long), [Doubt::Input]);
    for template in [
        "echo @ | python3 -",
        "echo \"print('@')\" | python3",
        "echo @ | node",
        "printf 'select ' @ | psql base",
        "echo @ | xargs -I{} sh -c 'echo {}'",
        "cat <<E | python3 -\n@\nE\n",
    ] {
        assert_eq!(doubts(template), [Doubt::Read], "{template}");
    }
    for template in [
        "echo @ | cat",
        "echo @ || sh",
        "echo @; date | sh",
        "(echo @) || sh",
        "(echo @); echo a | sh",
        "{ echo @; }; echo a | sh",
        "f() { echo @; }; echo a | sh",
        "x=(echo @); echo a | sh",
        "echo @ | sh x.sh",
        "echo @ | sh - x.sh",
        "echo @ | sh -c 'cat' -",
        "echo @ | sh -c 'cat'",
        "echo @ | python3 -c 'import sys; print(sys.stdin.read())'",
        "echo @ | xargs sh -c 'echo \"$1\"' sh",
        "echo @ | while read -r x; do echo \"$x\"; done",
        "printf a @ | ssh host 'x=$(cat); echo \"$x\"'",
        "curl @ | sh",
        "cat @ | psql base",
        "cat <<E | kubectl apply -f -\n@\nE\n",
        "cat <<E > x\n@\nE\necho a | sh\n",
        "echo a | sh\ncat <<E\n@\nE\n",
        "case @ in a|b) echo x;; esac; echo a | sh",
        "sh > >(tee @)",
        "python3 x.py < <(echo @)",
    ] {
        is_plain(template);
    }
}

#[test]
fn what_holds_commands_reads_with_each_of_them() {
    for template in [
        "echo @ | if true; then sh; fi",
        "echo @ | { read -r a; sh; }",
        "echo @ | ( read -r a; (bash) )",
        "echo @ | while read -r a; do sudo sh; done",
        "echo @ | for i in 1; do sh; done",
        "echo @ | case a in a) true; sh;; esac",
        "echo @ | { cat; } | sh",
        "echo @ | { head -1; tail -1 | sh; }",
        "cat <<E | { read -r a; sh; }\n@\nE\n",
        "{ read -r a; sh; } <<< @",
        "{ { sh; }; } <<< @",
        "( sh ) <<< @",
        "while read -r a; do bash -s; done <<E\n@\nE\n",
        "if true; then sh; fi < <(echo @)",
    ] {
        assert_eq!(doubts(template), [Doubt::Input], "{template}");
    }
    for template in [
        "echo @ | { ls | sh; }",
        "echo @ | { sh < file; }",
        "echo @ | while read -r f; do python3 - \"$f\" <<'E'\nimport sys\nE\ndone",
        "echo @ | while read -r f; do cp \"$f\" bin/sh; command -v bash; done",
        "echo @ | while read -r f; do sh build.sh \"$f\"; done",
        "{ sh < file; } <<< @",
        "{ ls | sh; } <<< @",
        "{ { sh; } < file; } <<< @",
        "while read -r f; do ssh \"$f\" uptime; done <<< @",
        "if true; then sh; fi; cat <<< @",
        "{ cat 3<<< @; sh; }",
    ] {
        is_plain(template);
    }
}

#[test]
fn settings_of_git_that_are_commands_are_doubted() {
    for template in [
        "git -c alias.x='!echo @' x",
        "git -C a -c core.sshCommand=\"ssh -i @\" fetch",
        "git -c core.hooksPath=@ commit",
        "git -c @ status",
        "git -c \"@=x\" status",
        "git -c \"filter.@=x\" status",
        "ssh -o ProxyCommand=@ host",
        "ssh -o \"ProxyCommand nc @ 22\" host ls",
        "ssh -oproxycommand=@ host",
        "ssh -o @ host",
        "scp -o ProxyCommand=@ a host:b",
        "git config alias.x \"!echo @\"",
        "git -C a config --global core.pager @",
        "git config set core.editor @",
        "git config @ x",
    ] {
        assert_eq!(doubts(template), [Doubt::Script], "{template}");
    }
    for template in [
        "git -c user.name=@ commit",
        "git commit -m @",
        "git commit -m config @ x",
        "git log -p @",
        "git config user.name @",
        "git config -f @ user.name x",
        "git config --get @",
        "ssh -o User=@ host",
        "ssh -o \"Port @\" host",
    ] {
        is_plain(template);
    }
}

#[test]
fn programs_that_run_what_they_are_told_are_doubted() {
    for template in [
        "make deploy ENV=@",
        "make \"V=a @\"",
        "sudo make -C x V=@",
        "gmake --eval=@ x",
        "docker run box make A=@",
    ] {
        assert_eq!(doubts(template), [Doubt::Expanded], "{template}");
    }
    for template in [
        "node --eval=\"@\"",
        "node --print \"@\"",
        "node -r ./x -e \"f(@)\"",
        "python3 -W ignore -c \"print(@)\"",
        "perl -ne'print @' x",
        "python3 -c\"print(@)\"",
        "deno eval \"@\"",
        "python3 -m timeit -n 3 \"@\"",
        "php --run \"@\"",
        "pwsh -NoProfile -Command \"@\"",
        "elixir -e \"@\"",
    ] {
        assert_eq!(doubts(template), [Doubt::Program], "{template}");
    }
    for template in [
        "psql -Atc \"select '@'\" base",
        "psql --command=\"@\"",
        "mysql -u root -e \"select '@'\" base",
        "sqlite3 a.db \".shell @\"",
        "sqlite3 -separator , a.db \"select '@'\"",
        "sqlite3 -cmd @ a.db",
    ] {
        assert_eq!(doubts(template), [Doubt::Query], "{template}");
    }
    for template in [
        "npx -c \"x @\"",
        "npm exec -c \"x @\"",
        "npm exec --call=\"x @\"",
        "git rebase -x \"make @\" main",
        "git -C x rebase -i --exec \"@\" main",
        "git submodule foreach \"git checkout @\"",
        "git submodule foreach --recursive \"@\"",
        "git filter-branch --tree-filter \"rm @\" HEAD",
        "git clone --upload-pack=@ a b",
        "git archive --exec=@ --remote=. HEAD",
        "hyperfine -w 3 \"ls @\"",
        "go test -exec @ ./...",
        "nix-shell --run \"@\"",
        "tmux new -d \"vim @\"",
        "tmux new-session -d -s x \"@\"",
        "expect -c \"spawn @\"",
        "osascript -e \"@\"",
        "tar -I @ -xf x",
        "tar --use-compress-program=@ -xf x",
        "sudo tar -I@ -xf x",
        "split --filter=\"gzip > @\" x",
        "rsync -e \"ssh -i @\" a b:",
        "gdb -ex \"run @\" x",
        "gdb --batch -ex=\"@\" x",
        "vim -c \"e @\"",
        "vim +@ x",
    ] {
        assert_eq!(doubts(template), [Doubt::Option], "{template}");
    }
    for template in [
        "$(echo @)",
        "`echo @`",
        "$(echo @) x",
        "x=1 $(cat a @) y",
        "if $(echo @); then :; fi",
        "$(dirname @)/x y",
        "exec $(echo @)",
        "exec -a z `echo @`",
        "exec 3>&1 $(echo @)",
        "env A=1 $(echo @)",
        "timeout 5 $(echo @)",
        "nice -n 5 $(echo @)",
        "stdbuf -o0 $(echo @)",
        "nohup $(echo @) x",
    ] {
        assert_eq!(doubts(template), [Doubt::Result], "{template}");
    }
    for plain in ["timeout 5 ls $(cat @)", "env A=$(cat @) ls", "exec ls $(cat @)", "timeout 5 \"$(echo @)\""]
    {
        is_plain(plain);
    }
    for template in ["s='sh -c'; $s \"echo @\"", "s=\"/bin/bash -ec\"; $s @"] {
        assert_eq!(doubts(template), [Doubt::Command], "{template}");
    }
    assert_eq!(doubts("printf -v \"$x\" a @"), [Doubt::Variable]);
    for template in [
        "export PS{4,5}=@",
        "readonly {A,PS4}=@",
        "declare \"$n=@\"",
        "n=RANDOM; export $n=@",
        "read -r \"$n\" <<< @",
    ] {
        assert_eq!(doubts(template), [Doubt::Variable], "{template}");
    }
    for template in ["PATH=@:$PATH", "export PYTHONPATH=\"@\"", "LD_LIBRARY_PATH=@ x"] {
        assert_eq!(doubts(template), [Doubt::Searched], "{template}");
    }
    assert_eq!(doubts("CC=@ make"), [Doubt::Again]);
    for template in ["time -- eval @", "time -p eval @", "! time -- eval @"] {
        assert_eq!(doubts(template), [Doubt::Again], "{template}");
    }
    assert_eq!(doubts("env GIT_SSH_COMMAND=@ git fetch"), [Doubt::Again]);
    for plain in ["env A=@ x", "env -u HOME x HOME=@", "env x PATH=@"] {
        is_plain(plain);
    }
    for template in
        ["HOME=@ git status", "export GIT_DIR=@", "env A=1 -u B XDG_CONFIG_HOME=@ x", "sudo HOME=@ x"]
    {
        assert_eq!(doubts(template), [Doubt::Settings], "{template}");
    }
}

#[test]
fn the_other_words_of_such_programs_are_plain() {
    for template in [
        "psql -d @ -v x=@ -c 'select 1'",
        "sqlite3 @ 'select 1'",
        "sqlite3 -separator , @ 'select 1'",
        "git archive -o @ HEAD",
        "go test ./... -run @",
        "make @",
        "make -C @ -j 4 test",
        "make V=1 @",
        "X=@ make",
        "env X=@ make x",
        "echo make ENV=@",
        "dd if=@ of=x",
        "node x.js --eval=@",
        "node -r ./@ x.js",
        "python3 -m pytest -k @",
        "python3 -m x -c @",
        "deno run x.ts @",
        "npx -y prettier @",
        "npm run x -- -c @",
        "git rebase @",
        "git commit -m 'a rebase' -m @",
        "git submodule foreach git checkout @",
        "git clone @ x",
        "tmux new -d -s @",
        "tmux kill-session -t @",
        "tar -czf @ .",
        "tar -xf x -C @",
        "split -l 5 @",
        "vim @",
        "gdb -p @",
        "rsync -av @ b",
        "\"$(echo @)\" x",
        "\"$(dirname @)/x\" y",
        "x=$(echo @)",
        "s=sh; $s x.sh; echo @",
        "printf -v x a @",
        "MY_PATH=@ x",
    ] {
        is_plain(template);
    }
}
