//! A reference's first words: the namespace, an input, a field of the run, a block.

use super::answer::{Answer, Wrong, name_at, no_parts, unchanged};
use super::block;
use crate::blocks::world::World;
use crate::shape::listed;
use kernel::language::Path;
use kernel::plan::{Input, InputKind};

/// The namespaces of references, also the one that can be used in few places.
pub(in crate::blocks) const NAMESPACES: [&str; 4] = ["inputs", "metadata", "blocks", "secrets"];
/// The namespaces of references in a check, which also sees what was said.
pub(in crate::blocks) const CHECK_NAMESPACES: [&str; 5] =
    ["inputs", "metadata", "blocks", "secrets", "result"];
const READABLE: [&str; 3] = ["inputs", "metadata", "blocks"];
const RUN_METADATA: [&str; 3] = ["workflow_name", "run_id", "start_time"];

impl World<'_> {
    /// Resolves a reference.
    pub(in crate::blocks) fn resolve(&self, path: &Path) -> Answer {
        match path.root.as_str() {
            "inputs" => self.input(path),
            "metadata" => run_metadata(path),
            "blocks" => self.block(path),
            "secrets" => Err(Some(self.misplaced_secret(path))),
            _ => Err(Some(self.no_namespace(&path.root))),
        }
    }

    /// Resolves a reference to what was submitted as the result of a block.
    pub(in crate::blocks) fn result(&self, path: &Path, position: usize) -> Answer {
        let block = &self.blocks[position];
        let Some(name) = name_at(path, 0)? else { return unchanged(path) };
        let names = block.output_names();
        if names.contains(&name) {
            return unchanged(path);
        }
        let wrong = Wrong::new(1, format!("the result of {} has no `{name}`", block.name));
        Err(Some(wrong.among(name, names, "it has")))
    }

    fn no_namespace(&self, root: &str) -> Box<Wrong> {
        if root == "__internal__" {
            let hint = format!("a reference begins with one of {}", listed(READABLE));
            return Wrong::new(0, "`__internal__` cannot be read".to_owned()).hint(hint);
        }
        let wrong = Wrong::new(0, format!("nothing is called `{root}` here"));
        if self.names.contains_key(root) {
            return wrong.near(format!("blocks.{root}"));
        }
        if self.input_names.contains_key(root) {
            return wrong.near(format!("inputs.{root}"));
        }
        wrong.among(root, READABLE, "a reference begins with one of")
    }

    fn input(&self, path: &Path) -> Answer {
        let Some(inputs) = &self.inputs else { return Err(None) };
        let Some(name) = name_at(path, 0)? else { return unchanged(path) };
        let Some(position) = self.input_names.get(name) else {
            return Err(Some(self.no_input(name, inputs)));
        };
        let kind = match inputs[*position].kind {
            InputKind::String => "text",
            InputKind::Integer | InputKind::Number => "a number",
            InputKind::Boolean => "true or false",
            InputKind::List | InputKind::Object | InputKind::Any => return unchanged(path),
        };
        no_parts(path, 1, kind)?;
        unchanged(path)
    }

    fn no_input(&self, name: &str, inputs: &[Input]) -> Box<Wrong> {
        let wrong = Wrong::new(1, format!("no input is called `{name}`"));
        let names = || inputs.iter().map(|input| input.name.as_str());
        match self.guess(name, names()) {
            Some(near) => wrong.near(near.to_owned()),
            None if inputs.is_empty() => {
                wrong.hint(format!("declare it: `inputs: {{{name}: {{type: string}}}}`"))
            }
            None => wrong.hint(format!("inputs are {}", listed(names()))),
        }
    }

    fn block(&self, path: &Path) -> Answer {
        let Some(name) = name_at(path, 0)? else {
            let hint = "write `blocks.id.outputs.stdout`, or another part of a block";
            return Err(Some(Wrong::new(0, "a block must be named after `blocks`".to_owned()).hint(hint)));
        };
        let Some(position) = self.names.get(name).copied() else { return Err(self.no_block(name)) };
        let outline = &self.blocks[position];
        let Some(word) = name_at(path, 1)? else {
            let wrong = Wrong::new(1, format!("what to read of `{name}` must be said"));
            return Err(Some(wrong.hint(format!("write `blocks.{name}.outputs.stdout`, or another part"))));
        };
        match word {
            "outputs" => block::output(path, position, outline),
            "inputs" => block::input(path, position, outline),
            "metadata" => block::metadata(path, position),
            _ => block::shorthand(path, position, outline),
        }
    }

    fn no_block(&self, name: &str) -> Option<Box<Wrong>> {
        let near = self.near_block(name, None);
        if near.is_none() && !self.is_complete {
            return None;
        }
        let mut wrong = Wrong::new(1, format!("no block is called `{name}`"));
        wrong.code = "unknown-block";
        match near.map(|position| &self.blocks[position]) {
            Some(block) => wrong.near = block.id.map(|id| (id.to_owned(), Some(block.place))),
            None => wrong.hint = Some(format!("blocks are {}", listed(self.ids()))),
        }
        Some(wrong)
    }
}

fn run_metadata(path: &Path) -> Answer {
    let name = name_at(path, 0)?;
    let Some(name) = name.filter(|name| RUN_METADATA.contains(name)) else {
        let word = name.unwrap_or_default();
        let wrong = match word {
            "" => Wrong::new(0, "a field must be named after `metadata`".to_owned()),
            word => Wrong::new(1, format!("a run has no `metadata.{word}`")),
        };
        return Err(Some(wrong.among(word, RUN_METADATA, "there are")));
    };
    no_parts(path, 1, if name == "start_time" { "a time" } else { "text" })?;
    unchanged(path)
}
