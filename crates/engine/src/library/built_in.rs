//! The definitions that the binary brings along, each in a group, as a folder would hold them. Any other of the same name
//! hides them. `docs/templates.md` tells what each is for.

use super::definition::{Definition, Reading, read_text};
use super::place::Place;
use dialects::text::Source;
use std::sync::{Arc, OnceLock};

/// A definition in the binary.
struct Text {
    /// The folder it lies in.
    group: &'static str,
    /// The name of its file without the ending.
    stem: &'static str,
    text: &'static str,
}

/// Takes the files of each group into the binary.
macro_rules! texts {
    ($($group:literal: [$($stem:literal),+];)+) => {
        &[$($(Text {
            group: $group,
            stem: $stem,
            text: include_str!(concat!("built_in/", $group, "/", $stem, ".yaml")),
        }),+),+]
    };
}

const TEXTS: &[Text] = texts! {
    "ci": ["approval-gate", "conditional-deploy", "python-ci-pipeline"];
    "examples": ["hello", "parallel-map"];
    "files": ["render-and-write"];
    "git": ["commit-and-push", "git-checkout-branch", "git-summary", "review-with-agent", "worktree-feature"];
    "node": ["node-ci"];
    "python": ["lint-python", "run-pytest", "setup-python-env"];
};

/// All of them, as definitions of their place. They are read once in the life of a process.
pub(super) fn definitions(place: &Place) -> impl Iterator<Item = Definition> {
    static READINGS: OnceLock<Vec<Arc<Reading>>> = OnceLock::new();
    let readings = READINGS.get_or_init(|| TEXTS.iter().map(read).collect());
    let all = TEXTS.iter().zip(readings);
    all.map(|(text, reading)| {
        let mut definition = Definition::new(place, None, text.stem, Arc::clone(reading));
        definition.origin.group = Some(text.group.to_owned());
        definition
    })
}

fn read(Text { group, stem, text }: &Text) -> Arc<Reading> {
    let source = Source::new(format!("built-in:{group}/{stem}.yaml"), *text);
    let reading = read_text(source, dialects::ReadOptions::default());
    assert!(reading.plan.is_some(), "BUG: the built-in {stem}.yaml is broken: {:?}", reading.diagnostics);
    Arc::new(reading)
}
