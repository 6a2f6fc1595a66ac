//! Admission: reads a command and either turns it into an event or refuses it. Nothing is changed and nothing
//! is left behind by a refusal; an admitted event always fits.

use super::Run;
use super::activity::{Activity, Stage, is_gate};
use super::phase::{CLOSE, Phase, TIMEOUT};
use crate::command::Caller;
use crate::fault::Fault;
use crate::id::Purpose;
use crate::plan::{GateLevel, Input, Work};
use crate::{Command, Data, Digest, EffectId, Event, Fact, Fields, Refusal, RunId};
use serde_json::Value;

impl Run {
    /// Turns a command into the event it means, or refuses it.
    pub fn admit(&self, command: Command, at: u64) -> Result<Event, Refusal> {
        assert!(self.turning.is_none(), "BUG: a command came in the middle of a turn");
        if at < self.life.at {
            return Err(Refusal::BackInTime { last: self.life.at });
        }
        self.in_phase(&command)?;
        let fact = match command {
            Command::Start { inputs } => Fact::Started { inputs: self.complete(inputs)? },
            Command::Report { effect, report } => {
                self.performing(&effect)?;
                self.small(report_fields(&report))?;
                Fact::Reported { effect, report }
            }
            Command::Interrupt { effect } => {
                self.performing(&effect)?;
                Fact::Interrupted { effect }
            }
            Command::Resolve { effect, resolution, by } => {
                self.waits(&effect, "a report", |stage| matches!(stage, Stage::Interrupted))?;
                Fact::Resolved { effect, resolution, by }
            }
            Command::Submit { effect, result, by } => {
                self.submittable(&effect, &result)?;
                Fact::Submitted { effect, result, by }
            }
            Command::Answer { effect, approved, result, shown, by } => {
                self.answerable(&effect, approved, &result, shown, &by)?;
                Fact::Answered { effect, approved, result, by }
            }
            Command::Fire { timer } => {
                self.due(&timer, at)?;
                Fact::Fired { timer }
            }
            Command::EndChild { effect, child, outcome } => {
                self.child(&effect, &child)?;
                Fact::ChildEnded { effect, child, outcome }
            }
            Command::Update { values, by } => {
                self.small(&values)?;
                self.writable(&values)?;
                Fact::Updated { values, by }
            }
            Command::Cancel { reason, by } => Fact::CancelRequested { reason, by },
            Command::Acknowledge => Fact::Acknowledged,
        };
        Ok(Event { at, fact })
    }

    fn in_phase(&self, command: &Command) -> Result<(), Refusal> {
        match (&self.life.phase, command) {
            (Phase::Queued, Command::Start { .. }) => Ok(()),
            (Phase::Queued, _) => Err(Refusal::NotStarted),
            (_, Command::Start { .. }) => Err(Refusal::AlreadyStarted),
            (Phase::Ended { told: false, .. }, Command::Acknowledge) => Ok(()),
            (_, Command::Acknowledge) | (Phase::Ended { .. }, _) => Err(Refusal::Over),
            (Phase::Closing { .. }, Command::Cancel { .. } | Command::Update { .. }) => Err(Refusal::Over),
            _ => Ok(()),
        }
    }

    fn complete(&self, mut given: Fields) -> Result<Fields, Refusal> {
        let known = || self.plan.inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>();
        if let Some(name) =
            given.keys().find(|name| !self.plan.inputs.iter().any(|input| input.name == **name))
        {
            return Err(Refusal::UnknownInput { name: name.clone(), known: known() });
        }
        let missing: Vec<String> = self
            .plan
            .inputs
            .iter()
            .filter(|input| input.required && input.default.is_none() && !given.contains_key(&input.name))
            .map(|input| input.name.clone())
            .collect();
        if !missing.is_empty() {
            return Err(Refusal::MissingInputs(missing));
        }
        self.small(&given)?;
        for input in &self.plan.inputs {
            let default = || Data::Inline(input.default.clone().unwrap_or(Value::Null));
            let data = given.entry(input.name.clone()).or_insert_with(default);
            fits(input, data)?;
        }
        Ok(given)
    }

    fn small(&self, fields: &Fields) -> Result<(), Refusal> {
        let max = self.plan.limits.inline_bytes_max;
        match fields.iter().find(|(_, data)| data.inline().is_some() && data.weight() > max) {
            Some((name, data)) => Err(Refusal::TooLarge { name: name.clone(), size: data.weight(), max }),
            None => Ok(()),
        }
    }

    /// The open activity that an effect names, in the attempt it names.
    fn named(&self, effect: &EffectId) -> Result<(&Activity, Purpose), Refusal> {
        let not_open = || Refusal::NotOpen { effect: effect.clone(), due: self.due_ids() };
        let (key, attempt, purpose) = effect.parts().ok_or_else(not_open)?;
        let activity = self.life.activities.get(key).ok_or_else(not_open)?;
        if attempt != activity.attempt && !self.planted.has(Fault::DroppedDuplicateCheck) {
            let due = EffectId::of(key, activity.attempt, purpose);
            return Err(Refusal::Stale { effect: effect.clone(), due });
        }
        Ok((activity, purpose))
    }

    fn due_ids(&self) -> Vec<EffectId> {
        let ids = self.life.activities.iter().take(10);
        ids.map(|(key, activity)| EffectId::of(key, activity.attempt, Purpose::Work)).collect()
    }

    fn waits(
        &self,
        effect: &EffectId,
        what: &'static str,
        fits: impl Fn(&Stage) -> bool,
    ) -> Result<(), Refusal> {
        let (activity, _) = self.named(effect)?;
        if fits(&activity.stage) {
            return Ok(());
        }
        Err(Refusal::WrongKind { effect: effect.clone(), waits_for: what })
    }

