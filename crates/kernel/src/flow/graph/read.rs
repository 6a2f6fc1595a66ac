//! What can be read of a block: kept inputs and outputs, and how it stands.

use super::{BlockLife, BlockStatus, GraphLife};
use crate::run::Stop;
use crate::{Data, Fields};
use serde_json::Value;

impl GraphLife {
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
