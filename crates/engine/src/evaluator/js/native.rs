//! A value of the engine becomes JSON, bounded while it is made: an answer never takes more memory than it may. What JSON
//! has no form for is said, not left out.
#![expect(
    unsafe_code,
    reason = "the engine's text is looked at in place, because half a character is no text in Rust"
)]

use super::mistake::Trouble;
use super::names::Names;
use super::surroundings::Classes;
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use kernel::data::DEPTH_MAX;
use rquickjs::atom::PredefinedAtom;
use rquickjs::function::This;
use rquickjs::{Atom, Function, Object, String as Text, Type, Value};

/// What each part of a value counts at least: as much as it takes in memory when it is read.
const PART_BYTES: usize = 32;

/// The signs around a text.
const QUOTES: usize = 2;

/// Integers up to here are exact.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A value that is being written.
pub(super) struct Writing<'w, 'js> {
    classes: &'w Classes<'js>,
    json: Vec<u8>,
    left: usize,
    /// What the part that is written stands in, the outermost first.
    around: Vec<Object<'js>>,
    /// Where that is, as far as it is known.
    path: Vec<Part>,
    /// Where names of members stand in what is written.
    names: Names<Atom<'js>, (usize, usize)>,
}

/// One way into a part.
#[derive(Clone, Copy)]
enum Part {
    Item(u32),
    /// A name, which stands here in what is written.
    Member {
        begin: usize,
        end: usize,
    },
}

impl<'w, 'js> Writing<'w, 'js> {
    pub(super) fn new(classes: &'w Classes<'js>) -> Self {
        let (json, around, path) = (Vec::new(), Vec::new(), Vec::new());
        Writing { classes, json, left: OUTPUT_BYTES_MAX, around, path, names: Names::default() }
    }

    /// Writes all of a value.
    pub(super) fn write(mut self, value: Value<'js>) -> Result<String, Trouble> {
        self.value(value, true)?;
        String::from_utf8(self.json).map_err(|error| error.to_string().into())
    }

    /// Writes a part; `is_asked` unless it is already what a part said of itself.
    fn value(&mut self, value: Value<'js>, is_asked: bool) -> Result<(), Trouble> {
        self.count(PART_BYTES)?;
        match value.type_of() {
            Type::Undefined | Type::Uninitialized | Type::Null => self.raw("null"),
            Type::Bool => self.raw(if value.as_bool() == Some(true) { "true" } else { "false" }),
            Type::Int | Type::Float => return self.number(value.as_number().unwrap_or(f64::NAN)),
            Type::String => return self.text(value.into_string()),
            Type::Function | Type::Constructor => {
                return Err(self.unfit("a function", "call it, or leave it out"));
            }
            Type::Symbol => return Err(self.unfit("a symbol", "give a text")),
            Type::BigInt => {
                return Err(self.unfit("a BigInt", "make it a number or a text: `Number(..)`, `String(..)`"));
            }
            _ => match value.into_object() {
                Some(object) => return self.object(object, is_asked),
                None => return Err(self.unfit("no value", "give one")),
            },
        }
        Ok(())
    }

    fn object(&mut self, object: Object<'js>, is_asked: bool) -> Result<(), Trouble> {
        if self.around.len() == DEPTH_MAX {
            return Err(self.too_deep(&object));
        }
        if let Some(other) = self.other(&object, is_asked)? {
            return self.value(other, false);
        }
        self.around.push(object.clone());
        if object.is_array() {
            self.list(&object)?
        } else {
            self.members(&object)?
        }
        self.around.pop();
        Ok(())
    }

