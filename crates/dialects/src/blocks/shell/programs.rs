//! Programs that run what one of their words or options says: `make V=...`, `git rebase -x`, `tar -I`.
//!
//! One row for each kind; whoever misses a program adds a row. A program is looked for as the first word, or anywhere behind
//! one that runs its words: `sudo tar -I ...`.

use super::Doubt;
use super::handed::program;
use super::judge::{Found, Verdict, all, operands};
use super::word::Word;

/// What a program runs.
enum Told {
    /// What these options are given, as the next word or attached: `-x`, `--exec`, `-ex`.
    Options(&'static [&'static str]),
    /// Words that set something: `NAME=value`.
    Settings,
    /// The first word that is no option.
    First,
    /// All words that are no options, but for the values of these.
    Words(&'static [char]),
    /// The same without the first of them; these options have long names behind one dash or two.
    Behind(&'static [&'static str]),
}

struct Row {
    names: &'static [&'static str],
    /// The words behind which it is so; anywhere if there are none.
    under: &'static [&'static str],
    told: Told,
    doubt: Doubt,
}

const fn options(names: &'static [&'static str], options: &'static [&'static str]) -> Row {
    Row { names, under: &[], told: Told::Options(options), doubt: Doubt::Option }
}

const fn code(names: &'static [&'static str], options: &'static [&'static str]) -> Row {
    Row { names, under: &[], told: Told::Options(options), doubt: Doubt::Program }
}

const fn query(names: &'static [&'static str], told: Told) -> Row {
    Row { names, under: &[], told, doubt: Doubt::Query }
}

const fn below(
    names: &'static [&'static str],
    under: &'static [&'static str],
    options: &'static [&'static str],
) -> Row {
    Row { names, under, told: Told::Options(options), doubt: Doubt::Option }
}

const MAKE: &[&str] = &["make", "gmake", "remake", "mingw32-make"];
const GIT: &[&str] = &["git"];

/// Options of sqlite3 and duckdb that have a value.
const SQLITE_VALUED: [&str; 9] =
    ["cmd", "init", "separator", "newline", "nullvalue", "mmap", "vfs", "c", "s"];

