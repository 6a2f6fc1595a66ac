//! Jinja, as the sources wrote it: a text that is one whole `{{ expression }}` gives the value with its type, every
//! other text gives text. Nothing is undefined in silence, nothing is read from anywhere, and the only clock is
//! the recorded moment that was sent along.
//!
//! ```text
//!  source ── scan ── compile (kept) ── evaluate ── native value ──┐
//!                                   └─ render ──── text ──────────┴── or a mistake, with its place and near names
//! ```

mod calendar;
mod compiled;
mod declared;
mod environment;
mod filters;
mod format;
mod function;
mod groups;
mod html;
mod json;
mod letters;
mod loops;
mod mistake;
mod native;
mod numbers;
mod order;
mod patterns;
mod percent;
mod python;
mod room;
mod scan;
mod scope;
mod strftime;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod undefined;
mod wrap;

pub(super) use scope::Scope;

use super::limits::{OUTPUT_BYTES_MAX, SOURCE_BYTES_MAX};
use compiled::{Code, Compiled, Ready};
use declared::Denied;
use mistake::Mistake;
use serde_json::Value;
use std::io;

/// The language, with what it has compiled.
#[derive(Default)]
pub(super) struct Jinja {
    compiled: Compiled,
}

impl Jinja {
    /// The value of an expression or a text, or what is wrong with it.
    pub(super) fn evaluate(&mut self, source: &str, scope: &Scope) -> Result<Value, String> {
        if source.len() > SOURCE_BYTES_MAX {
            return Err(format!(
                "the expression has {} bytes, and {SOURCE_BYTES_MAX} are the most: split it",
                source.len()
            ));
        }
        let Ready { code, scanned, namespaces } = self.compiled.get(source)?;
        let denied = Denied::default();
        let (values, mistake) = (scope.value(namespaces, &denied), Mistake { source, scanned, scope });
        let told = match code {
            Code::Expression(expression) => {
                let value = expression.eval(values).map_err(|error| mistake.words(&error))?;
                if value.is_undefined() { Err(mistake.undefined_whole()) } else { native::native(&value) }
            }
            Code::Text(template) => {
                let mut text = Bounded::default();
                match template.render_captured_to(values, &mut text) {
                    Ok(_) => {
                        String::from_utf8(text.bytes).map(Value::String).map_err(|error| error.to_string())
                    }
                    Err(_) if text.is_full => Err(format!(
                        "the text grows longer than {OUTPUT_BYTES_MAX} bytes: make a shorter one"
                    )),
                    Err(error) => Err(mistake.words(&error)),
                }
            }
        };
        denied.words().map_or(told, Err)
    }
}

/// A text that grows up to a limit.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    is_full: bool,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > OUTPUT_BYTES_MAX {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
