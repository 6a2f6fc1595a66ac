//! CreateWorktree and RemoveWorktree: what the adapter is given, and what is refused.

use super::{blocks, good, told};
use kernel::plan::{Adapter, Deadline, Expr, OnInterrupt, Work};
use serde_json::Value;

#[test]
fn every_mistake_of_a_worktree_is_told() {
    insta::assert_snapshot!(told("worktrees.yaml", include_str!("inputs/worktrees.yaml")));
}

#[test]
fn a_worktree_is_the_work_of_git_and_may_be_done_again() {
    let read = good(&blocks(&[
        "id: a, type: CreateWorktree, inputs: {path: \"w/${metadata.run_id}\", branch: f, base_branch: null}",
        "id: b, type: RemoveWorktree, depends_on: [a], timeout: 5, on_interrupt: ask, \
         inputs: {path: \"${blocks.a.worktree_path}\", force: true, delete_branch: \"${blocks.a.created}\"}",
    ]));
    let [create, remove] = read.plan.steps.as_slice() else { panic!("two blocks") };
    assert_eq!((create.timeout, create.on_interrupt), (Deadline::After(600_000), OnInterrupt::Retry));
    assert_eq!((remove.timeout, remove.on_interrupt), (Deadline::After(5_000), OnInterrupt::Ask));
    let inputs = |work: &Work| match work {
        Work::Server { adapter: Adapter::Git, inputs, .. } => inputs.clone(),
        other => panic!("{other:?}"),
    };
    let names = |work: &Work| inputs(work).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&create.work), ["operation", "path", "branch"]);
    assert_eq!(names(&remove.work), ["operation", "path", "force", "delete_branch"]);
    let remove = inputs(&remove.work);
    assert_eq!(remove[0].1, Expr::Const(Value::from("remove_worktree")));
    assert!(matches!((&remove[1].1, &remove[3].1), (Expr::Needed(_), Expr::Needed(_))));
    assert_eq!(remove[2].1, Expr::Const(Value::Bool(true)));
}
