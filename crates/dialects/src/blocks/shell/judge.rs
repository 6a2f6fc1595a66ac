//! What a command does with its words: some builtins read them as names or numbers, and bash runs code in these.
//!
//! A word is judged when its command has ended. Only what the shell itself does is known here; what is given on to another shell or
//! program as code is looked for in [`handed`](super::handed).

use super::called::{self, Called};
use super::given::{self, MAPFILE_VALUED, READ_VALUED};
use super::handed::SHELLS;
use super::names::{Names, Way};
use super::word::{Reference, SPLIT, Word, is_unknown};
use super::{Doubt, Reason, handed, programs};
use std::rc::Rc;

/// What was found out about a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It cannot stand there.
    Refused(Reason),
    /// It may, but hardly should.
    Doubted(Doubt),
    /// It is compared as a number, which ksh and zsh evaluate.
    Number(usize),
}

/// What was found, and at which part.
pub(super) type Found = (usize, Verdict);

/// All that was found out about commands.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) found: Vec<Found>,
    pub(super) names: Names,
    pub(super) called: Called,
    /// Whether an alias makes something else of words than they are.
    pub(super) is_rewritten: bool,
}

/// A command that has ended.
pub(super) struct Judged<'w> {
    pub(super) words: &'w [Word],
    /// The variable that gets them, if they are those of a `for` or `select`.
    pub(super) looped: Option<Rc<str>>,
    /// The references in what it reads.
    pub(super) fed: &'w [Reference],
}

/// Words before a builtin that leave it what it is.
const BEFORE: [&str; 5] = ["command", "builtin", "noglob", "nocorrect", "-"];

/// Words of a command that are looked at while it is still being read; a longer one is in doubt.
pub(super) const WORDS_MAX: usize = 256;

/// Operators that take the name of a variable.
const NAMING: [&str; 2] = ["-v", "-R"];

const COMPARISONS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Judges one command.
pub(super) fn judge(command: &Judged<'_>, findings: &mut Findings) {
    let words = command.words;
    if let Some(name) = command.looped.clone().filter(|_| words.first().is_some_and(|word| word.said == "in"))
    {
        return findings.names.give([name], Way::Looped, words.iter().flat_map(|word| &word.references));
    }
    let head = head(words);
    words[..head].iter().for_each(|word| given::assigned(word, findings));
    let Some((name, rest)) = words[head..].split_first() else { return };
    if SHELLS.contains(&handed::program(name)) {
        let starts = words[..head].iter().filter(|word| word.said.starts_with("ENV="));
        starts.for_each(|word| all(word, Verdict::Doubted(Doubt::Again), &mut findings.found));
    }
    given::variables(&name.said, rest, command.fed, findings);
    findings.names.declared_in_braces("", name);
    if matches!(called::name(name), called::Name::Own) {
        findings.called.may_declare(rest);
    }
    if matches!(name.said.as_str(), "echo" | "printf" | "print") {
        findings.called.print(rest);
    }
    if rest.iter().chain([name]).all(|word| word.references.is_empty()) {
        return;
    }
    named_command(name, rest, findings);
    builtin(&name.said, rest, &mut findings.found);
    if !is_declaration(&name.said) {
        handed::over(&words[head..], &mut findings.found);
    }
}

/// Doubts what a command is given whose name is no plain text.
fn named_command(name: &Word, rest: &[Word], findings: &mut Findings) {
    let doubt = Verdict::Doubted(Doubt::Command);
    for word in [name].into_iter().chain(run_by(name, rest)).filter(|word| word.said.starts_with(SPLIT)) {
        let printed = word.references.iter().filter(|reference| reference.is_nested);
        findings.found.extend(printed.map(|reference| (reference.part, Verdict::Doubted(Doubt::Result))));
    }
    let next = rest.first().is_some_and(called::is_unmistakable);
    match called::name(name) {
        called::Name::Plain => findings.called.call(Some(&name.said), rest),
        called::Name::Own if !(next && name.said.starts_with(SPLIT)) => findings.called.call(None, rest),
        called::Name::Own => rest.iter().for_each(|word| all(word, doubt, &mut findings.found)),
        called::Name::Doubtful => {
            let inside = name.has_braces().then_some(name);
            rest.iter().chain(inside).for_each(|word| all(word, doubt, &mut findings.found));
        }
    }
}

