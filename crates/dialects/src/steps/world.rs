//! What there is before any text is read: the units, their steps, and the names that these have and give.

use super::head::{description, flag, start_of};
use super::inputs;
use super::types::{self, Form};
use crate::mistakes::Mistakes;
use crate::near::Guesses;
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::text::{Node, Span};
use kernel::plan::{Input, Place};
use std::collections::{BTreeMap, BTreeSet};

/// The steps that a workflow may have, those of its tasks included.
pub const STEPS_MAX: usize = 1_000;

const TASK: Shape = Shape {
    has_no: "a task has no key",
    keys: &["description", "inputs", "initial_state", "steps"],
    elsewhere: &[
        ("name", "a task is called by its key"),
        ("version", "it belongs to the workflow"),
        ("tasks", "tasks stand beside each other, under the `tasks` of the workflow"),
        ("agent", "it belongs to the step of type `foreach` that uses the task"),
    ],
};

/// The workflow, its tasks, and what all of them share.
#[derive(Debug)]
pub(super) struct World<'n> {
    /// The workflow, then its tasks in the order written.
    pub(super) units: Vec<Unit<'n>>,
    /// Unit by the name of the task.
    pub(super) tasks: BTreeMap<&'n str, usize>,
    /// Whether all tasks could be read, so that a name that is not there is a mistake of its own.
    pub(super) has_all_tasks: bool,
    /// Searches for near names.
    pub(super) guesses: Guesses,
}

/// A workflow or a task.
#[derive(Debug)]
pub(super) struct Unit<'n> {
    /// The name of the task, where it is one.
    pub(super) task: Option<(&'n str, Span)>,
    /// Its mapping.
    pub(super) node: &'n Node,
    /// What it is for.
    pub(super) description: String,
    /// Its inputs; nothing if they could not be read.
    pub(super) inputs: Option<Vec<Input>>,
    /// Its steps, each before those that stand in it.
    pub(super) steps: Vec<Outline<'n>>,
    /// The bodies: the steps of each, and the body around it. The first one is that of the unit.
    pub(super) bodies: Vec<(Vec<usize>, Option<u32>)>,
    /// Step by name; of two of one name the first.
    pub(super) names: BTreeMap<&'n str, usize>,
    /// The fields of the state that something gives a value.
    pub(super) fields: BTreeSet<&'n str>,
    /// Whether every step has a name, so that a name that is not there is a mistake of its own.
    pub(super) is_complete: bool,
}

/// A step as far as others may mean it.
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
    pub(super) form: Option<&'static Form>,
    /// Where it stands.
    pub(super) at: Place,
    /// The bodies that stand in it: `then` and `else`.
    pub(super) below: [Option<u32>; 2],
    /// The fields that it may read, each where it is written.
    pub(super) needs: BTreeMap<&'n str, Span>,
}

impl<'n> World<'n> {
    /// Reads the outlines and reports what is wrong with them.
    pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &'n Node) -> Self {
        let mut world = World {
            units: vec![Unit::read(mistakes, workflow, None)],
            tasks: BTreeMap::new(),
            has_all_tasks: true,
            guesses: Guesses::new(),
        };
        world.read_tasks(mistakes, workflow);
        let count: usize = world.units.iter().map(|unit| unit.steps.len()).sum();
        if count > STEPS_MAX {
            let place = workflow.entry("steps").map_or(start_of(workflow), |(key, _)| key.place());
            let message =
                format!("the workflow has {count} steps, tasks included, and {STEPS_MAX} are allowed");
            mistakes.error(|sheet| {
                let diagnostic = sheet.error("too-many-steps", place, message);
                diagnostic.hint("let a `foreach` repeat what is the same, or split it into several workflows")
            });
            world.units.iter_mut().for_each(|unit| unit.bodies.clear());
        }
        world
    }

    fn read_tasks(&mut self, mistakes: &mut Mistakes<'_>, workflow: &'n Node) {
        let Some(tasks) = workflow.get("tasks") else { return };
        let hint = "name each task: `tasks: {analyze: {steps: [...]}}`";
        if !shape::is_map(mistakes, tasks, "`tasks`", hint) {
            self.has_all_tasks = false;
            return;
        }
        for (name, key, node) in shape::unique(tasks) {
            shape::check_name(mistakes, name, key, "the name of a task");
            let hint = format!("write `{name}: {{steps: [...]}}`");
            if node.as_map().is_none() {
                shape::wrong_kind(mistakes, node, &format!("the task `{name}`"), "a mapping", &hint);
                self.has_all_tasks = false;
                continue;
            }
            shape::check_keys(mistakes, node, &TASK);
            self.tasks.insert(name, self.units.len());
            self.units.push(Unit::read(mistakes, node, Some((name, key.place()))));
        }
    }
}

