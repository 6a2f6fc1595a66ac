//! What a computed field is made of, near and far, and what is made of it.

use kernel::Plan;
use kernel::plan::Computed;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is known of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependencies {
    /// What it is made of, as the definition says.
    pub direct: Vec<String>,
    /// All of that, and all that is made of in turn.
    pub all: BTreeSet<String>,
    /// The computed fields that are made of it directly.
    pub dependents: Vec<String>,
}

impl Dependencies {
    /// Explains a field, by its name with or without its layer; nothing where there is no such field.
    pub fn of(plan: &Plan, field: &str) -> Option<Dependencies> {
        let name = full(plan, field)?;
        let own = computed(plan, &name);
        let direct: Vec<String> = own.map(|field| field.from.iter().cloned().collect()).unwrap_or_default();
        let (mut all, mut open) = (BTreeSet::new(), direct.clone());
        while let Some(next) = open.pop() {
            if let Some(field) = computed(plan, &next).filter(|_| !all.contains(&next)) {
                open.extend(field.from.iter().cloned());
            }
            all.insert(next);
        }
        let reads = |field: &&Computed| field.from.contains(&name);
        let dependents = plan.state.computed.iter().filter(reads).map(|field| field.name.clone()).collect();
        Some(Dependencies { direct, all, dependents })
    }

    /// As it is answered.
    pub fn to_json(&self) -> Value {
        json!({ "direct_deps": self.direct, "all_deps": self.all, "dependents": self.dependents })
    }
}

/// The names of all fields that can be asked for, computed ones by their bare names as well.
pub fn fields(plan: &Plan) -> BTreeSet<String> {
    let rules = &plan.state;
    let all = rules.computed.iter().flat_map(|field| field.from.iter().chain([&field.name]));
    let all = all.chain(rules.initial.iter().map(|(name, _)| name));
    all.flat_map(|name| [Some(name.as_str()), rules.layer_of(name).map(|(_, name)| name)])
        .flatten()
        .map(str::to_owned)
        .collect()
}

/// The field that a name means: as it is, or in the first layer that has it.
pub fn full(plan: &Plan, field: &str) -> Option<String> {
    let known = fields(plan);
    let layers = plan.state.layers.iter().map(|layer| format!("{layer}.{field}"));
    let is_whole = plan.state.layer_of(field).is_some() || !plan.state.is_layered();
    let own = is_whole.then(|| field.to_owned());
    own.into_iter().chain(layers).find(|name| known.contains(name))
}

fn computed<'p>(plan: &'p Plan, name: &str) -> Option<&'p Computed> {
    plan.state.computed.iter().find(|field| field.name == name)
}
