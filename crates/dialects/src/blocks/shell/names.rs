//! What a script makes of its variables, and what it gives to them.
//!
//! bash evaluates what is given to a variable that is a number, follows what is given to one that stands for another, and
//! takes apart what `declare` gives to an array. A script may say so far from the place where it gives the value, before
//! or behind it. So both are only noted while the script is read, and compared at its end.

use super::environment::power;
use super::judge::{Found, Verdict};
use super::word::{Reference, Word, is_unknown, name_length};
use super::{Doubt, Reason};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Variables that are numbers in bash: what is assigned to them is evaluated.
const NUMBERS: [&str; 7] = ["RANDOM", "SRANDOM", "OPTIND", "SECONDS", "LINENO", "HISTCMD", "BASHPID"];

/// Variables that are numbers in zsh or ksh alone.
const NUMBERS_ELSEWHERE: [&str; 18] = [
    "COLUMNS",
    "LINES",
    "HISTSIZE",
    "SAVEHIST",
    "SHLVL",
    "TMOUT",
    "MAILCHECK",
    "FUNCNEST",
    "KEYTIMEOUT",
    "LISTMAX",
    "LOGCHECK",
    "DIRSTACKSIZE",
    "ERRNO",
    "UID",
    "GID",
    "EUID",
    "EGID",
    "TTYIDLE",
];

/// Variables that bash itself makes arrays, and lets a script declare.
const ARRAYS: [&str; 4] = ["DIRSTACK", "PIPESTATUS", "BASH_REMATCH", "COPROC"];

/// What a variable is; the later ones are worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Declared with options that are not known.
    Unknown,
    /// It stands for another variable, which is named.
    Link,
    /// A number, or it stands for what it will be given.
    Number,
}

/// How a variable gets a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `name=...`, `read name`, `printf -v name`.
    Assigned,
    /// `declare name=...`.
    Declared,
    /// `for name in ...`.
    Looped,
}

/// Variables that get the same values.
#[derive(Debug)]
struct Target {
    names: Vec<Rc<str>>,
    way: Way,
}

/// What has been noted.
#[derive(Debug, Default)]
pub(super) struct Names {
    kinds: BTreeMap<Rc<str>, Kind>,
    arrays: BTreeSet<Rc<str>>,
    /// Names behind which the text of the script has the sign of an array, wherever that stands.
    mentioned: BTreeSet<Rc<str>>,
    /// Whether something is an array whose name is not known.
    has_unknown_array: bool,
    /// Variables that stand for others.
    links: BTreeSet<Rc<str>>,
    /// Whether something is a number whose name is not known.
    has_unknown: bool,
    targets: Vec<Target>,
    /// The references that are given, and to which of the targets.
    given: Vec<(Reference, usize)>,
    /// Variables that get what a command reads.
    read: BTreeSet<Rc<str>>,
}

