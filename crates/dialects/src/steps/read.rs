//! Reads a definition of this dialect into a plan and the plans of its tasks, or into everything that is wrong with it.
//!
//! ```text
//! keys ── head ── names ── steps ── who uses which task ── plans
//! ```
//! Each pass reports what it finds and goes on with what it has, so that no mistake hides another. Plans are made only
//! where nothing was found.

use super::draft::Draft;
use super::head::Head;
use super::reader::Reader;
use super::task::Tasks;
use crate::detect;
use crate::diagnostic::Diagnostics;
use crate::mistakes::Mistakes;
use crate::read::{Read, ReadOptions};
use crate::text::{Node, Source, duplicate_keys};

/// Reads a definition.
pub fn read(source: &Source, root: &Node, options: ReadOptions) -> Result<Read, Diagnostics> {
    let workflow = detect::body(root);
    let mut mistakes = Mistakes::new(source);
    for repeated in duplicate_keys(source, root, &is_kind_of_prompt) {
        mistakes.error(|_| repeated);
    }
    let head = Head::read(&mut mistakes, workflow, options);
    let mut reader = Reader::new(mistakes, workflow, head);
    let drafts: Vec<Draft> = (0..reader.world.units.len()).map(|unit| reader.draft(unit)).collect();
    reader.report_uses();
    reader.secrets.report_unused(&mut reader.mistakes, super::secrets::snippet);
    if reader.mistakes.errors() == 0 {
        reader.report_ways();
    }
    if reader.mistakes.errors() > 0 {
        return Err(reader.mistakes.finish());
    }
    let mut tasks = Tasks::new(&reader, &drafts);
    let mut plan = tasks.workflow();
    let tasks = tasks.plans;
    (plan.version, plan.description) =
        (reader.head.version.clone(), reader.world.units[0].description.clone());
    plan.deadline = reader.head.deadline;
    debug_assert!(plan.check().is_ok(), "BUG: a broken plan: {:?}", plan.check());
    Ok(Read { plan, tasks, warnings: reader.mistakes.finish(), imports: Vec::new() })
}

/// A prompt may have a second `type`, which is its kind.
fn is_kind_of_prompt(map: &Node, key: &str) -> bool {
    let mut types = map.all("type").map(|(_, value)| value.as_text());
    key == "type" && types.next() == Some(Some("prompt")) && types.count() == 1
}
