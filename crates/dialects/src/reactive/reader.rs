//! Reads a definition, file by file: what it is at, what it has made so far, and what is wrong.

use super::failure::Unhandled;
use super::files::{File, Files};
use super::head::Head;
use super::include::Meant;
use super::types::Form;
use super::world::{self, World};
use crate::known::Known;
use crate::mistakes::Mistakes;
use crate::near::Guesses;
use crate::read::{HandOut, Read};
use crate::secrets::Secrets;
use crate::shape;
use crate::text::{Lines, Node};
use kernel::plan::{Body, Step};
use std::collections::{BTreeMap, BTreeSet};

/// What a step has given where a text of it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Gives {
    /// Nothing: it has not been done.
    #[default]
    Nothing,
    /// One result.
    Result,
    /// Outputs by name, of another workflow.
    Outputs,
}

/// What can be named where a text stands, beside the state and the inputs.
#[derive(Debug, Clone, Default)]
pub(super) struct Site {
    /// Variables that are read by their bare names.
    pub(super) variables: BTreeSet<String>,
    /// The task whose lane this is.
    pub(super) task: Option<usize>,
    /// Whether a loop stands around it.
    pub(super) is_looped: bool,
    /// What the step has given.
    pub(super) gives: Gives,
    /// Whether that counts hints.
    pub(super) applies: bool,
    /// Whether something has failed.
    pub(super) has_error: bool,
    /// Whether there is no state yet.
    pub(super) is_first: bool,
    /// Whether it computes a field, or checks one.
    pub(super) is_transform: bool,
    /// Whether it checks what was computed.
    pub(super) is_validation: bool,
    /// The fields whose change computes it.
    pub(super) from: BTreeSet<String>,
    /// The field that it computes.
    pub(super) field: Option<String>,
}

impl Site {
    /// What to say of a name that means something elsewhere.
    pub(super) fn elsewhere(&self, root: &str) -> Option<&'static str> {
        Some(match root {
            "result" => "`result` is what a step gave, and stands in its own `state_update`",
            "applied_count" => "`applied_count` stands in the `state_update` of an `apply_hints` step",
            "item" | "index" => {
                "`item` and `index` stand in the steps of a `foreach` and in tasks of sub-agents"
            }
            "task_id" | "batch_id" => "it stands in the steps of a task of sub-agents",
            "error" => "`error` stands in `on_failure`, `cleanup_on_error` and `error_state_update`",
            "input" => "`input` stands in the `transform` and the `validate` of a computed field",
            "output" => "`output` stands in the `validate` of a computed field",
            "workflow_id" => "it stands in steps, and not in what computes a field",
            _ => return None,
        })
    }
}

/// Reads one definition.
pub(super) struct Reader<'s, 'n> {
    /// All files.
    pub(super) files: &'n [File],
    /// What is wrong so far, by file.
    pub(super) mistakes: Vec<Mistakes<'s>>,
    /// Where the lines of each file begin.
    pub(super) lines: Vec<Lines<'n>>,
    /// The file that is read.
    pub(super) file: usize,
    /// What there is.
    pub(super) world: World<'n>,
    /// What holds for all steps.
    pub(super) head: Head,
    /// The secrets that commands may be given.
    pub(super) secrets: Secrets<'n>,
    /// What can be named where it reads.
    pub(super) site: Site,
    /// The steps so far.
    pub(super) steps: Vec<Step>,
    /// The bodies so far; the first one is where the run starts.
    pub(super) bodies: Vec<Body>,
    /// The body of each task that is used, and the plans of workflows that are included.
    pub(super) task_bodies: BTreeMap<usize, u32>,
    /// The tasks that are being read, one inside the other.
    pub(super) inside: Vec<usize>,
    /// What each step includes, by where the step stands; nothing where that cannot be.
    pub(super) includes: BTreeMap<*const Node, Option<Meant>>,
    /// Whether a workflow is included that nobody knows.
    pub(super) has_open_include: bool,
    /// Whether the inputs could not be read.
    pub(super) has_broken_inputs: bool,
    /// What was said already and is not said twice.
    pub(super) told: BTreeSet<String>,
    /// The type of the step that is read.
    pub(super) form: Option<&'static Form>,
    /// Keys that the step that is read does not have, though others were probably meant to be them.
    pub(super) meant: BTreeSet<&'static str>,
    /// The workflows that are imported, by name.
    pub(super) imported: &'n [(String, Box<Read>)],
    /// Those of them that are included.
    pub(super) included: BTreeSet<usize>,
    /// Who knows other workflows.
    pub(super) known: &'n dyn Known,
    /// Searches for near names.
    pub(super) guesses: Guesses,
    /// What is handed out.
    pub(super) hand_out: HandOut,
    /// What a failure does that no step handles.
    pub(super) unhandled: Unhandled,
}

