//! What one run has asked of the world and what came back, by its journal: the rules that hold between turns.

use super::Violation;
use kernel::event::Resolution;
use kernel::plan::{Computed, OnError, OnInterrupt};
use kernel::{Effect, EffectId, Event, Fact, News, Run, RunId, TaskStage, Turn};
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
        few_tasks_at_once(run)?;
        nothing_is_stale(run, turn)?;
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
            | Fact::Marked { .. }
            | Fact::GaveUp { .. }
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

/// No more tasks of a fork are open than may be.
fn few_tasks_at_once(run: &Run) -> Result<(), Violation> {
    for fork in run.forking() {
        let open = fork.tasks.iter().filter(|task| task.stage == TaskStage::Running).count();
        if open > fork.width_max as usize {
            let detail = format!("{}: {open} of at most {} tasks are open", run.id(), fork.width_max);
            return Err(Violation::new("so many tasks at once", detail));
        }
    }
    Ok(())
}

/// Whatever follows from a field that changed was computed anew, or is not set.
fn nothing_is_stale(run: &Run, turn: &Turn) -> Result<(), Violation> {
    let told = |name: &str| {
        turn.news.iter().any(|news| matches!(news, News::Computed { field, .. } if field == name))
    };
    let changed = turn.news.iter().filter_map(|news| match news {
        News::Changed { fields, .. } => Some(fields),
        _ => None,
    });
    for field in changed.flatten() {
        let rules = run.plan().state.computed.iter();
        let mut stale = rules.filter(|rule| rule.transform.is_some() && rule.from.contains(field));
        // What keeps its value keeps it also while something that it follows from is not set.
        let keeps = |rule: &Computed| {
            rule.on_error == OnError::Ignore && rule.from.iter().any(|from| run.state_field(from).is_none())
        };
        let is_stale =
            |rule: &&Computed| !told(&rule.name) && run.state_field(&rule.name).is_some() && !keeps(rule);
        if let Some(rule) = stale.find(is_stale) {
            let detail = format!("{}: {field} changed, and {} did not follow", run.id(), rule.name);
            return Err(Violation::new("computed fields follow", detail));
        }
    }
    Ok(())
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
