//! Commands and expectations, in few words.

use super::Drive;
use crate::build::fields;
use crate::say;
use kernel::command::Caller;
use kernel::event::{Report, Resolution};
use kernel::{Command, Data, EffectId, Failure, FailureKind, Fields, Outcome, RunId};
use serde_json::Value;

impl Drive {
    pub(crate) fn done(&mut self, effect: &str, outputs: Value) -> &mut Self {
        let report = Report::Done { outputs: fields(outputs) };
        self.give(Command::Report { effect: EffectId::new(effect), report })
    }

    pub(crate) fn fails(&mut self, effect: &str, kind: FailureKind) -> &mut Self {
        let failure = Failure::new(kind, "it broke");
        let report = Report::Failed { failure, outputs: Fields::new() };
        self.give(Command::Report { effect: EffectId::new(effect), report })
    }

    pub(crate) fn interrupt(&mut self, effect: &str) -> &mut Self {
        self.give(Command::Interrupt { effect: EffectId::new(effect) })
    }

    pub(crate) fn resolve(&mut self, effect: &str, resolution: Resolution) -> &mut Self {
        self.give(Command::Resolve { effect: EffectId::new(effect), resolution, by: human(false) })
    }

    pub(crate) fn submit(&mut self, effect: &str, result: Value) -> &mut Self {
        self.give(submission(effect, result))
    }

    /// Lets the time of a timer come, and fires it.
    pub(crate) fn fire(&mut self, timer: &str) -> &mut Self {
        let open = self.run.open().into_iter().find(|open| open.id.as_str() == timer);
        match open.map(|open| open.effect) {
            Some(kernel::Effect::StartTimer { due, .. }) => self.now = self.now.max(due),
            other => panic!("`{timer}` is no open timer: {other:?}"),
        }
        self.give(Command::Fire { timer: EffectId::new(timer) })
    }

    pub(crate) fn end_child(&mut self, effect: &str, outcome: Outcome) -> &mut Self {
        let child = RunId::new(format!("run/{effect}"));
        self.give(Command::EndChild { effect: EffectId::new(effect), child, outcome })
    }

    pub(crate) fn update(&mut self, values: Value) -> &mut Self {
        self.give(Command::Update {
            values: fields(values),
            by: Caller::Agent("a".into()),
            changes: Vec::new(),
            key: None,
        })
    }

    pub(crate) fn cancel(&mut self) -> &mut Self {
        self.give(cancellation())
    }

    /// The last turn asked for exactly this.
    #[track_caller]
    pub(crate) fn expect(&mut self, effects: &[&str]) -> &mut Self {
        assert_eq!(self.effects, effects);
        self
    }

    /// The run stands so.
    #[track_caller]
    pub(crate) fn stands(&mut self, status: &str) -> &mut Self {
        assert_eq!(say::status(&self.run.status()), status);
        self
    }

    /// The questions of the last turn, by round.
    #[track_caller]
    pub(crate) fn asks(&mut self, rounds: &[&[&str]]) -> &mut Self {
        assert_eq!(self.asked, rounds);
        self
    }

    /// A field of the state.
    #[track_caller]
    pub(crate) fn state(&mut self, name: &str, value: Value) -> &mut Self {
        assert_eq!(self.run.state_field(name), Some(&Data::Inline(value)));
        self
    }
}

pub(crate) fn human(proven: bool) -> Caller {
    Caller::Human { door: "console".into(), proven }
}

pub(crate) fn submission(effect: &str, result: Value) -> Command {
    Command::Submit {
        effect: EffectId::new(effect),
        result: fields(result),
        by: Caller::Agent("a".into()),
        claim: kernel::event::Claim::default(),
    }
}

pub(crate) fn cancellation() -> Command {
    Command::Cancel { reason: "enough".into(), by: human(false) }
}

pub(crate) fn succeeded(outputs: Value) -> Outcome {
    Outcome::Succeeded { outputs: fields(outputs) }
}

pub(crate) fn failed() -> Outcome {
    Outcome::Failed { failure: Failure::new(FailureKind::Operation, "it broke") }
}
