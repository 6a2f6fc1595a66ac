//! What a run waits for, as whoever drives it is shown it: its actions, uncut, and the items that belong to sub-agents. Pure: what is
//! stored was loaded before.

use super::instructions::{self, Reader};
use crate::reactive;
use crate::view::asked::step;
use crate::view::{Asked, AskedKind};
use kernel::data::weight;
use kernel::plan::{Dialect, Gate};
use kernel::{Digest, EffectId, RunId};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The largest action that is shown whole, and the values in a larger one that are left out.
const ACTION_BYTES_MAX: u64 = 64 * 1024;
const VALUE_BYTES_MAX: u64 = 8 * 1024;

/// How many items are named in a line.
const TOLD_MAX: usize = 3;

/// How much all actions may take that are shown at once, unless the first alone is more; and all items.
const ACTIONS_BYTES_MAX: u64 = 32 * 1024;
const ITEMS_BYTES_MAX: u64 = 32 * 1024;

/// All that a run and those below it wait for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Due {
    /// The actions, the oldest first. Those of children that belong to sub-agents are not among them.
    pub all: Vec<Action>,
    /// How many more there are than are shown.
    pub more: usize,
    /// What sub-agents have to do.
    pub delegated: Vec<Delegated>,
}

/// Something to be done, or said.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The run that asks for it: the one that was looked at, or one below it.
    pub run: RunId,
    /// What it is called inside its run.
    pub effect: EffectId,
    /// Its step; when it is done again, with the number of the visit: `improve@2`.
    pub step_id: String,
    /// Which attempt is due.
    pub attempt: u32,
    /// What the definition calls such a step.
    pub kind: String,
    /// What it takes to do it, rendered.
    pub parameters: Map<String, Value>,
    /// Whether anything is to be done.
    pub requires_action: bool,
    /// Whether the result should have come by now.
    pub overdue: bool,
    /// Why it is offered again.
    pub note: Option<String>,
    /// How many results may still be handed in, where the server looks whether they hold, and one did not.
    pub attempts_left: Option<u32>,
    /// The command that they must pass then.
    pub check: Option<String>,
    /// When its step began.
    pub since: u64,
    /// The digest of what is shown.
    pub shown: Digest,
    /// Whether only a human may answer.
    pub gate: Option<Gate>,
}

/// Items that belong to sub-agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Delegated {
    /// The run whose step it is.
    pub run: RunId,
    /// The step.
    pub step_id: String,
    /// Who does them.
    pub agent: String,
    /// What is done for each.
    pub task: String,
    /// How many items there are, and how many have ended.
    pub count: u32,
    /// Those that have ended.
    pub done: u32,
    /// Most at once.
    pub width: u32,
    /// The children that are open, and the item of each.
    pub open: Vec<(RunId, Value)>,
    /// Those of them that are in work, as far as that is known.
    pub begun: BTreeSet<RunId>,
    /// Whether the server has a hand in the steps too, so that one may be cut off.
    pub works: bool,
    /// The last entry of the run that was looked at: what whoever reads this knows.
    pub seen: u64,
}

impl Action {
    /// The action that a question of a run is, of whatever dialect.
    pub fn of(asked: &Asked) -> Action {
        let (kind, mut parameters) = match (asked.dialect, asked.kind) {
            (Dialect::Steps, _) => (asked.word.clone(), asked.parameters.clone()),
            (Dialect::Reactive, _) if !asked.is_gate() => {
                let (kind, parameters) = reactive::view::action::of(asked);
                (kind.to_owned(), parameters)
            }
            (_, AskedKind::Agent) => ("delegate".to_owned(), asked.shown.clone()),
            _ => ("prompt".to_owned(), asked.shown.clone()),
        };
        if let Some(ms) = asked.timeout_ms.filter(|_| !asked.ends) {
            parameters.insert("timeout".to_owned(), seconds(ms));
        }
        Action {
            run: asked.run.clone(),
            effect: asked.effect.clone(),
            step_id: step(&asked.effect).to_owned(),
            attempt: asked.attempt,
            requires_action: !["set_state", "wait"].contains(&kind.as_str()),
            kind,
            parameters,
            overdue: asked.overdue,
            note: asked.note.clone(),
            attempts_left: asked.attempts_left.filter(|_| asked.note.is_some()),
            check: asked.check.clone().filter(|_| asked.note.is_some()),
            since: asked.since,
            shown: asked.digest,
            gate: asked.gate.clone(),
        }
    }

