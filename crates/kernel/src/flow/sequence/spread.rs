//! A child run for each item of a list. All items begin, so many at once, whatever becomes of the others; what they gave
//! becomes one list in the order of the items. Only then does the lane go on, or the run fail because some had failed.

use super::{ITEM, ITEM_DONE, ITEM_NOT, Moved, SPREAD, SPREAD_FAIL, SPREAD_NONE, SPREAD_OVER, SequenceLife};
use crate::flow::rows::{Listed, ROW_BYTES_MAX, Row, Rows, Worst};
use crate::news::ChangedBy;
use crate::plan::{Access, ITEM as ITEM_INPUT, ItemInputs, Node, OnFailure, Sequence, Spread, Write};
use crate::run::life::FlowLife;
use crate::run::{Gather, Key, Moment, Owner, Stop, Task};
use crate::{Data, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How failures of children begin.
const CHILD_FAILED: &str = "Child workflow failed: ";

/// Children that a lane waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::flow) struct SpreadLife {
    items: Data,
    count: u32,
    /// The next item to begin.
    next: u32,
    /// Items that have begun and not ended.
    open: u32,
    since: u64,
    /// Items that did not succeed, and the one that the failure is told by.
    failed: u32,
    worst: Option<Worst>,
    pub(in crate::flow) rows: Rows,
}

/// What it takes beside its data.
const SPREAD_BASE: u64 = 380;

impl SpreadLife {
    pub(super) fn weight(&self) -> u64 {
        let worst = self.worst.as_ref().map_or(0, Worst::weight);
        SPREAD_BASE + self.items.weight() + worst + self.rows.weight()
    }

    /// Whether children of it are open.
    pub(super) fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Why not all is well, if it is not: too much was given, or a child failed that may not.
    fn failure(&self, on_failure: OnFailure) -> Option<Failure> {
        if let Some(lost) = &self.rows.lost {
            let message = format!("what its items gave cannot be held: {}", lost.message);
            return Some(Failure::new(lost.kind, message));
        }
        let Worst { failure, .. } = self.worst.as_ref().filter(|_| on_failure != OnFailure::Continue)?;
        let why = failure.message.strip_prefix(CHILD_FAILED).unwrap_or(&failure.message);
        let message = format!("{CHILD_FAILED}{} of {}: {why}", self.failed, self.count);
        Some(Failure::new(FailureKind::Child, message))
    }
}

/// A list for whose items there are children, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spreading {
    /// The step whose work the children are.
    pub step: u32,
    /// The name of what is done for each.
    pub task: String,
    /// How many items there are.
    pub count: u32,
    /// How many have ended.
    pub ended: u32,
    /// Most at once.
    pub width_max: u32,
}

impl SequenceLife {
    /// The lists that lanes are at.
    pub(crate) fn spreading(&self, planned: &Sequence) -> Vec<Spreading> {
        let spreading = self.lanes.values().filter_map(|lane| {
            let (life, frame) = (lane.spread.as_ref()?, lane.stack.last()?);
            let node = planned.bodies[frame.body as usize].get(frame.position as usize)?;
            let Node::Spread(Spread { step, task, width_max, .. }) = node.inner() else { return None };
            let (task, ended) = (task.clone(), life.next - life.open);
            Some(Spreading { step: *step, task, count: life.count, ended, width_max: *width_max })
        });
        spreading.collect()
    }
}

impl SequenceLife {
    /// What the step writes that a lane stands at.
    pub(crate) fn writes<'p>(&self, planned: &'p Sequence, lane: u32) -> &'p [Write] {
        let frame = self.lanes.get(&lane).and_then(|lane| lane.stack.last());
        let node = frame.and_then(|frame| planned.bodies[frame.body as usize].get(frame.position as usize));
        match node.map(Node::inner) {
            Some(Node::Do { writes, .. }) => writes,
            _ => &[],
        }
    }

    /// The lanes that wait for children, and since when.
    fn spread(&self) -> impl Iterator<Item = (u32, u64)> {
        self.lanes.iter().filter_map(|(lane, life)| Some((*lane, life.spread.as_ref()?.since)))
    }
}

impl<'m> Moment<'m> {
    /// Comes to a list for whose items there are children. The children themselves are begun by [`Moment::at_spread`].
    pub(super) fn spread(&mut self, lane: u32, spread: &'m Spread) -> Result<Moved, Stop> {
        let (items, count) = self.items(lane, &spread.items)?;
        if count == 0 {
            let none = Data::Inline(Value::Array(Vec::new()));
            self.collect(spread, none.clone())?;
            self.reach(SPREAD_NONE);
            self.tell(lane, None, Fields::from([("result".to_owned(), none)]));
            return Ok(self.forward(lane));
        }
        let max = self.plan.limits.items_max;
        if count > max {
            let message = format!("there are {count} items; at most {max} are allowed");
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        let (since, worst, rows) = (self.now, None, Rows::default());
        let life = SpreadLife { items, count, next: 0, open: 0, since, failed: 0, worst, rows };
        self.hold(life.weight())?;
        self.reach(SPREAD);
        let (key, step, inputs) = (self.next_key(lane, spread.step), spread.step, Fields::new());
        self.count_step(lane, step);
        self.news(News::Began { key, step, attempt: 1, inputs });
        self.sequence().lane(lane).spread = Some(life);
        Ok(Moved::On)
    }

    /// The list that a lane stands at.
    fn spread_node(&self, lane: u32) -> &'m Spread {
        match self.node(lane) {
            Some(Node::Spread(spread)) => spread,
            _ => unreachable!("BUG: children of no list"),
        }
    }