impl Names {
    /// Notes that these variables get these references.
    pub(super) fn give<'r>(
        &mut self,
        names: impl IntoIterator<Item = Rc<str>>,
        way: Way,
        references: impl IntoIterator<Item = &'r Reference>,
    ) {
        let before = self.given.len();
        let target = self.targets.len();
        self.given.extend(references.into_iter().map(|reference| (*reference, target)));
        if self.given.len() > before {
            self.targets.push(Target { names: names.into_iter().collect(), way });
        }
    }

    /// Notes what a declaration makes of the name that a word begins with.
    pub(super) fn declare(&mut self, word: &Word, kind: Kind) {
        let (name, rest) = word.said.split_at(name_length(&word.said));
        if name.is_empty() || !(rest.is_empty() || rest.starts_with(['=', '+', '['])) {
            self.has_unknown |= kind == Kind::Number;
        } else {
            let known = self.kinds.entry(name.into()).or_insert(kind);
            *known = kind.max(*known);
        }
    }

    /// Notes that a variable stands for another: what it is made, that one is.
    pub(super) fn links(&mut self, name: Rc<str>) {
        self.links.insert(name);
    }

    /// Notes that a text of the script, which may be run, makes a number of some variable.
    pub(super) fn declared_in(&mut self, text: &str) {
        self.has_unknown |= makes_number(text, |_| false);
    }

    /// The same of a text that is run: what is not known in it may be the option.
    pub(super) fn declared_by(&mut self, text: &str) {
        self.has_unknown |= makes_number(text, |word| word.starts_with(is_unknown));
    }

    pub(super) fn is_array(&mut self, name: &str) {
        self.arrays.insert(name.into());
    }

    /// Notes that a word names an array.
    pub(super) fn names_array(&mut self, word: &Word) {
        let (name, rest) = word.said.split_at(name_length(&word.said));
        let is_known = !name.is_empty() && (rest.is_empty() || rest.starts_with(['=', '+', '[']));
        match is_known && !word.has_braces() {
            true => self.is_array(name),
            false => self.has_unknown_array = true,
        }
    }

    /// Notes that a text, which may be run, makes an array of a variable whose name is not known: `eval "$x=(1)"`.
    pub(super) fn arrayed_in(&mut self, text: &str) {
        let signs = ["[", "=(", "+=("];
        let mut after = text.match_indices(is_unknown).map(|(at, _)| &text[at + 1..]);
        self.has_unknown_array |= after.any(|rest| signs.iter().any(|sign| rest.starts_with(sign)));
    }

    /// Notes the names behind which a text of the script has `[`, `=(` or `+=(`, whatever quotes stand there.
    pub(super) fn mentions(&mut self, text: &str) {
        for (at, sign) in text.match_indices(['[', '(']) {
            let before = match sign {
                "[" => text[..at].trim_end_matches(['"', '\'', '\\']),
                _ => match text[..at].strip_suffix('=') {
                    Some(before) => before.strip_suffix('+').unwrap_or(before),
                    None => continue,
                },
            };
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let name = &before[before.trim_end_matches(is_part).len()..];
            if !name.is_empty() {
                self.mentioned.insert(name.into());
            }
        }
    }

    /// Notes that these variables get what their command reads.
    pub(super) fn read(&mut self, names: impl IntoIterator<Item = Rc<str>>) {
        self.read.extend(names);
    }

    /// Takes what was noted elsewhere in the same script.
    pub(super) fn absorb(&mut self, other: Self) {
        for (name, kind) in other.kinds {
            let known = self.kinds.entry(name).or_insert(kind);
            *known = kind.max(*known);
        }
        self.arrays.extend(other.arrays);
        self.mentioned.extend(other.mentioned);
        self.has_unknown_array |= other.has_unknown_array;
        self.links.extend(other.links);
        self.has_unknown |= other.has_unknown;
        let before = self.targets.len();
        self.targets.extend(other.targets);
        self.given.extend(other.given.into_iter().map(|(reference, target)| (reference, target + before)));
        self.read.extend(other.read);
    }

    /// Compares what was given with what the variables are, at the end of the script.
    pub(super) fn verdicts(&self) -> Vec<Found> {
        let targets: Vec<Vec<Rule>> = self.targets.iter().map(|target| self.rules(target)).collect();
        let mut found = Vec::new();
        for (reference, target) in &self.given {
            for rule in &targets[*target] {
                match rule {
                    Rule::Same(verdict) => found.push((reference.part, *verdict)),
                    Rule::Number if reference.is_nested => {}
                    Rule::Number => found.push((reference.part, Verdict::Number(reference.index))),
                }
            }
        }
        found
    }

    /// Whether a command reads something into a variable that is a number, or the shell itself gives it one: what that is,
    /// nobody can see.
    pub(super) fn reads_numbers(&self) -> bool {
        let by_itself = ["_", "REPLY"].iter().any(|name| self.kinds.get(*name) == Some(&Kind::Number));
        by_itself || self.read.iter().any(|name| self.kind(name).is_some())
    }

    /// Notes that some variable is made a number whose name is not known.
    pub(super) fn declares_unknown(&mut self) {
        self.has_unknown = true;
    }

    /// Notes what braces make of a declaration: `declare {-i,n}`, `{declare,-i,n}`.
    pub(super) fn declared_in_braces(&mut self, before: &str, word: &Word) {
        if word.has_braces() {
            let words = word.said.replace(['{', '}', ','], " ");
            self.has_unknown |=
                makes_number(&format!("{before} {words}"), |word| word.starts_with(is_unknown));
        }
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        if NUMBERS.contains(&name) {
            return Some(Kind::Number);
        }
        self.kinds.get(name).copied().or(self.may_be_any().then_some(Kind::Unknown))
    }

    /// Whether any variable may be a number.
    fn may_be_any(&self) -> bool {
        let is_number = |name: &Rc<str>| self.kinds.get(name) == Some(&Kind::Number);
        self.has_unknown || self.links.iter().any(is_number)
    }

    fn rules(&self, target: &Target) -> Vec<Rule> {
        let refused = |reason| Rule::Same(Verdict::Refused(reason));
        let doubted = |doubt| Rule::Same(Verdict::Doubted(doubt));
        let mut rules = Vec::new();
        for name in &target.names {
            let is_declared = target.way == Way::Declared;
            let is_apart = is_declared && (self.arrays.contains(name) || ARRAYS.contains(&&**name));
            let may_be_apart = is_declared && (self.has_unknown_array || self.mentioned.contains(name));
            let rule = match self.kind(name) {
                Some(Kind::Number) => refused(Reason::Number),
                Some(Kind::Link) if target.way == Way::Looped => refused(Reason::Number),
                _ if is_apart => refused(Reason::Counted),
                Some(_) => doubted(Doubt::Variable),
                None if may_be_apart => doubted(Doubt::Array),
                None if let Some(power) = power(name) => doubted(power.doubt()),
                None if NUMBERS_ELSEWHERE.contains(&&**name) => Rule::Number,
                None => continue,
            };
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }
}

/// What is said of all references that a target gets.
#[derive(Debug, PartialEq, Eq)]
enum Rule {
    Same(Verdict),
    /// ksh and zsh count with it.
    Number,
}

/// Whether a text says `declare -i` or the like.
fn makes_number(text: &str, may_be_option: impl Fn(&str) -> bool) -> bool {
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || ";&|(){}".contains(letter)).collect();
    let is_option =
        |word: &&str| may_be_option(word) || (word.starts_with('-') && word.contains(['i', 'n', 'E', 'F']));
    words.iter().enumerate().any(|(at, word)| match *word {
        "integer" | "float" | "nameref" => words.len() > at + 1,
        "declare" | "typeset" | "local" => words[at + 1..].iter().any(is_option),
        _ => false,
    })
}