impl<'s, 'n: 's> Reader<'s, 'n> {
    /// Starts to read.
    pub(super) fn new(files: &'n Files, known: &'n dyn Known, hand_out: HandOut) -> Self {
        let all: &'n [File] = &files.shared;
        let mut mistakes: Vec<Mistakes<'s>> = all.iter().map(|file| Mistakes::new(&file.source)).collect();
        let mut world = world::survey(all, &mut mistakes);
        world.is_open |= files.is_broken;
        let body = all[0].body();
        let head = Head::read(&mut mistakes[0], body);
        let secrets = Secrets::read(&mut mistakes[0], body);
        Reader {
            files: all,
            lines: all.iter().map(|file| Lines::new(&file.source.text)).collect(),
            mistakes,
            file: 0,
            world,
            head,
            secrets,
            site: Site::default(),
            steps: Vec::new(),
            bodies: vec![Body::new()],
            task_bodies: BTreeMap::new(),
            inside: Vec::new(),
            includes: BTreeMap::new(),
            has_open_include: false,
            has_broken_inputs: false,
            told: BTreeSet::new(),
            form: None,
            meant: BTreeSet::new(),
            imported: &files.workflows,
            included: BTreeSet::new(),
            known,
            guesses: Guesses::new(),
            hand_out,
            unhandled: Unhandled::default(),
        }
    }
}

impl<'s, 'n> Reader<'s, 'n> {
    /// What is wrong with the file that is read.
    pub(super) fn sheet(&mut self) -> &mut Mistakes<'s> {
        &mut self.mistakes[self.file]
    }

    /// Reads something with other names.
    pub(super) fn at<T>(&mut self, change: impl FnOnce(&mut Site), read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.site.clone();
        change(&mut self.site);
        let made = read(self);
        self.site = before;
        made
    }

    /// Reads something in another file.
    pub(super) fn in_file<T>(&mut self, file: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.file, file);
        let made = read(self);
        self.file = before;
        made
    }

    /// The number of all errors so far.
    pub(super) fn errors(&self) -> usize {
        self.mistakes.iter().map(Mistakes::errors).sum()
    }

    /// The value of a key that a step must have, or a report that it is missing, unless another key was meant to be it.
    pub(super) fn must(&mut self, step: &'n Node, key: &'static str, hint: &str) -> Option<&'n Node> {
        if let Some(value) = step.get(key).filter(|value| !value.is_null()) {
            return Some(value);
        }
        let form = self.form;
        let is_meant = |form: &Form| {
            form.shape.elsewhere.iter().any(|(word, label)| label.contains(key) && step.entry(word).is_some())
        };
        if !self.meant.contains(key) && !form.is_some_and(is_meant) {
            let owner = format!("the step `{}`", self.id(step));
            let owner = form.map_or(owner.clone(), |form| format!("{owner} ({})", form.name));
            let place = super::head::start_of(step);
            shape::missing(self.sheet(), place, &owner, key, hint);
        }
        None
    }

    /// The name of a step.
    pub(super) fn id(&self, step: &Node) -> String {
        self.world.ids.get(&std::ptr::from_ref(step)).cloned().unwrap_or_default()
    }

    /// A new body, to be filled.
    pub(super) fn open_body(&mut self) -> u32 {
        self.bodies.push(Body::new());
        u32::try_from(self.bodies.len() - 1).expect("BUG: more bodies than nodes")
    }
}
