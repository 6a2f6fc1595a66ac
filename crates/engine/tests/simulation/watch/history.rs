//! What one run has asked of the world and what came back, by its journal: the rules that hold between turns.

use super::Violation;
use kernel::event::Resolution;
use kernel::plan::OnInterrupt;
use kernel::{Effect, EffectId, Event, Fact, News, Run, RunId, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// What is open by the journal, and what was ever asked.
#[derive(Default)]
pub(crate) struct History {
    performing: BTreeSet<EffectId>,
    performed: BTreeSet<EffectId>,
    /// Interrupted, so the same id may be performed once more.
    again: BTreeSet<EffectId>,
    timers: BTreeMap<EffectId, u64>,
    offers: BTreeSet<EffectId>,
    children: BTreeMap<EffectId, RunId>,
    ended: BTreeSet<String>,
    /// Interrupted, and nobody has said yet that it may be done again.
    undecided: BTreeSet<String>,
    asked: BTreeSet<(&'static str, String)>,
    over: bool,
    /// The activities that did not report before the deadline of closing.
    pub(crate) abandoned: Vec<String>,
}

impl History {
    /// Takes one turn in.
    pub(super) fn see(&mut self, run: &Run, event: &Event, turn: &Turn) -> Result<(), Violation> {
        self.see_decision(run, &event.fact);
        let run = run.id();
        self.see_fact(run, event)?;
        turn.effects.iter().try_for_each(|effect| self.see_effect(run, effect))?;
        turn.news.iter().try_for_each(|news| self.see_news(run, news))
    }

    pub(super) fn has_asked(&self, effect: &Effect) -> bool {
        let (kind, id) = name(effect);
        self.asked.contains(&(kind, id.to_owned()))
    }

    /// What was interrupted may be done again by itself only if its step says so.
    fn see_decision(&mut self, run: &Run, fact: &Fact) {
        match fact {
            Fact::Interrupted { effect } if !effect.as_str().ends_with("/verify") => {
                let step = run.plan().steps.iter().find(|step| step.id == step_of(effect));
                if step.is_some_and(|step| step.on_interrupt != OnInterrupt::Retry) {
                    self.undecided.insert(key(effect).to_owned());
                }
            }
            Fact::Resolved { effect, resolution: Resolution::Retry, .. } => {
                self.undecided.remove(key(effect));
            }
            _ => {}
        }
    }

    fn see_fact(&mut self, run: &RunId, event: &Event) -> Result<(), Violation> {
        let open = match &event.fact {
            Fact::Reported { effect, .. } => {
                self.performing.remove(effect) || self.children.remove(effect).is_some()
            }
            Fact::Interrupted { effect } => {
                self.again.insert(effect.clone());
                self.performing.remove(effect)
            }
            Fact::Submitted { effect, .. } | Fact::Answered { effect, .. } => self.offers.remove(effect),
            Fact::Fired { timer } => self.timers.remove(timer).is_some_and(|due| due <= event.at),
            Fact::ChildEnded { effect, child, .. } => self.children.remove(effect).as_ref() == Some(child),
            Fact::Started { .. }
            | Fact::Resolved { .. }
            | Fact::Updated { .. }
            | Fact::CancelRequested { .. }
            | Fact::Acknowledged => true,
        };
        if open {
            return Ok(());
        }
        let detail = format!("{run}: {:?} was taken", event.fact);
        Err(Violation::new("only what is open is taken", detail))
    }

    fn see_effect(&mut self, run: &RunId, effect: &Effect) -> Result<(), Violation> {
        let (kind, id) = name(effect);
        self.asked.insert((kind, id.to_owned()));
        if self.over {
            let detail = format!("{run}: {effect:?} after the end");
            return Err(Violation::new("nothing is asked after the end", detail));
        }
        match effect {
            Effect::Perform(perform) => self.see_perform(run, &perform.id)?,
            Effect::Offer(action) => drop(self.offers.insert(action.id.clone())),
            Effect::Withdraw { id } => {
                self.timers.remove(id);
                self.offers.remove(id);
            }
            Effect::StartTimer { id, due } => drop(self.timers.insert(id.clone(), *due)),
            Effect::StartChild { id, child, .. } => {
                if self.children.insert(id.clone(), child.clone()).is_some() {
                    let detail = format!("{run}: child {child} twice");
                    return Err(Violation::new("a step is started once", detail));
                }
            }
            Effect::CancelChild { .. } | Effect::TellParent { .. } => {}
        }
        Ok(())
    }

    fn see_perform(&mut self, run: &RunId, id: &EffectId) -> Result<(), Violation> {
        if self.ended.contains(key(id)) {
            return Err(Violation::new("a finished step never runs again", format!("{run}: {id}")));
        }
        if self.undecided.contains(key(id)) {
            return Err(Violation::new("nothing is silently done twice", format!("{run}: {id}")));
        }
        let fresh = self.performed.insert(id.clone()) || self.again.remove(id);
        if !self.performing.insert(id.clone()) || !fresh {
            return Err(Violation::new("a step is started once", format!("{run}: {id} was started twice")));
        }
        Ok(())
    }

    fn see_news(&mut self, run: &RunId, news: &News) -> Result<(), Violation> {
        match news {
            News::Ended { key, .. } if !self.ended.insert(key.clone()) => {
                Err(Violation::new("a step ends once", format!("{run}: {key}")))
            }
            News::Over { abandoned, .. } => {
                self.over = true;
                self.abandoned.clone_from(abandoned);
                self.nothing_is_open(run)
            }
            _ => Ok(()),
        }
    }

    /// The run has ended: all that was asked has come back, was withdrawn, or is named as abandoned.
    fn nothing_is_open(&self, run: &RunId) -> Result<(), Violation> {
        let left = |id: &&EffectId| !self.abandoned.iter().any(|abandoned| abandoned == key(id));
        let mut open: Vec<&EffectId> =
            self.performing.iter().chain(self.children.keys()).filter(left).collect();
        open.extend(self.timers.keys().chain(&self.offers).filter(left));
        if open.is_empty() {
            return Ok(());
        }
        Err(Violation::new("no run ends with an effect open", format!("{run}: {open:?}")))
    }
}

/// The activity an effect belongs to.
fn key(id: &EffectId) -> &str {
    id.as_str().rsplit_once('#').map_or(id.as_str(), |(key, _)| key)
}

/// The step an effect belongs to: `3/build@2#1` and `build[7]#1` are ones of `build`.
fn step_of(id: &EffectId) -> &str {
    let key = key(id);
    let last = key.rsplit_once('/').map_or(key, |(_, last)| last);
    last.split_once(['@', '[']).map_or(last, |(step, _)| step)
}

fn name(effect: &Effect) -> (&'static str, &str) {
    match effect {
        Effect::Perform(perform) => ("perform", perform.id.as_str()),
        Effect::Offer(action) => ("offer", action.id.as_str()),
        Effect::Withdraw { id } => ("withdraw", id.as_str()),
        Effect::StartTimer { id, .. } => ("timer", id.as_str()),
        Effect::StartChild { id, .. } => ("start child", id.as_str()),
        Effect::CancelChild { id, .. } => ("cancel child", id.as_str()),
        Effect::TellParent { parent, .. } => ("tell parent", parent.as_str()),
    }
}
