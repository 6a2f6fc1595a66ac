//! Regular expressions of state machines: whether each is found in a text. Look-around and back-references are stopped after
//! a number of steps; `^` and `$` stand for the ends of lines, as for whoever waits for output of a terminal.

use fancy_regex::{Error, RegexBuilder, RuntimeError};

/// What a compiled pattern may take, in bytes.
const COMPILED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The steps that look-around and back-references may take in one text.
const STEPS_MAX: usize = 1_000_000;

/// The text that is searched: all values of the scope that are text, with a blank between them.
pub(super) fn text(scope: &[(&str, &str)]) -> Result<String, String> {
    let said = scope.iter().map(|(path, json)| {
        serde_json::from_str::<String>(json).map_err(|error| format!("`{path}` is no text: {error}"))
    });
    Ok(said.collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// Whether a pattern is found in a text, as JSON.
pub(super) fn found(pattern: &str, text: &str) -> Result<String, String> {
    let mut builder = RegexBuilder::new(pattern);
    builder
        .multi_line(true)
        .backtrack_limit(STEPS_MAX)
        .delegate_size_limit(COMPILED_BYTES_MAX)
        .delegate_dfa_size_limit(COMPILED_BYTES_MAX);
    let compiled = builder.build().map_err(|error| format!("it is no regular expression: {error}"))?;
    match compiled.is_match(text) {
        Ok(found) => Ok(found.to_string()),
        Err(Error::RuntimeError(RuntimeError::BacktrackLimitExceeded)) => Err(format!(
            "it took more than {STEPS_MAX} steps; write it without nested repetition, look-around or back-references"
        )),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_found_with_bounded_work() {
        let said = |found: &str| Ok(found.to_owned());
        assert_eq!(found(r"(\d+) passing", "x\n3 passing"), said("true"));
        assert_eq!(found("^3", "x\n3 passing"), said("true"));
        assert_eq!(found(r"(?<=\$ )ok(?!ay)", "$ ok"), said("true"));
        assert_eq!(found(r"(a)\1", "ab"), said("false"));
        assert!(found("(", "x").unwrap_err().starts_with("it is no regular expression"));
        let long = format!("{}!", "a".repeat(4_000));
        assert_eq!(found("(a+)+$", &long), said("false"));
        let slow = found(r"(?:(a+)+(?=b))+\1$", &long);
        assert!(slow.is_ok_and(|found| found == "false") || found(r"^(a|aa)+(?=b)$", &long).is_err());
    }

    #[test]
    fn texts_have_a_blank_between_them() {
        assert_eq!(text(&[("match_text", "\"a\""), ("screen_content", "\"b\\n\"")]), Ok("a b\n".to_owned()));
        assert!(text(&[("match_text", "1")]).is_err());
    }
}
