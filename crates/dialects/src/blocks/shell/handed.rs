//! Code that a command hands to another shell or program: `sh -c '...'`, `ssh host '...'`, `python3 -c '...'`.
//!
//! A shell may stand anywhere in the command, behind `sudo`, `env`, `xargs` or `docker exec`. What follows the code are
//! arguments, and a value among these stays a value.

use super::environment::power;
use super::judge::{Found, Verdict, all, operands};
use super::word::{Word, is_unknown};
use super::{Doubt, programs};

pub(super) const SHELLS: [&str; 14] = [
    "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "rbash", "csh", "tcsh", "yash", "xonsh",
    "elvish",
];

/// How the names of settings of git and ssh end that are commands, or a library to load.
const COMMANDS: [&str; 15] = [
    "command",
    "cmd",
    "pager",
    "editor",
    "helper",
    "program",
    "driver",
    "textconv",
    "clean",
    "smudge",
    "process",
    "fsmonitor",
    "hookspath",
    "askpass",
    "provider",
];

/// Options of ssh that have a value.
const SSH_VALUED: [char; 21] =
    ['B', 'b', 'c', 'D', 'E', 'e', 'F', 'I', 'i', 'J', 'L', 'l', 'm', 'O', 'o', 'P', 'p', 'Q', 'R', 'S', 'w'];

/// Looks for references in code that is handed over.
pub(super) fn over(words: &[Word], found: &mut Vec<Found>) {
    programs::told(words, found);
    for (at, word) in words.iter().enumerate() {
        let rest = &words[at + 1..];
        let name = program(word);
        if matches!(name, "env" | "sudo" | "doas") {
            variables(rest, found);
        }
        if SHELLS.contains(&name) {
            let doubt = Verdict::Doubted(Doubt::Script);
            script(rest).into_iter().for_each(|word| all(word, doubt, found));
            processed(rest, found);
        } else if is_any(word) && (at == 0 || programs::is_runner(&words[0])) {
            let doubt = Verdict::Doubted(Doubt::Script);
            script(rest).into_iter().for_each(|word| all(word, doubt, found));
        } else if matches!(name, "su" | "runuser") || (at == 0 && matches!(name, "flock" | "script")) {
            let doubt = Verdict::Doubted(Doubt::Script);
            return command(rest).into_iter().for_each(|word| all(word, doubt, found));
        } else if name == "ssh" {
            settings(rest, 'o', found);
            let doubt = Verdict::Doubted(Doubt::Remote);
            return remote(rest).iter().for_each(|word| all(word, doubt, found));
        } else if let Some(language) = language(name) {
            let doubt = Verdict::Doubted(Doubt::Program);
            language.code(rest).into_iter().for_each(|word| all(word, doubt, found));
            let process = language.script(rest).filter(|word| word.is_process && !language.is_given(rest));
            process.into_iter().for_each(|word| all(word, Verdict::Doubted(Doubt::Read), found));
        } else if at == 0 {
            first(name, rest, found);
        }
    }
}

/// Commands that run a text, if they are the first word.
fn first(name: &str, rest: &[Word], found: &mut Vec<Found>) {
    let doubt = Verdict::Doubted(Doubt::Script);
    match name {
        "." | "source" => processed(&rest[..rest.len().min(1)], found),
        "git" => {
            settings(rest, 'c', found);
            configured(rest, found);
        }
        "scp" | "sftp" => settings(rest, 'o', found),
        "env" => split_string(rest).into_iter().for_each(|word| all(word, doubt, found)),
        // These put their words together and give them to a shell.
        "watch" if !rest.iter().any(|word| word.has_option(&['x']) || word.said == "--exec") => {
            rest.iter().for_each(|word| all(word, doubt, found));
        }
        "xargs" if super::reads::is_completed(rest) => {
            let lists = rest.iter().filter(|word| word.is_process);
            lists.for_each(|word| all(word, Verdict::Doubted(Doubt::Read), found));
        }
        "parallel" => {
            let words = rest.iter().take_while(|word| !word.said.starts_with(":::"));
            words.for_each(|word| all(word, doubt, found));
        }
        _ => {}
    }
}

