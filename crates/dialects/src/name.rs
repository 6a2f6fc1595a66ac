//! The name that a definition gives itself, also where it is broken: a file that cannot run is still known by it.

use crate::detect::body;
use crate::text::{Source, load};

/// The name that is written in a definition, if one can be made out. Where the text is no YAML it is what stands behind a
/// `name:` at the beginning of a line.
pub fn name(source: &Source) -> Option<String> {
    match load(source) {
        Ok(root) => body(&root).get("name").and_then(|node| node.as_text()).map(str::to_owned),
        Err(_) => source.text.lines().find_map(|line| line.strip_prefix("name:")).and_then(written),
    }
}

/// A plain or quoted text, without the comment behind it.
fn written(rest: &str) -> Option<String> {
    let rest = rest.trim();
    let word = match rest.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next(),
        None => rest.split(" #").next().map(str::trim_end),
    };
    word.filter(|word| !word.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_out_where_it_can_be() {
        for (text, wanted) in [
            ("name: hello\nfoo: 1\n", Some("hello")),
            ("{\"name\": \"hello\", \"foo\": 1}", Some("hello")),
            ("workflow:\n  name: hello\n", Some("hello")),
            ("# a\nname: hello # b\nblocks: [", Some("hello")),
            ("name: \"hello\" # b\nblocks: [", Some("hello")),
            ("name: 'hello'\nblocks: [", Some("hello")),
            ("  name: hello\nblocks: [", None),
            ("name:\nblocks: [", None),
            ("name: [a]\n", None),
            ("", None),
        ] {
            assert_eq!(name(&Source::new("x.yaml", text)).as_deref(), wanted, "{text:?}");
        }
    }
}
