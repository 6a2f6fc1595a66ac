//! The graph flow (`blocks`): a block is ready when every dependency has ended.
//!
//! A block without a condition is skipped unless all its dependencies succeeded; with one, the condition
//! decides alone. A failed operation stops nothing. At the end a failed block that nothing looked at, and any
//! block that crashed, makes the run fail.

use crate::plan::{Access, Graph};
use crate::run::life::flow_of;
use crate::run::{Moment, Outcome, Owner, Stop, Task};
use crate::table::table;
use crate::{Data, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

table! { "graph":
    READY      = "pending", "every dependency has ended"              => "ready";
    START      = "ready",   "there is room, and the rule says yes"    => "running";
    BROKEN     = "ready",   "a dependency did not succeed"            => "skipped";
    UNWANTED   = "ready",   "the condition does not hold"             => "skipped";
    UNKNOWN    = "ready",   "the condition cannot be evaluated"       => "crashed";
    SUCCEED    = "running", "the work is done"                        => "succeeded";
    FAIL       = "running", "the work was done and said no"           => "failed";
    CRASH      = "running", "the work could not be carried out"       => "crashed";
    FINISH     = "all ended", "no failure is unhandled"               => "finished";
    FINISH_BAD = "all ended", "a failure is unhandled"                => "failed";
}

/// Where a graph is. Blocks that are not in `blocks` are pending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GraphLife {
    blocks: BTreeMap<u32, BlockLife>,
    /// Blocks that are ready and wait for room.
    ready: BTreeSet<u32>,
    /// Blocks that were started and have not ended.
    running: u32,
    ended: u32,
    /// For each block the dependencies that have not ended. Follows from the plan and `blocks`.
    #[serde(skip)]
    waits: Vec<u32>,
}

/// One block that is not pending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct BlockLife {
    #[serde(rename = "s")]
    status: BlockStatus,
    /// How long it took.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    took_ms: Option<u64>,
    /// Why it did not succeed.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The fields that something reads later.
    #[serde(rename = "k", default, skip_serializing_if = "Fields::is_empty")]
    kept: Fields,
}

/// How a block stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum BlockStatus {
    #[default]
    #[serde(rename = "r")]
    Running,
    #[serde(rename = "o")]
    Succeeded,
    #[serde(rename = "f")]
    Failed,
    #[serde(rename = "c")]
    Crashed,
    #[serde(rename = "s")]
    Skipped,
}

/// Longest reason that is held on to.
const WHY_BYTES_MAX: usize = 400;

impl GraphLife {
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut life = GraphLife::default();
        life.rebuild(graph);
        life
    }

    pub(crate) fn rebuild(&mut self, graph: &Graph) {
        let open =
            |block: &&u32| self.blocks.get(block).is_none_or(|life| life.status == BlockStatus::Running);
        let open_of = |block: &crate::plan::Block| block.depends_on.iter().filter(open).count();
        self.waits =
            graph.blocks.iter().map(|block| u32::try_from(open_of(block)).unwrap_or(u32::MAX)).collect();
    }

    /// A field of a block: `outputs`, `inputs` or `metadata`.
    pub(crate) fn read(&self, block: u32, space: &str, field: &str) -> Result<Data, Stop> {
        let life = self.blocks.get(&block);
        if space == "metadata" {
            return metadata(life, field)
                .map(Data::Inline)
                .ok_or_else(|| Stop::from(format!("a block has no `metadata.{field}`")));
        }
        match life.and_then(|life| life.kept.get(&format!("{space}.{field}"))) {
            Some(data) => Ok(data.clone()),
            // A block that did not run or broke off has no outputs: nothing is there, and nothing is made up.
            None if life.is_none_or(|life| life.status != BlockStatus::Succeeded) => {
                Ok(Data::Inline(Value::Null))
            }
            None => Err(format!("the block gave no `{space}.{field}`").into()),
        }
    }

    /// All kept fields of one space.
    pub(crate) fn read_all(&self, block: u32, space: &str) -> Fields {
        let Some(life) = self.blocks.get(&block) else { return Fields::new() };
        let prefix = format!("{space}.");
        let kept = life.kept.iter();
        kept.filter_map(|(name, data)| Some((name.strip_prefix(&prefix)?.to_owned(), data.clone()))).collect()
    }
}

