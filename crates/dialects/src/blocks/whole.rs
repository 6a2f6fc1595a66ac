//! What becomes a file, what decides whether a block runs, and what a human says yes to must be whole. Of a very long output the
//! middle is left out; a block that writes one into a file is given, beside its other inputs, how much was left out of each, and
//! the adapter refuses it if that is anything. A condition that reads one cannot be evaluated then, and a gate cannot be asked. Who
//! is asked a plain question is told.
//!
//! ```text
//! blocks.a.stdout ── CreateFile, Prompt, Agent      left_out: {blocks.a.stdout: bytes of a, or nothing}
//! blocks.a.stdout ── RenderTemplate ── CreateFile   the same: what was rendered from a part is one
//! blocks.a.stdout ── inputs of a block ── CreateFile, and as an item of `for_each`, and inside all of `blocks.a.outputs`
//! ```
//! What goes through a called workflow or through the results of items is not followed.

use kernel::language::{Path, Segment};
use kernel::plan::{Adapter, Block, Expr, Step, Work};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The input that says how much was left out of each text that the others are made of.
pub const LEFT_OUT: &str = "left_out";

/// The outputs of a command whose middle may be left out.
const CAPTURED: [&str; 2] = ["stdout", "stderr"];

/// Lets every step that writes a file, or asks a plain question, know whether what it is given is whole.
pub(super) fn watch(steps: &mut [Step], blocks: &[Block]) {
    for place in 0..steps.len() {
        if !writes(&steps[place].work) && !matches!(steps[place].work, Work::Action { gate: None, .. }) {
            continue;
        }
        let texts = Found::of(steps, blocks).follow(place, given(&steps[place].work, None));
        let mut told = Vec::new();
        for (from, output) in texts {
            let (name, path) = left_out(&mut steps[from], output);
            told.push((name, Expr::Optional(path)));
        }
        if let (Work::Server { inputs, .. } | Work::Action { inputs, .. }, false) =
            (&mut steps[place].work, told.is_empty())
        {
            inputs.push((LEFT_OUT.to_owned(), Expr::Object(told)));
        }
    }
}

/// Lets no condition be decided by a part of a text.
pub(super) fn decide(steps: &mut [Step], blocks: &mut [Block]) {
    for place in 0..blocks.len() {
        let Some(condition) = &blocks[place].condition else { continue };
        let found = Found::of(steps, blocks).follow(place, condition.paths());
        let texts = named(steps, found);
        if let Some(condition) = &mut blocks[place].condition {
            needs(condition, texts);
        }
    }
}

/// Lets nobody be asked for a yes to a part of a text.
pub(super) fn approve(steps: &mut [Step], blocks: &[Block]) {
    for place in 0..steps.len() {
        let Work::Action { inputs, gate: Some(_), .. } = &steps[place].work else { continue };
        let follow = |(_, value): &(String, Expr)| Found::of(steps, blocks).follow(place, value.paths());
        let found: Vec<_> = inputs.iter().map(follow).collect();
        let texts: Vec<_> = found.into_iter().map(|found| named(steps, found)).collect();
        if let Work::Action { inputs, .. } = &mut steps[place].work {
            inputs.iter_mut().zip(texts).for_each(|((_, value), texts)| needs(value, texts));
        }
    }
}

/// Lets a value be made only of texts that are whole.
fn needs(value: &mut Expr, texts: Vec<(String, Path)>) {
    if !texts.is_empty() {
        let inner = Box::new(std::mem::replace(value, Expr::Const(Value::Null)));
        *value = Expr::Whole { texts, value: inner };
    }
}

/// Texts as they are written, and where it is said how much was left out of each.
fn named(steps: &mut [Step], found: BTreeSet<(usize, &str)>) -> Vec<(String, Path)> {
    let found = found.into_iter().map(|(from, output)| {
        let (name, path) = left_out(&mut steps[from], output);
        (format!("${{{name}}}"), path)
    });
    found.collect()
}

/// The name of an output, and where it is said how much was left out of it.
fn left_out(step: &mut Step, output: &str) -> (String, Path) {
    let field = format!("{output}_left_out_bytes");
    step.keeps.insert(format!("outputs.{field}"));
    (format!("blocks.{}.{output}", step.id), Path::of("blocks", &[&step.id, "outputs", &field]))
}

/// Whether it has outputs whose middle may be left out.
fn is_command(step: &Step) -> bool {
    matches!(step.work, Work::Server { adapter: Adapter::Process, .. })
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

/// The texts of commands that something is made of: which step has each, and which of its outputs it is.
struct Found<'p> {
    steps: &'p [Step],
    blocks: &'p [Block],
    places: BTreeMap<&'p str, usize>,
}

impl<'p> Found<'p> {
    fn of(steps: &'p [Step], blocks: &'p [Block]) -> Self {
        let places = steps.iter().enumerate().map(|(place, step)| (step.id.as_str(), place)).collect();
        Found { steps, blocks, places }
    }

    /// Follows what a block reads to where it comes from.
    fn follow(&self, place: usize, read: Vec<&'p Path>) -> BTreeSet<(usize, &'static str)> {
        let (mut texts, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut next: Vec<(usize, &Path)> = read.into_iter().map(|path| (place, path)).collect();
        while let Some((place, path)) = next.pop() {
            if !seen.insert((place, path.to_string())) {
                continue;
            }
            if path.root == "each" {
                let each = self.blocks.get(place).and_then(|block| block.for_each.as_ref());
                next.extend(each.into_iter().flat_map(|each| each.items.paths()).map(|path| (place, path)));
                continue;
            }
            let [Segment::Key(id), rest @ ..] = path.segments.as_slice() else { continue };
            let Some(from) = self.places.get(id.as_str()).copied().filter(|_| path.root == "blocks") else {
                continue;
            };
            let step = &self.steps[from];
            let (space, field) = match rest {
                [] => (None, None),
                [Segment::Key(space)] => (Some(space.as_str()), None),
                [Segment::Key(space), Segment::Key(field), ..] => {
                    (Some(space.as_str()), Some(field.as_str()))
                }
                _ => continue,
            };
            let is_read = |name: &str| field.is_none_or(|field| field == name);
            let reads = |name: &str| space.is_none_or(|space| space == name);
            if reads("outputs") {
                let captured = CAPTURED.into_iter().filter(|output| is_read(output) && is_command(step));
                texts.extend(captured.map(|output| (from, output)));
            }
            let is_rendered = matches!(step.work, Work::Server { adapter: Adapter::File, .. });
            if reads("outputs") && is_rendered && is_read("rendered") {
                next.extend(given(&step.work, None).into_iter().map(|path| (from, path)));
            }
            if reads("inputs") {
                next.extend(given(&step.work, field).into_iter().map(|path| (from, path)));
            }
        }
        texts
    }
}

/// What an input is made of, and where there is none of that name, all of them.
fn given<'w>(work: &'w Work, name: Option<&str>) -> Vec<&'w Path> {
    let inputs = match work {
        Work::Server { inputs, .. } | Work::Action { inputs, .. } | Work::Child { inputs, .. } => inputs,
        _ => return Vec::new(),
    };
    let named = inputs.iter().filter(|(input, _)| Some(input.as_str()) == name);
    let named: Vec<&Path> = named.flat_map(|(_, value)| value.paths()).collect();
    let is_there = inputs.iter().any(|(input, _)| Some(input.as_str()) == name);
    if is_there { named } else { inputs.iter().flat_map(|(_, value)| value.paths()).collect() }
}
