//! What texts read, held against what there is: fields that a step declares, inputs, the item of a task.

use super::output::RESULT;
use super::reader::{At, Reader};
use crate::jinja::{Read, Reads};
use crate::mistakes::Place;
use crate::secrets::ROOT;
use crate::shape::{did_you_mean, listed};
use crate::text::Node;
use kernel::language::Path;
use std::collections::BTreeSet;
use std::ops::Range;

/// Names that are there everywhere.
const ROOTS: [&str; 3] = ["state", "inputs", "now"];

/// Functions of the evaluator, and words that it gives a meaning of its own.
const FUNCTIONS: [&str; 14] = [
    "range",
    "dict",
    "lipsum",
    "cycler",
    "joiner",
    "namespace",
    "debug",
    "regex_search",
    "regex_findall",
    "regex_replace",
    "loop",
    "self",
    "caller",
    "super",
];

impl<'n> Reader<'_, 'n> {
    /// The paths that a text reads, each once; what it may not read is reported.
    pub(super) fn names(&mut self, found: &Reads, node: &'n Node, at: At) -> Vec<Path> {
        for (name, range) in
            found.bound.iter().filter(|(name, _)| ["state", "inputs"].contains(&name.as_str()))
        {
            let place = Place { node, range: range.clone() };
            self.mistakes.error(|sheet| {
                let message = format!("`{name}` cannot be given another meaning");
                sheet.error("shadowed-name", sheet.locate(&place), message).hint("choose another name")
            });
        }
        let bound = found.bound();
        let mut paths = BTreeSet::new();
        for read in &found.names {
            let place = Place { node, range: read.at.clone() };
            paths.extend(self.name(read, place, &bound, at));
        }
        paths.into_iter().collect()
    }

    /// Expressions read whole fields: what is below them is the evaluator's affair.
    fn name(&mut self, read: &Read, place: Place<'n>, bound: &BTreeSet<&str>, at: At) -> Option<Path> {
        let root = read.root.as_str();
        match (root, read.field.as_deref()) {
            ("state", Some(field)) => {
                self.field(field, place, at);
                Some(Path::of("state", &[field]))
            }
            ("inputs", Some(name)) => {
                self.input(name, place, at);
                Some(Path::of("inputs", &[name]))
            }
            ("state" | "inputs" | "now", _) => Some(Path::of(root, &[])),
            (RESULT, _) if self.checks => None,
            ("item", _) if self.unit(at).task.is_some() => Some(Path::of(root, &[])),
            _ if self.earlier.contains(root) => Some(Path::of(root, &[])),
            (ROOT, field) if !bound.contains(root) => {
                self.misplaced_secret(field, place);
                None
            }
            _ if bound.contains(root) || FUNCTIONS.contains(&root) || read.is_guarded => None,
            ("item", _) => {
                self.no_item(place, read.at.start);
                None
            }
            _ => {
                self.unknown(root, place, at);
                None
            }
        }
    }

    /// A field of the state that a step reads: declared, or told.
    fn field(&mut self, field: &str, place: Place<'n>, at: At) {
        if self.outline(at).needs.contains_key(field) || self.inferred.contains(field) {
            return;
        }
        if self.head.infers {
            self.inferred.insert(field.to_owned());
            let name = self.outline(at).name.clone();
            self.mistakes.warn(|sheet| {
                let message =
                    format!("step {name} reads `state.{field}`, which its needs_state does not name");
                let diagnostic = sheet.warning("inferred-state", sheet.locate(&place), message);
                diagnostic.label("allowed by `infer_needs_state`")
            });
            return;
        }
        if !self.told.insert(format!("state.{field}")) {
            return;
        }
        let outline = self.outline(at);
        let (name, needs) =
            (outline.name.clone(), outline.node.entry("needs_state").map(|(key, _)| key.place()));
        let is_of_workflow = at.unit > 0
            && !self.unit(at).fields.contains(field)
            && self.world.units[0].fields.contains(field);
        self.mistakes.error(|sheet| {
            let message =
                format!("State access violation: step {name} reads `state.{field}`, which its needs_state does not name");
            let diagnostic = sheet.error("undeclared-state", sheet.locate(&place), message);
            let diagnostic = match needs {
                Some(key) => {
                    diagnostic.label(format!("add `{field}` to needs_state of {name} (line {})", sheet.line(key)))
                }
                None => diagnostic.label(format!("declare it: `needs_state: [{field}]`")),
            };
            match is_of_workflow {
                true => diagnostic.hint(
                    "a task has a state of its own: what it needs of the workflow's comes with its item",
                ),
                false => diagnostic,
            }
        });
    }

    fn input(&mut self, name: &str, place: Place<'n>, at: At) {
        let unit = &self.world.units[at.unit];
        let Some(inputs) = &unit.inputs else { return };
        if inputs.iter().any(|input| input.name == name) {
            return;
        }
        let (owner, guesses) = (unit.called(), &self.world.guesses);
        self.mistakes.error(|sheet| {
            let names = || inputs.iter().map(|input| input.name.as_str());
            let message = format!("{owner} has no input called `{name}`");
            let diagnostic = sheet.error("unknown-input", sheet.locate(&place), message);
            match guesses.nearest(name, names()) {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None if inputs.is_empty() => {
                    diagnostic.hint(format!("declare it: `inputs: {{{name}: {{type: string}}}}`"))
                }
                None => diagnostic.hint(format!("inputs are {}", listed(names()))),
            }
        });
    }

    fn no_item(&mut self, place: Place<'n>, from: usize) {
        let place = Place { range: from..from + "item".len(), ..place };
        self.mistakes.error(|sheet| {
            let message = "`item` is there only in tasks";
            let diagnostic = sheet.error("unknown-name", sheet.locate(&place), message);
            diagnostic.hint("it is what a `foreach` gives to the task that it runs")
        });
    }

    /// A name that nobody knows is only doubtful: no text is evaluated here.
    fn unknown(&mut self, name: &str, place: Place<'n>, at: At) {
        if !self.told.insert(name.to_owned()) {
            return;
        }
        let place = narrowed(place, name.len());
        let unit = &self.world.units[at.unit];
        let is_field = unit.fields.contains(name);
        let is_input = unit.inputs.iter().flatten().any(|input| input.name == name);
        self.mistakes.warn(|sheet| {
            let message = format!("nothing is called `{name}` here");
            let diagnostic = sheet.warning("unknown-name", sheet.locate(&place), message);
            match (is_field, is_input) {
                (true, _) => diagnostic.label(did_you_mean(&format!("state.{name}"))),
                (_, true) => diagnostic.label(did_you_mean(&format!("inputs.{name}"))),
                _ => match crate::near::nearest(name, ROOTS.into_iter().chain(FUNCTIONS)) {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None => diagnostic.hint("there are `state`, `inputs`, in a task `item`, and `now()`"),
                },
            }
        });
    }

    /// Fields that steps declare and nothing gives a value: mostly a slip of the pen.
    pub(super) fn unwritten(&mut self, unit: usize) {
        let unit = &self.world.units[unit];
        for outline in &unit.steps {
            for (field, span) in outline.needs.iter().filter(|(field, _)| !unit.fields.contains(**field)) {
                let (owner, guesses) = (unit.called(), &self.world.guesses);
                self.mistakes.warn(|sheet| {
                    let message = format!("nothing in {owner} gives `{field}` a value");
                    let diagnostic = sheet.warning("unknown-field", *span, message);
                    match guesses.nearest(field, unit.fields.iter().copied()) {
                        Some(near) => diagnostic.label(did_you_mean(near)),
                        None => diagnostic
                            .hint("fields come from `initial_state`, from `output_to` and from `updates`"),
                    }
                });
            }
        }
    }
}

fn narrowed(place: Place<'_>, length: usize) -> Place<'_> {
    let range: Range<usize> = place.range.start..place.range.start + length;
    Place { range, ..place }
}
