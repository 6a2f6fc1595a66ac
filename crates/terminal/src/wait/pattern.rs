//! Patterns: regular expressions as Python's users write them, compiled before anything waits and bounded in work.
//!
//! What can be matched in linear time is. Look-around and back-references cannot, and are stopped after a number of steps.
//! `^` and `$` stand for the ends of lines, as whoever looks at a screen means them; `\A` and `\z` stand for those of the text.

use std::ops::Range;

use fancy_regex::{Regex, RegexBuilder};

/// The longest pattern.
const PATTERN_BYTES_MAX: usize = 4_096;

/// What a compiled pattern may take, in bytes.
const COMPILED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The steps that look-around and back-references may take for one look at the text: some tens of milliseconds.
const STEPS_MAX: usize = 1_000_000;

/// A checked regular expression.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression.
    #[error("the pattern is not a regular expression: {0}")]
    Syntax(String),
    /// It is too long.
    #[error("the pattern has {0} bytes, and {PATTERN_BYTES_MAX} are the most; match a part of it")]
    Length(usize),
    /// It took too many steps.
    #[error(
        "the pattern took more than {STEPS_MAX} steps on this output; write it without nested repetition, look-around or \
         back-references"
    )]
    Work,
}

/// What matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// All of it.
    pub text: String,
    /// The groups in the order of their brackets.
    pub groups: Vec<Group>,
}

/// A group of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it took; nothing if the match went another way.
    pub text: Option<String>,
}

impl Pattern {
    /// Checks and compiles a pattern.
    pub fn new(text: &str) -> Result<Pattern, PatternError> {
        if text.len() > PATTERN_BYTES_MAX {
            return Err(PatternError::Length(text.len()));
        }
        let mut builder = RegexBuilder::new(text);
        builder
            .multi_line(true)
            .backtrack_limit(STEPS_MAX)
            .delegate_size_limit(COMPILED_BYTES_MAX)
            // Most patterns look at a few lines, once: what is built beforehand takes longer than that.
            .delegate_dfa_size_limit(0);
        builder.build().map(Pattern).map_err(|error| PatternError::Syntax(error.to_string()))
    }

    /// Gives the text it was made from.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Tells whether it matches somewhere in a text.
    pub fn is_in(&self, text: &str) -> Result<bool, PatternError> {
        self.0.is_match(text).map_err(|_| PatternError::Work)
    }

    /// Finds the first match from a place on that the ranges do not touch.
    pub(super) fn find(
        &self,
        text: &str,
        from: usize,
        masked: &[Range<usize>],
    ) -> Result<Option<(Range<usize>, Match)>, PatternError> {
        let mut place = from;
        while place <= text.len() {
            let found = self.0.captures_from_pos(text, place).map_err(|_| PatternError::Work)?;
            let Some(found) = found else { return Ok(None) };
            let Some(range) = found.get(0).map(|whole| whole.range()) else { return Ok(None) };
            match masked.iter().find(|masked| touches(&range, masked)) {
                Some(masked) => place = next(text, masked.end.max(range.start)),
                None => return Ok(Some((range, self.matched(&found)))),
            }
        }
        Ok(None)
    }

    fn matched(&self, found: &fancy_regex::Captures<'_, str>) -> Match {
        let text = |group: usize| found.get(group).map(|part| part.as_str().to_owned());
        let names = self.0.capture_names().enumerate().skip(1);
        let groups = names.map(|(group, name)| Group { name: name.map(str::to_owned), text: text(group) });
        Match { text: text(0).unwrap_or_default(), groups: groups.collect() }
    }
}

/// An empty match inside an echo touches it as well.
fn touches(found: &Range<usize>, masked: &Range<usize>) -> bool {
    found.start < masked.end && (found.end > masked.start || found.is_empty() && found.start > masked.start)
}

/// Gives the place itself if a character begins there, or the next where one does.
fn next(text: &str, place: usize) -> usize {
    (place..=text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str, masked: Option<Range<usize>>) -> Option<String> {
        Pattern::new(pattern).unwrap().find(text, 0, masked.as_slice()).unwrap().map(|(_, found)| found.text)
    }

    #[test]
    fn matches_with_groups() {
        let pattern = Pattern::new(r"(?P<count>\d+) (passing|failing)( slow)?").unwrap();
        let (range, found) = pattern.find("ok\n12 passing\n", 0, &[]).unwrap().unwrap();
        assert_eq!((range, found.text.as_str()), (3..13, "12 passing"));
        let group = |name: Option<&str>, text: Option<&str>| Group {
            name: name.map(str::to_owned),
            text: text.map(str::to_owned),
        };
        let groups = [group(Some("count"), Some("12")), group(None, Some("passing")), group(None, None)];
        assert_eq!(found.groups, groups);
    }

    #[test]
    fn what_touches_a_mask_is_passed_over() {
        assert_eq!(found("hi", "echo hi\nhi", Some(0..7)), Some("hi".to_owned()));
        assert_eq!(found("hi", "echo hi\n", Some(0..7)), None);
        assert_eq!(found(r"\w+", "echo ä\nhi", Some(0..7)), Some("hi".to_owned()));
        assert_eq!(found("^$", "echo\n\nhi", Some(0..4)), Some(String::new()));
        assert_eq!(found(r"(?s)echo.*end", "echo hi\nend", Some(0..7)), None);
    }

    #[test]
    fn ends_of_lines_are_meant_and_look_around_works() {
        assert_eq!(found("^b$", "a\nb\nc", None), Some("b".to_owned()));
        assert_eq!(found(r"(?<=<)\w+(?=>)", "<tag>", None), Some("tag".to_owned()));
        assert_eq!(found(r"(\w)\1", "hello", None), Some("ll".to_owned()));
    }

    #[test]
    fn work_is_bounded() {
        let hard = Pattern::new(r"(?=(a+)+b)(a+)+\1c").unwrap();
        assert_eq!(hard.find(&"a".repeat(5_000), 0, &[]), Err(PatternError::Work));
        assert!(matches!(Pattern::new("(?:a{1000}){1000}"), Err(PatternError::Syntax(_))));
        assert!(matches!(Pattern::new(&"a".repeat(5_000)), Err(PatternError::Length(5_000))));
        assert!(Pattern::new("(unclosed").unwrap_err().to_string().starts_with("the pattern is not"));
    }
}
