//! Limits of both sources, each on both of its sides.

use super::{codes, one};
use crate::states::Entry;

const ACTION: &str = "action: {tool: exit_terminal, params: {}}";

fn named(name: &str) -> String {
    one(ACTION).replace("name: test", &format!("name: \"{name}\""))
}

fn described(description: &str) -> String {
    one(ACTION).replace("description: A test", &format!("description: \"{description}\""))
}

/// A line of states, each leading to the next.
fn states(count: usize) -> String {
    let way = |n: usize| match n + 1 < count {
        true => format!(", transitions: [{{condition: success, next_state: s{}}}]", n + 1),
        false => String::new(),
    };
    let lines: String = (0..count).map(|n| format!("  s{n}: {{{ACTION}{}}}\n", way(n))).collect();
    format!("name: t\ndescription: d\ninitial_state: s0\nstates:\n{lines}")
}

fn transitions(count: usize) -> String {
    one(&format!(
        "{ACTION}, transitions: [{}]",
        vec!["{condition: success, next_state: a}"; count].join(", ")
    ))
}

fn state_called(id: &str) -> String {
    format!("name: t\ndescription: d\ninitial_state: \"{id}\"\nstates: {{\"{id}\": {{{ACTION}}}}}\n")
}

// covers: T-43, T-44, T-46, T-47, T-51, T-121
#[test]
fn limits_hold_on_both_sides() {
    use Entry::{Any, Create, Inline};
    let long = |count: usize| "x".repeat(count);
    for (good, bad, entry, code) in [
        (named(&long(64)), named(&long(65)), Inline, "bad-name"),
        (named("Ab_-9"), named("9a"), Inline, "bad-name"),
        (named("9a_"), named("Abc"), Create, "bad-name"),
        (named("9a-_"), named("../x"), Any, "bad-name"),
        (named("a"), named(""), Any, "bad-name"),
        (described(&long(500)), described(&long(501)), Inline, "too-long"),
        (described(""), described(&long(501)), Inline, "too-long"),
        (described("x"), described(""), Create, "too-long"),
        (states(100), states(101), Inline, "too-many"),
        (states(50), states(51), Create, "too-many"),
        (transitions(20), transitions(21), Inline, "too-many"),
        (transitions(10), transitions(11), Create, "too-many"),
        (state_called("_A9"), state_called("9a"), Inline, "bad-name"),
        (state_called("9a"), state_called("A"), Create, "bad-name"),
        (state_called("9A"), state_called("a b"), Any, "bad-name"),
    ] {
        assert_eq!(codes(&good, entry), Vec::<&str>::new(), "{entry:?} {good}");
        assert_eq!(codes(&bad, entry), [code], "{entry:?} {bad}");
    }
}

// covers: C-49, C-51
#[test]
fn a_kept_definition_says_what_it_is_for() {
    let text = one(ACTION).replace("description: A test\n", "");
    assert_eq!(codes(&text, Entry::Inline), Vec::<&str>::new());
    assert_eq!(codes(&text, Entry::Create), ["missing-key"]);
}
