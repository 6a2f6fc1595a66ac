//! The pages of this dialect name what there is, and what they show is good.

use super::codes;
use crate::states::Entry;
use crate::states::plan::{STANDARD, STATES, STATES_USUAL};
use crate::states::tools::{NESTED, TERMINAL};

const STATES_PAGE: &str = include_str!("../../../../../docs/states.md");
const CONTRACTS_PAGE: &str = include_str!("../../../../../docs/contracts.md");
const TERMINALS_PAGE: &str = include_str!("../../../../../docs/terminals.md");

/// The definitions that a page shows.
fn shown(page: &str) -> impl Iterator<Item = &str> {
    page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next())
}

// covers: T-149
#[test]
fn the_page_names_what_a_caller_must_know() {
    let said = |word: &str| assert!(STATES_PAGE.contains(&format!("`{word}")), "`{word}` is not on the page");
    let conditions = [
        "success:",
        "pattern_match:",
        "pattern_not_match:",
        "field_equals:",
        "field_contains:",
        "timeout_occurred:",
    ];
    conditions.into_iter().for_each(said);
    NESTED.params.iter().for_each(|param| said(param.name));
    STANDARD.iter().for_each(|(_, variable)| said(variable));
    for word in ["execution_log", "final_variables", "available_workflows", "recursion_depth", "on_timeout"] {
        said(word);
    }
    for tool in TERMINAL {
        assert!(TERMINALS_PAGE.contains(&format!("`{}(", tool.name)), "{}", tool.name);
    }
    assert!(STATES_PAGE.contains(&format!("| {STATES_USUAL}, up to {} by `max_states` |", STATES.1)));
    for chapter in ["A definition", "Variables", "Calls", "What is kept", "Limits", "Good habits", "Examples"]
    {
        assert!(STATES_PAGE.contains(&format!("\n## {chapter}\n")), "{chapter}");
    }
}

// covers: C-16, C-56
#[test]
fn what_the_pages_show_and_what_ships_is_good() {
    let examples = [
        include_str!("../../../../../examples/states/simple_test.yaml"),
        include_str!("../../../../../examples/states/test_with_branching.yaml"),
        include_str!("../../../../../examples/states/interactive_debug.yaml"),
        include_str!("../../../../../examples/states/full_ci_pipeline.yaml"),
        include_str!("../../../../../examples/states/build_project.yaml"),
    ];
    for text in examples.into_iter().chain(shown(STATES_PAGE)) {
        assert_eq!(codes(text, Entry::Inline), Vec::<&str>::new(), "{text}");
    }
    for text in shown(CONTRACTS_PAGE).chain([examples[4]]) {
        assert_eq!(codes(text, Entry::Create), Vec::<&str>::new(), "{text}");
    }
    assert_eq!((shown(STATES_PAGE).count(), shown(CONTRACTS_PAGE).count()), (1, 1));
}
