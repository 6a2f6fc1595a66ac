//! Sequences whose state has layers: the same bodies over fields of one layer, with fields that the evaluator computes, keys
//! that are made, and books of steps.

use super::Maker;
use kernel::language::Path;
use kernel::plan::{Books, Computed, Expr, Flow, Key, Node, OnError, Transform, Write};
use serde_json::json;

impl Maker<'_> {
    /// Gives the state of a sequence layers.
    pub(super) fn layers(&mut self) {
        let computed = self.transforms();
        let rules = &mut self.plan.state;
        rules.layers = ["computed", "raw", "state", "included"].map(str::to_owned).to_vec();
        rules.initial.iter_mut().for_each(|(name, _)| up(name));
        rules.computed = computed;
        if self.random.percent(30) {
            self.plan.state.books = Some(self.books());
        }
        let Flow::Sequence(mut flow) = self.plan.flow.clone() else { return };
        flow.bodies.iter_mut().flatten().for_each(|node| self.layer_node(node));
        self.plan.flow = Flow::Sequence(flow);
    }

    fn transforms(&mut self) -> Vec<Computed> {
        let fields: [(&str, &[&str]); 4] = [
            ("computed.double", &["state.count"]),
            ("computed.both", &["computed.double", "state.note"]),
            ("computed.deep", &["state.map.deep"]),
            ("computed.last", &["computed.both", "computed.deep"]),
        ];
        fields.iter().map(|(name, from)| self.transform(name, from)).collect()
    }

    fn transform(&mut self, name: &str, from: &[&str]) -> Computed {
        let inputs: Vec<Path> =
            from.iter().map(|path| Path::parse(path, 0).expect("BUG: a path of ours")).collect();
        let field = |path: &Path| format!("{}.{}", path.root, path.key(0).unwrap_or_default());
        let on_error = match self.random.below(8) {
            0..=1 => OnError::Fallback(json!("fallen")),
            2..=3 => OnError::Ignore,
            4 => OnError::Propagate,
            _ => OnError::Null,
        };
        let transform = Transform {
            source: "any".into(),
            single: inputs.len() == 1,
            reads: self.random.percent(30).then(|| Path::of("note", &[])).into_iter().collect(),
            inputs,
            ..Transform::default()
        };
        Computed {
            name: name.to_owned(),
            from: transform.inputs.iter().map(field).collect(),
            value: Expr::Const(json!(null)),
            on_error,
            transform: Some(transform),
        }
    }

    fn books(&mut self) -> Books {
        let field = |name: &str| Some(vec!["raw.books".to_owned(), name.to_owned()]);
        Books {
            completed: field("done"),
            failed: field("failed"),
            retries: field("retries"),
            last_error: field("last"),
            // Now and then nothing can be added to what is there.
            errors: Some(vec![(*self.random.pick(&["raw.errors", "state.note"])).to_owned()]),
            stacks: self.random.percent(50),
        }
    }

    fn layer_node(&mut self, node: &mut Node) {
        match node {
            Node::Within { node, .. } => self.layer_node(node),
            Node::Do { writes, otherwise, .. } => {
                writes.iter_mut().chain(otherwise).for_each(|write| self.layer_write(write));
            }
            Node::Set { writes } => writes.iter_mut().for_each(|write| self.layer_write(write)),
            Node::Fork { collect, tasks, .. } => {
                collect.iter_mut().for_each(up);
                tasks.iter_mut().filter_map(|tasks| tasks.errors.as_mut()?.first_mut()).for_each(up);
            }
            Node::Spread(spread) => spread.collect.iter_mut().for_each(up),
            _ => {}
        }
    }

    fn layer_write(&mut self, write: &mut Write) {
        write.path.first_mut().into_iter().for_each(up);
        if write.path.first().is_some_and(|field| field == "state.map") && self.random.percent(50) {
            let key = if self.random.percent(90) { json!("a/b.c") } else { json!(null) };
            write.keys = vec![Key::Made(Expr::Const(key)), Key::Name("k".into())];
        }
    }
}

fn up(name: &mut String) {
    *name = format!("state.{name}");
}
