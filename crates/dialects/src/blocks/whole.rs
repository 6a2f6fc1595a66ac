//! What becomes a file, and what decides whether a block runs, must be whole. Of a very long output the middle is left out; a
//! block that writes one into a file is given, beside its other inputs, how much was left out of each, and the adapter refuses it
//! if that is anything. A condition that reads one cannot be evaluated then.
//!
//! ```text
//! blocks.a.stdout ── CreateFile                     left_out: {blocks.a.stdout: bytes of a, or nothing}
//! blocks.a.stdout ── RenderTemplate ── CreateFile   the same: what was rendered from a part is one
//! ```
//! What goes through a called workflow or through items is not followed.

use kernel::language::{Path, Segment};
use kernel::plan::{Adapter, Block, Expr, Step, Work};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The input that says how much was left out of each text that the others are made of.
pub const LEFT_OUT: &str = "left_out";

/// The outputs of a command whose middle may be left out.
const CAPTURED: [&str; 2] = ["stdout", "stderr"];

/// Lets every step that writes a file know whether what it writes is whole.
pub(super) fn watch(steps: &mut [Step]) {
    let places: BTreeMap<String, usize> =
        steps.iter().enumerate().map(|(place, step)| (step.id.clone(), place)).collect();
    for place in 0..steps.len() {
        if !writes(&steps[place].work) {
            continue;
        }
        let mut found = Found::default();
        found.look(steps, &places, place);
        let mut told = Vec::new();
        for (from, output) in found.texts {
            let id = steps[from].id.clone();
            let field = format!("{output}_left_out_bytes");
            let path = Path::of("blocks", &[&id, "outputs", &field]);
            told.push((format!("blocks.{id}.{output}"), Expr::Optional(path)));
            steps[from].keeps.insert(format!("outputs.{field}"));
        }
        if let (Work::Server { inputs, .. }, false) = (&mut steps[place].work, told.is_empty()) {
            inputs.push((LEFT_OUT.to_owned(), Expr::Object(told)));
        }
    }
}

/// Lets no condition be decided by a part of a text.
pub(super) fn decide(steps: &mut [Step], blocks: &mut [Block]) {
    let places: BTreeMap<String, usize> =
        steps.iter().enumerate().map(|(place, step)| (step.id.clone(), place)).collect();
    for condition in blocks.iter_mut().filter_map(|block| block.condition.as_mut()) {
        let read = condition.paths().into_iter().filter_map(|path| {
            let (id, output) = output(path)?;
            captured(&steps[*places.get(id)?], output).map(|output| (id.to_owned(), output))
        });
        let read: BTreeSet<(String, &str)> = read.collect();
        let mut texts = Vec::new();
        for (id, output) in read {
            let field = format!("{output}_left_out_bytes");
            steps[places[&id]].keeps.insert(format!("outputs.{field}"));
            texts.push((format!("${{blocks.{id}.{output}}}"), Path::of("blocks", &[&id, "outputs", &field])));
        }
        if !texts.is_empty() {
            let value = Box::new(std::mem::replace(condition, Expr::Const(Value::Null)));
            *condition = Expr::Whole { texts, value };
        }
    }
}

/// The output of a command whose middle may be left out, if it is one.
fn captured(step: &Step, output: &str) -> Option<&'static str> {
    let is_command = matches!(step.work, Work::Server { adapter: Adapter::Process, .. });
    CAPTURED.into_iter().find(|one| is_command && *one == output)
}

/// Whether a file comes of it.
fn writes(work: &Work) -> bool {
    let Work::Server { adapter: Adapter::File, inputs, .. } = work else { return false };
    let operation = inputs.iter().find_map(|(name, value)| match value {
        Expr::Const(Value::String(word)) if name == "operation" => Some(word.as_str()),
        _ => None,
    });
    match operation {
        Some("create" | "write_state" | "merge_state") => true,
        Some("render") => inputs.iter().any(|(name, _)| name == "target"),
        _ => false,
    }
}

/// The texts of commands that a step is made of.
#[derive(Default)]
struct Found {
    texts: BTreeSet<(usize, &'static str)>,
    seen: BTreeSet<usize>,
}

impl Found {
    fn look(&mut self, steps: &[Step], places: &BTreeMap<String, usize>, start: usize) {
        let mut next = vec![start];
        while let Some(place) = next.pop() {
            let Work::Server { inputs, .. } = &steps[place].work else { continue };
            if !self.seen.insert(place) {
                continue;
            }
            for path in inputs.iter().flat_map(|(_, value)| value.paths()) {
                let Some((from, output)) =
                    output(path).and_then(|(id, output)| Some((*places.get(id)?, output)))
                else {
                    continue;
                };
                match &steps[from].work {
                    Work::Server { adapter: Adapter::File, .. } if output == "rendered" => next.push(from),
                    _ => self.texts.extend(captured(&steps[from], output).map(|captured| (from, captured))),
                }
            }
        }
    }
}

/// The block and the output that a path reads.
fn output(path: &Path) -> Option<(&str, &str)> {
    match path.segments.as_slice() {
        [Segment::Key(id), Segment::Key(space), Segment::Key(output), ..]
            if path.root == "blocks" && space == "outputs" =>
        {
            Some((id, output))
        }
        _ => None,
    }
}
