//! The state where an expression reads it by names that it makes itself: `state[name]`, `state.get(name)`, `state | attr(name)`.
//! Only what the step declared is there; a question for anything else is remembered, and the expression has no value,
//! whatever it made of the answer.

use kernel::question::VIOLATION;
use minijinja::Value;
use minijinja::value::{Enumerator, Object};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// The first name that was asked for and may not be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Denied(Arc<OnceLock<String>>);

impl Denied {
    /// What the kernel is told, if there was one.
    pub(super) fn words(&self) -> Option<String> {
        self.0.get().map(|name| format!("{VIOLATION}`state.{name}` is not in needs_state"))
    }
}

/// The state, with the names that were declared.
#[derive(Debug)]
pub(super) struct Declared {
    /// What was sent; not every name need have a value.
    pub(super) fields: Value,
    pub(super) names: BTreeSet<String>,
    pub(super) denied: Denied,
}

impl Object for Declared {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        if !self.names.contains(name) {
            // A later one changes nothing.
            let _ = self.denied.0.set(name.to_owned());
            return None;
        }
        self.fields.get_attr(name).ok().filter(|value| !value.is_undefined())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let is_declared = |key: &Value| key.as_str().is_some_and(|name| self.names.contains(name));
        let keys = self.fields.try_iter().map(|keys| keys.filter(is_declared).collect());
        Enumerator::Values(keys.unwrap_or_default())
    }
}
