//! What can be read of a block: its outputs, its inputs, its metadata, and the short forms of them.

use super::answer::{Answer, Space, Wrong, name_at, no_parts, read};
use super::each;
use crate::blocks::secrets;
use crate::blocks::world::Outline;
use crate::shape::listed;
use kernel::language::{Path, Segment};

const SHORTCUTS: [&str; 5] = ["succeeded", "failed", "skipped", "status", "outcome"];
const SPACES: [&str; 3] = ["inputs", "outputs", "metadata"];
const BLOCK_METADATA: [&str; 9] = [
    "succeeded",
    "failed",
    "skipped",
    "status",
    "outcome",
    "result",
    "operation_succeeded",
    "execution_time_ms",
    "error",
];

pub(super) fn output(path: &Path, position: usize, block: &Outline<'_>) -> Answer {
    let Some(name) = name_at(path, 2)? else {
        return Ok(read(path.clone(), position, Space::Outputs, None));
    };
    if block.has_items() {
        return each::output(path, position, block, 2);
    }
    if let Some(answer) = called(path, position, block, (name, 2)) {
        return answer;
    }
    // The schema of a result may name one `success`.
    if name == "success" && !block.gives.contains(name) {
        return succeeded(path, position, 2);
    }
    let Some(kind) = block.kind else { return long_form(path, Space::Outputs, position, 2) };
    if let Some((_, what)) = kind.outputs().iter().find(|(output, _)| *output == name) {
        no_parts(path, 3, what)?;
        return long_form(path, Space::Outputs, position, 2);
    }
    if block.gives.contains(name) {
        return long_form(path, Space::Outputs, position, 2);
    }
    let wrong = Wrong::new(3, format!("{} gives no output `{name}`", kind.a_block()));
    let id = path.key(0).unwrap_or_default();
    Err(Some(match elsewhere(name) {
        Some(form) => wrong.near(format!("blocks.{id}.{form}")),
        None => wrong.among(name, block.output_names(), "it gives"),
    }))
}

/// What the workflow gives that a block runs; nothing if it runs none, or if `name` can only be another word.
fn called(path: &Path, position: usize, block: &Outline<'_>, (name, at): (&str, usize)) -> Option<Answer> {
    let call = block.call.as_ref()?;
    let Some(outputs) = call.outputs() else {
        return (name != "success").then(|| long_form(path, Space::Outputs, position, at));
    };
    let outputs: Vec<&str> = outputs.collect();
    if outputs.contains(&name) {
        return Some(long_form(path, Space::Outputs, position, at));
    }
    if name == "success" {
        return None;
    }
    let workflow = call.name.as_deref().unwrap_or_default();
    let wrong = Wrong::new(at + 1, format!("the workflow `{workflow}` gives no output `{name}`"));
    let id = path.key(0).unwrap_or_default();
    Some(Err(Some(match elsewhere(name) {
        Some(form) => wrong.near(format!("blocks.{id}.{form}")),
        None => wrong.among(name, outputs, "it gives"),
    })))
}

/// How a field of the metadata is written, short if that is possible.
pub(super) fn elsewhere(name: &str) -> Option<String> {
    let form = || if SHORTCUTS.contains(&name) { name.to_owned() } else { format!("metadata.{name}") };
    BLOCK_METADATA.contains(&name).then(form)
}

/// `blocks.id.field`: how it ended, an output, or a word that is no part of a block at all.
pub(super) fn shorthand(path: &Path, position: usize, block: &Outline<'_>) -> Answer {
    let word = path.key(1).unwrap_or_default();
    if SHORTCUTS.contains(&word) {
        return long_form(path, Space::Metadata, position, 1);
    }
    if block.has_items() {
        return each::output(path, position, block, 1);
    }
    if word == "success" {
        return succeeded(path, position, 1);
    }
    if let Some(answer) = called(path, position, block, (word, 1)) {
        return answer;
    }
    let Some(kind) = block.kind else { return long_form(path, Space::Outputs, position, 1) };
    if let Some((_, what)) = kind.outputs().iter().find(|(output, _)| *output == word) {
        no_parts(path, 2, what)?;
        return long_form(path, Space::Outputs, position, 1);
    }
    if block.gives.contains(word) {
        return long_form(path, Space::Outputs, position, 1);
    }
    let wrong = Wrong::new(2, format!("{} has no `{word}`", kind.a_block()));
    Err(Some(match elsewhere(word) {
        Some(form) => wrong.near(form),
        None => {
            let words = block.output_names().into_iter().chain(SHORTCUTS).chain(SPACES);
            wrong.among(word, words, "there are")
        }
    }))
}