    /// What it takes to do it, as it is shown. A step that was cut is another step: what is too long is left out as a whole, and the
    /// resource is named that has it.
    fn shown_parameters(&self) -> Map<String, Value> {
        let mut shown = self.parameters.clone();
        if weight(&Value::Object(shown.clone())) > ACTION_BYTES_MAX {
            for (name, value) in shown.iter_mut().filter(|(_, value)| weight(value) > VALUE_BYTES_MAX) {
                let resource = self.resource(name);
                *value = json!({ "left_out": format!("{} bytes", weight(value)), "resource": resource });
            }
        }
        shown
    }

    /// Where a parameter can be read piece by piece.
    fn resource(&self, name: &str) -> String {
        let part = |text: &str| text.replace('%', "%25").replace('/', "%2F").replace('#', "%23");
        let (run, step) = (part(self.run.as_str()), part(&self.step_id));
        format!("switchback://run/{run}/step/{step}/inputs/{name}/0")
    }

    /// What must be read before it can be done, if something is too long to be shown.
    pub(super) fn elsewhere(&self) -> Option<String> {
        let shown = self.shown_parameters();
        let (name, value) = shown.iter().find(|(_, value)| value.get("left_out").is_some())?;
        let resource = value["resource"].as_str()?;
        Some(format!(
            "`{name}` is too long to be shown here: read the resource {resource} first, piece by piece. "
        ))
    }

    /// Whether the server has done it already.
    pub fn is_done(&self) -> bool {
        self.kind == "set_state"
    }

    /// As a pending action shows it.
    pub fn to_json(&self, root: &RunId) -> Value {
        let mut shown = json!({
            "step_id": self.step_id,
            "attempt": self.attempt,
            "type": self.kind,
            "parameters": self.shown_parameters(),
        });
        if self.run != *root {
            shown["workflow_id"] = json!(self.run);
        }
        self.mark(&mut shown);
        shown
    }

    /// As a sub-agent gets it: one level, with what to do.
    pub fn to_step(&self) -> Value {
        let mut shown = json!({
            "workflow_id": self.run,
            "step_id": self.step_id,
            "attempt": self.attempt,
            "type": self.kind,
        });
        if self.requires_action {
            for (name, value) in &self.shown_parameters() {
                // What a sub-agent is given may be called like what tells it where it is.
                if shown.get(name).is_none() {
                    shown[name] = value.clone();
                }
            }
        } else if self.is_done() {
            shown["message"] = json!("State updated internally");
        } else {
            shown["duration"] = self.parameters.get("duration").cloned().unwrap_or_default();
        }
        shown["requires_action"] = json!(self.requires_action);
        self.mark(&mut shown);
        shown["next"] = json!(instructions::next(self, Reader::Sub));
        shown
    }

    fn mark(&self, shown: &mut Value) {
        if self.overdue {
            shown["overdue"] = json!(true);
        }
        if let Some(note) = &self.note {
            shown["note"] = json!(note);
        }
        if let Some(left) = self.attempts_left {
            shown["attempts_left"] = json!(left);
        }
        if let Some(check) = &self.check {
            shown["verify"] = json!(check);
        }
        if self.gate.is_some() {
            shown["humans_only"] = json!(true);
        }
    }
}

/// Whole seconds as a whole number.
fn seconds(ms: u64) -> Value {
    if ms.is_multiple_of(1000) {
        json!(ms / 1000)
    } else {
        json!(std::time::Duration::from_millis(ms).as_secs_f64())
    }
}

impl Delegated {
    /// Whether somebody is at work on all that is open.
    pub fn is_all_begun(&self) -> bool {
        self.open.iter().all(|(run, _)| self.begun.contains(run))
    }

    /// What is waited for, in one line: `sub-agents: 3 of 5 items of `research` are open`.
    pub fn told(&self) -> String {
        let Delegated { agent, step_id, count, done, open, .. } = self;
        let mut ids: Vec<&str> = open.iter().take(TOLD_MAX).map(|(run, _)| run.as_str()).collect();
        if open.len() > TOLD_MAX {
            ids.push("...");
        }
        let ids = ids.join(", ");
        format!("{agent}: `{step_id}`, {done} of {count} items done, {} open: {ids}", open.len())
    }

