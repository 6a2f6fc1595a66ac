//! What others say of a run: points that they note, and that they give it up.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, human};
use kernel::{Command, News, Refusal};

scenarios![a_run_that_is_given_up_fails_with_that_reason, a_point_is_noted_and_nothing_moves];

fn give_up() -> Command {
    Command::GiveUp { reason: "the branch is gone".into(), by: human(false) }
}

#[test]
fn a_run_that_is_given_up_fails_with_that_reason() {
    let mut it = Drive::new(line(vec![noop("a")]));
    assert_eq!(it.refuse(give_up()), Refusal::NotStarted);
    let mut it = Drive::start(line(vec![noop("a")]));
    it.give(give_up()).expect(&["withdraw a#1", "timer run/close at 31000"]).stands("closing");
    assert_eq!(it.refuse(give_up()), Refusal::Over);
    it.fails("a#1", kernel::FailureKind::Cancelled).stands("failed: the branch is gone");
}

#[test]
fn a_point_is_noted_and_nothing_moves() {
    let mut it = Drive::start(line(vec![agent("a")]));
    let (step, reason) = (Some("a".to_owned()), "before lunch".to_owned());
    let by = human(false);
    it.give(Command::Mark { step: step.clone(), reason: reason.clone(), by: by.clone() }).expect(&[]);
    assert_eq!(it.turn.news, [News::Marked { step, reason, by }]);
    it.stands("waiting: agent a");
    it.finish();
}