fn metadata(life: Option<&BlockLife>, field: &str) -> Option<Value> {
    let status = life.map(|life| life.status);
    let is = |wanted: &[BlockStatus]| Value::Bool(status.is_some_and(|status| wanted.contains(&status)));
    Some(match field {
        "succeeded" | "operation_succeeded" => is(&[BlockStatus::Succeeded]),
        "failed" => is(&[BlockStatus::Failed, BlockStatus::Crashed]),
        "skipped" => is(&[BlockStatus::Skipped]),
        "status" => match status {
            None => "pending",
            Some(BlockStatus::Running) => "running",
            Some(BlockStatus::Succeeded | BlockStatus::Failed) => "completed",
            Some(BlockStatus::Crashed) => "failed",
            Some(BlockStatus::Skipped) => "skipped",
        }
        .into(),
        "outcome" => match status {
            Some(BlockStatus::Succeeded) => "success",
            Some(BlockStatus::Failed) => "failure",
            _ => "n/a",
        }
        .into(),
        "result" => match status {
            Some(BlockStatus::Succeeded) => "success".into(),
            Some(BlockStatus::Failed) => "failure".into(),
            Some(BlockStatus::Crashed) => "crashed".into(),
            Some(BlockStatus::Skipped) => "skipped".into(),
            None | Some(BlockStatus::Running) => Value::Null,
        },
        "execution_time_ms" => life.and_then(|life| life.took_ms).into(),
        "error" => life.and_then(|life| life.why.clone()).into(),
        _ => return None,
    })
}

