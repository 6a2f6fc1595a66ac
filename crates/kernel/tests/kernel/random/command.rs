//! Commands of every kind: mostly what is due, now and then what is not.

use super::Dice;
use crate::build::fields;
use crate::drive::{Drive, human};
use kernel::command::Caller;
use kernel::event::{Change, Claim, Report, Resolution};
use kernel::plan::WriteKind;
use kernel::{Command, Digest, Effect, EffectId, Failure, FailureKind, Fields, Open, Outcome, RunId};
use serde_json::json;

pub(super) fn any(dice: &mut Dice, it: &mut Drive) -> Command {
    it.now += u64::from(dice.below(400));
    let open = it.run.open();
    match dice.below(24) {
        0 if dice.one_in(4) => Command::Cancel { reason: "enough".into(), by: human(false) },
        0 if dice.one_in(4) => Command::GiveUp { reason: "no use".into(), by: human(false) },
        0 => Command::Mark { step: None, reason: "a point".into(), by: human(false) },
        1 => {
            let values = [
                json!({"a": dice.below(3)}),
                json!({"b": "text", "new": [1.5]}),
                json!({"c": 1}),
                json!({"state.a": dice.below(3)}),
                json!({}),
            ];
            let values = fields(dice.pick(&values).clone());
            Command::Update { values, by: Caller::Server, changes: changes(dice), key: None }
        }
        2 => Command::Start { inputs: Fields::new() },
        3..=5 => unfitting(dice, &open),
        _ if open.is_empty() => Command::Acknowledge,
        _ => {
            let due = dice.pick(&open).clone();
            fitting(dice, it, &due)
        }
    }
}

/// Changes of what is there.
fn changes(dice: &mut Dice) -> Vec<Change> {
    let kinds = [WriteKind::Set, WriteKind::Append, WriteKind::Increment, WriteKind::Merge];
    let fields = ["state.a", "state.map", "raw.new", "computed.c", "a"];
    let one = |dice: &mut Dice| {
        let mut path = vec![(*dice.pick(&fields)).to_owned()];
        path.extend(dice.one_in(2).then(|| "in".to_owned()));
        let values = [json!(dice.below(5)), json!({"k": 1}), json!("text")];
        Change { path, kind: *dice.pick(&kinds), value: dice.pick(&values).clone().into() }
    };
    (0..dice.below(3)).map(|_| one(dice)).collect()
}

/// What fits something that is open.
fn fitting(dice: &mut Dice, it: &mut Drive, open: &Open) -> Command {
    let effect = open.id.clone();
    match &open.effect {
        Effect::Perform(_) if open.kind == kernel::OpenKind::Interrupted => {
            let resolutions =
                [Resolution::Retry, Resolution::Fail, Resolution::Done { outputs: outputs(dice, it) }];
            Command::Resolve { effect, resolution: dice.pick(&resolutions).clone(), by: human(false) }
        }
        Effect::Perform(_) | Effect::Withdraw { .. } if dice.one_in(8) => Command::Interrupt { effect },
        Effect::Perform(_) | Effect::Withdraw { .. } => Command::Report { effect, report: report(dice, it) },
        Effect::Offer(action) if action.gate.is_some() => {
            let (approved, result) = (dice.one_in(2), outputs(dice, it));
            Command::Answer { effect, approved, result, shown: action.shown, by: human(true) }
        }
        Effect::Offer(_) => Command::Submit {
            effect,
            result: outputs(dice, it),
            by: Caller::Agent("a".into()),
            claim: claim(dice),
        },
        Effect::StartTimer { due, .. } => {
            if !dice.one_in(4) {
                it.now = it.now.max(*due);
            }
            Command::Fire { timer: effect }
        }
        Effect::StartChild { .. } if dice.one_in(6) => {
            let failure = Failure::new(FailureKind::Crashed, "it cannot start");
            Command::Report { effect, report: Report::Failed { failure, outputs: Fields::new() } }
        }
        Effect::StartChild { child, .. } | Effect::CancelChild { child, .. } => {
            Command::EndChild { effect, child: child.clone(), outcome: outcome(dice, it) }
        }
        Effect::TellParent { .. } => Command::Acknowledge,
    }
}

/// Mostly nothing is said beside a result.
fn claim(dice: &mut Dice) -> Claim {
    let took_ms = dice.one_in(4).then(|| u64::from(dice.below(6_000)));
    Claim { took_ms, error: dice.one_in(6).then(|| "it cannot be done".to_owned()), written: dice.one_in(9) }
}

/// What may fit nothing at all.
fn unfitting(dice: &mut Dice, open: &[Open]) -> Command {
    let effect = strange_id(dice, open);
    match dice.below(7) {
        0 => Command::Report { effect, report: Report::Done { outputs: Fields::new() } },
        1 => Command::Interrupt { effect },
        2 => Command::Resolve { effect, resolution: Resolution::Retry, by: human(false) },
        3 => Command::Submit { effect, result: Fields::new(), by: Caller::Server, claim: Claim::default() },
        4 => {
            let (approved, result, shown) = (true, Fields::new(), Digest::of(b"?"));
            Command::Answer { effect, approved, result, shown, by: human(true) }
        }
        5 => Command::Fire { timer: effect },
        _ => {
            let child = RunId::new(format!("run/{effect}"));
            Command::EndChild { effect, child, outcome: Outcome::Cancelled { reason: "?".into() } }
        }
    }
}

fn strange_id(dice: &mut Dice, open: &[Open]) -> EffectId {
    let known = if open.is_empty() { "s0#1".to_owned() } else { dice.pick(open).id.to_string() };
    let cut = known.rsplit_once('#').map_or(known.clone(), |(key, _)| key.to_owned());
    EffectId::new(match dice.below(8) {
        0 => known,
        1 => format!("{cut}#{}", dice.below(4)),
        2 => format!("{cut}#1/due"),
        3 => format!("{cut}#1/retry"),
        4 => format!("{cut}#1/verify"),
        5 => "run/close".to_owned(),
        6 => "run/timeout".to_owned(),
        _ => format!("{cut}##/0"),
    })
}

fn report(dice: &mut Dice, it: &mut Drive) -> Report {
    if !dice.one_in(5) {
        return Report::Done { outputs: outputs(dice, it) };
    }
    let kinds = [FailureKind::Operation, FailureKind::Crashed, FailureKind::TimedOut, FailureKind::Cancelled];
    Report::Failed { failure: Failure::new(*dice.pick(&kinds), "it broke"), outputs: outputs(dice, it) }
}

fn outcome(dice: &mut Dice, it: &mut Drive) -> Outcome {
    match dice.below(8) {
        0 => crate::drive::failed(),
        1 => Outcome::Cancelled { reason: "so".into() },
        _ => Outcome::Succeeded { outputs: outputs(dice, it) },
    }
}

fn outputs(dice: &mut Dice, it: &mut Drive) -> Fields {
    match dice.below(5) {
        0 => Fields::new(),
        1 => Fields::from([("x".to_owned(), it.store(json!({"stored": dice.below(3)})))]),
        2 => fields(json!({"x": [1, "two", {"three": 3.25}], "y": null})),
        3 => fields(json!({"x": "x".repeat(dice.below(600) as usize)})),
        _ => fields(json!({"x": dice.below(9)})),
    }
}
