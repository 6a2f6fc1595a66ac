//! Builtins and functions that zsh alone has: some of their words are names of variables, which it evaluates like bash, and some
//! are code.
//!
//! One row for each; what is not in the table is a program, or harmless.

use super::judge::{Found, Verdict, all, operands};
use super::word::Word;
use super::{Doubt, Reason};
use std::ops::Range;

/// What one of these commands makes of its words.
struct Row {
    name: &'static str,
    /// It is so only with one of these options; without any, always.
    with: &'static [char],
    /// Options whose value is a name.
    naming: &'static [char],
    /// Options whose value is neither.
    valued: &'static [char],
    /// The other words that are names.
    names: Range<usize>,
    /// The other words that are run.
    code: Range<usize>,
}

const NONE: Range<usize> = 0..0;
const ALL: Range<usize> = 0..usize::MAX;
const ROW: Row = Row { name: "", with: &[], naming: &[], valued: &[], names: NONE, code: NONE };

const fn naming(name: &'static str, naming: &'static [char]) -> Row {
    Row { name, naming, ..ROW }
}

const TABLE: &[Row] = &[
    naming("print", &['v']),
    naming("set", &['A']),
    naming("strftime", &['s']),
    naming("syswrite", &['c']),
    naming("sysopen", &['u']),
    naming("syserror", &['e']),
    naming("zsystem", &['f']),
    naming("zselect", &['a', 'A']),
    naming("zstat", &['A', 'H']),
    naming("pcre_match", &['a', 'A', 'v']),
    Row { name: "sysread", naming: &['c'], valued: &['b', 'i', 'o', 's', 't'], names: ALL, ..ROW },
    Row { name: "getln", names: ALL, ..ROW },
    Row { name: "vared", valued: &['p', 'r', 'M', 'm', 'f', 'i', 't'], names: ALL, ..ROW },
    Row { name: "zparseopts", naming: &['a', 'A'], names: ALL, ..ROW },
    Row { name: "zformat", names: 0..1, ..ROW },
    Row { name: "zregexparse", names: 0..2, code: 2..usize::MAX, ..ROW },
    Row { name: "zstyle", with: &['s', 'b', 'a'], names: 2..usize::MAX, ..ROW },
    Row { name: "zstyle", with: &['g'], names: 0..1, ..ROW },
    Row { name: "zstyle", with: &['e'], code: 2..usize::MAX, ..ROW },
    Row { name: "zpty", with: &['r'], names: 1..2, ..ROW },
    Row { name: "zpty", code: 1..usize::MAX, ..ROW },
    Row { name: "sched", code: ALL, ..ROW },
    Row { name: "zcalc", code: ALL, ..ROW },
    Row { name: "zmv", code: 1..2, ..ROW },
    Row { name: "regexp-replace", names: 0..1, code: 2..3, ..ROW },
];

/// Judges the words of such a command.
pub(super) fn builtin(name: &str, words: &[Word], found: &mut Vec<Found>) {
    // `zsystem flock -f name`.
    let words = if name == "zsystem" { words.get(1..).unwrap_or_default() } else { words };
    TABLE.iter().filter(|row| row.name == name).for_each(|row| row.judge(words, found));
}

impl Row {
    fn judge(&self, words: &[Word], found: &mut Vec<Found>) {
        let options = &words[..options(words)];
        if !self.with.is_empty() && !options.iter().any(|word| word.has_option(self.with)) {
            return;
        }
        let name = Verdict::Refused(Reason::Name);
        let next = options.iter().zip(words.iter().skip(1));
        let next = next.filter(|(option, _)| option.ends_with_option(self.naming)).map(|(_, value)| value);
        let attached = options.iter().filter(|word| holds(word, self.naming));
        next.chain(attached).for_each(|word| all(word, name, found));
        let valued: Vec<char> = self.naming.iter().chain(self.valued).copied().collect();
        for (at, word) in operands(words, &valued).enumerate() {
            if self.names.contains(&at) {
                all(word, name, found);
            }
            if self.code.contains(&at) {
                all(word, Verdict::Doubted(Doubt::Again), found);
            }
        }
    }
}

/// How many words may be options, or values of these: behind `--`, and behind two words that are none, there are no more.
fn options(words: &[Word]) -> usize {
    let end = words.iter().position(|word| matches!(word.said.as_str(), "--" | "-"));
    let words = &words[..end.unwrap_or(words.len())];
    let is_word = |at: usize| !words[at].is_option() && (at == 0 || !words[at - 1].is_option());
    (0..words.len()).find(|at| is_word(*at)).unwrap_or(words.len())
}

/// Whether a word of short options has one of these, and its value behind it: `-vname`.
pub(super) fn holds(word: &Word, letters: &[char]) -> bool {
    let Some(reference) = word.references.first() else { return false };
    word.has_option(letters) && word.said[..reference.at].contains(letters)
}