    /// As a pending action shows it.
    pub fn to_json(&self, root: &RunId) -> Value {
        let mut room = ITEMS_BYTES_MAX;
        let mut item = |(run, input): &(RunId, Value)| {
            let mut item = json!({ "workflow_id": run });
            let bytes = weight(input);
            if bytes > room {
                item["input_left_out"] = json!(format!("{bytes} bytes"));
            } else {
                room -= bytes;
                item["input"] = input.clone();
            }
            if self.begun.contains(run) {
                item["in_work"] = json!(true);
            }
            item
        };
        let items: Vec<Value> = self.open.iter().map(&mut item).collect();
        json!({
            "step_id": self.step_id,
            "type": "foreach",
            "parameters": {
                "agent": self.agent,
                "task": self.task,
                "sequential": self.width == 1,
                "count": self.count,
                "open": self.open.len(),
                "done": self.done,
                "instructions": instructions::delegating(root, self),
                "prompt": instructions::sub_agent("<workflow_id>", &self.task, "<input>"),
                "items": items,
            },
        })
    }
}

impl Delegated {
    /// As a sub-agent gets it whose own item has items: one level, with what to do.
    pub fn to_step(&self) -> Value {
        let mut shown = self.to_json(&self.run);
        let mut step =
            json!({ "workflow_id": self.run, "step_id": shown["step_id"].take(), "type": "foreach" });
        if let (Value::Object(step), Value::Object(parameters)) = (&mut step, shown["parameters"].take()) {
            step.extend(parameters);
        }
        step["requires_action"] = json!(true);
        step["next"] = json!(instructions::delegating(&self.run, self));
        step
    }
}

impl Due {
    /// What a run and those below it ask and delegate; so many actions are shown.
    pub fn of(asked: &[Asked], delegated: &[Delegated], most: usize) -> Due {
        let all: Vec<Action> = asked.iter().take(most).map(Action::of).collect();
        Due { more: asked.len() - all.len(), all, delegated: delegated.to_vec() }
    }

    /// Whether nothing is due.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.delegated.is_empty()
    }

    /// What is due, as members of an answer: the first in `action`, and where there are several, all in `actions`.
    pub fn members(&self, root: &RunId) -> Map<String, Value> {
        let mut room = ACTIONS_BYTES_MAX;
        let mut more = self.more;
        let mut all: Vec<Value> = Vec::new();
        for action in &self.all {
            let shown = action.to_json(root);
            let bytes = weight(&shown);
            // The first is always there; those that do not fit are due as well, and come when it is done.
            if !all.is_empty() && bytes > room {
                more += 1;
                continue;
            }
            room = room.saturating_sub(bytes);
            all.push(shown);
        }
        all.extend(self.delegated.iter().map(|one| one.to_json(root)));
        let mut members = Map::new();
        let Some(first) = all.first() else { return members };
        members.insert("type".to_owned(), json!("pending_action"));
        members.insert("action".to_owned(), first.clone());
        if all.len() > 1 || more > 0 {
            members.insert("actions".to_owned(), Value::Array(std::mem::take(&mut all)));
        }
        if more > 0 {
            members.insert("more_actions".to_owned(), json!(more));
        }
        members
    }

    /// What to do next, for whoever drives the run or one item of it.
    pub fn next(&self, root: &RunId, reader: Reader) -> Option<String> {
        let several = (self.all.len() > 1).then(|| {
            format!(
                " {} actions are due; each is handed in with its own workflow_id and step_id.",
                self.all.len() + self.more
            )
        });
        let first = match (self.all.first(), self.delegated.first()) {
            (Some(action), _) => instructions::next(action, reader),
            (None, Some(one)) if one.is_all_begun() => format!(
                "All items that are open are in work. get_workflow_status(workflow_id=\"{root}\", wait_seconds=45, \
                 since={}) waits for them. {} of {} are done.",
                one.seen, one.done, one.count
            ),
            (None, Some(one)) => format!(
                "Give each of `items` that is not `in_work` to a sub-agent with `prompt`, then call get_workflow_status(workflow_id=\"{root}\", \
                 wait_seconds=45, since={}). {} of {} are done.",
                one.seen, one.done, one.count
            ),
            (None, None) => return None,
        };
        Some(first + &several.unwrap_or_default())
    }
}
