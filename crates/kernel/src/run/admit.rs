//! Admission: reads a command and either turns it into an event or refuses it. Nothing is changed and nothing
//! is left behind by a refusal; an admitted event always fits.

use super::Run;
use super::activity::{Activity, Stage, is_gate};
use super::phase::{CLOSE, Phase, TIMEOUT};
use crate::command::Caller;
use crate::data::weight_of;
use crate::event::{Report, Resolution};
use crate::fault::planted;
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
                self.resolvable(&effect, &resolution)?;
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
        self.fits_in("inputs", &given)?;
        Ok(given)
    }

    fn small(&self, fields: &Fields) -> Result<(), Refusal> {
        let max = self.plan.limits.inline_bytes_max;
        match fields.iter().find(|(_, data)| data.inline().is_some() && data.weight() > max) {
            Some((name, data)) => Err(Refusal::TooLarge { name: name.clone(), size: data.weight(), max }),
            None => Ok(()),
        }
    }

    /// Whether the run can hold on to more data.
    fn fits_in(&self, name: &str, more: &Fields) -> Result<(), Refusal> {
        let (size, max) = (self.life.held.saturating_add(weight_of(more)), self.plan.limits.held_bytes_max);
        if size <= max { Ok(()) } else { Err(Refusal::TooLarge { name: name.to_owned(), size, max }) }
    }

    /// The open activity that an effect names, in the attempt it names.
    fn named(&self, effect: &EffectId) -> Result<(&Activity, Purpose), Refusal> {
        let (key, attempt, purpose) = effect.parts().ok_or_else(|| self.not_open(effect))?;
        let activity = self.life.activities.get(key).ok_or_else(|| self.not_open(effect))?;
        if attempt < activity.attempt && !planted!(self, DroppedDuplicateCheck) {
            return Err(Refusal::Stale { effect: effect.clone(), due: activity.id(key, purpose) });
        }
        if attempt > activity.attempt {
            return Err(self.not_open(effect));
        }
        Ok((activity, purpose))
    }

    /// The open activity whose work an effect names.
    fn work(&self, effect: &EffectId) -> Result<&Activity, Refusal> {
        match self.named(effect)? {
            (activity, Purpose::Work) => Ok(activity),
            _ => Err(self.not_open(effect)),
        }
    }

    fn not_open(&self, effect: &EffectId) -> Refusal {
        let due = self.life.activities.iter().take(10).map(|(key, activity)| {
            let purpose = match &activity.stage {
                Stage::Resting { .. } => Purpose::Retry,
                Stage::Sleeping { .. } => Purpose::Due,
                Stage::Verifying { .. } | Stage::Stopping { checking: true, .. } => Purpose::Verify,
                _ => Purpose::Work,
            };
            activity.id(key, purpose)
        });
        Refusal::NotOpen { effect: effect.clone(), due: due.collect() }
    }

    /// The command does not fit what is open.
    fn wrong_kind(&self, effect: &EffectId, activity: &Activity) -> Refusal {
        let waits_for = match &activity.stage {
            Stage::Nested { .. } | Stage::Stopping { child: Some(_), .. } => "the end of a child run",
            Stage::Working | Stage::Verifying { .. } | Stage::Stopping { .. } => "a report",
            Stage::Offered { .. } if is_gate(&self.plan.steps[activity.step as usize]) => "a human's answer",
            Stage::Offered { .. } => "a result",
            Stage::Resting { .. } | Stage::Sleeping { .. } => "the clock",
            Stage::Interrupted => "a word on what became of it",
        };
        Refusal::WrongKind { effect: effect.clone(), waits_for }
    }

    fn performing(&self, effect: &EffectId) -> Result<(), Refusal> {
        let (activity, purpose) = self.named(effect)?;
        let expected = match &activity.stage {
            Stage::Working | Stage::Stopping { checking: false, child: None } => Purpose::Work,
            Stage::Verifying { check: Some(_), .. } | Stage::Stopping { checking: true, child: None } => {
                Purpose::Verify
            }
            _ if purpose == Purpose::Work => return Err(self.wrong_kind(effect, activity)),
            _ => return Err(self.not_open(effect)),
        };
        if purpose == expected { Ok(()) } else { Err(self.not_open(effect)) }
    }

    fn resolvable(&self, effect: &EffectId, resolution: &Resolution) -> Result<(), Refusal> {
        let activity = self.work(effect)?;
        if activity.stage != Stage::Interrupted {
            return Err(self.wrong_kind(effect, activity));
        }
        match resolution {
            Resolution::Done { outputs } => self.small(outputs),
            Resolution::Retry | Resolution::Fail => Ok(()),
        }
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
        let activity = self.work(effect)?;
        if !matches!(activity.stage, Stage::Offered { .. }) {
            return Err(self.wrong_kind(effect, activity));
        }
        let step = &self.plan.steps[activity.step as usize];
        if is_gate(step) {
            return Err(Refusal::HumansOnly { effect: effect.clone() });
        }
        self.small(result)?;
        // What is to be verified is held on to while that is done.
        if step.verify.is_some() { self.fits_in("result", result) } else { Ok(()) }
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
        let activity = self.work(effect)?;
        let work = &self.plan.steps[activity.step as usize].work;
        let (Stage::Offered { shown: asked, .. }, Work::Action { gate: Some(gate), .. }) =
            (&activity.stage, work)
        else {
            return Err(self.wrong_kind(effect, activity));
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
            (Phase::Running, TIMEOUT) => self.life.deadline(&self.plan),
            (Phase::Closing { due, .. }, CLOSE) => Some(*due),
            (_, TIMEOUT | CLOSE) => None,
            _ => self.activity_due(timer)?,
        };
        match due {
            Some(due) if due <= at => Ok(()),
            Some(due) => Err(Refusal::TooEarly { timer: timer.clone(), due }),
            None => Err(self.not_open(timer)),
        }
    }

    fn activity_due(&self, timer: &EffectId) -> Result<Option<u64>, Refusal> {
        let (activity, purpose) = self.named(timer)?;
        Ok(activity.due().filter(|(running, _)| *running == purpose).map(|(_, due)| due))
    }

    fn child(&self, effect: &EffectId, ended: &RunId) -> Result<(), Refusal> {
        match &self.work(effect)?.stage {
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

fn report_fields(report: &Report) -> &Fields {
    match report {
        Report::Done { outputs } | Report::Failed { outputs, .. } => outputs,
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