impl<'n> Unit<'n> {
    fn read(mistakes: &mut Mistakes<'_>, node: &'n Node, task: Option<(&'n str, Span)>) -> Self {
        let mut unit = Unit {
            task,
            node,
            description: description(mistakes, node),
            inputs: inputs::read(mistakes, node),
            steps: Vec::new(),
            bodies: Vec::new(),
            names: BTreeMap::new(),
            fields: BTreeSet::new(),
            is_complete: true,
        };
        if let Some(state) = node.get("initial_state") {
            unit.fields.extend(state.entries().map(|(name, ..)| name));
        }
        match unit.list(mistakes) {
            Some(items) => drop(unit.body(mistakes, items, None)),
            None => unit.is_complete = false,
        }
        unit
    }

    /// How a person is told of it.
    pub(super) fn called(&self) -> String {
        self.task.map_or_else(|| "the workflow".to_owned(), |(name, _)| format!("the task `{name}`"))
    }

    /// Its list of steps, if there is one that can be read.
    fn list(&self, mistakes: &mut Mistakes<'_>) -> Option<&'n [Node]> {
        const HINT: &str = "begin with one: `- {id: hello, type: shell, command: echo hello}`";
        let owner = self.called();
        let Some((key, node)) = self.node.entry("steps") else {
            let place = self.task.map_or_else(|| start_of(self.node), |(_, place)| place);
            shape::missing(mistakes, place, &owner, "steps", HINT);
            return None;
        };
        if node.as_list().is_none() && !node.is_null() {
            shape::wrong_kind(mistakes, node, "`steps`", "a list", HINT);
            return None;
        }
        if node.items().is_empty() {
            mistakes.error(|sheet| {
                sheet.error("no-steps", key.place(), format!("{owner} has no steps")).hint(HINT)
            });
            return None;
        }
        node.as_list()
    }

    /// Takes the steps of a body, and those that stand in them.
    fn body(&mut self, mistakes: &mut Mistakes<'_>, items: &'n [Node], around: Option<u32>) -> u32 {
        let body = u32::try_from(self.bodies.len()).expect("BUG: more bodies than nodes");
        self.bodies.push((Vec::new(), around));
        for node in items {
            if node.as_map().is_none() {
                let hint = "write `{id: hello, type: shell, command: echo hello}`";
                shape::wrong_kind(mistakes, node, "a step", "a mapping", hint);
                self.is_complete = false;
                continue;
            }
            let (inside, step) = (&mut self.bodies[body as usize].0, self.steps.len());
            let position = u32::try_from(inside.len()).expect("BUG: more steps than nodes");
            inside.push(step);
            let outline = outline(mistakes, node, step + 1, Place { body, position });
            self.name(mistakes, &outline);
            self.fields.extend(given(&outline));
            let has_bodies = outline.form.is_none_or(|form| form.has_bodies);
            self.steps.push(outline);
            if has_bodies {
                self.steps[step].below = ["then", "else"].map(|key| {
                    let items = node.get(key).and_then(Node::as_list)?;
                    Some(self.body(mistakes, items, Some(body)))
                });
            }
        }
        body
    }

    fn name(&mut self, mistakes: &mut Mistakes<'_>, step: &Outline<'n>) {
        let Some(id) = step.id else {
            self.is_complete = false;
            return;
        };
        if let Some(first) = self.names.get(id) {
            let first = self.steps[*first].place;
            let owner = if self.task.is_some() { self.called() } else { String::new() };
            mistakes.error(|sheet| {
                let of = if owner.is_empty() { String::new() } else { format!(" of {owner}") };
                sheet
                    .error("duplicate-id", step.place, format!("two steps{of} are called {}", step.name))
                    .label("used again")
                    .related(first, "first used here")
            });
        } else {
            self.names.insert(id, self.steps.len());
        }
    }
}

fn outline<'n>(mistakes: &mut Mistakes<'_>, node: &'n Node, number: usize, at: Place) -> Outline<'n> {
    let id_node = node.get("id").filter(|node| !node.is_null());
    let id = id_node.and_then(Node::as_text);
    match (id_node, id) {
        (Some(node), Some(id)) => shape::check_name(mistakes, id, node, "the id of a step"),
        (Some(node), None) => shape::wrong_kind(mistakes, node, "the id of a step", "text", ""),
        _ => {}
    }
    Outline {
        node,
        id,
        place: id_node.map_or_else(|| start_of(node), Node::place),
        name: id.map_or_else(|| format!("step {number}"), |id| format!("`{id}`")),
        form: node.get("type").filter(|node| !node.is_null()).and_then(|node| read_form(mistakes, node)),
        at,
        below: [None, None],
        needs: needs(mistakes, node),
    }
}

/// A type that is not known is taken for the nearest one, so that the rest of the step is still checked.
fn read_form(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<&'static Form> {
    let word = shape::text(mistakes, node, "the type of a step")?;
    if let Some(form) = types::named(word) {
        return Some(form);
    }
    let near = crate::near::nearest(word, types::words());
    mistakes.error(|sheet| {
        let diagnostic =
            sheet.error("unknown-type", node.place(), format!("no step type is called `{word}`"));
        match near {
            Some(near) => diagnostic.label(did_you_mean(near)),
            None => diagnostic.hint(format!("types are {}", listed(types::names()))),
        }
    });
    near.and_then(types::named)
}

/// The fields that a step says it reads.
fn needs<'n>(mistakes: &mut Mistakes<'_>, node: &'n Node) -> BTreeMap<&'n str, Span> {
    const HINT: &str = "name the fields of the state that it reads: `needs_state: [build_output]`";
    let Some(needs) = node.get("needs_state").filter(|node| !node.is_null()) else { return BTreeMap::new() };
    let Some(items) = needs.as_list() else {
        shape::wrong_kind(mistakes, needs, "`needs_state`", "a list of fields", HINT);
        return needs.as_string().map(|field| (field, needs.place())).into_iter().collect();
    };
    let mut fields = BTreeMap::new();
    for item in items {
        let Some(field) = shape::text(mistakes, item, "a field of the state") else { continue };
        // What was meant is declared, so that reading it is no second mistake.
        let bare = field.strip_prefix("state.").unwrap_or(field).split('.').next().unwrap_or_default();
        check_field(mistakes, field, item);
        fields.entry(bare).or_insert(item.place());
    }
    fields
}

/// Reports what cannot be the name of a field.
pub(super) fn check_field(mistakes: &mut Mistakes<'_>, field: &str, node: &Node) {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let begins = field.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if begins && field.bytes().all(inner) && field.len() <= shape::NAME_CHARS_MAX {
        return;
    }
    let shown: String = field.chars().take(shape::NAME_CHARS_MAX).collect();
    let (bare, _) = shown.strip_prefix("state.").unwrap_or(&shown).split_once('.').unwrap_or_default();
    let hint = match shown.strip_prefix("state.") {
        Some(bare) if !bare.contains('.') => format!("write `{bare}`"),
        _ if !bare.is_empty() => format!("a field is named as a whole: `{bare}`"),
        _ => "a field begins with a letter or `_` and goes on with letters, digits, `_` and `-`, up to 64"
            .to_owned(),
    };
    mistakes.error(|sheet| {
        sheet.error("bad-name", node.place(), format!("`{shown}` cannot be a field of the state")).hint(hint)
    });
}

/// The fields that a step gives a value.
fn given<'n>(step: &Outline<'n>) -> Vec<&'n str> {
    let output = step.node.get("output_to").and_then(Node::as_text);
    let updates =
        step.node.get("updates").into_iter().flat_map(|updates| updates.entries().map(|(name, ..)| name));
    output.into_iter().chain(updates).collect()
}

impl Outline<'_> {
    /// Reads a truth value of it.
    pub(super) fn flag(&self, mistakes: &mut Mistakes<'_>, key: &str) -> bool {
        self.node.get(key).filter(|node| !node.is_null()).is_some_and(|node| flag(mistakes, node, key))
    }
}
