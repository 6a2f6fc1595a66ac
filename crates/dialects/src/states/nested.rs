//! A workflow that a state runs: one that is kept, by its name, or one that stands in the state itself. The names in braces of one that
//! stands there are its own: it is a definition, and no text of the state around it.

use super::action::entries;
use super::plan::{INITIAL_VARIABLES, SAVE_ON_SUCCESS};
use super::tools::NESTED;
use super::{Entry, read as definition};
use crate::mistakes::Mistakes;
use crate::shape;
use crate::text::{Node, Source, duplicate_keys};
use kernel::plan::{Dialect, Expr, Work, Workflow};
use kernel::{Data, Fields, Plan};
use serde_json::Value;
use std::sync::Arc;

const NEITHER: &str = "Either 'workflow_definition' or 'workflow_name' must be provided";
const BOTH: &str = "Provide either 'workflow_definition' OR 'workflow_name', not both";

/// The key of one that stands there.
const DEFINITION: &str = "workflow_definition";

/// A workflow that stands in a state.
pub(super) struct Nested {
    /// Its plan, and those of all that stand in it.
    pub(super) plans: Vec<Arc<Plan>>,
    /// The definition, as it was written.
    pub(super) written: Value,
}

/// What a state gives to a workflow, as that takes it: one of another dialect takes the variables as its inputs, and has no use for
/// the bounds of a machine.
pub fn given_to(plan: &Plan, mut inputs: Fields) -> Fields {
    if plan.dialect == Dialect::States {
        return inputs;
    }
    let is_input = |name: &str| plan.inputs.iter().any(|input| input.name == name);
    inputs.retain(|name, _| is_input(name) || name == INITIAL_VARIABLES || NESTED.param(name).is_none());
    match inputs.remove(INITIAL_VARIABLES) {
        Some(Data::Inline(Value::Object(variables))) if !is_input(INITIAL_VARIABLES) => {
            inputs.extend(variables.into_iter().map(|(name, value)| (name, Data::Inline(value))));
        }
        // What can be nobody's inputs is refused like any other.
        Some(other) => drop(inputs.insert(INITIAL_VARIABLES.to_owned(), other)),
        None => {}
    }
    inputs
}

/// Reads which workflow a state runs and what that is given.
pub(super) fn read(
    mistakes: &mut Mistakes<'_>,
    action: &Node,
    params: Option<&Node>,
    (entry, source): (Entry, &Source),
) -> Option<(Work, Option<Nested>)> {
    let given = |name: &str| params.and_then(|params| params.get(name)).filter(|node| !node.is_null());
    let mut inputs = entries(&NESTED, params);
    match (given("workflow_name"), given(DEFINITION)) {
        (Some(_), None) => {
            let name = inputs.iter().find(|(name, _)| name == "workflow_name").map(|(_, name)| name.clone());
            // One that is kept already is not kept again.
            inputs.retain(|(name, _)| !is_not_given(name) && name != SAVE_ON_SUCCESS);
            Some((Work::Child { workflow: Workflow::Named(name?), inputs }, None))
        }
        (None, Some(node)) => {
            let nested = standing(mistakes, node, (entry, source))?;
            let plan = nested.plans.first()?;
            let workflow = Workflow::Pinned { name: plan.name.clone(), plan: plan.digest() };
            inputs.retain(|(name, _)| !is_not_given(name));
            if !inputs.iter().any(|(name, _)| name == SAVE_ON_SUCCESS) {
                inputs.push((SAVE_ON_SUCCESS.to_owned(), Expr::Const(true.into())));
            }
            Some((Work::Child { workflow, inputs }, Some(nested)))
        }
        (None, None) => {
            mistakes.error(|sheet| sheet.error("neither-given", action.place(), NEITHER));
            None
        }
        (Some(_), Some(node)) => {
            mistakes.error(|sheet| sheet.error("both-given", node.place(), BOTH));
            None
        }
    }
}

/// Whether a parameter says which workflow it is, and is nothing that it is given.
fn is_not_given(name: &str) -> bool {
    matches!(name, "workflow_name" | DEFINITION)
}

/// Reads one that stands there, with all that is wrong with it.
fn standing(mistakes: &mut Mistakes<'_>, node: &Node, (entry, source): (Entry, &Source)) -> Option<Nested> {
    let hint = "write it out: a text cannot stand for a definition";
    if !shape::is_map(mistakes, node, "`workflow_definition`", hint) {
        return None;
    }
    // A key that is there twice was told of the whole text.
    let is_clean = duplicate_keys(source, node, &|_, _| false).into_iter().next().is_none();
    match definition(source, node, entry) {
        Ok(read) => {
            read.warnings.iter().for_each(|one| mistakes.warn(|_| one.clone()));
            let plans = [Arc::new(read.plan)].into_iter().chain(read.tasks).collect();
            Some(Nested { plans, written: node.to_value() })
        }
        Err(found) => {
            found.iter().filter(|_| is_clean).for_each(|one| mistakes.error(|_| one.clone()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::plan::{Flow, Graph};
    use serde_json::json;

    #[test]
    fn one_of_another_dialect_takes_the_variables_as_its_inputs() {
        let given = |variables: Value| -> Fields {
            let all = [(INITIAL_VARIABLES, variables), ("max_states", json!(5)), ("who", json!("Ada"))];
            all.into_iter().map(|(name, value)| (name.to_owned(), Data::Inline(value))).collect()
        };
        let named = |fields: &Fields| fields.keys().cloned().collect::<Vec<_>>();
        let blocks = Plan::new("other", Dialect::Blocks, Flow::Graph(Graph::new(Vec::new(), 1)));
        assert_eq!(named(&given_to(&blocks, given(json!({"a": 1, "b": 2})))), ["a", "b", "who"]);
        assert_eq!(named(&given_to(&blocks, given(json!("text")))), [INITIAL_VARIABLES, "who"]);
        let states = Plan::new("same", Dialect::States, Flow::Graph(Graph::new(Vec::new(), 1)));
        assert_eq!(given_to(&states, given(json!({"a": 1}))), given(json!({"a": 1})));
    }
}