const TABLE: &[Row] = &[
    Row { names: MAKE, under: &[], told: Told::Settings, doubt: Doubt::Expanded },
    Row { names: MAKE, under: &[], told: Told::Options(&["--eval", "-E"]), doubt: Doubt::Expanded },
    Row { names: &["deno"], under: &["eval"], told: Told::First, doubt: Doubt::Program },
    Row {
        names: &["python", "python3", "pypy", "pypy3"],
        under: &["timeit"],
        told: Told::Words(&['n', 'r', 'u']),
        doubt: Doubt::Program,
    },
    code(&["guile"], &["-c"]),
    code(
        &["elixir", "iex", "R", "groovy", "scala", "racket", "ghc", "swift", "jrunscript", "gnuplot"],
        &["-e"],
    ),
    code(&["octave", "sbcl", "mongosh", "mongo"], &["--eval"]),
    code(&["erl"], &["-eval"]),
    code(&["php"], &["--run"]),
    code(&["pwsh", "powershell"], &["-c", "-Command", "-command"]),
    query(&["psql"], Told::Options(&["-c", "--command"])),
    query(&["mysql", "mariadb"], Told::Options(&["-e", "--execute"])),
    query(&["sqlite3", "duckdb"], Told::Behind(&SQLITE_VALUED)),
    query(&["sqlite3", "duckdb"], Told::Options(&["-cmd", "--cmd"])),
    query(&["duckdb"], Told::Options(&["-c", "-s"])),
    options(&["sg", "nu"], &["-c"]),
    options(&["man"], &["-P", "--pager"]),
    options(&["zip"], &["-TT", "--unzip-command"]),
    options(&["go"], &["-toolexec", "-exec"]),
    options(&["gcc", "g++", "cc", "c++"], &["-wrapper"]),
    options(&["nc", "netcat"], &["-e"]),
    options(&["ncat"], &["-c", "-e", "--exec", "--sh-exec", "--lua-exec"]),
    Row {
        names: &["hyperfine"],
        under: &[],
        told: Told::Words(&['w', 'm', 'M', 'r', 'u', 'n']),
        doubt: Doubt::Option,
    },
    options(&["npx"], &["-c", "--call"]),
    below(&["npm", "pnpm"], &["exec"], &["-c", "--call"]),
    below(GIT, &["rebase"], &["-x", "--exec"]),
    below(GIT, &["difftool"], &["-x", "--extcmd"]),
    below(GIT, &["clone", "fetch", "fetch-pack", "ls-remote", "pull"], &["--upload-pack"]),
    below(GIT, &["clone"], &["-u"]),
    below(GIT, &["archive"], &["--exec"]),
    below(GIT, &["grep"], &["--open-files-in-pager"]),
    below(GIT, &["send-email"], &["--smtp-server", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"]),
    options(GIT, &["--exec-path"]),
    below(GIT, &["push", "send-pack"], &["--receive-pack", "--exec"]),
    below(
        GIT,
        &["filter-branch"],
        &[
            "--setup",
            "--env-filter",
            "--tree-filter",
            "--index-filter",
            "--parent-filter",
            "--msg-filter",
            "--commit-filter",
            "--tag-name-filter",
        ],
    ),
    Row { names: GIT, under: &["foreach"], told: Told::First, doubt: Doubt::Option },
    options(&["nix-shell"], &["--run", "--command"]),
    options(&["nix", "nix-shell", "nix-build", "nix-instantiate", "nix-env"], &["-E", "--expr"]),
    Row {
        names: &["tmux"],
        under: &[
            "new",
            "new-session",
            "neww",
            "new-window",
            "splitw",
            "split-window",
            "respawnp",
            "respawn-pane",
            "respawnw",
            "respawn-window",
            "run",
            "run-shell",
            "if",
            "if-shell",
            "pipep",
            "pipe-pane",
            "popup",
            "display-popup",
            "send",
            "send-keys",
        ],
        told: Told::Words(&['c', 'e', 'F', 'f', 'n', 's', 't', 'x', 'y']),
        doubt: Doubt::Option,
    },
    options(&["expect"], &["-c"]),
    options(&["osascript"], &["-e"]),
    options(
        &["tar", "gtar", "bsdtar"],
        &[
            "-I",
            "-F",
            "--use-compress-program",
            "--to-command",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
    ),
    options(&["split"], &["--filter"]),
    options(&["sort"], &["--compress-program"]),
    options(&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    options(&["scp", "sftp"], &["-S"]),
    options(&["gdb"], &["-ex", "--ex", "-iex", "--iex", "-eval-command", "--eval-command"]),
    options(&["lldb"], &["-o", "-O", "-k", "--one-line", "--one-line-before-file"]),
    options(&["vim", "vi", "nvim", "view", "gvim", "ex"], &["-c", "--cmd", "+"]),
    options(&["emacs", "emacsclient"], &["-e", "-eval", "--eval", "--execute"]),
];

/// Programs that run what their words say.
const RUNNERS: [&str; 21] = [
    "sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "timeout", "xargs", "exec",
    "chroot", "docker", "podman", "kubectl", "uv", "poetry", "mise", "direnv", "find",
];

/// Looks for references in what programs of the table run.
pub(super) fn told(words: &[Word], found: &mut Vec<Found>) {
    let looked = if words.first().is_some_and(is_runner) { words.len() } else { words.len().min(1) };
    for (at, word) in words[..looked].iter().enumerate() {
        let name = program(word);
        for row in TABLE.iter().filter(|row| row.names.contains(&name)) {
            row.judge(&words[at + 1..], found);
        }
    }
}

/// Whether a word is the name of a program that runs its words.
pub(super) fn is_runner(word: &Word) -> bool {
    RUNNERS.contains(&program(word))
}

impl Row {
    fn judge(&self, words: &[Word], found: &mut Vec<Found>) {
        let under = words.iter().position(|word| self.under.contains(&word.said.as_str()));
        let words = match under {
            Some(at) => &words[at + 1..],
            None if self.under.is_empty() => words,
            None => return,
        };
        let doubt = Verdict::Doubted(self.doubt);
        match self.told {
            Told::Options(options) => {
                options
                    .iter()
                    .for_each(|option| given(words, option).for_each(|word| all(word, doubt, found)));
            }
            Told::Settings => {
                words.iter().filter(|word| is_setting(word)).for_each(|word| all(word, doubt, found))
            }
            Told::First => operands(words, &[]).take(1).for_each(|word| all(word, doubt, found)),
            Told::Words(valued) => operands(words, valued).for_each(|word| all(word, doubt, found)),
            Told::Behind(valued) => behind(words, valued).for_each(|word| all(word, doubt, found)),
        }
    }
}

/// The words behind the first that is no option, and no value of one.
fn behind<'w>(words: &'w [Word], valued: &'static [&'static str]) -> impl Iterator<Item = &'w Word> {
    let mut is_value = false;
    let operands = words.iter().filter(move |word| {
        let has_value = word.is_option() && valued.contains(&word.said.trim_start_matches('-'));
        !std::mem::replace(&mut is_value, has_value) && !word.is_option()
    });
    operands.skip(1)
}

fn is_setting(word: &Word) -> bool {
    !word.is_option() && word.said.contains('=')
}

/// What an option is given: the rest of its word, or the next one.
fn given<'w>(words: &'w [Word], option: &'static str) -> impl Iterator<Item = &'w Word> {
    let letter = option.strip_prefix('-').filter(|rest| rest.len() == 1).and_then(|rest| rest.chars().next());
    words.iter().enumerate().filter_map(move |(at, word)| {
        let rest = word.said.strip_prefix(option);
        let is_attached = match letter {
            Some(_) => rest.is_some_and(|rest| !rest.is_empty()),
            None if option == "+" => rest.is_some(),
            None => rest.is_some_and(|rest| rest.starts_with('=')),
        };
        let is_next = word.said == option || letter.is_some_and(|letter| word.ends_with_option(&[letter]));
        if is_attached { Some(word) } else { words.get(at + 1).filter(|_| is_next) }
    })
}