    fn performing(&self, effect: &EffectId) -> Result<(), Refusal> {
        let (activity, purpose) = self.named(effect)?;
        let expected = match &activity.stage {
            Stage::Working => Purpose::Work,
            Stage::Verifying { check: Some(_), .. } => Purpose::Verify,
            Stage::Stopping { checking, child: None } => {
                if *checking {
                    Purpose::Verify
                } else {
                    Purpose::Work
                }
            }
            _ => return Err(Refusal::WrongKind { effect: effect.clone(), waits_for: "something else" }),
        };
        if purpose == expected {
            return Ok(());
        }
        Err(Refusal::NotOpen { effect: effect.clone(), due: self.due_ids() })
    }

    fn taken(&self, effect: &EffectId, fingerprint: Digest) -> Result<(), Refusal> {
        match self.life.taken.iter().find(|(taken, _)| taken == effect) {
            Some((_, same)) if *same == fingerprint => Err(Refusal::Repeated { effect: effect.clone() }),
            Some(_) => Err(Refusal::AlreadyAnswered { effect: effect.clone() }),
            None => Ok(()),
        }
    }

    fn submittable(&self, effect: &EffectId, result: &Fields) -> Result<(), Refusal> {
        self.taken(effect, Digest::of_json(result))?;
        let (activity, _) = self.named(effect)?;
        self.waits(effect, "something else", |stage| matches!(stage, Stage::Offered { .. }))?;
        if is_gate(&self.plan.steps[activity.step as usize]) {
            return Err(Refusal::HumansOnly { effect: effect.clone() });
        }
        self.small(result)
    }

    fn answerable(
        &self,
        effect: &EffectId,
        approved: bool,
        result: &Fields,
        shown: Digest,
        by: &Caller,
    ) -> Result<(), Refusal> {
        let Caller::Human { proven, .. } = by else {
            return Err(Refusal::HumansOnly { effect: effect.clone() });
        };
        self.taken(effect, Digest::of_json(&(approved, result)))?;
        let (activity, _) = self.named(effect)?;
        let Stage::Offered { shown: asked, .. } = &activity.stage else {
            return Err(Refusal::WrongKind { effect: effect.clone(), waits_for: "something else" });
        };
        let step = &self.plan.steps[activity.step as usize];
        let Work::Action { gate: Some(gate), .. } = &step.work else {
            return Err(Refusal::WrongKind { effect: effect.clone(), waits_for: "a result" });
        };
        if gate.level == GateLevel::Proof && approved && !proven {
            return Err(Refusal::ProofNeeded { effect: effect.clone() });
        }
        if *asked != shown {
            return Err(Refusal::ShownChanged { effect: effect.clone() });
        }
        self.small(result)
    }

    fn due(&self, timer: &EffectId, at: u64) -> Result<(), Refusal> {
        let due = match (&self.life.phase, timer.as_str()) {
            (Phase::Running, TIMEOUT) => self.plan.deadline.ms().map(|ms| self.life.since + ms),
            (Phase::Closing { due, .. }, CLOSE) => Some(*due),
            (_, TIMEOUT | CLOSE) => None,
            _ => self.activity_due(timer)?,
        };
        match due {
            Some(due) if due <= at => Ok(()),
            Some(due) => Err(Refusal::TooEarly { timer: timer.clone(), due }),
            None => Err(Refusal::NotOpen { effect: timer.clone(), due: self.due_ids() }),
        }
    }

    fn activity_due(&self, timer: &EffectId) -> Result<Option<u64>, Refusal> {
        let (activity, purpose) = self.named(timer)?;
        Ok(match (&activity.stage, purpose) {
            (Stage::Resting { due }, Purpose::Retry) | (Stage::Sleeping { due }, Purpose::Due) => Some(*due),
            (Stage::Offered { due, .. } | Stage::Nested { due, .. }, Purpose::Due) => *due,
            _ => None,
        })
    }

    fn child(&self, effect: &EffectId, ended: &RunId) -> Result<(), Refusal> {
        let (activity, _) = self.named(effect)?;
        match &activity.stage {
            Stage::Nested { child, .. } | Stage::Stopping { child: Some(child), .. } if child == ended => {
                Ok(())
            }
            _ => Err(Refusal::WrongChild { child: ended.clone() }),
        }
    }

    fn writable(&self, values: &Fields) -> Result<(), Refusal> {
        let computed = |name: &str| self.plan.state.computed.iter().any(|field| field.name == name);
        match values.keys().find(|name| computed(name)) {
            Some(name) => Err(Refusal::NotWritable(name.clone())),
            None => Ok(()),
        }
    }
}

fn report_fields(report: &crate::event::Report) -> &Fields {
    match report {
        crate::event::Report::Done { outputs } | crate::event::Report::Failed { outputs, .. } => outputs,
    }
}

fn fits(input: &Input, data: &Data) -> Result<(), Refusal> {
    let good = match data {
        Data::Inline(Value::Null) => !input.required || input.kind.accepts(&Value::Null),
        Data::Inline(value) => input.kind.accepts(value),
        // Stored text is text; stored JSON was too large to be anything but a list or object.
        Data::Stored(_) => true,
    };
    if good {
        return Ok(());
    }
    let got = data.inline().map_or_else(String::new, |value| {
        let (kind, value) = (crate::language::kind(value), crate::language::cut(value));
        if value == "null" { kind.to_owned() } else { format!("{kind} ({value})") }
    });
    Err(Refusal::WrongInput { name: input.name.clone(), expected: input.kind.as_str(), got })
}
