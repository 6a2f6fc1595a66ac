//! JSON becomes values of the engine, without anything between.

use super::names::Names;
use rquickjs::object::Property;
use rquickjs::{Array, Atom, Ctx, Error, Object, String as Text, Value};
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use std::cell::{Cell, RefCell};
use std::fmt;

/// The value of a JSON document.
pub(super) fn value<'js>(ctx: &Ctx<'js>, json: &str) -> Result<Value<'js>, Error> {
    let (failed, names) = (Cell::new(None), RefCell::default());
    let mut from = serde_json::Deserializer::from_str(json);
    let made = Making { ctx, failed: &failed, names: &names }.deserialize(&mut from);
    made.map_err(|error| {
        failed.take().unwrap_or_else(|| Error::new_into_js_message("json", "value", error.to_string()))
    })
}

/// Sets a member, whatever it is called: `__proto__` is a name like any other.
pub(super) fn set<'js>(object: &Object<'js>, name: &str, value: Value<'js>) -> Result<(), Error> {
    match name {
        "__proto__" => object.prop(name, Property::from(value).configurable().enumerable().writable()),
        name => object.set(name, value),
    }
}

#[derive(Clone, Copy)]
struct Making<'m, 'js> {
    ctx: &'m Ctx<'js>,
    /// Why the engine could not make one.
    failed: &'m Cell<Option<Error>>,
    /// Names of members as the engine knows them.
    names: &'m RefCell<Names<String, Atom<'js>>>,
}

impl<'js> Making<'_, 'js> {
    fn told<T, E: de::Error>(&self, made: Result<T, Error>) -> Result<T, E> {
        made.map_err(|error| {
            let words = E::custom(&error);
            self.failed.set(Some(error));
            words
        })
    }

    /// Sets a member of an object that is being made.
    fn set(&self, object: &Object<'js>, name: &str, value: Value<'js>) -> Result<(), Error> {
        if name == "__proto__" {
            return set(object, name, value);
        }
        let known = self.names.borrow_mut().find(|known| known == name);
        let atom = match known {
            Some(atom) => atom,
            None => {
                let atom = Atom::from_str(self.ctx.clone(), name)?;
                self.names.borrow_mut().keep(name.to_owned(), atom.clone());
                atom
            }
        };
        object.set(atom, value)
    }
}

impl<'de, 'js> DeserializeSeed<'de> for Making<'_, 'js> {
    type Value = Value<'js>;

    fn deserialize<D: de::Deserializer<'de>>(self, from: D) -> Result<Value<'js>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, 'js> Visitor<'de> for Making<'_, 'js> {
    type Value = Value<'js>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value<'js>, E> {
        Ok(Value::new_null(self.ctx.clone()))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Value<'js>, E> {
        Ok(Value::new_bool(self.ctx.clone(), truth))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value<'js>, E> {
        Ok(match i32::try_from(number) {
            Ok(number) => Value::new_int(self.ctx.clone(), number),
            Err(_) => Value::new_float(self.ctx.clone(), number as f64),
        })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value<'js>, E> {
        Ok(match i32::try_from(number) {
            Ok(number) => Value::new_int(self.ctx.clone(), number),
            Err(_) => Value::new_float(self.ctx.clone(), number as f64),
        })
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value<'js>, E> {
        Ok(Value::new_number(self.ctx.clone(), number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value<'js>, E> {
        self.told(Text::from_str(self.ctx.clone(), text).map(Text::into_value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'js>, A::Error> {
        let array = self.told(Array::new(self.ctx.clone()))?;
        let mut index = 0;
        while let Some(item) = items.next_element_seed(self)? {
            self.told(array.set(index, item))?;
            index += 1;
        }
        Ok(array.into_value())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value<'js>, A::Error> {
        let object = self.told(Object::new(self.ctx.clone()))?;
        while let Some(name) = members.next_key::<std::borrow::Cow<'de, str>>()? {
            let value = members.next_value_seed(self)?;
            self.told(self.set(&object, &name, value))?;
        }
        Ok(object.into_value())
    }
}
