//! The workflows that the dialect was made for. The one for planning reads two fields that it does not declare.

use super::good::{node, shown, step};
use super::{bad, good, inferred, told};
use crate::diagnostic::Severity;
use kernel::Plan;
use kernel::plan::{Audience, Node, Work};

const PLANNING: &str = include_str!("inputs/planning.yaml");

pub(super) fn declared() -> String {
    PLANNING.replace("needs_state: [final_plan]\n", "needs_state: [final_plan, user_request]\n").replace(
        "type: return\n        needs_state: [analysis]",
        "type: return\n        needs_state: [analysis, search_results]",
    )
}

#[test]
fn they_become_plans() {
    for (name, text) in [
        ("deploy-service", include_str!("inputs/deploy-service.yaml")),
        ("analyze-codebase", include_str!("inputs/analyze-codebase.yaml")),
        ("pr-automation", include_str!("inputs/pr-automation.yaml")),
        ("interactive-planning", &declared()),
    ] {
        let read = good(text);
        assert!(read.warnings.is_empty(), "{name}: {:?}", read.warnings);
        let tasks: Vec<&Plan> = read.tasks.iter().map(AsRef::as_ref).collect();
        let all = std::iter::once(&read.plan).chain(tasks.iter().copied());
        let all: Vec<String> = all.map(|plan| shown(plan, &tasks)).collect();
        insta::assert_snapshot!(name, all.join("\n----\n"));
    }
}

#[test]
fn planning_as_it_was_first_written_is_told_what_it_does_not_declare() {
    let found = bad(PLANNING);
    assert_eq!((found.count(Severity::Error), found.count(Severity::Warning)), (2, 0));
    insta::assert_snapshot!(told("planning.yaml", PLANNING));
}

#[test]
fn planning_as_it_was_first_written_runs_where_declarations_are_inferred() {
    let read = inferred(PLANNING).unwrap();
    let codes: Vec<&str> = read.warnings.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["inferred-state"; 2]);
    // With the fields declared it is the same workflow.
    let declared = good(&declared());
    assert_eq!(read.plan.digest(), declared.plan.digest());
    assert_eq!(read.tasks, declared.tasks);
}

#[test]
fn planning_asks_whom_it_should() {
    let read = good(&declared());
    let audience = |id: &str| match &step(&read.plan, id).work {
        Work::Action { audience, .. } => *audience,
        other => panic!("{other:?}"),
    };
    assert_eq!(audience("get-user-request"), Audience::Human);
    assert_eq!(audience("approve-plan"), Audience::Human);
    assert_eq!(audience("review-plan"), Audience::Agent);
    let Node::Spread(spread) = node(&read.plan, "execute-research") else { panic!() };
    assert_eq!((spread.width_max, spread.given.single.as_deref()), (1, Some("research_task")));
    assert_eq!(read.tasks.len(), 1);
    assert_eq!(read.tasks[0].agent.as_deref(), Some("@task"));
}
