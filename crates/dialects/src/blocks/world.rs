//! What there is to refer to: the inputs and the blocks, known before any reference is read.

use super::call::Call;
use super::inputs;
use super::types::{self, Form};
use crate::mistakes::Mistakes;
use crate::near::{Guesses, nearest};
use crate::secrets::Secrets;
use crate::shape::{self, did_you_mean, listed};
use crate::text::{Node, Span};
use kernel::plan::Input;
use std::collections::{BTreeMap, BTreeSet};

/// The blocks a workflow may have.
pub(super) const BLOCKS_MAX: usize = 10_000;

/// The inputs and blocks of a workflow.
#[derive(Debug)]
pub(super) struct World<'n> {
    /// The inputs in order; nothing if they could not be read.
    pub(super) inputs: Option<Vec<Input>>,
    /// Input by name.
    pub(super) input_names: BTreeMap<String, usize>,
    /// The secrets.
    pub(super) secrets: Secrets<'n>,
    /// The blocks in order.
    pub(super) blocks: Vec<Outline<'n>>,
    /// Block by name; of two blocks of one name the first.
    pub(super) names: BTreeMap<&'n str, usize>,
    /// Whether every block has a name, so that a name that is not there is a mistake of its own.
    pub(super) is_complete: bool,
    /// What is left for further searches.
    guesses: Guesses,
}

/// A block as far as others may refer to it.
#[derive(Debug)]
pub(super) struct Outline<'n> {
    /// Its mapping.
    pub(super) node: &'n Node,
    /// Its id, if it has one.
    pub(super) id: Option<&'n str>,
    /// Where it is pointed at: its id, or else its beginning.
    pub(super) place: Span,
    /// How a person is told of it: its id in backticks, or its number.
    pub(super) name: String,
    /// Its type, as far as that is known.
    pub(super) kind: Option<&'static Form>,
    /// The names of its named values: the variables of an `env`, or of a template.
    pub(super) named: BTreeSet<&'n str>,
    /// What it gives beside what all blocks of its type give.
    pub(super) gives: BTreeSet<&'n str>,
    /// The workflow that it calls, if it calls one.
    pub(super) call: Option<Call>,
}

impl Outline<'_> {
    /// How a person is told of it and its type: the id in backticks, or its number.
    pub(super) fn called(&self, kind: &str) -> String {
        match self.id {
            Some(_) => format!("the {kind} block {}", self.name),
            None => format!("{} ({kind})", self.name),
        }
    }

    /// Whether it is done for each item of a list.
    pub(super) fn has_items(&self) -> bool {
        self.node.get("for_each").is_some()
    }

    /// Whether it gives an output of this name, as far as that is known.
    pub(super) fn may_give(&self, name: &str) -> bool {
        match &self.call {
            Some(call) => call.outputs().is_none_or(|mut outputs| outputs.any(|output| output == name)),
            None => self.kind.is_none() || self.output_names().contains(&name),
        }
    }

    /// Whether it is known to give an output of this name.
    pub(super) fn is_known_to_give(&self, name: &str) -> bool {
        let called = self.call.as_ref().and_then(|call| call.outputs());
        self.output_names().contains(&name) || called.is_some_and(|mut all| all.any(|output| output == name))
    }

    /// The names of what it gives, as far as they are known.
    pub(super) fn output_names(&self) -> Vec<&str> {
        let of_its_type = self.kind.map(Form::outputs).unwrap_or_default().iter();
        of_its_type.map(|(name, _)| *name).chain(self.gives.iter().map(|name| &**name)).collect()
    }
}

impl<'n> World<'n> {
    /// Reads the outlines and reports what is wrong with them.
    pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &'n Node) -> Self {
        let inputs = inputs::read(mistakes, workflow);
        let named = inputs.iter().flatten().zip(0..).map(|(input, position)| (input.name.clone(), position));
        let input_names = named.collect();
        let mut world = World {
            secrets: Secrets::read(mistakes, workflow),
            input_names,
            inputs,
            blocks: Vec::new(),
            names: BTreeMap::new(),
            is_complete: true,
            guesses: Guesses::new(),
        };
        match items(mistakes, workflow) {
            Some(items) => world.read_blocks(mistakes, items),
            None => world.is_complete = false,
        }
        world
    }

    fn read_blocks(&mut self, mistakes: &mut Mistakes<'_>, items: &'n [Node]) {
        for (node, number) in items.iter().zip(1..) {
            let Some(block) = outline(mistakes, node, number) else {
                self.is_complete = false;
                continue;
            };
            let position = self.blocks.len();
            match block.id {
                None => self.is_complete = false,
                Some(id) => match self.names.get(id) {
                    None => drop(self.names.insert(id, position)),
                    Some(first) => duplicate(mistakes, &block, &self.blocks[*first]),
                },
            }
            self.blocks.push(block);
        }
    }

    /// Returns the ids of the blocks, in order, each once.
    pub(super) fn ids(&self) -> impl Iterator<Item = &'n str> {
        let first =
            |(position, id): &(usize, &'n str)| self.names.get(id).is_none_or(|known| known == position);
        let ids = self.blocks.iter().enumerate().filter_map(|(position, block)| Some((position, block.id?)));
        ids.filter(first).map(|(_, id)| id).collect::<Vec<_>>().into_iter()
    }

    /// Returns the block nearest to a name, other than one.
    pub(super) fn near_block(&self, name: &str, other_than: Option<usize>) -> Option<usize> {
        let names = self.names.iter().filter(|(_, position)| Some(**position) != other_than);
        let near = self.guess(name, names.map(|(id, _)| *id))?;
        self.names.get(near).copied()
    }

    /// Returns the nearest of many names, while there is something left to search with.
    pub(super) fn guess<'w>(&self, word: &str, names: impl Iterator<Item = &'w str>) -> Option<&'w str> {
        self.guesses.nearest(word, names)
    }
}