    /// What an object that is more than its members says of itself.
    fn other(&self, object: &Object<'js>, is_asked: bool) -> Result<Option<Value<'js>>, Trouble> {
        let prototype = object.get_prototype();
        let is_plain = prototype.is_none_or(|prototype| prototype == self.classes.plain);
        // A list is one whatever it comes from.
        if (is_plain || object.is_array()) && !object.contains_key(PredefinedAtom::ToJSON)? {
            return Ok(None);
        }
        let to_json: Value<'js> = object.get(PredefinedAtom::ToJSON)?;
        if let Some(to_json) = to_json.as_function().filter(|_| is_asked) {
            return Ok(Some(to_json.call((This(object.clone()),))?));
        }
        if let Some(class) = self.classes.opaque.iter().find(|class| object.is_instance_of(class)) {
            let name: String = class.get(PredefinedAtom::Name)?;
            let article = if name.starts_with('E') { "an" } else { "a" };
            return Err(self.unfit(&format!("{article} {name}"), hint(&name)));
        }
        let boxed = self.classes.boxed.iter().find(|(class, _)| object.is_instance_of(class));
        boxed.map(|(_, inside): &(_, Function<'js>)| Ok(inside.call((This(object.clone()),))?)).transpose()
    }

    fn list(&mut self, list: &Object<'js>) -> Result<(), Trouble> {
        let length: f64 = list.get(PredefinedAtom::Length)?;
        self.raw("[");
        // Each item counts, so that this ends long before the numbers do.
        for index in (0..u32::MAX).take_while(|index| f64::from(*index) < length) {
            if index > 0 {
                self.raw(",");
            }
            self.path.push(Part::Item(index));
            let item = list.get(index)?;
            self.value(item, true)?;
            self.path.pop();
        }
        self.raw("]");
        Ok(())
    }

    fn members(&mut self, object: &Object<'js>) -> Result<(), Trouble> {
        self.raw("{");
        for (number, key) in object.keys::<Atom<'js>>().enumerate() {
            let key = key?;
            if number > 0 {
                self.raw(",");
            }
            let begin = self.json.len();
            self.name(&key)?;
            self.path.push(Part::Member { begin, end: self.json.len() });
            self.raw(":");
            self.value(object.get(key)?, true)?;
            self.path.pop();
        }
        self.raw("}");
        Ok(())
    }

    /// Writes the name of a member: as it was written before, if it was.
    fn name(&mut self, key: &Atom<'js>) -> Result<(), Trouble> {
        if let Some((begin, end)) = self.names.find(|known| known == key) {
            self.count(end - begin - QUOTES)?;
            self.json.extend_from_within(begin..end);
            return Ok(());
        }
        let begin = self.json.len();
        self.text(Some(key.to_js_string()?))?;
        self.names.keep(key.clone(), (begin, self.json.len()));
        Ok(())
    }

    fn number(&mut self, number: f64) -> Result<(), Trouble> {
        let written = if number.fract() == 0.0 && number.abs() <= EXACT_MAX {
            // What is so small loses nothing.
            serde_json::to_writer(&mut self.json, &(number as i64))
        } else {
            serde_json::to_writer(&mut self.json, &number)
        };
        written.map_err(|error| error.to_string().into())
    }

    fn text(&mut self, text: Option<Text<'js>>) -> Result<(), Trouble> {
        let Some(text) = text else { return Err("BUG: a text that is none".to_owned().into()) };
        let text = text.to_cstring()?;
        self.count(text.len())?;
        // SAFETY: the engine gave this pointer for so many bytes, and `text` keeps them until the end of this function.
        let bytes = unsafe { std::slice::from_raw_parts(text.as_ptr().cast::<u8>(), text.len()) };
        let written = match std::str::from_utf8(bytes) {
            Ok(text) => serde_json::to_writer(&mut self.json, text),
            Err(_) => serde_json::to_writer(&mut self.json, &whole_characters(bytes)),
        };
        written.map_err(|error| error.to_string().into())
    }

    fn raw(&mut self, json: &str) {
        self.json.extend_from_slice(json.as_bytes());
    }

    fn count(&mut self, bytes: usize) -> Result<(), Trouble> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| {
            format!("the value is larger than {OUTPUT_BYTES_MAX} bytes: make a smaller one")
        })?;
        Ok(())
    }

    fn too_deep(&self, object: &Object<'js>) -> Trouble {
        let is_round = self.around.iter().any(|around| around == object);
        match is_round {
            true => "the value holds itself: give each part once".to_owned().into(),
            false => format!("the value nests deeper than {DEPTH_MAX} levels: nest less").into(),
        }
    }

    fn unfit(&self, what: &str, hint: &str) -> Trouble {
        let place = match self.path.is_empty() {
            true => "the result".to_owned(),
            false => format!(
                "the part {} of the result",
                self.path.iter().map(|part| self.shown(*part)).collect::<String>()
            ),
        };
        format!("{place} is {what}, which has no JSON form: {hint}").into()
    }

    /// A way in, as a person writes it: `[3]`, `.a`, `["a b"]`.
    fn shown(&self, part: Part) -> String {
        let name = match part {
            Part::Item(index) => return format!("[{index}]"),
            Part::Member { begin, end } => String::from_utf8_lossy(&self.json[begin..end]),
        };
        let inside = name.trim_matches('"');
        let is_plain = inside.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if is_plain { format!(".{inside}") } else { format!("[{name}]") }
    }
}

fn hint(class: &str) -> &'static str {
    match class {
        "Set" => "make it a list: `[...set]`",
        "Map" => "make it an object: `Object.fromEntries(map)`",
        "Promise" => "nothing is waited for here, so leave `async` out",
        "RegExp" => "give its `source`",
        "Error" => "give its `message`",
        _ => "give what is in it",
    }
}

/// A text with whole characters only: of half a pair, the engine makes three bytes that are no UTF-8.
fn whole_characters(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            bytes[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
