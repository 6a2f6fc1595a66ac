//! Programs that run what they read: `bash <<END`, `python3 - <<END`, `psql <<END`.
//!
//! Such a program may stand behind `sudo`, `docker exec` or `uv run`, so all words are looked at, unless the command is one
//! of those whose words are mere text.

use super::Doubt;
use super::handed::{SHELLS, is_any, language, program, remote, versionless};
use super::judge::{WORDS_MAX, head};
use super::programs::is_runner;
use super::word::Word;

/// Commands that run nothing, whatever their words are.
const TEXT: [&str; 34] = [
    "cat",
    "tee",
    "echo",
    "printf",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "jq",
    "yq",
    "tr",
    "cut",
    "sort",
    "uniq",
    "head",
    "tail",
    "wc",
    "nl",
    "tac",
    "rev",
    "diff",
    "cmp",
    "column",
    "base64",
    "md5sum",
    "sha256sum",
    "read",
    "mapfile",
    "readarray",
    "git",
    "gh",
    "curl",
    "wget",
    "mail",
];

/// The input of a command, as a file.
const STDIN: [&str; 2] = ["-", "/dev/stdin"];

/// Where any of the inputs of a command are, as files.
const INPUTS: [&str; 2] = ["/dev/fd/", "/proc/self/fd/"];

/// What is to be said of references in what a command reads.
pub(super) fn doubt(words: &[Word]) -> Option<Doubt> {
    let words = &words[..words.len().min(WORDS_MAX)];
    let words = &words[head(words)..];
    let (first, rest) = words.split_first()?;
    match program(first) {
        "." | "source" => {
            let file = rest.iter().find(|word| word.said != "--");
            return file.filter(|word| is_stdin(word)).map(|_| Doubt::Input);
        }
        name if TEXT.contains(&name) => return None,
        // `| $S`, `| $(which sh)`.
        _ if rest.is_empty() && is_any(first) => return Some(Doubt::Input),
        _ => {}
    }
    words.iter().enumerate().find_map(|(at, word)| reads(program(word), &words[at + 1..]))?
}

/// Whether a command is such a program, or one that runs its words.
pub(super) fn begins(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    matches!(program(first), "." | "source") || is_runner(first) || reads(program(first), rest).is_some()
}

/// What is to be said of what a program reads; nothing if it is not known.
fn reads(name: &str, rest: &[Word]) -> Option<Option<Doubt>> {
    let is_file = |word: &Word| is_stdin(word) && word.said != "-";
    if SHELLS.contains(&name) {
        let is_given = rest.iter().any(|word| word.has_option(&['c']));
        let reads = rest.iter().any(|word| word.has_option(&['s']) || is_file(word));
        // A dash alone ends the options.
        let is_code = !is_given && (reads || rest.iter().all(|word| word.is_option() || word.said == "-"));
        return Some(is_code.then_some(Doubt::Input));
    }
    if name == "ssh" {
        let remote = remote(rest);
        return Some(if remote.is_empty() { Some(Doubt::Input) } else { doubt(remote) });
    }
    let runs = match versionless(name) {
        name if language(name).is_some() => language(name)
            .is_some_and(|known| !known.is_given(rest) && known.script(rest).is_none_or(is_stdin)),
        "deno" | "bun" => rest.iter().any(is_stdin),
        "psql" => !has(rest, &["-c", "-f", "--command", "--file"]),
        "mysql" | "mariadb" => !has(rest, &["-e", "--execute"]),
        "sqlite" | "mongosh" | "tclsh" | "osascript" => {
            rest.iter().filter(|word| !word.is_option() && !is_stdin(word)).count() < 2
        }
        "make" | "gmake" | "awk" | "gawk" | "mawk" | "sed" => file_option(rest),
        "ed" | "ex" => true,
        "at" | "batch" => !has(rest, &["-f"]),
        "crontab" => rest.iter().all(is_stdin),
        "xargs" => replaces(rest) || is_completed(rest),
        _ => return None,
    };
    Some(runs.then_some(Doubt::Read))
}

fn is_stdin(word: &Word) -> bool {
    STDIN.contains(&word.said.as_str()) || INPUTS.iter().any(|folder| word.said.starts_with(folder))
}

/// Whether one of the options stands there, also with its value attached or behind other letters: `-Atc`.
fn has(words: &[Word], options: &[&str]) -> bool {
    let is = |word: &Word, option: &str| match option.strip_prefix("--") {
        Some(_) => word.said.starts_with(option),
        None => word.said.starts_with(option) || (word.is_option() && word.said.ends_with(&option[1..])),
    };
    words.iter().any(|word| options.iter().any(|option| is(word, option)))
}

/// `-f -`, as make, awk and sed have it.
fn file_option(words: &[Word]) -> bool {
    let attached = ["-f-", "--file=-", "--makefile=-", "-f/dev/stdin"];
    let is_option = |word: &Word| word.ends_with_option(&['f']) || word.said == "--file";
    words.iter().any(|word| attached.contains(&word.said.as_str()))
        || words.windows(2).any(|pair| is_option(&pair[0]) && is_stdin(&pair[1]))
}

/// `xargs -0 sh -c`: what is read is the script.
pub(super) fn is_completed(words: &[Word]) -> bool {
    let shell = words.iter().position(|word| SHELLS.contains(&program(word)));
    let rest = shell.map_or(&[][..], |at| &words[at + 1..]);
    rest.last().is_some_and(|last| last.has_option(&['c'])) && super::handed::script(rest).is_none()
}

/// `xargs -I{} sh -c '... {} ...'`: what is read is put into a script.
fn replaces(words: &[Word]) -> bool {
    let attached = words.iter().find_map(|word| word.said.strip_prefix("-I").filter(|mark| !mark.is_empty()));
    let next = words.windows(2).find(|pair| pair[0].said == "-I").map(|pair| pair[1].said.as_str());
    let Some(mark) = attached.or(next) else { return false };
    let shell = words.iter().position(|word| SHELLS.contains(&program(word)));
    let script = shell.and_then(|at| super::handed::script(&words[at + 1..]));
    script.is_some_and(|script| script.said.contains(mark))
}