    pub(in crate::flow) fn spreading(&self, lane: u32) -> &SpreadLife {
        self.lane(lane).spread.as_ref().expect("BUG: a lane that waits for no children")
    }

    pub(in crate::flow) fn spreading_mut(&mut self, lane: u32) -> &mut SpreadLife {
        self.sequence().lane(lane).spread.as_mut().expect("BUG: a lane that waits for no children")
    }

    /// Begins items while there is room, then waits for them, then goes on.
    pub(super) fn at_spread(&mut self, lane: u32) -> Result<Moved, Stop> {
        let width_max = self.spread_node(lane).width_max;
        let life = self.spreading_mut(lane);
        let (first, room) = (life.next, width_max.saturating_sub(life.open));
        let begins = room.min(life.count - life.next);
        (life.next, life.open) = (life.next + begins, life.open + begins);
        let waits = life.open > 0;
        for item in first..first + begins {
            self.agenda.push_back(Task::Child(lane, item));
        }
        if waits { Ok(Moved::Busy) } else { self.leave_spread(lane) }
    }

    /// An item for which there is room.
    pub(crate) fn enter_child(&mut self, lane: u32, item: u32) -> Result<(), Stop> {
        let spread = self.spread_node(lane);
        let key = Key::of_child(&self.key_of_list(lane, spread.step), item, &spread.task);
        let data = match self.item(&self.spreading(lane).items, item) {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            // Whoever makes the inputs says why.
            Err(Stop::Fail(_)) => Data::Inline(Value::Null),
            Ok(data) => data,
        };
        let before = self.turn.news.len();
        self.begin(Owner::Child(lane, item), spread.step, key.clone())?;
        self.reach(ITEM);
        self.turn.news.insert(before, News::Item { key, step: spread.step, index: item, item: data });
        Ok(())
    }

    /// The key of what a lane does with a list, this time.
    pub(super) fn key_of_list(&self, lane: u32, step: u32) -> String {
        let times = self.lane(lane).begun.get(&step).copied().unwrap_or(1);
        Key::of_lane(lane, &self.plan.steps[step as usize].id, self.numbered(lane, times))
    }

    /// What the child of an item is given.
    pub(crate) fn item_inputs(&self, lane: u32, item: u32) -> Result<Fields, Stop> {
        let data = self.item(&self.spreading(lane).items, item)?;
        let value = data.inline().cloned().unwrap_or_default();
        let mut given = by_name(&self.spread_node(lane).given, &value);
        given.push((ITEM_INPUT.to_owned(), value));
        let limits = &self.plan.limits;
        let inline_bytes_max = limits.inline_bytes_max_of(self.life.held).min(ROW_BYTES_MAX);
        self.scope(&Access::All).kept(given, inline_bytes_max)
    }

    /// The child of an item has ended.
    pub(crate) fn child_item_ended(
        &mut self,
        lane: u32,
        item: u32,
        failure: Option<Failure>,
        outputs: Fields,
    ) {
        self.reach(if failure.is_none() { ITEM_DONE } else { ITEM_NOT });
        if self.spread_node(lane).collect.is_none() {
            return self.child_over(lane, item, failure);
        }
        self.keep_later(Row { of: Listed::Lane(lane), item, failure, outputs });
    }

    /// What the list has in the place of an item: what its child gave, or why that is not there.
    pub(in crate::flow) fn row_of_child(&self, lane: u32, row: &Row) -> Result<Data, Stop> {
        let mut gather = Gather::default();
        match (&row.failure, row.outputs.get("result")) {
            (Some(failure), _) => {
                let item = self.item(&self.spreading(lane).items, row.item)?;
                let told = failure.message.starts_with("Child workflow");
                let before = if told { "" } else { CHILD_FAILED };
                gather.sign("{\"error\":");
                gather.say(&format!("{before}{}", failure.message));
                gather.sign(",\"item\":");
                gather.put(&item);
                gather.sign(",\"success\":false}");
            }
            (None, Some(result)) => gather.put(result),
            (None, None) => {
                gather.sign("{");
                gather.join(&row.outputs, |gather, (name, data)| {
                    gather.say(name);
                    gather.sign(":");
                    gather.put(data);
                });
                gather.sign("}");
            }
        }
        self.scope(&Access::All).gathered(gather, ROW_BYTES_MAX)
    }