/// The name of the command that another one runs: `exec NAME`, `timeout 5 NAME`, `env A=1 NAME`.
fn run_by<'w>(name: &Word, rest: &'w [Word]) -> Option<&'w Word> {
    let valued: &[char] = if name.said == "exec" { &['a'] } else { &[] };
    let is_setting =
        |word: &&Word| word.assigned().is_some() || word.said.starts_with(|c: char| c.is_ascii_digit());
    let word = operands(rest, valued).find(|word| !is_setting(word));
    word.filter(|word| programs::is_runner(name) && !word.is_process)
}

/// Whether the words so far begin a command whose words are assignments: `declare x[0]=1`.
pub(super) fn declares(words: &[Word]) -> bool {
    let words = &words[..words.len().min(WORDS_MAX)];
    words.get(head(words)).is_none_or(|name| is_declaration(&name.said))
}

pub(super) fn is_declaration(name: &str) -> bool {
    matches!(name, "declare" | "typeset" | "local" | "export" | "readonly" | "nameref" | "integer" | "float")
}

/// Where the name of the command stands, behind assignments and words that change nothing.
pub(super) fn head(words: &[Word]) -> usize {
    let is_assignment = |word: &&Word| word.is_element() || word.assigned().is_some();
    // What `time` takes for options stands where a name would.
    let is_option = |word: &&Word| matches!(word.said.as_str(), "--" | "-p");
    let mut at = words.iter().take_while(is_option).count();
    at += words[at..].iter().take_while(is_assignment).count();
    while words.get(at).is_some_and(|word| BEFORE.contains(&word.said.as_str())) {
        at += 1;
        at += words[at..].iter().take_while(|word| word.is_option()).count();
    }
    at
}

fn builtin(name: &str, words: &[Word], found: &mut Vec<Found>) {
    let counted = Verdict::Refused(Reason::Counted);
    let again = Verdict::Doubted(Doubt::Again);
    match name {
        "let" | "integer" | "float" => words.iter().for_each(|word| all(word, counted, found)),
        _ if is_declaration(name) => declaration(name, words, found),
        "unset" => words.iter().for_each(|word| named(word, found)),
        "read" => operands(words, &READ_VALUED).for_each(|word| named(word, found)),
        "getopts" => words.iter().skip(1).take(1).for_each(|word| named(word, found)),
        "mapfile" | "readarray" => {
            let callback = value_of(words, 'C');
            callback.for_each(|word| all(word, again, found));
            operands(words, &MAPFILE_VALUED).for_each(|word| named(word, found));
        }
        "printf" => {
            format(words).into_iter().for_each(|word| all(word, Verdict::Doubted(Doubt::Format), found));
            words.first().filter(|word| word.said.starts_with("-v")).into_iter().for_each(|option| {
                named(if option.said == "-v" { words.get(1).unwrap_or(option) } else { option }, found);
            });
        }
        "wait" => value_of(words, 'p').for_each(|word| named(word, found)),
        "[" | "test" => compared(words, found),
        "eval" | "alias" | "compgen" => words.iter().for_each(|word| all(word, again, found)),
        "trap" => {
            words.iter().find(|word| word.said != "--").into_iter().for_each(|word| all(word, again, found));
        }
        "exit" | "return" | "shift" | "break" | "continue" => {
            words.iter().for_each(|word| number(word, found))
        }
        _ => {}
    }
}

