//! Functions as values. One that is printed and not called is a mistake; nothing of it may show how it is made.

use super::time;
use minijinja::value::{Object, ObjectRepr, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use std::fmt;
use std::sync::Arc;

/// A function under the name that it is called by.
struct Function {
    name: String,
    inner: Value,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<function {}>", self.name)
    }
}

impl Object for Function {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        self.inner.call(state, args)
    }
}

/// Gives all functions their names.
pub(super) fn name_all(environment: &mut Environment<'static>) {
    let all: Vec<(String, Value)> =
        environment.globals().map(|(name, value)| (name.to_owned(), value)).collect();
    for (name, inner) in all.into_iter().filter(|(_, value)| value.kind() == ValueKind::Plain) {
        environment.add_global(name.clone(), Value::from_object(Function { name, inner }));
    }
}

/// Says that a value has no text, if it has none.
pub(super) fn printable(value: &Value) -> Result<(), Error> {
    if value.kind() != ValueKind::Plain || time::text(value).is_some() {
        return Ok(());
    }
    let words = match value.downcast_object_ref::<Function>() {
        Some(Function { name, .. }) => {
            format!("`{name}` is a function, which has no text: call it, `{name}(..)`")
        }
        None => "this is a function or an object of Jinja, which has no text: call it, or a method of it"
            .to_owned(),
    };
    Err(Error::new(ErrorKind::InvalidOperation, words))
}
