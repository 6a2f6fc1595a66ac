//! What is wrong with an expression, for whoever wrote it: what, what was probably meant, and where. Nothing of the engine's
//! own is told.

use super::place::{Place, first, told};
use super::room::Room;
use super::scope::Scope;
use crate::evaluator::limits::{JS_MEMORY_BYTES_MAX, JS_TIME, JS_TIME_OF_ALL};
use dialects::near::near;
use kernel::plan::Origin;
use rquickjs::atom::PredefinedAtom;
use rquickjs::{Ctx, Error, Object, Value};

/// What of a message is told.
const MESSAGE_BYTES_MAX: usize = 600;

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Trouble {
    /// In our words.
    Words(String),
    /// In the engine's, where something was thrown that nobody has looked at yet.
    Engine(Error),
    /// What was thrown.
    Thrown(Thrown),
}

impl From<String> for Trouble {
    fn from(words: String) -> Self {
        Trouble::Words(words)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Engine(error)
    }
}

/// Something that was thrown, as far as it can be told.
#[derive(Debug)]
pub(super) struct Thrown {
    pub(super) words: String,
    pub(super) place: Option<Place>,
}

impl Thrown {
    /// Words without a place.
    pub(super) fn of(words: &str) -> Self {
        Thrown { words: words.to_owned(), place: None }
    }

    /// Takes what an engine has thrown.
    pub(super) fn caught(ctx: &Ctx<'_>, error: &Error) -> Self {
        if !matches!(error, Error::Exception | Error::Unknown) {
            return Thrown::of(&error.to_string());
        }
        let thrown = ctx.catch();
        let Some(object) = thrown.as_object().filter(|object| object.is_error()) else {
            return Thrown::of(&format!("it threw {}", shown(ctx, &thrown)));
        };
        let name = text(ctx, object, PredefinedAtom::Name).unwrap_or_else(|| "Error".to_owned());
        let message = text(ctx, object, PredefinedAtom::Message).unwrap_or_default();
        let words = if message.is_empty() { name } else { format!("{name}: {message}") };
        let place = text(ctx, object, PredefinedAtom::Stack).and_then(|stack| first(&stack));
        Thrown { words, place }
    }
}

/// What a message is made from.
pub(super) struct Mistake<'m> {
    pub(super) source: &'m str,
    pub(super) origin: Option<Origin>,
    pub(super) scope: &'m Scope<'m>,
}

impl Mistake<'_> {
    /// What went wrong in a room, in words.
    pub(super) fn words(&self, ctx: &Ctx<'_>, room: &Room, trouble: Trouble) -> String {
        let Thrown { words, place } = match trouble {
            Trouble::Words(words) => Thrown { words, place: None },
            Trouble::Thrown(thrown) => thrown,
            Trouble::Engine(error) => Thrown::caught(ctx, &error),
        };
        if room.was_late() {
            let words = format!(
                "it ran out of time ({} s for it, {} s for all that is asked at once): loop over less, or split it",
                JS_TIME.as_secs_f64(),
                JS_TIME_OF_ALL.as_secs_f64()
            );
            return self.here(&words, place);
        }
        self.here(&self.plain(words), place)
    }

    /// What is wrong with all of it.
    pub(super) fn at_start(&self, words: &str) -> String {
        self.here(words, None)
    }

    fn here(&self, words: &str, place: Option<Place>) -> String {
        let cut = match words.len() > MESSAGE_BYTES_MAX {
            true => format!("{}…", &words[..words.floor_char_boundary(MESSAGE_BYTES_MAX)]),
            false => words.to_owned(),
        };
        format!("{cut} {}", told(place, self.source, self.origin))
    }

    /// The engine's words, with what to do about it.
    fn plain(&self, words: String) -> String {
        match words.as_str() {
            "InternalError: out of memory" => out_of_memory(),
            // Where there is no memory for an error, the engine throws nothing.
            "it threw null" | "it threw uninitialized" if !self.source.contains("throw") => out_of_memory(),
            "RangeError: Maximum call stack size exceeded" => {
                "RangeError: it calls itself too deep, or nests too deep: nest less".to_owned()
            }
            _ => match undefined(&words).map(|name| near(name, self.scope.names())) {
                Some(near) if !near.is_empty() => {
                    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
                    format!("{words}: did you mean {}?", near.join(" or "))
                }
                _ => words,
            },
        }
    }
}

fn out_of_memory() -> String {
    let mib = JS_MEMORY_BYTES_MAX / (1024 * 1024);
    format!("it used more memory than the {mib} MiB it is allowed: make smaller values")
}

/// The name that is not defined, if that is what was said.
fn undefined(words: &str) -> Option<&str> {
    words.strip_prefix("ReferenceError: ")?.strip_suffix(" is not defined")
}

/// A text of an error. What it throws itself when it is asked is dropped.
fn text(ctx: &Ctx<'_>, object: &Object<'_>, name: PredefinedAtom) -> Option<String> {
    let value: Result<Value<'_>, Error> = object.get(name);
    match value {
        Ok(value) => value.as_string().and_then(|text| text.to_string().ok()),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// A value that was thrown and is no error.
fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    match ctx.json_stringify(value.clone()) {
        Ok(Some(json)) => json.to_string().unwrap_or_else(|_| value.type_name().to_owned()),
        Ok(None) => value.type_name().to_owned(),
        Err(_) => {
            ctx.catch();
            value.type_name().to_owned()
        }
    }
}
