//! The words of a form: what is asked, by which run, and what else is shown.
//!
//! A plain question that is long is asked with its beginning. A gate is asked in a form only if all of it can be seen there:
//! clients show a form on one screen, and some leave out what is longer without a word.

use engine::asking::{self, Asked};
use engine::dialects::text::visible;
use engine::dialects::view::asked::label;
use serde_json::Value;

/// Longest message of a plain question.
const CHARS_MAX: usize = 4_000;

/// How many choices a form lists, and in how many bytes: nobody finds anything in a longer list.
pub(super) const CHOICES_MAX: usize = 300;
const CHOICES_BYTES_MAX: usize = 16_000;

/// How many choices are named where one is to be typed, and how much of each.
const NAMED_MAX: usize = 10;
const NAMED_CHARS_MAX: usize = 80;

/// How much of a gate a form holds, its choices included.
const ROWS_MAX: usize = 40;

/// From more rows than these on, people are told how many they should see.
const ROWS_FEW: usize = 10;

/// How wide a row is.
const COLUMNS: usize = 80;

/// How wide a tab may be.
const TAB: usize = 8;

/// What the form of a question says.
pub(super) fn message(asked: &Asked) -> String {
    if asked.is_gate() {
        return whole(asked);
    }
    let not_whole = asked.not_whole().map(|told| visible(&told) + "\n\n").unwrap_or_default();
    let (message, who) = (shown(asked), format!("{}{not_whole}{}", typed(asked), who(asked)));
    if message.chars().count() > CHARS_MAX {
        let head: String = message.chars().take(CHARS_MAX).collect();
        return format!(
            "{head}...\n\nThere is more: switchback answer {} shows all of it. {who}",
            asked.root
        );
    }
    format!("{message}\n\n{who}")
}

/// Whether choices can be listed in a form.
pub(super) fn is_listed(choices: &[Value]) -> bool {
    let bytes = || choices.iter().map(|choice| label(choice).len()).sum::<usize>();
    choices.len() <= CHOICES_MAX && bytes() <= CHOICES_BYTES_MAX
}

/// How to choose where there are more choices than a form lists.
fn typed(asked: &Asked) -> String {
    if is_listed(&asked.choices) {
        return String::new();
    }
    let named = asked.choices.iter().zip(1..).take(NAMED_MAX).map(|(choice, number)| {
        let head: String = label(choice).chars().take(NAMED_CHARS_MAX).collect();
        format!("{number} {}", visible(&head))
    });
    format!(
        "There are {} choices: type one of them, or its number. The first: {}. All of them: switchback answer {}\n\n",
        asked.choices.len(),
        named.collect::<Vec<_>>().join(", "),
        asked.root
    )
}

/// Why a form cannot ask this, if it cannot: what was not shown whole, or as what it is, passes no gate.
pub(in crate::mcp) fn unseen(asked: &Asked) -> Option<&'static str> {
    // A client shows choices as they are, and nothing beside them.
    if asked.is_gate() && !asking::are_plain(&asked.choices) {
        return Some("a form cannot show its choices so that each is seen as what it is");
    }
    let choices = asked.choices.iter().map(|choice| rows(&visible(&label(choice))));
    let is_seen = || rows(&whole(asked)) + choices.sum::<usize>() <= ROWS_MAX;
    (asked.is_gate() && !is_seen()).then_some("they must see all of it, and that is more than a form holds")
}

/// All that a gate shows.
fn whole(asked: &Asked) -> String {
    let message = format!("{}\n\n{}", shown(asked), who(asked));
    if rows(&message) <= ROWS_FEW {
        return message;
    }
    let lines = message.split('\n').count() + 2;
    let shows = format!("switchback answer {} shows all of it", asked.root);
    format!("({lines} lines. If you do not see the last one, close this: {shows})\n\n{message}")
}

fn shown(asked: &Asked) -> String {
    let mut message = asked.words();
    for (name, value) in asking::details(asked) {
        message.push_str(&format!("\n\n{name}: {}", label(value)));
    }
    if let Some(note) = &asked.note {
        message.push_str(&format!("\n\nAsked again: {note}"));
    }
    visible(&message)
}

fn who(asked: &Asked) -> String {
    format!("({}, run {})", visible(&asked.step()), asked.root)
}