/// Doubts what the first word that is no option holds, if it is `<(...)`: it runs.
fn processed(words: &[Word], found: &mut Vec<Found>) {
    let file = words.iter().find(|word| !word.is_option()).filter(|word| word.is_process);
    file.into_iter().for_each(|word| all(word, Verdict::Doubted(Doubt::Input), found));
}

/// `git -c alias.x=...`, `ssh -o ProxyCommand=...`: some settings are commands, and a value that says which one it is may choose
/// these.
fn settings(words: &[Word], option: char, found: &mut Vec<Found>) {
    let next = words.windows(2).filter(|pair| pair[0].ends_with_option(&[option])).map(|pair| (&pair[1], 0));
    let attached = words.iter().filter(|word| word.said.len() > 2 && word.has_option(&[option]));
    let attached = attached.filter(|word| word.said[1..].starts_with(option)).map(|word| (word, 2));
    for (word, start) in next.chain(attached) {
        let name = word.said[start..].split(['=', ' ']).next().unwrap_or_default();
        let chosen = word.references.iter().filter(|one| is_command(name) || one.at < start + name.len());
        found.extend(chosen.map(|reference| (reference.part, Verdict::Doubted(Doubt::Script))));
    }
}

/// `git config alias.x ...`: the same, kept for later.
fn configured(words: &[Word], found: &mut Vec<Found>) {
    let mut operands = operands(words, &['C', 'c', 'f']);
    if operands.next().is_none_or(|word| word.said != "config") {
        return;
    }
    let mut operands = operands.filter(|word| !matches!(word.said.as_str(), "set" | "get" | "unset"));
    let (Some(name), Some(value)) = (operands.next(), operands.next()) else { return };
    let doubt = Verdict::Doubted(Doubt::Script);
    all(name, doubt, found);
    if is_command(&name.said) {
        all(value, doubt, found);
    }
}

/// Whether a setting is a command.
fn is_command(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.starts_with("alias.") || COMMANDS.iter().any(|end| lower.ends_with(end))
}

/// `env GIT_DIR=... git`: variables that decide what the program behind them does.
fn variables(words: &[Word], found: &mut Vec<Found>) {
    let mut is_value = false;
    for word in words {
        if std::mem::take(&mut is_value) || word.is_option() {
            is_value = word.ends_with_option(&['u', 'C', 'D', 'g']);
            continue;
        }
        let Some((name, _)) = word.said.split_once('=') else { return };
        if let Some(power) = power(name) {
            all(word, Verdict::Doubted(power.doubt()), found);
        }
    }
}

/// The text of `env -S`, which is taken apart and run.
fn split_string(words: &[Word]) -> Option<&Word> {
    let options = words.iter().take_while(|word| word.is_option()).count();
    let is_attached = |word: &&Word| {
        word.said.starts_with("--split-string") || (word.said.starts_with("-S") && word.said != "-S")
    };
    let attached = words[..options].iter().find(is_attached);
    let last = words[..options].last().filter(|word| word.ends_with_option(&['S']));
    attached.or_else(|| last.and_then(|_| words.get(options)))
}

/// The file name of a program.
pub(super) fn program(word: &Word) -> &str {
    word.said.rsplit('/').next().unwrap_or_default()
}

/// Whether a word is a program that only the shell will know, and so may be one of its kind: `"$SHELL" -c`.
pub(super) fn is_any(word: &Word) -> bool {
    word.references.is_empty() && !word.said.is_empty() && word.said.chars().all(is_unknown)
}

/// The script of `sh -c`: the first word after the options, if one of these is `c`.
pub(super) fn script(words: &[Word]) -> Option<&Word> {
    let mut is_value = false;
    let mut has_code = false;
    for word in words {
        // A dash alone ends the options.
        if std::mem::take(&mut is_value) || word.said == "-" {
            continue;
        }
        if !word.is_option() {
            return has_code.then_some(word);
        }
        has_code |= word.has_option(&['c']) && word.said.starts_with('-');
        let is_long = matches!(word.said.as_str(), "--rcfile" | "--init-file");
        is_value = is_long || word.ends_with_option(&['o', 'O']);
    }
    None
}

