//! Reads a definition of this dialect into a plan, or into everything that is wrong with it.

use super::head::{self, start_of};
use super::plan::{Written, plan};
use super::state::{Draft, Reader, States};
use super::{Entry, contract, reach};
use crate::detect;
use crate::diagnostic::Diagnostics;
use crate::mistakes::Mistakes;
use crate::read::Read;
use crate::shape;
use crate::text::{Node, Source, duplicate_keys};
use kernel::plan::State;

/// Reads a definition.
pub fn read(source: &Source, root: &Node, entry: Entry) -> Result<Read, Diagnostics> {
    let workflow = detect::body(root);
    let mut mistakes = Mistakes::new(source);
    for repeated in duplicate_keys(source, root, &|_, _| false) {
        mistakes.error(|_| repeated);
    }
    let head = head::read(&mut mistakes, workflow, entry);
    let states = states(&mut mistakes, workflow, entry);
    let mut reader = Reader { mistakes: &mut mistakes, states: &states, entry, source };
    let drafts: Vec<Option<Draft>> =
        states.iter().map(|(id, key, node)| reader.state(id, key, node)).collect();
    let initial = initial(&mut reader, workflow);
    let contract = contract::read(&mut mistakes, workflow, &head.description);
    let whole: Option<Vec<Draft>> = drafts.into_iter().collect();
    if let (Some(drafts), Some(initial)) = (&whole, initial) {
        let ways: Vec<State> = drafts.iter().map(|draft| draft.state.clone()).collect();
        reach::report(&mut mistakes, &states, initial, &ways);
    }
    let warnings = mistakes.finish();
    match (whole, initial) {
        (Some(drafts), Some(initial)) if !warnings.has_errors() => {
            let tasks = drafts.iter().flat_map(|draft| &draft.nested).flat_map(|nested| nested.plans.clone());
            let tasks = tasks.collect();
            // Beside a kept definition stands what is known of its use.
            let is_kept = root.get("metadata").is_some() && !std::ptr::eq(root, workflow);
            let written = Written { definition: workflow.to_value(), is_kept };
            let plan = plan(head, drafts, initial, &contract, written);
            debug_assert!(plan.check().is_ok(), "BUG: a broken plan: {:?}", plan.check());
            Ok(Read { plan, tasks, warnings, imports: Vec::new() })
        }
        _ => Err(warnings),
    }
}

/// The states with their names, as far as they can be read.
fn states<'n>(mistakes: &mut Mistakes<'_>, workflow: &'n Node, entry: Entry) -> States<'n> {
    let hint = "name each state: `states: {start: {action: {tool: open_terminal, params: {}}}}`";
    let Some((key, node)) = workflow.entry("states") else {
        shape::missing(mistakes, start_of(workflow), "the workflow", "states", hint);
        return Vec::new();
    };
    if !shape::is_map(mistakes, node, "`states`", hint) {
        return Vec::new();
    }
    let states: States<'n> = shape::unique(node).collect();
    let max = if entry == Entry::Create { 50 } else { 100 };
    if states.is_empty() {
        mistakes.error(|sheet| sheet.error("no-states", key.place(), "there is no state").hint(hint));
    }
    if states.len() > max {
        let message = format!("there are {} states; at most {max} are allowed", states.len());
        mistakes.error(|sheet| sheet.error("too-many", key.place(), message));
    }
    for (id, key, _) in &states {
        check_name(mistakes, key, id, entry);
    }
    states
}

fn check_name(mistakes: &mut Mistakes<'_>, node: &Node, id: &str, entry: Entry) {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let lower = |byte: u8| !byte.is_ascii_uppercase();
    let (first, all, rule) = match entry {
        Entry::Inline => (
            !id.starts_with(|first: char| first.is_ascii_digit()),
            id.bytes().all(inner),
            "a letter or `_`, then letters, digits and `_`",
        ),
        Entry::Create => {
            (true, id.bytes().all(|byte| inner(byte) && lower(byte)), "small letters, digits and `_`")
        }
        Entry::Any => (true, id.bytes().all(inner), "letters, digits and `_`"),
    };
    if id.is_empty() || !first || !all {
        let shown: String = id.chars().take(64).collect();
        mistakes.error(|sheet| {
            sheet
                .error("bad-name", node.place(), format!("`{shown}` cannot be the name of a state"))
                .hint(format!("a state is named by {rule}"))
        });
    }
}

fn initial(reader: &mut Reader<'_, '_, '_>, workflow: &Node) -> Option<u32> {
    let Some(node) = workflow.get("initial_state").filter(|node| !node.is_null()) else {
        let hint = "say where it begins: `initial_state: start`";
        shape::missing(reader.mistakes, start_of(workflow), "the workflow", "initial_state", hint);
        return None;
    };
    let name = shape::text(reader.mistakes, node, "`initial_state`")?;
    reader.position(node, name, format!("Initial state '{name}' not found in states"))
}