/// The list of blocks, if there is one that can be read.
fn items<'n>(mistakes: &mut Mistakes<'_>, workflow: &'n Node) -> Option<&'n [Node]> {
    const HINT: &str = "begin with one: `- {id: hello, type: Shell, inputs: {command: echo hello}}`";
    let Some((key, node)) = workflow.entry("blocks") else {
        shape::missing(mistakes, start_of(workflow), "the workflow", "blocks", HINT);
        return None;
    };
    let items = node.as_list();
    let count = items.map_or(0, <[Node]>::len);
    if items.is_none() && !node.is_null() {
        shape::wrong_kind(mistakes, node, "`blocks`", "a list", HINT);
        return None;
    }
    if count == 0 {
        mistakes
            .error(|sheet| sheet.error("no-blocks", key.place(), "the workflow has no blocks").hint(HINT));
    }
    if count > BLOCKS_MAX {
        let message = format!("the workflow has {count} blocks, and {BLOCKS_MAX} are allowed");
        mistakes.error(|sheet| sheet.error("too-many-blocks", key.place(), message));
    }
    items.filter(|items| (1..=BLOCKS_MAX).contains(&items.len()))
}

fn outline<'n>(mistakes: &mut Mistakes<'_>, node: &'n Node, number: usize) -> Option<Outline<'n>> {
    if node.as_map().is_none() {
        let hint = "write `{id: hello, type: Shell, inputs: {command: echo hello}}`";
        shape::wrong_kind(mistakes, node, "a block", "a mapping", hint);
        return None;
    }
    let id_node = node.get("id").filter(|node| !node.is_null());
    let id = id_node.and_then(Node::as_text);
    match (id_node, id) {
        (Some(node), Some(id)) => shape::check_name(mistakes, id, node, "the id of a block"),
        (Some(node), None) => shape::wrong_kind(mistakes, node, "the id of a block", "text", ""),
        _ => {}
    }
    let kind = node.get("type").and_then(|node| read_kind(mistakes, node));
    let kind = kind.map(|kind| types::as_given(kind, node.get("inputs")));
    let values = kind.map_or(Some("env"), |kind| kind.named_values);
    let named = node.get("inputs").and_then(|inputs| inputs.get(values?));
    Some(Outline {
        node,
        id,
        place: id_node.map_or_else(|| start_of(node), Node::place),
        name: id.map_or_else(|| format!("block {number}"), |id| format!("`{id}`")),
        kind,
        named: named.into_iter().flat_map(names_of).collect(),
        gives: members(node, kind).into_iter().flat_map(names_of).collect(),
        call: None,
    })
}

/// What the schema of a block names at its top.
fn members<'n>(node: &'n Node, kind: Option<&'static Form>) -> Option<&'n Node> {
    node.get("inputs")?.get(kind?.schema()?)?.get("properties")
}

fn names_of(map: &Node) -> impl Iterator<Item = &str> {
    map.entries().map(|(text, ..)| text)
}

/// A type that is not known is taken for the nearest one, so that the block's inputs are still checked.
fn read_kind(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<&'static Form> {
    let word = shape::text(mistakes, node, "the type of a block")?;
    if let Some(kind) = types::named(word) {
        return Some(kind);
    }
    let near = nearest(word, types::names());
    mistakes.error(|sheet| {
        let diagnostic =
            sheet.error("unknown-type", node.place(), format!("no block type is called `{word}`"));
        let known = listed(types::names());
        match near {
            Some(near) => diagnostic.label(did_you_mean(near)),
            None => diagnostic.hint(format!("this version has {known}")),
        }
    });
    near.and_then(types::named)
}

fn duplicate(mistakes: &mut Mistakes<'_>, again: &Outline<'_>, first: &Outline<'_>) {
    mistakes.error(|sheet| {
        sheet
            .error("duplicate-id", again.place, format!("two blocks are called {}", again.name))
            .label("used again")
            .related(first.place, "first used here")
    });
}

/// Where something that is missing in a mapping should be: its first key.
pub(super) fn start_of(map: &Node) -> Span {
    let first = map.as_map().and_then(|entries| entries.first());
    first.map_or(map.place(), |(key, _)| map.alias.unwrap_or(key.place()))
}