/// Whether a word is short options and behind the last of them, `c`, something that only the shell will know.
fn is_attached(word: &Word) -> bool {
    word.has_option(&['c']) && word.said.contains("c\0")
}

/// The command of `su user -c`.
fn command(words: &[Word]) -> Option<&Word> {
    let attached = words.iter().find(|word| word.said.starts_with("--command=") || is_attached(word));
    let is_option = |word: &Word| word.ends_with_option(&['c']) || word.said == "--command";
    let next = words.windows(2).find(|pair| is_option(&pair[0])).map(|pair| &pair[1]);
    attached.or(next)
}

/// What ssh gives to the other side: all that follows the host, and a shell reads it there.
pub(super) fn remote(words: &[Word]) -> &[Word] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.is_option()) {
        at += if word.ends_with_option(&SSH_VALUED) && word.said.len() == 2 { 2 } else { 1 };
    }
    words.get(at + 1..).unwrap_or_default()
}

/// Long options that take a program.
const LONG: [&str; 2] = ["--eval", "--print"];

/// A language in which a program is written, and how its interpreter is given one.
pub(super) struct Language {
    /// The options that take a program.
    letters: &'static [char],
    /// Options after which nothing is read as a program.
    others: &'static [char],
    /// Other options that have a value.
    valued: &'static [char],
}

/// The language that an interpreter runs.
pub(super) fn language(name: &str) -> Option<Language> {
    let (letters, others, valued): (&[char], &[char], &[char]) = match versionless(name) {
        "python" | "pypy" => (&['c'], &['m'], &['W', 'X']),
        "node" => (&['e', 'p'], &[], &['r', 'C']),
        "bun" => (&['e', 'p'], &['e', 'p'], &[]),
        "ruby" => (&['e'], &[], &['r', 'I', 'C']),
        "perl" => (&['e', 'E'], &[], &['I']),
        "php" => (&['r'], &['f'], &['d', 'c']),
        "lua" | "julia" | "Rscript" => (&['e'], &[], &[]),
        _ => return None,
    };
    Some(Language { letters, others, valued })
}

/// A name without the version behind it.
pub(super) fn versionless(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

impl Language {
    /// The program that an option is given, as the next word or attached; it comes before the first word that is no option.
    fn code<'w>(&self, words: &'w [Word]) -> Option<&'w Word> {
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|word| word.is_option()) {
            if LONG.contains(&word.said.as_str()) || word.ends_with_option(self.letters) {
                return words.get(at + 1);
            }
            if LONG.iter().any(|long| word.said.strip_prefix(long).is_some_and(|rest| rest.starts_with('=')))
                || self.is_attached(word)
            {
                return Some(word);
            }
            if word.ends_with_option(self.others) {
                return None;
            }
            at += if word.ends_with_option(self.valued) { 2 } else { 1 };
        }
        None
    }

    /// Whether a word of short options has the program in it: `-ne'print'`.
    fn is_attached(&self, word: &Word) -> bool {
        let letters = word.said.strip_prefix('-').unwrap_or_default().chars();
        let mut letters = letters.take_while(|letter| letter.is_ascii_alphanumeric());
        let decides = letters.find(|letter| {
            self.letters.contains(letter) || self.valued.contains(letter) || self.others.contains(letter)
        });
        decides.is_some_and(|letter| self.letters.contains(&letter))
    }

    /// Whether an option says what runs: a program, or a module.
    pub(super) fn is_given(&self, words: &[Word]) -> bool {
        let options = words.iter().take_while(|word| word.is_option());
        let is = |word: &Word, letters: &[char]| {
            word.ends_with_option(letters) || word.said[1..].starts_with(letters)
        };
        options
            .into_iter()
            .any(|word| is(word, self.letters) || is(word, self.others) || word.said.starts_with("--eval"))
    }

    /// The file that is run: the first word that is no option, and no value of one.
    pub(super) fn script<'w>(&self, words: &'w [Word]) -> Option<&'w Word> {
        operands(words, self.valued).next()
    }
}
