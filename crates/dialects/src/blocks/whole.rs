//! What becomes a file must be whole. Of a very long output the middle is left out; a block that writes one into a file is given,
//! beside its other inputs, how much was left out of each, and the adapter refuses it if that is anything.
//!
//! ```text
//! blocks.a.stdout ── CreateFile                     left_out: {blocks.a.stdout: bytes of a, or nothing}
//! blocks.a.stdout ── RenderTemplate ── CreateFile   the same: what was rendered from a part is one
//! ```
//! What goes through a called workflow or through items is not followed.

use kernel::language::{Path, Segment};
use kernel::plan::{Adapter, Expr, Step, Work};
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
                    Work::Server { adapter: Adapter::Process, .. } => {
                        let captured = CAPTURED.into_iter().find(|one| *one == output);
                        self.texts.extend(captured.map(|captured| (from, captured)));
                    }
                    Work::Server { adapter: Adapter::File, .. } if output == "rendered" => next.push(from),
                    _ => {}
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
