//! Regular expressions: compiled when they are read, so that a mistake in one is found before anything runs.

use crate::mistakes::Mistakes;
use crate::text::Node;
use fancy_regex::RegexBuilder;

/// The longest that can be written.
const PATTERN_BYTES_MAX: usize = 4_096;

/// What a compiled one may take, in bytes.
const COMPILED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Whether a text is a regular expression; reported where it is none.
pub(super) fn check(mistakes: &mut Mistakes<'_>, node: &Node, text: &str, what: &str) -> bool {
    let wrong = if text.len() > PATTERN_BYTES_MAX {
        Some(format!("it has {} bytes, and {PATTERN_BYTES_MAX} are the most", text.len()))
    } else {
        let mut builder = RegexBuilder::new(text);
        builder.multi_line(true).delegate_size_limit(COMPILED_BYTES_MAX);
        builder.build().err().map(|error| gist(&error.to_string()))
    };
    if let Some(why) = &wrong {
        mistakes.error(|sheet| {
            sheet
                .error("bad-pattern", node.place(), format!("{what} is no regular expression"))
                .label(why.clone())
                .hint("a sign that means itself is written with a backslash before it: `\\(Pdb\\)`")
        });
    }
    wrong.is_none()
}

/// The last line of what a library says, where what is wrong stands.
fn gist(said: &str) -> String {
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
