//! What the names in a piece of JavaScript mean at its place, and which values it must be given for them.

use super::reader::{Gives, Reader};
use super::world::World;
use crate::js::{self, Name, Script, Used};
use crate::mistakes::Place;
use crate::shape::{did_you_mean, listed};
use crate::text::Node;
use kernel::language::Path;
use kernel::plan::Expr;
use std::collections::BTreeSet;

/// What a step gave.
pub(super) const RESULT: &str = "result";

/// How many hints an agent reports to have applied.
pub(super) const APPLIED: &str = "applied_count";

/// What a piece of JavaScript is given.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// The values it reads.
    pub(super) reads: Vec<Path>,
    /// Values under names of its own.
    pub(super) given: Vec<(String, Expr)>,
}

impl Taken {
    fn read(&mut self, path: Path) {
        if !self.reads.contains(&path) {
            self.reads.push(path);
        }
    }

    fn give(&mut self, name: &str, value: Expr) {
        if self.given.iter().all(|(known, _)| known != name) {
            self.given.push((name.to_owned(), value));
        }
    }

    /// Takes what another piece takes.
    pub(super) fn join(&mut self, other: Taken) {
        other.reads.into_iter().for_each(|path| self.read(path));
        other.given.into_iter().for_each(|(name, value)| self.give(&name, value));
    }
}

