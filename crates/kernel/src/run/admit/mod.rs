//! Admission: reads a command and either turns it into an event or refuses it. Nothing is changed and nothing
//! is left behind by a refusal; an admitted event always fits. What each kind of command needs is in a room of its
//! own: the inputs of a start, what is open, results and answers.

mod action;
mod effect;
mod input;

pub(super) use action::{fingerprint, fingerprint_of_answer};

use super::Run;
use super::phase::Phase;
use crate::data::weight_of;
use crate::event::{Change, Report};
use crate::plan::OPEN_LAYERS;
use crate::{Command, Event, Fact, Fields, Refusal};

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
                self.reportable(&effect, &report)?;
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
            Command::Submit { effect, result, by, claim } => {
                self.submittable(&effect, &result, &claim)?;
                Fact::Submitted { effect, result, by, claim }
            }
            Command::Answer { effect, approved, result, shown, by } => {
                self.answerable(&effect, &action::Answer { approved, result: &result, shown, by: &by })?;
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
            Command::Update { values, changes, by, key } => {
                self.small(&values)?;
                self.writable(values.keys().map(String::as_str))?;
                self.changeable(&changes)?;
                Fact::Updated { values, changes, by, key }
            }
            Command::Mark { step, reason, by } => Fact::Marked { step, reason, by },
            Command::GiveUp { reason, by } => Fact::GaveUp { reason, by },
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
            // Whoever did not hear that a result was taken may ask again, however the run went on.
            (Phase::Ended { .. }, Command::Submit { effect, result, claim, .. }) => {
                self.not_taken(effect, fingerprint(result, claim)).and(Err(Refusal::Over))
            }
            (Phase::Ended { .. }, Command::Answer { effect, approved, result, .. }) => {
                self.not_taken(effect, fingerprint_of_answer(*approved, result)).and(Err(Refusal::Over))
            }
            (_, Command::Acknowledge) | (Phase::Ended { .. }, _) => Err(Refusal::Over),
            (
                Phase::Closing { .. },
                Command::Cancel { .. } | Command::GiveUp { .. } | Command::Update { .. },
            ) => Err(Refusal::Over),
            _ => Ok(()),
        }
    }

    /// Whether all data that comes inline is small enough to.
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

    /// Whether these fields may be written from outside.
    fn writable<'f>(&self, mut fields: impl Iterator<Item = &'f str>) -> Result<(), Refusal> {
        let rules = &self.plan.state;
        let closed = |name: &str| {
            let layer = rules.layer_of(name).map(|(layer, _)| layer);
            rules.is_layered() && !layer.is_some_and(|layer| OPEN_LAYERS.contains(&layer))
        };
        match fields.find(|name| closed(name) || !self.plan.can_write(name)) {
            Some(name) => Err(Refusal::NotWritable(name.to_owned())),
            None => Ok(()),
        }
    }

    /// Whether changes of the state say what is to be changed, and where that may be.
    fn changeable(&self, changes: &[Change]) -> Result<(), Refusal> {
        let field = |change: &Change| change.path.first().is_none_or(String::is_empty);
        if changes.iter().any(field) {
            return Err(Refusal::NotWritable(String::new()));
        }
        self.writable(changes.iter().flat_map(|change| change.path.first()).map(String::as_str))?;
        let values = changes.iter().map(|change| (change.path.join("."), change.value.clone()));
        values.map(|entry| Fields::from([entry])).try_for_each(|value| self.small(&value))
    }
}

fn report_fields(report: &Report) -> &Fields {
    match report {
        Report::Done { outputs } | Report::Failed { outputs, .. } => outputs,
    }
}