/// How many rows a text takes; letters beyond those of a plain keyboard may be twice as wide.
fn rows(text: &str) -> usize {
    let width = |letter: char| match letter {
        '\t' => TAB,
        letter => letter.len_utf8().min(2),
    };
    text.split('\n').map(|line| line.chars().map(width).sum::<usize>().div_ceil(COLUMNS).max(1)).sum()
}

#[cfg(test)]
pub(in crate::mcp) mod tests {
    use super::*;
    use engine::asking::AskedKind;
    use engine::kernel::plan::{Audience, Gate, GateLevel};
    use engine::kernel::{Digest, EffectId, RunId};
    use serde_json::{Map, Value, json};

    pub(in crate::mcp) fn gate(details: &str, choices: &[&str]) -> Asked {
        let root = RunId::new("mossy-otter-41");
        Asked {
            question_id: "ask#1".to_owned(),
            run: root.clone(),
            root,
            path: vec!["ask".to_owned()],
            effect: EffectId::new("ask#1"),
            attempt: 1,
            audience: Audience::Human,
            gate: Some(Gate { level: GateLevel::Ask }),
            kind: if choices.is_empty() { AskedKind::Confirm } else { AskedKind::Choice },
            prompt: "Run this?".to_owned(),
            choices: choices.iter().map(|choice| json!(choice)).collect(),
            default: None,
            output_schema: None,
            dialect: engine::kernel::plan::Dialect::Blocks,
            word: String::new(),
            timeout_ms: None,
            ends: false,
            validation: None,
            parameters: Map::new(),
            shown: Map::from_iter([("details".to_owned(), Value::from(details))]),
            left_out: Vec::new(),
            digest: Digest::of(b"shown"),
            since: 0,
            overdue: false,
            note: None,
            attempts_left: None,
            check: None,
        }
    }

    #[test]
    fn a_gate_has_its_most_rows() {
        // Beside the details: two rows of what is said of so many, the question, the run, and a row between each two.
        let details = |rows: usize| "x\n".repeat(rows - 1) + "x";
        let letters = "x".repeat(33 * 80 - "details: ".len());
        for (name, fits, longer) in [
            ("lines", gate(&details(33), &[]), gate(&details(34), &[])),
            ("letters", gate(&letters, &[]), gate(&format!("{letters}x"), &[])),
            ("wide letters", gate(&"漢".repeat(1_315), &[]), gate(&"漢".repeat(1_316), &[])),
            ("tabs", gate(&"\t".repeat(328), &[]), gate(&"\t".repeat(329), &[])),
            ("letters nobody sees", gate(&"\u{200b}".repeat(328), &[]), gate(&"\u{200b}".repeat(329), &[])),
            ("choices", gate(&details(31), &["a", "b"]), gate(&details(31), &["a", "b", "c"])),
        ] {
            assert_eq!(unseen(&fits), None, "{name}: {}", message(&fits));
            assert!(unseen(&longer).is_some(), "{name}: {}", message(&longer));
        }
    }

    #[test]
    fn what_is_not_whole_is_said_at_the_end() {
        let mut plain = gate(&"x".repeat(CHARS_MAX), &[]);
        plain.gate = None;
        plain.left_out = vec![("${blocks.a.stdout}".to_owned(), 7)];
        let message = message(&plain);
        let end = "This is not whole: 7 bytes of the middle of `${blocks.a.stdout}` were left out.\n\n(ask, run mossy-otter-41)";
        assert!(message.ends_with(end), "{message}");
    }

    #[test]
    fn choices_that_deceive_are_not_asked_in_a_form() {
        assert_eq!(unseen(&gate("x", &["staging", "production"])), None);
        for choices in [["staging", "stag\u{200b}ing"], ["staging", "prod\u{202e}x"], ["a", "a  "]] {
            let told = unseen(&gate("x", &choices));
            assert!(told.is_some_and(|why| why.contains("its choices")), "{choices:?}: {told:?}");
        }
    }

    #[test]
    fn a_gate_that_is_long_says_how_long_it_is() {
        assert_eq!(message(&gate("one", &[])), "Run this?\n\ndetails: one\n\n(ask, run mossy-otter-41)");
        let few = message(&gate("1\n2\n3\n4\n5\n6", &[]));
        assert!(few.starts_with("Run this?") && few.lines().count() == 10, "{few}");
        let many = message(&gate("1\n2\n3\n4\n5\n6\n7", &[]));
        assert!(many.starts_with("(13 lines. If you do not see the last one, close this: "), "{many}");
        assert_eq!(many.lines().count(), 13);
    }
}
