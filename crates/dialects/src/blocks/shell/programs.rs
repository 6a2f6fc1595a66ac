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

const fn below(
    names: &'static [&'static str],
    under: &'static [&'static str],
    options: &'static [&'static str],
) -> Row {
    Row { names, under, told: Told::Options(options), doubt: Doubt::Option }
}

const MAKE: &[&str] = &["make", "gmake", "remake", "mingw32-make"];
const GIT: &[&str] = &["git"];

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
    options(&["npx"], &["-c", "--call"]),
    below(&["npm"], &["exec"], &["-c", "--call"]),
    below(GIT, &["rebase"], &["-x", "--exec"]),
    below(GIT, &["difftool"], &["-x", "--extcmd"]),
    below(GIT, &["clone", "fetch", "fetch-pack", "ls-remote", "pull"], &["--upload-pack"]),
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
        }
    }
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
