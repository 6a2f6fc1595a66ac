//! What there is before any text is read: the fields of the state, the steps and their names, the tasks.

use super::files::File;
use super::types::{self, Form};
use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, did_you_mean, listed};
use crate::text::{Node, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The steps that a workflow may have, those of its tasks included.
pub const STEPS_MAX: usize = 1_000;

/// Keys under which a step holds further steps.
pub(super) const BODIES: [&str; 4] = ["then", "else", "body", "steps"];

/// Everything that a text can name.
#[derive(Debug, Default)]
pub(super) struct World<'n> {
    /// The fields of each layer, by name, each where it is first written.
    pub(super) fields: BTreeMap<&'static str, BTreeMap<String, Spot>>,
    /// The tasks, in the order of files.
    pub(super) tasks: Vec<Task<'n>>,
    /// The names of all steps, by where the step stands.
    pub(super) ids: BTreeMap<*const Node, String>,
    /// The inputs of the workflow.
    pub(super) inputs: BTreeSet<String>,
    /// Whether what is not here may be somewhere that could not be read.
    pub(super) is_open: bool,
}

/// A place in one of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// The file.
    pub(super) file: usize,
    /// Where.
    pub(super) span: Span,
}

/// A task of sub-agents.
#[derive(Debug)]
pub(super) struct Task<'n> {
    /// Its name.
    pub(super) name: &'n str,
    /// Its mapping.
    pub(super) node: &'n Node,
    /// Where its name stands.
    pub(super) spot: Spot,
    /// The names of its inputs.
    pub(super) inputs: BTreeSet<&'n str>,
}

impl<'n> World<'n> {
    /// Adds a field.
    pub(super) fn field(&mut self, layer: &'static str, name: &str, spot: Spot) {
        self.fields.entry(layer).or_default().entry(name.to_owned()).or_insert(spot);
    }

    /// Whether a layer has a field.
    pub(super) fn has(&self, layer: &str, name: &str) -> bool {
        self.fields.get(layer).is_some_and(|fields| fields.contains_key(name))
    }

    /// The layers that have a field of this name, the one that is read first at the beginning.
    pub(super) fn layers_of(&self, name: &str) -> Vec<&'static str> {
        super::LAYERS.into_iter().filter(|layer| self.has(layer, name)).collect()
    }

    /// The names of all fields of a layer.
    pub(super) fn names<'w>(&'w self, layer: &str) -> impl Iterator<Item = &'w str> {
        self.fields.get(layer).into_iter().flat_map(|fields| fields.keys()).map(String::as_str)
    }

    /// The names of all fields.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.fields.values().flat_map(|fields| fields.keys()).map(String::as_str)
    }

    /// The task of a name.
    pub(super) fn task(&self, name: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.name == name)
    }
}

/// Looks through all files.
pub(super) struct Survey<'f, 's, 'n> {
    files: &'n [File],
    mistakes: &'f mut [Mistakes<'s>],
    world: World<'n>,
    taken: BTreeMap<String, Spot>,
    counts: BTreeMap<String, usize>,
    steps: usize,
    /// Steps without names of their own, and their files: they are given names when all others have theirs.
    nameless: Vec<(&'n Node, usize)>,
    file: usize,
}