    /// Nothing more is to be done for an item.
    pub(in crate::flow) fn child_over(&mut self, lane: u32, item: u32, failure: Option<Failure>) {
        let life = self.spreading_mut(lane);
        life.open -= 1;
        if let Some(failure) = failure {
            life.failed += 1;
            let (more, less) = Worst::new(item, failure).replace(&mut life.worst);
            self.carry(more);
            self.let_go(less);
        }
        self.wake(lane);
    }

    /// All items have ended: puts the list where it belongs, then goes on or fails.
    fn leave_spread(&mut self, lane: u32) -> Result<Moved, Stop> {
        let spread = self.spread_node(lane);
        let life = self.spreading(lane);
        let mut failure = life.failure(spread.on_failure);
        let mut outputs = Fields::new();
        if spread.collect.is_some() && life.rows.lost.is_none() {
            let (scope, inline_bytes_max) = (self.scope(&Access::All), self.plan.limits.inline_bytes_max);
            let list = life.rows.all(scope, life.count, inline_bytes_max);
            match list.and_then(|list| self.collect(spread, list.clone()).map(|()| list)) {
                Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
                Err(Stop::Fail(more)) => failure = Some(more),
                Ok(list) => drop(outputs.insert("result".to_owned(), list)),
            }
        }
        let key = self.key_of_list(lane, spread.step);
        let life = self.sequence().lane(lane).spread.take().expect("BUG: no children");
        self.let_go(life.weight());
        let (step, since) = (spread.step, life.since);
        self.news(News::Ended { key, step, failure: failure.clone(), outputs, since });
        let Some(failure) = failure else {
            self.reach(SPREAD_OVER);
            return Ok(self.forward(lane));
        };
        self.reach(SPREAD_FAIL);
        let failure = self.blamed(lane, &self.plan.steps[step as usize].id, failure);
        self.step_failed(lane, failure)
    }

    /// Puts the list into the state.
    fn collect(&mut self, spread: &Spread, list: Data) -> Result<(), Stop> {
        let Some(name) = &spread.collect else { return Ok(()) };
        let changes = self.with_computed(Fields::from([(name.clone(), list)]).into())?;
        let by = ChangedBy::Step(self.plan.steps[spread.step as usize].id.clone());
        Ok(self.put(changes, by)?)
    }

    /// The run closes: tells of the lists that were not done for all their items.
    pub(crate) fn stop_spread(&mut self) {
        let FlowLife::Sequence(life) = &self.life.flow else { return };
        for (lane, since) in life.spread().collect::<Vec<_>>() {
            let step = self.spread_node(lane).step;
            let key = self.key_of_list(lane, step);
            let failure = Some(Failure::new(FailureKind::Cancelled, "the run closed"));
            self.news(News::Ended { key, step, failure, outputs: Fields::new(), since });
        }
    }
}

/// The inputs that an item is: by name where it is an object with all that is required, else as the single one.
fn by_name(given: &ItemInputs, item: &Value) -> Vec<(String, Value)> {
    let fields = item.as_object();
    let named = || {
        let known = fields.into_iter().flatten().filter(|(name, _)| given.names.contains(name));
        known.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    let has_all = fields.is_some_and(|fields| given.required.iter().all(|name| fields.contains_key(name)));
    match (&given.single, named()) {
        (Some(single), named) if !has_all || named.is_empty() => vec![(single.clone(), item.clone())],
        (_, named) => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_becomes_inputs_by_name_or_alone() {
        let inputs = |names: &[&str], required: &[&str], single: Option<&str>| ItemInputs {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            required: required.iter().map(|name| (*name).to_owned()).collect(),
            single: single.map(str::to_owned),
        };
        let one = inputs(&["file", "depth"], &["file"], Some("file"));
        let two = inputs(&["from", "to"], &["from", "to"], None);
        let free = inputs(&["note"], &[], Some("note"));
        let given = |to: &ItemInputs, item: Value| {
            Value::Object(by_name(to, &item).into_iter().collect::<serde_json::Map<_, _>>())
        };
        assert_eq!(given(&one, json!("a.py")), json!({"file": "a.py"}));
        assert_eq!(
            given(&one, json!({"file": "a.py", "depth": 2, "x": 1})),
            json!({"file": "a.py", "depth": 2})
        );
        assert_eq!(given(&one, json!({"path": "a.py"})), json!({"file": {"path": "a.py"}}));
        assert_eq!(given(&one, json!({"depth": 2})), json!({"file": {"depth": 2}}));
        assert_eq!(given(&two, json!({"from": 1, "to": 2})), json!({"from": 1, "to": 2}));
        assert_eq!(given(&two, json!({"from": 1})), json!({"from": 1}));
        assert_eq!(given(&two, json!([1, 2])), json!({}));
        assert_eq!(given(&free, json!({"note": "n"})), json!({"note": "n"}));
        assert_eq!(given(&free, json!({"other": "n"})), json!({"note": {"other": "n"}}));
        assert_eq!(given(&free, json!(null)), json!({"note": null}));
        assert_eq!(given(&ItemInputs::default(), json!({"a": 1})), json!({}));
    }
}