/// `declare` and its kin: what comes before the `=` is a name, and options may have the rest evaluated.
fn declaration(name: &str, words: &[Word], found: &mut Vec<Found>) {
    let has =
        |letters: &[char]| words.iter().any(|word| word.said.starts_with('-') && word.has_option(letters));
    let counts = name == "nameref" || (name != "export" && has(&['i', 'n', 'E', 'F']));
    // bash reads `declare -a x="$y"` for elements if the text has parentheses around it.
    let splits = has(&['a', 'A']);
    // A name that another command gives: `export $(cat file)` is usual, and no shell evaluates it there.
    let is_lenient = matches!(name, "export" | "readonly");
    for word in words {
        let end = word.said.find('=').unwrap_or(word.said.len());
        for reference in &word.references {
            if counts || (splits && !word.is_element()) {
                found.push((reference.part, Verdict::Refused(Reason::Counted)));
            } else if !word.is_element() && reference.at < end && !(is_lenient && reference.is_nested) {
                found.push((reference.part, Verdict::Refused(Reason::Name)));
            }
        }
    }
}

/// The format of `printf`, if a value says how it begins.
fn format(words: &[Word]) -> Option<&Word> {
    let options = match words.first()?.said.as_str() {
        "-v" => 2,
        option if option.starts_with("-v") => 1,
        _ => 0,
    };
    words.get(options).filter(|word| word.begins_with_value())
}

/// `[ ... ]`: `-v` takes a name, and numbers are compared.
fn compared(words: &[Word], found: &mut Vec<Found>) {
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before].said.as_str());
        let after = words.get(at + 1).map_or("", |after| after.said.as_str());
        if word.has_braces() {
            all(word, Verdict::Doubted(Doubt::Command), found);
        }
        let next = words.get(at + 1).filter(|next| !next.references.is_empty());
        if let Some(next) = next {
            let is_own = word.references.is_empty() && word.said.contains(is_unknown);
            if word.begins_with_value() {
                all(word, Verdict::Doubted(Doubt::Operator), found);
            } else if is_own && NAMING.iter().any(|operator| called::may_be(&word.said, operator)) {
                all(next, Verdict::Doubted(Doubt::Operator), found);
            }
        }
        if NAMING.contains(&before) {
            named(word, found);
        }
        if COMPARISONS.contains(&before) || COMPARISONS.contains(&after) {
            number(word, found);
        }
    }
}

/// The words that are no option and no value of an option, `valued` being those options that have one.
pub(super) fn operands<'w>(words: &'w [Word], valued: &[char]) -> impl Iterator<Item = &'w Word> {
    let mut is_value = false;
    words.iter().filter(move |word| {
        let was_value = std::mem::replace(&mut is_value, word.ends_with_option(valued));
        !was_value && !word.is_option()
    })
}

/// The words that are the value of an option, or have it behind the option itself: `-C name`, `-Cname`.
fn value_of(words: &[Word], option: char) -> impl Iterator<Item = &Word> {
    let next = words.windows(2).filter(move |pair| pair[0].ends_with_option(&[option])).map(|pair| &pair[1]);
    let is_attached = move |word: &&Word| {
        let letters = word.said.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.and_then(|letters| letters.split_once(option)).is_some_and(|(_, value)| !value.is_empty())
    };
    next.chain(words.iter().filter(is_attached))
}

fn named(word: &Word, found: &mut Vec<Found>) {
    all(word, Verdict::Refused(Reason::Name), found);
}

fn number(word: &Word, found: &mut Vec<Found>) {
    let direct = word.references.iter().filter(|reference| !reference.is_nested);
    found.extend(direct.map(|reference| (reference.part, Verdict::Number(reference.index))));
}

/// Says the same of every reference in a word.
pub(super) fn all(word: &Word, verdict: Verdict, found: &mut Vec<Found>) {
    found.extend(word.references.iter().map(|Reference { part, .. }| (*part, verdict)));
}