/// Finds what there is.
pub(super) fn survey<'n>(files: &'n [File], mistakes: &mut [Mistakes<'_>]) -> World<'n> {
    let mut survey = Survey {
        files,
        mistakes,
        world: World::default(),
        taken: BTreeMap::new(),
        counts: BTreeMap::new(),
        steps: 0,
        nameless: Vec::new(),
        file: 0,
    };
    for (number, file) in files.iter().enumerate() {
        survey.file = number;
        survey.state(file.body());
        survey.tasks(file.body());
    }
    survey.all_steps();
    survey.world
}

impl<'n> Survey<'_, '_, 'n> {
    fn spot(&self, node: &Node) -> Spot {
        Spot { file: self.file, span: node.place() }
    }

    /// The fields that are declared.
    fn state(&mut self, body: &'n Node) {
        let under = |key: &str, layer: &str| body.get(key).and_then(|all| all.get(layer));
        for layer in ["computed", "raw", "state"] {
            for all in [under("state_schema", layer), under("default_state", layer)].into_iter().flatten() {
                for (name, key, _) in shape::unique(all) {
                    let spot = self.spot(key);
                    self.world.field(layer, name, spot);
                }
            }
        }
        if let Some(inputs) = body.get("inputs").filter(|_| self.file == 0) {
            self.world.inputs.extend(inputs.entries().map(|(name, ..)| name.to_owned()));
        }
        let errors = body.get("error_handling").and_then(|all| all.get("error_collection"));
        if let Some(path) = errors.and_then(|errors| errors.get("state_path")) {
            self.written(path);
        }
    }

    fn tasks(&mut self, body: &'n Node) {
        let Some(tasks) = body.get("sub_agent_tasks") else { return };
        for (name, key, node) in shape::unique(tasks) {
            let spot = self.spot(key);
            if let Some(hidden) = self.world.task(name).map(|task| self.world.tasks[task].spot) {
                let other = self.files[hidden.file].source.name.clone();
                self.mistakes[self.file].warn(|sheet| {
                    let message = format!("the task `{name}` is hidden by one of the same name in `{other}`");
                    sheet.warning("hidden-import", spot.span, message).hint("give one of them another name")
                });
                continue;
            }
            let inputs =
                node.get("inputs").into_iter().flat_map(|inputs| inputs.entries().map(|(name, ..)| name));
            self.world.tasks.push(Task { name, node, spot, inputs: inputs.collect() });
        }
    }

    /// The steps of everything, in the order in which names are given.
    fn all_steps(&mut self) {
        self.file = 0;
        let body = self.files[0].body();
        self.list(body.get("steps"), None);
        let handlers = body.get("error_handling").and_then(|errors| errors.get("on_failure"));
        self.list(handlers, None);
        self.list(body.get("on_high_context_usage").and_then(|usage| usage.get("steps")), None);
        for task in 0..self.world.tasks.len() {
            let Task { name, node, spot, .. } = self.world.tasks[task];
            self.file = spot.file;
            self.list(node.get("steps"), Some(name));
            let cleanup = node.get("error_handling").and_then(|errors| errors.get("cleanup_on_error"));
            self.list(cleanup, Some(name));
        }
        for (step, file) in std::mem::take(&mut self.nameless) {
            self.file = file;
            let name = self.made(step);
            self.world.ids.insert(std::ptr::from_ref(step), name);
        }
        if self.steps > STEPS_MAX {
            let count = self.steps;
            let place = body.entry("steps").map_or(body.place(), |(key, _)| key.place());
            self.mistakes[0].error(|sheet| {
                let message =
                    format!("the workflow has {count} steps, tasks included, and {STEPS_MAX} are allowed");
                let diagnostic = sheet.error("too-many-steps", place, message);
                diagnostic.hint("let a `foreach` repeat what is the same, or split it into several workflows")
            });
        }
    }

    fn list(&mut self, list: Option<&'n Node>, task: Option<&str>) {
        let Some(list) = list else { return };
        for step in list.items() {
            if step.as_map().is_none() {
                continue;
            }
            self.steps += 1;
            self.name(step, task);
            self.writes(step);
            for key in BODIES {
                self.list(step.get(key), task);
            }
        }
    }

    /// Gives a step its own name, if it has one.
    fn name(&mut self, step: &'n Node, task: Option<&str>) {
        let node = step.get("id").filter(|id| !id.is_null());
        match node.and_then(|node| Some((node, node.as_text()?))) {
            Some((node, id)) => {
                let id = self.own(node, id, task);
                self.world.ids.insert(std::ptr::from_ref(step), id);
            }
            None => self.nameless.push((step, self.file)),
        }
    }

    fn own(&mut self, node: &Node, id: &str, task: Option<&str>) -> String {
        check_id(&mut self.mistakes[self.file], id, node);
        let (spot, scope) = (self.spot(node), task.unwrap_or_default());
        let local = format!("{scope}\n{id}");
        let is_twice = self.taken.get(&local).copied();
        self.taken.insert(local, spot);
        if let Some(first) = is_twice.filter(|first| first.file == self.file) {
            let of = task.map_or(String::new(), |task| format!(" of the task `{task}`"));
            self.mistakes[self.file].error(|sheet| {
                sheet
                    .error("duplicate-id", spot.span, format!("two steps{of} are called `{id}`"))
                    .label("used again")
                    .related(first.span, "first used here")
            });
        }
        // A step of a task may have a name that the workflow uses as well: it is then called with its task.
        let with_task = |number: usize| match (task, number) {
            (None, _) => id.to_owned(),
            (Some(task), 1) => format!("{task}.{id}"),
            (Some(task), number) => format!("{task}.{id}.{number}"),
        };
        let mut name = id.to_owned();
        // Without a task it is a mistake, which is told.
        for number in (1..).take_while(|number| task.is_some() || *number == 1) {
            if !self.taken.contains_key(&name) {
                break;
            }
            name = with_task(number);
        }
        self.taken.insert(name.clone(), spot);
        name
    }

    fn made(&mut self, step: &Node) -> String {
        let kind = step.get("type").and_then(Node::as_text).unwrap_or("step").to_owned();
        let spot = self.spot(step);
        loop {
            let count = self.counts.entry(kind.clone()).or_default();
            *count += 1;
            let name = format!("{kind}_{count}");
            if !self.taken.contains_key(&name) {
                self.taken.insert(name.clone(), spot);
                return name;
            }
        }
    }

    /// The fields that a step writes.
    fn writes(&mut self, step: &'n Node) {
        let kind = step.get("type").and_then(Node::as_text);
        let paths = ["state_update", "error_state_update"]
            .map(|key| step.get(key).and_then(|update| update.get("path")));
        let own = step.get("path").filter(|_| kind == Some("state_update"));
        let collected = step.get("on_sub_agent_error").and_then(|errors| errors.get("error_state_path"));
        for path in paths.into_iter().chain([own, collected]).flatten() {
            self.written(path);
        }
        for update in step.get("updates").map(Node::items).unwrap_or_default() {
            if let Some(path) = update.get("path") {
                self.written(path);
            }
        }
        if kind == Some("parallel_foreach") && collects(step) && collected.is_none() {
            let spot = self.spot(step);
            self.world.field("raw", "sub_agent_errors", spot);
        }
    }

    fn written(&mut self, path: &'n Node) {
        let Some((layer, rest)) = path.as_text().and_then(|text| text.trim().split_once('.')) else { return };
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect();
        if let Some(layer) = ["raw", "state"].into_iter().find(|known| *known == layer)
            && !name.is_empty()
        {
            let spot = self.spot(path);
            self.world.field(layer, &name, spot);
        }
    }
}

/// Whether a `parallel_foreach` keeps the errors of its tasks.
pub(super) fn collects(step: &Node) -> bool {
    let rule = step.get("on_sub_agent_error");
    let said = |key: &str| rule.and_then(|rule| rule.get(key));
    said("collect_errors").map_or(said("error_state_path").is_some(), |flag| flag.as_bool() == Some(true))
}

fn check_id(mistakes: &mut Mistakes<'_>, id: &str, node: &Node) {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    let is_good = id.len() <= shape::NAME_CHARS_MAX
        && id.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        && id.bytes().all(inner);
    if !is_good {
        mistakes.error(|sheet| {
            let shown: String = id.chars().take(shape::NAME_CHARS_MAX).collect();
            sheet.error("bad-name", node.place(), format!("`{shown}` cannot be the id of a step")).hint(
                format!("an id has letters, digits, `_`, `-`, `.` and `:`, up to {}", shape::NAME_CHARS_MAX),
            )
        });
    }
}

/// The type of a step. One that is not known is taken for the nearest, so that the rest of the step is still checked.
pub(super) fn form(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<&'static Form> {
    let word = shape::text(mistakes, node, "the type of a step")?;
    if let Some(form) = types::named(word) {
        return Some(form);
    }
    let near = nearest(word, types::names()).or(types::meant(word));
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
