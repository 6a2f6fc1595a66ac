//! A unit as far as it does not depend on who uses it, and the plans that are made of it.

use super::STATE_BYTES_MAX;
use super::output::{RESULT, whole};
use super::reader::{At, Reader};
use super::world::check_field;
use crate::jinja;
use crate::shape;
use crate::text::{Kind, Node as Text};
use kernel::Plan;
use kernel::language::Path;
use kernel::plan::{Body, Dialect, Expr, Flow, Sequence, Step};

/// A unit whose steps are read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) initial: Vec<(String, Expr)>,
    pub(super) steps: Vec<Step>,
    pub(super) bodies: Vec<Body>,
}

impl Draft {
    /// The plan of it, without inputs.
    pub(super) fn plan(&self, name: &str) -> Plan {
        let flow = Flow::Sequence(Sequence { bodies: self.bodies.clone() });
        let mut plan = Plan::new(name, Dialect::Steps, flow);
        plan.steps.clone_from(&self.steps);
        plan.state.initial.clone_from(&self.initial);
        // What has no `return` gives its state.
        plan.outputs = vec![(RESULT.to_owned(), whole(Path::of("state", &[])))];
        plan.limits.state_bytes_max = STATE_BYTES_MAX;
        plan
    }
}

impl<'n> Reader<'_, 'n> {
    /// Reads a unit.
    pub(super) fn draft(&mut self, unit: usize) -> Draft {
        let node = self.world.units[unit].node;
        let initial = self.initial(node);
        let count = self.world.units[unit].steps.len();
        let (mut steps, mut nodes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        if !self.world.units[unit].bodies.is_empty() {
            for step in 0..count {
                let (step, node) = self.step(At { unit, step });
                steps.push(step);
                nodes.push(node);
            }
            self.unwritten(unit);
        }
        let bodies = self.world.units[unit].bodies.iter();
        let bodies = bodies.map(|(inside, _)| inside.iter().map(|step| nodes[*step].clone()).collect());
        Draft { initial, bodies: bodies.collect(), steps }
    }

    /// The first values of the state, which are taken as they are written.
    fn initial(&mut self, unit: &'n Text) -> Vec<(String, Expr)> {
        let Some(node) = unit.get("initial_state") else { return Vec::new() };
        let hint = "name each field: `initial_state: {files: []}`";
        if !shape::is_map(&mut self.mistakes, node, "`initial_state`", hint) {
            return Vec::new();
        }
        let mut initial = Vec::new();
        for (name, key, value) in shape::unique(node) {
            check_field(&mut self.mistakes, name, key);
            if let Some(code) = code_in(value) {
                self.mistakes.warn(|sheet| {
                    let message = "first values are taken as they are written, so this is not evaluated";
                    let diagnostic = sheet.warning("not-evaluated", code.place(), message);
                    diagnostic.hint("let a first step of type `set_state` set it")
                });
            }
            initial.push((name.to_owned(), Expr::Const(value.to_value())));
        }
        initial
    }
}

/// The first text in a value that looks like code.
fn code_in(node: &Text) -> Option<&Text> {
    match &node.kind {
        Kind::Scalar(_) => Some(node).filter(|node| node.as_string().is_some_and(jinja::is_code)),
        Kind::List(items) => items.iter().find_map(code_in),
        Kind::Map(entries) => entries.iter().find_map(|(_, value)| code_in(value)),
    }
}