impl<'n> Reader<'_, 'n> {
    /// Finds out what names mean; the script begins at `from` in the text of the node.
    pub(super) fn taken(&mut self, node: &'n Node, from: usize, script: &Script) -> Taken {
        let mut taken = Taken::default();
        if script.clock {
            taken.read(Path::of("now", &[]));
        }
        for name in &script.names {
            let place = Place { node, range: from + name.at.start..from + name.at.end };
            self.name(name, place, &mut taken);
        }
        taken
    }

    fn name(&mut self, name: &Name, place: Place<'n>, taken: &mut Taken) {
        let root = name.root.as_str();
        if name.used == Used::Written {
            return self.assigned(root, place);
        }
        if self.variable(name, taken) {
            return;
        }
        match root {
            "uuid" => taken.read(Path::of("seed", &[])),
            "Math" if name.key.as_deref() == Some("random") => self.random(place),
            "secrets" => self.misplaced_secret(name.key.as_deref(), place),
            "inputs" => self.input(name, place, taken),
            "raw" | "computed" | "state" | "included" => self.layer(name, place, taken),
            _ if js::is_global(root) => {}
            _ => self.field(name, place, taken),
        }
    }

    /// A variable of this place; whether it is one.
    fn variable(&mut self, name: &Name, taken: &mut Taken) -> bool {
        let root = name.root.as_str();
        match (root, self.site.gives) {
            (RESULT, Gives::Result) => taken.give(RESULT, result(&[RESULT])),
            (RESULT, Gives::Outputs) => taken.give(RESULT, result(&[])),
            (APPLIED, Gives::Result) if self.site.applies => taken.give(RESULT, result(&[RESULT])),
            ("error", _) if self.site.has_error => {
                let key = name.key.as_deref();
                taken.read(Path::of("error", key.as_slice()));
            }
            ("workflow_id", _) if !self.site.is_transform => taken.read(Path::of(root, &[])),
            ("task_id" | "batch_id", _) if self.site.task.is_some() => taken.read(Path::of(root, &[])),
            ("input", _) if self.site.is_transform => {}
            ("output", _) if self.site.is_validation => {}
            _ if self.site.variables.contains(root) => taken.read(Path::of(root, &[])),
            _ => return false,
        }
        true
    }

    /// An input of the workflow, or of the task.
    fn input(&mut self, name: &Name, place: Place<'n>, taken: &mut Taken) {
        let Some(key) = name.key.as_deref() else { return taken.read(Path::of("inputs", &[])) };
        let is_known = self.world.inputs.contains(key) || self.task_inputs().any(|input| input == key);
        if is_known || self.has_broken_inputs {
            return taken.read(Path::of("inputs", &[key]));
        }
        if name.used == Used::Asked {
            return;
        }
        let known: Vec<String> =
            self.world.inputs.iter().cloned().chain(self.task_inputs().map(str::to_owned)).collect();
        let near = self.guesses.nearest(key, known.iter().map(String::as_str)).map(str::to_owned);
        let owner = if self.site.task.is_some() { "the task or the workflow" } else { "the workflow" };
        let message = format!("no input of {owner} is called `{key}`");
        self.sheet().error(|sheet| {
            let diagnostic = sheet.error("unknown-input", sheet.locate(&place), message);
            match near {
                Some(near) => diagnostic.label(did_you_mean(&near)),
                None if known.is_empty() => {
                    diagnostic.hint(format!("declare it: `inputs: {{{key}: {{type: string}}}}`"))
                }
                None => diagnostic.hint(format!("inputs are {}", listed(known.iter().map(String::as_str)))),
            }
        });
    }

    /// A field of a layer that is named: `raw.files`.
    fn layer(&mut self, name: &Name, place: Place<'n>, taken: &mut Taken) {
        let root = name.root.as_str();
        if self.site.is_first {
            return self.too_early(root, place);
        }
        let Some(key) = name.key.as_deref() else { return taken.read(Path::of(root, &[])) };
        if self.world.has(root, key) || self.world.is_open || root == "included" && self.has_open_include {
            return taken.read(Path::of(root, &[key]));
        }
        if name.used == Used::Asked {
            return;
        }
        let nested = root == "state" && ["raw", "computed"].contains(&key);
        let near = self.guesses.nearest(key, self.world.names(root)).map(str::to_owned);
        let elsewhere = self.world.layers_of(key).first().copied();
        self.sheet().error(|sheet| {
            let message = format!("the state has no field `{root}.{key}`");
            let diagnostic = sheet.error("unknown-name", sheet.locate(&place), message);
            match (near, elsewhere) {
                _ if nested => diagnostic
                    .hint("a field is read by its bare name: `file_count`, not `state.raw.file_count`"),
                (_, Some(layer)) => diagnostic.label(did_you_mean(&format!("{layer}.{key}"))),
                (Some(near), _) => diagnostic.label(did_you_mean(&format!("{root}.{near}"))),
                (None, None) => diagnostic.hint(declare(key, root)),
            }
        });
    }

    /// A bare name: a field of whichever layer has it first, or something of the item.
    fn field(&mut self, name: &Name, place: Place<'n>, taken: &mut Taken) {
        let root = name.root.as_str();
        let is_known = !self.world.layers_of(root).is_empty();
        if self.site.is_first && is_known {
            return self.too_early(root, place);
        }
        let is_open = self.world.is_open || self.has_open_include;
        let is_elsewhere = self.site.elsewhere(root).is_some() || js::absent(root).is_some();
        if is_known || is_open && !self.site.is_first && !is_elsewhere {
            if self.site.is_transform {
                self.untriggered(root, &place);
            }
            return taken.read(Path::of(root, &[]));
        }
        if name.used == Used::Asked {
            return;
        }
        let near = self.near(root);
        if js::absent(root).is_none() && self.of_item(root, near.as_deref(), &place) {
            return taken.read(Path::of(root, &[]));
        }
        self.unknown(root, near, place);
    }

    /// The nearest name that means something here.
    fn near(&self, root: &str) -> Option<String> {
        let own = self.site.variables.iter().map(String::as_str).chain(self.task_inputs());
        let mut all: BTreeSet<&str> = self.world.all_names().chain(own).collect();
        if self.site.is_transform {
            all.insert("input");
        }
        let first = self.guesses.nearest(root, all.iter().copied()).map(str::to_owned);
        first.or_else(|| {
            let inputs = self.world.inputs.iter().map(String::as_str);
            let is_input = inputs.clone().any(|input| input == root);
            let near = if is_input { Some(root) } else { self.guesses.nearest(root, inputs) };
            near.map(|near| format!("inputs.{near}"))
        })
    }

    fn unknown(&mut self, root: &str, near: Option<String>, place: Place<'n>) {
        if !self.told.insert(format!("{}:{root}", self.file)) {
            return;
        }
        let (site, absent) = (self.site.elsewhere(root), js::absent(root));
        let is_first = self.site.is_first;
        self.sheet().error(|sheet| {
            let message = format!("nothing is called `{root}` here");
            let diagnostic = sheet.error("unknown-name", sheet.locate(&place), message);
            match (absent.or(site), near) {
                (Some(hint), _) => diagnostic.hint(hint),
                (None, Some(near)) => diagnostic.label(did_you_mean(&near)),
                (None, None) if is_first => {
                    diagnostic.hint("first values may read `inputs.name`, `now()` and `uuid()`")
                }
                (None, None) => diagnostic.hint(declare(root, "raw")),
            }
        });
    }

    /// A field of a layer is read before there is any state.
    fn too_early(&mut self, root: &str, place: Place<'n>) {
        let message = format!("first values cannot read the state, and `{root}` is part of it");
        self.sheet().error(|sheet| {
            let diagnostic = sheet.error("too-early", sheet.locate(&place), message);
            diagnostic.hint("read `inputs.name`, or let a computed field follow from it")
        });
    }

    /// Warns of a value that a transform reads, and whose change does not compute it anew.
    fn untriggered(&mut self, root: &str, place: &Place<'n>) {
        let triggers = &self.site.from;
        let layers = self.world.layers_of(root);
        if layers.iter().any(|layer| triggers.contains(&format!("{layer}.{root}"))) {
            return;
        }
        let Some(field) = layers.first().map(|layer| format!("{layer}.{root}")) else { return };
        if !self.told.insert(format!("from {field} {:?}", self.site.field)) {
            return;
        }
        let message = format!("`{root}` is read, and a change of it alone does not compute this field anew");
        self.sheet().warn(|sheet| {
            let diagnostic = sheet.warning("not-in-from", sheet.locate(place), message);
            diagnostic.hint(format!("add it to `from`: `from: [..., {field}]`, and read it as `input[n]`"))
        });
    }

    /// A name that nothing else means, where there is an item: a field of that. Whether it can be one. What items have is
    /// only known when they are there, so a name that is like another is a doubt and no mistake.
    fn of_item(&mut self, root: &str, near: Option<&str>, place: &Place<'n>) -> bool {
        if !self.site.variables.contains("item") {
            return false;
        }
        let task = self.site.task.map(|task| self.world.tasks[task].name);
        if self.told.insert(format!("item {task:?} {root}")) {
            let message = format!("`{root}` is taken to be a field of the item");
            self.sheet().warn(|sheet| {
                let diagnostic = sheet.warning("item-field", sheet.locate(place), message);
                let diagnostic = match near {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None => diagnostic,
                };
                diagnostic.hint(match task {
                    Some(_) => {
                        format!("write `item.{root}`, or declare it: `inputs: {{{root}: {{type: string}}}}`")
                    }
                    None => format!("write `item.{root}`"),
                })
            });
        }
        true
    }

    fn assigned(&mut self, root: &str, place: Place<'n>) {
        let message = format!("`{root}` is given a value, and nothing here declares it");
        self.sheet().error(|sheet| {
            let diagnostic = sheet.error("assignment", sheet.locate(&place), message);
            diagnostic.hint(format!(
                "a name of its own is declared (`const {root} = ...`); the state is changed by steps, `===` compares"
            ))
        });
    }

    fn random(&mut self, place: Place<'n>) {
        let message = "`Math.random` would give something else each time, and what has happened could not be told again";
        self.sheet().error(|sheet| {
            let diagnostic = sheet.error("not-repeatable", sheet.locate(&place), message);
            diagnostic.hint("`uuid()` gives a value of its own that is recorded")
        });
    }

    /// The inputs of the task that is read.
    fn task_inputs(&self) -> impl Iterator<Item = &str> + '_ {
        let task = self.site.task.and_then(|task| self.world.tasks.get(task));
        task.into_iter().flat_map(|task| task.inputs.iter().copied())
    }
}

/// How a field is declared.
fn declare(name: &str, layer: &str) -> String {
    match layer {
        "computed" => {
            format!("declare it: `state_schema: {{computed: {{{name}: {{from: ..., transform: ...}}}}}}`")
        }
        "included" => "`included` has what included workflows computed".to_owned(),
        layer => format!(
            "declare it: `state_schema: {{{layer}: {{{name}: string}}}}`, or give it a first value in `default_state`"
        ),
    }
}

/// What a step gave, or a part of it.
pub(super) fn result(keys: &[&str]) -> Expr {
    Expr::Optional(Path::of(RESULT, keys))
}

impl World<'_> {
    /// The layers of fields that can be read by a bare name and have it twice.
    pub(super) fn collisions(&self) -> Vec<(String, Vec<&'static str>)> {
        let names: BTreeSet<&str> = self.all_names().collect();
        let twice = names.into_iter().map(|name| (name.to_owned(), self.layers_of(name)));
        twice.filter(|(_, layers)| layers.len() > 1).collect()
    }
}