pub(super) fn input(path: &Path, position: usize, block: &Outline<'_>) -> Answer {
    if block.has_items() {
        return each::no_input(path, block);
    }
    let name = name_at(path, 2)?;
    let given = |name: &str| block.node.get("inputs").is_some_and(|inputs| inputs.get(name).is_some());
    let (texts, values) = block.kind.map_or((&[][..], None), |kind| (kind.readable, kind.named_values));
    let readable = texts.iter().copied().chain(values).filter(|name| given(name));
    let there = "it is given";
    match name {
        Some(name) if Some(name) == values && given(name) => variable(path, position, block, name),
        Some(name) if texts.contains(&name) && given(name) => {
            no_parts(path, 3, "text")?;
            long_form(path, Space::Inputs, position, 2)
        }
        Some(_) if block.kind.is_none() => long_form(path, Space::Inputs, position, 2),
        Some(name) if given(name) => {
            let message = format!(
                "`{name}` of {} cannot be read: it is neither a text nor a value with a name",
                block.name
            );
            Err(Some(Wrong::new(3, message).hint(format!("what can be read of it: {}", listed(readable)))))
        }
        Some(name) => {
            let wrong = Wrong::new(3, format!("{} is given no input `{name}`", block.name));
            Err(Some(wrong.among(name, readable, there)))
        }
        None => {
            let wrong = Wrong::new(2, "one of the inputs must be named".to_owned());
            Err(Some(wrong.among("", readable, there)))
        }
    }
}

fn variable(path: &Path, position: usize, block: &Outline<'_>, values: &str) -> Answer {
    let name = name_at(path, 3)?.unwrap_or_default();
    if !block.named.contains(name) {
        let message = match name {
            "" => format!("one variable of `{values}` must be named"),
            name => format!("`{values}` of {} has no `{name}`", block.name),
        };
        let part = if name.is_empty() { 3 } else { 4 };
        return Err(Some(Wrong::new(part, message).among(name, block.named.iter().copied(), "it has")));
    }
    let given = || block.node.get("inputs")?.get(values)?.get(name);
    if given().is_some_and(secrets::is_secret) {
        let message = format!("`{values}.{name}` of {} is a secret, and nobody else can read it", block.name);
        return Err(Some(Box::new(Wrong { part: 4, ..*secrets::misplaced("NAME", &message) })));
    }
    // What a workflow is given has no other fields beside it.
    let field = if block.call.is_some() { name.to_owned() } else { format!("{values}.{name}") };
    let mut below = Path::of("blocks", &[path.key(0).unwrap_or_default(), "inputs", &field]);
    if values == "env" {
        no_parts(path, 4, "text")?;
    }
    below.segments.extend_from_slice(path.segments.get(4..).unwrap_or_default());
    let path = below;
    Ok(read(path, position, Space::Inputs, Some(field)))
}

pub(super) fn metadata(path: &Path, position: usize) -> Answer {
    let name = name_at(path, 2)?;
    if let Some(name) = name.filter(|name| BLOCK_METADATA.contains(name)) {
        no_parts(path, 3, if name == "execution_time_ms" { "a number" } else { "one value" })?;
        return long_form(path, Space::Metadata, position, 2);
    }
    let wrong = match name {
        Some(name) => Wrong::new(3, format!("a block has no `metadata.{name}`")),
        None => Wrong::new(2, "a field must be named after `metadata`".to_owned()),
    };
    Err(Some(wrong.among(name.unwrap_or_default(), BLOCK_METADATA, "there are")))
}

pub(super) fn succeeded(path: &Path, position: usize, at: usize) -> Answer {
    no_parts(path, at + 1, "true or false")?;
    let path = Path::of("blocks", &[path.key(0).unwrap_or_default(), "metadata", "succeeded"]);
    Ok(read(path, position, Space::Metadata, Some("succeeded".to_owned())))
}

/// Writes the space before the field that stands at `at`.
pub(super) fn long_form(path: &Path, space: Space, position: usize, at: usize) -> Answer {
    let word = match space {
        Space::Inputs => "inputs",
        Space::Outputs => "outputs",
        Space::Metadata => "metadata",
    };
    if space == Space::Metadata && at == 1 {
        no_parts(path, 2, "one value")?;
    }
    let mut segments = vec![path.segments[0].clone(), Segment::Key(word.to_owned())];
    segments.extend_from_slice(&path.segments[at..]);
    let field = path.key(at).map(str::to_owned);
    Ok(read(Path { root: path.root.clone(), segments }, position, space, field))
}
