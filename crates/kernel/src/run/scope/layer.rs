//! Reads a state that has layers: a layer by its name, and bare names wherever they are found first. What stands around
//! an expression (an item, its number, what a task was given) comes before the state; fields of an item come after it, so
//! that no key of some data changes what a field of the state means.

use super::{Scope, Stop};
use crate::language::Path;
use crate::plan::ITEM;
use crate::run::life::FlowLife;
use crate::{Data, Fields};
use serde_json::Value;

impl Scope<'_> {
    /// The data at a path whose root is no namespace of its own.
    pub(super) fn read_layered(&self, path: &Path) -> Result<Data, Stop> {
        if self.plan.state.layers.contains(&path.root) {
            return self.read_layer(path);
        }
        let name = path.root.as_str();
        let found = match self.plan.state.before_items {
            true => self.around(name, Item::Itself).or_else(|| self.of_run(name)),
            false => self.around(name, Item::Both).or_else(|| self.of_run(name)),
        };
        let found = found.or_else(|| self.flattened(name));
        match found.or_else(|| self.around(name, Item::Both)) {
            Some(data) => self.below(path, &data, 0),
            None => Err(format!("nothing is called `{name}` here").into()),
        }
    }

    fn read_layer(&self, path: &Path) -> Result<Data, Stop> {
        let layer = path.root.as_str();
        let Some(name) = path.name(0) else { return self.whole(self.layer(layer).iter()) };
        match self.state_data(&format!("{layer}.{name}")) {
            Some(data) => self.below(path, data, 1),
            None => Err(format!("`{layer}` has no `{name}`").into()),
        }
    }

    /// All fields of a layer, by their names in it.
    fn layer(&self, layer: &str) -> Fields {
        let changed = self.changes.into_iter().flat_map(|changes| changes.fields.keys());
        let names = self.life.state.names().chain(changed);
        names
            .filter_map(|field| Some((field, field.strip_prefix(layer)?.strip_prefix('.')?)))
            .filter_map(|(field, name)| Some((name.to_owned(), self.state_data(field)?.clone())))
            .collect()
    }

    /// The field of that name in the first layer that has one.
    fn flattened(&self, name: &str) -> Option<Data> {
        let mut layers = self.plan.state.layers.iter();
        layers.find_map(|layer| self.state_data(&format!("{layer}.{name}"))).cloned()
    }

    /// What every expression of a run may read by a bare name: the time of the event in milliseconds, a text that is another
    /// one at each place and time, and the name of the run.
    fn of_run(&self, name: &str) -> Option<Data> {
        Some(Data::Inline(match name {
            "now" => self.life.at.into(),
            "seed" => self.seed().into(),
            "workflow_id" => self.life.id.as_str().into(),
            _ => return None,
        }))
    }

    /// A text that no other place of the run has at the same time.
    fn seed(&self) -> String {
        let place = match (&self.life.flow, self.lane) {
            (FlowLife::Sequence(life), Some(lane)) => life.place(lane),
            _ => String::new(),
        };
        let item = self.item.map_or_else(String::new, |(.., index)| index.to_string());
        let version = self.life.state.version();
        format!("{}/{}/{version}/{place}/{item}", self.life.id, self.life.at)
    }

    /// What stands around the expression, innermost first.
    fn around(&self, name: &str, part: Item) -> Option<Data> {
        let made_for =
            self.item.and_then(|(variable, item, index)| of_item(name, part, variable, item, index));
        made_for.or_else(|| match (&self.life.flow, self.lane) {
            (FlowLife::Sequence(life), Some(lane)) => life.around(lane, name, part),
            _ => None,
        })
    }

    /// An input: inside the lane of a task one that the task was given, else one of the run.
    pub(super) fn read_layered_input(&self, path: &Path) -> Result<Data, Stop> {
        let inputs = &self.life.inputs;
        let (FlowLife::Sequence(life), Some(lane)) = (&self.life.flow, self.lane) else {
            return self.read_field(path, inputs);
        };
        match path.name(0) {
            Some(name) => match life.given(lane, &name) {
                Some(data) => self.below(path, data, 1),
                None => self.read_field(path, inputs),
            },
            None => {
                let mut all: Fields = inputs.clone();
                all.extend(life.all_given(lane));
                all.remove(ITEM);
                self.whole(all.iter())
            }
        }
    }
}

/// What of an item a bare name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// The item, and its number.
    Itself,
    /// The same, and its fields.
    Both,
}

/// What a name means where there is an item: the item itself, its number, or a field of it.
pub(crate) fn of_item(name: &str, part: Item, variable: &str, item: &Data, index: u32) -> Option<Data> {
    match (name, item) {
        (name, item) if name == variable => Some(item.clone()),
        ("index", _) => Some(Data::Inline(index.into())),
        (name, Data::Inline(Value::Object(fields))) if part == Item::Both => {
            fields.get(name).cloned().map(Data::Inline)
        }
        _ => None,
    }
}