impl Moment<'_> {
    pub(super) fn open_graph(&mut self) {
        let (_, life) = flow_of!(self, Graph);
        let first: Vec<u32> =
            (0..).zip(&life.waits).filter(|(_, waits)| **waits == 0).map(|(block, _)| block).collect();
        life.ready.extend(first.iter());
        first.iter().for_each(|_| self.reach(READY));
        self.fill();
    }

    /// Starts ready blocks while there is room.
    fn fill(&mut self) {
        let (graph, life) = flow_of!(self, Graph);
        while life.running < graph.width_max
            && let Some(block) = life.ready.pop_first()
        {
            life.running += 1;
            self.agenda.push_back(Task::Block(block));
        }
        if life.ended as usize == graph.blocks.len() {
            self.graph_ended();
        }
    }

    /// A block whose dependencies have ended, and for which there is room: runs it or skips it.
    pub(crate) fn enter_block(&mut self, block: u32) -> Result<(), Stop> {
        let (graph, _) = flow_of!(self, Graph);
        let planned = &graph.blocks[block as usize];
        let wanted = match &planned.condition {
            Some(condition) => match self.scope(&Access::All).holds(condition) {
                Err(Stop::Fail(failure)) => {
                    self.reach(UNKNOWN);
                    let message = format!("its condition cannot be evaluated: {}", failure.message);
                    self.block_over(block, BlockStatus::Crashed, Some(message), self.now);
                    return Ok(());
                }
                other => {
                    other?.then_some(()).ok_or_else(|| (UNWANTED, "its condition does not hold".to_owned()))
                }
            },
            None => self.dependencies_hold(block).map_err(|why| (BROKEN, why)),
        };
        if let Err((row, reason)) = wanted {
            self.reach(row);
            self.news(News::Skipped { step: block, reason: reason.clone() });
            self.block_over(block, BlockStatus::Skipped, Some(reason), self.now);
            return Ok(());
        }
        self.start_block(block)
    }

    fn start_block(&mut self, block: u32) -> Result<(), Stop> {
        let (_, life) = flow_of!(self, Graph);
        life.blocks.insert(block, BlockLife::default());
        let key = self.plan.steps[block as usize].id.clone();
        if let Err(stop) = self.begin(Owner::Block(block), block, key) {
            let (_, life) = flow_of!(self, Graph);
            life.blocks.remove(&block);
            return Err(stop);
        }
        self.reach(START);
        Ok(())
    }

    fn dependencies_hold(&mut self, block: u32) -> Result<(), String> {
        let (graph, life) = flow_of!(self, Graph);
        for dependency in &graph.blocks[block as usize].depends_on {
            let how = match life.blocks.get(dependency).map(|life| life.status) {
                Some(BlockStatus::Succeeded) => continue,
                Some(BlockStatus::Skipped) => "was skipped",
                _ => "failed",
            };
            return Err(format!("`{}` {how}", self.plan.steps[*dependency as usize].id));
        }
        Ok(())
    }

    /// Holds on to the inputs that something reads later.
    pub(crate) fn keep_inputs(&mut self, owner: Owner, step: u32, inputs: &Fields) {
        let Owner::Block(block) = owner else { return };
        self.keep(block, step, "inputs", inputs);
    }

    fn keep(&mut self, block: u32, step: u32, space: &str, fields: &Fields) {
        let keeps = &self.plan.steps[step as usize].keeps;
        let kept: Fields = fields
            .iter()
            .map(|(name, data)| (format!("{space}.{name}"), data))
            .filter(|(name, _)| keeps.contains(name) || keeps.contains(space))
            .map(|(name, data)| (name, data.clone()))
            .collect();
        self.life.held += crate::data::weight_of(&kept);
        let (_, life) = flow_of!(self, Graph);
        life.blocks.entry(block).or_default().kept.extend(kept);
    }

    pub(crate) fn block_ended(&mut self, block: u32, failure: Option<Failure>, outputs: Fields, since: u64) {
        let failure = failure.or_else(|| self.no_room(block, &outputs));
        let (row, status) = match &failure {
            None => (SUCCEED, BlockStatus::Succeeded),
            Some(failure) if failure.kind == FailureKind::Operation => (FAIL, BlockStatus::Failed),
            Some(_) => (CRASH, BlockStatus::Crashed),
        };
        self.reach(row);
        if status != BlockStatus::Crashed {
            self.keep(block, block, "outputs", &outputs);
        }
        self.block_over(block, status, failure.map(|failure| failure.message), since);
    }

    fn no_room(&self, block: u32, outputs: &Fields) -> Option<Failure> {
        let keeps = &self.plan.steps[block as usize].keeps;
        let all = keeps.contains("outputs");
        let kept = outputs.iter().filter(|(name, _)| all || keeps.contains(&format!("outputs.{name}")));
        self.hold(kept.map(|(name, data)| name.len() as u64 + 12 + data.weight()).sum()).err()
    }

    fn block_over(&mut self, block: u32, status: BlockStatus, why: Option<String>, since: u64) {
        let took_ms = (status != BlockStatus::Skipped).then(|| self.now.saturating_sub(since));
        let why = why.map(|why| shortened(why, WHY_BYTES_MAX));
        self.life.held += 24 + why.as_ref().map_or(0, |why| why.len() as u64);
        let (graph, life) = flow_of!(self, Graph);
        let record = life.blocks.entry(block).or_default();
        (record.status, record.took_ms, record.why) = (status, took_ms, why);
        life.running -= 1;
        life.ended += 1;
        let mut ready = 0;
        for dependent in &graph.blocks[block as usize].dependents {
            let waits = &mut life.waits[*dependent as usize];
            *waits -= 1;
            if *waits == 0 {
                ready += 1;
                life.ready.insert(*dependent);
            }
        }
        (0..ready).for_each(|_| self.reach(READY));
        self.fill();
    }

    fn graph_ended(&mut self) {
        let (graph, life) = flow_of!(self, Graph);
        let unhandled = |(block, life): &(&u32, &BlockLife)| match life.status {
            BlockStatus::Crashed => true,
            BlockStatus::Failed => !graph.blocks[**block as usize].watched,
            _ => false,
        };
        let told = |(block, life): (&u32, &BlockLife)| {
            let why = life.why.as_deref().unwrap_or_default();
            format!("`{}` {why}", self.plan.steps[*block as usize].id)
        };
        let broken: Vec<String> = life.blocks.iter().filter(unhandled).map(told).collect();
        if broken.is_empty() {
            self.reach(FINISH);
            self.agenda.push_back(Task::Finish);
            return;
        }
        let crashed = life.blocks.values().any(|life| life.status == BlockStatus::Crashed);
        let kind = if crashed { FailureKind::Crashed } else { FailureKind::Operation };
        self.reach(FINISH_BAD);
        self.close(Outcome::Failed { failure: Failure::new(kind, shortened(broken.join("; "), 4_000)) });
    }
}

fn shortened(mut text: String, max: usize) -> String {
    if text.len() > max {
        let mut end = max;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("...");
    }
    text
}
