//! Code that a command hands to another shell or program: `sh -c '...'`, `ssh host '...'`, `python3 -c '...'`.
//!
//! A shell may stand anywhere in the command, behind `sudo`, `env`, `xargs` or `docker exec`. What follows the code are
//! arguments, and a value among these stays a value.

use super::Doubt;
use super::judge::{Found, Verdict, WORDS_MAX, all, head};
use super::word::Word;

const SHELLS: [&str; 9] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "rbash"];

/// Options of ssh that have a value.
const SSH_VALUED: [char; 21] =
    ['B', 'b', 'c', 'D', 'E', 'e', 'F', 'I', 'i', 'J', 'L', 'l', 'm', 'O', 'o', 'P', 'p', 'Q', 'R', 'S', 'w'];

/// Looks for references in code that is handed over.
pub(super) fn over(words: &[Word], found: &mut Vec<Found>) {
    for (at, word) in words.iter().enumerate() {
        let rest = &words[at + 1..];
        let name = program(word);
        if SHELLS.contains(&name) {
            let doubt = Verdict::Doubted(Doubt::Script);
            script(rest).into_iter().for_each(|word| all(word, doubt, found));
        } else if matches!(name, "su" | "runuser") || (at == 0 && name == "flock") {
            let doubt = Verdict::Doubted(Doubt::Script);
            return command(rest).into_iter().for_each(|word| all(word, doubt, found));
        } else if name == "ssh" {
            let doubt = Verdict::Doubted(Doubt::Remote);
            return remote(rest).iter().for_each(|word| all(word, doubt, found));
        } else if let Some(letters) = code_option(name) {
            let doubt = Verdict::Doubted(Doubt::Program);
            code(rest, letters).into_iter().for_each(|word| all(word, doubt, found));
        }
    }
}

/// Whether what a command reads is code for it: `bash <<END`, `ssh host <<END`.
pub(super) fn reads_code(words: &[Word]) -> bool {
    let words = &words[..words.len().min(WORDS_MAX)];
    let words = &words[head(words)..];
    let Some(at) = words.iter().position(|word| SHELLS.contains(&program(word)) || program(word) == "ssh")
    else {
        return false;
    };
    let rest = &words[at + 1..];
    if program(&words[at]) == "ssh" {
        let remote = remote(rest);
        return remote.is_empty() || reads_code(remote);
    }
    let is_given = rest.iter().any(|word| word.has_option(&['c']));
    let reads = rest.iter().any(|word| word.has_option(&['s']));
    !is_given && (reads || rest.iter().all(Word::is_option))
}

/// The file name of a program.
fn program(word: &Word) -> &str {
    word.said.rsplit('/').next().unwrap_or_default()
}

/// The script of `sh -c`: the first word after the options, if one of these is `c`.
fn script(words: &[Word]) -> Option<&Word> {
    let mut is_value = false;
    let mut has_code = false;
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if !word.is_option() {
            return has_code.then_some(word);
        }
        has_code |= word.has_option(&['c']) && word.said.starts_with('-');
        is_value = word.ends_with_option(&['o', 'O']);
    }
    None
}

/// The command of `su user -c`.
fn command(words: &[Word]) -> Option<&Word> {
    let attached =
        words.iter().find(|word| word.said.starts_with("--command=") || word.said.starts_with("-c\0"));
    let is_option = |word: &Word| word.ends_with_option(&['c']) || word.said == "--command";
    let next = words.windows(2).find(|pair| is_option(&pair[0])).map(|pair| &pair[1]);
    attached.or(next)
}

/// What ssh gives to the other side: all that follows the host, and a shell reads it there.
fn remote(words: &[Word]) -> &[Word] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.is_option()) {
        at += if word.ends_with_option(&SSH_VALUED) && word.said.len() == 2 { 2 } else { 1 };
    }
    words.get(at + 1..).unwrap_or_default()
}

/// The letters of the options that take a program in another language.
fn code_option(name: &str) -> Option<&'static [char]> {
    match name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
        "python" => Some(&['c']),
        "node" | "bun" => Some(&['e', 'p']),
        "ruby" => Some(&['e']),
        "perl" => Some(&['e', 'E']),
        "php" => Some(&['r']),
        _ => None,
    }
}

/// The program behind such an option, which comes before the first word that is none.
fn code<'w>(words: &'w [Word], letters: &[char]) -> Option<&'w Word> {
    let options = words.iter().take_while(|word| word.is_option()).count();
    let is_code = |word: &Word| word.ends_with_option(letters) || word.said == "--eval";
    words[..options].last().filter(|word| is_code(word))?;
    words.get(options)
}
