//! The loop: a request in, an answer out. What one request does, no other can see: between two requests there are
//! only compiled code and values that nothing changes.

use super::super::jinja::{self, Jinja};
use super::super::js::{self, Computed, Computing, Expression};
use super::super::limits::{
    JS_TIME_OF_ALL, OUTPUT_BYTES_MAX, OUTPUTS_BYTES_MAX, REQUEST_BYTES_MAX, WORDS_BYTES_MAX,
};
use super::super::regex;
use super::super::wire::{self, Asked, LENGTH_BYTES, Sent, length, length_of, split};
use super::broken;
use super::confine::Time;
use super::values::Values;
use crate::kill_point;
use kernel::plan::Language;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Answers until stdin is closed.
pub(super) fn serve() -> io::Result<()> {
    let (mut stdin, stdout) = (io::stdin().lock(), io::stdout());
    let mut stdout = File::from(stdout.as_fd().try_clone_to_owned()?);
    let (mut worker, mut time) = (Worker::default(), Time::default());
    while let Some(request) = read(&mut stdin)? {
        kill_point("evaluator read");
        time.renew()?;
        let answer = worker.answer(&request).map_err(io::Error::other)?;
        drop(request);
        kill_point("evaluator answers");
        match stdout.write_all(&answer) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
        js::sweep();
    }
    Ok(())
}

/// Reads one request, or nothing if there is none left.
fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = [0; LENGTH_BYTES];
    if let Err(error) = from.read_exact(&mut bytes) {
        return if error.kind() == ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let bytes = length_of(bytes);
    if bytes > REQUEST_BYTES_MAX {
        return Err(io::Error::other(format!(
            "a request of {bytes} bytes is larger than {REQUEST_BYTES_MAX}"
        )));
    }
    let mut request = vec![0; bytes];
    from.read_exact(&mut request)?;
    Ok(Some(request))
}

#[derive(Default)]
struct Worker {
    values: Values,
    jinja: Jinja,
}

impl Worker {
    /// The answer to a request, as a frame.
    fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let (head, bodies) = split::<&RawValue>(request)?;
        self.values.forget(&head.forget);
        self.values.take(&head.bodies, bodies)?;
        let mut out = Out { frame: vec![0; LENGTH_BYTES], left: OUTPUTS_BYTES_MAX };
        let until = Instant::now() + JS_TIME_OF_ALL;
        out.frame.push(b'[');
        for (number, asked) in head.questions.iter().enumerate() {
            if number > 0 {
                out.frame.push(b',');
            }
            self.question(asked, until, &mut out)?;
        }
        out.frame.push(b']');
        let bytes = out.frame.len() - LENGTH_BYTES;
        out.frame[..LENGTH_BYTES].copy_from_slice(&length(bytes));
        Ok(out.frame)
    }

    fn question(
        &mut self,
        asked: &Asked<'_, &RawValue>,
        until: Instant,
        out: &mut Out,
    ) -> Result<(), String> {
        match asked {
            Asked::Evaluate { language: Language::Jinja, expressions, scope, .. } => {
                let scope = self.jinja_scope(scope)?;
                out.list(expressions.iter(), |out, source| out.tell(self.jinja(source, &scope)));
            }
            Asked::Evaluate { language: Language::JavaScript, expressions, origins, scope } => {
                let mut entries = js::Scope::default();
                for (path, json) in self.json_scope(scope)? {
                    entries.set(path, json.into())?;
                }
                out.list(expressions.iter().enumerate(), |out, (position, source)| {
                    let origin = origins.get(position).copied().flatten();
                    out.tell(Expression { source, origin }.answer(&entries, until));
                });
            }
            Asked::Evaluate { language: Language::Regex, expressions, scope, .. } => {
                let text = regex::text(&self.json_scope(scope)?)?;
                out.list(expressions.iter(), |out, source| out.tell(regex::found(source, &text)));
            }
            Asked::Compute { fields, scope } => {
                let mut computing = Computing::new(self.json_scope(scope)?, until)?;
                out.list(fields.iter(), |out, field| out.computed(computing.compute(field)));
            }
        }
        Ok(())
    }

    fn jinja_scope(&self, scope: &wire::Scope<'_, &RawValue>) -> Result<jinja::Scope, String> {
        let mut entries = jinja::Scope::default();
        for (path, sent) in scope {
            let value = match sent {
                Sent::Inline(json) => serde_json::from_str(json.get()).map_err(|error| error.to_string())?,
                Sent::Held(digest) => self.values.jinja(digest)?,
            };
            entries.set(path, value);
        }
        Ok(entries)
    }

    /// What was sent, in the form of JSON.
    fn json_scope<'a>(
        &'a self,
        scope: &'a wire::Scope<'_, &'a RawValue>,
    ) -> Result<Vec<(&'a str, &'a str)>, String> {
        let entries = scope.iter().map(|(path, sent)| match sent {
            Sent::Inline(json) => Ok((&**path, json.get())),
            Sent::Held(digest) => Ok((&**path, self.values.json(digest)?)),
        });
        entries.collect()
    }

    /// Evaluates Jinja. If the engine itself fails, what it has compiled goes.
    fn jinja(&mut self, source: &str, scope: &jinja::Scope) -> Result<String, String> {
        let told = catch_unwind(AssertUnwindSafe(|| self.jinja.evaluate(source, scope)));
        let told = told.unwrap_or_else(|failure| {
            self.jinja = Jinja::default();
            Err(broken(&*failure))
        });
        told.map(|value| value.to_string())
    }
}

/// The answer as it grows.
struct Out {
    frame: Vec<u8>,
    left: usize,
}

impl Out {
    /// Writes a list of what is told.
    fn list<T>(&mut self, all: impl Iterator<Item = T>, mut tell: impl FnMut(&mut Self, T)) {
        self.frame.push(b'[');
        for (number, one) in all.enumerate() {
            if number > 0 {
                self.frame.push(b',');
            }
            tell(self, one);
        }
        self.frame.push(b']');
    }

    fn tell(&mut self, told: Result<String, String>) {
        let json = match told {
            Err(words) => return self.fail(words),
            Ok(json) => json,
        };
        if json.len() > OUTPUT_BYTES_MAX {
            return self
                .fail(format!("the value is larger than {OUTPUT_BYTES_MAX} bytes: make a smaller one"));
        }
        if json.len() > self.left {
            return self.fail(format!(
                "the values of this step are larger than {OUTPUTS_BYTES_MAX} bytes together: split them over \
                 several steps"
            ));
        }
        self.left -= json.len();
        self.frame.extend_from_slice(b"{\"Ok\":");
        self.frame.extend_from_slice(json.as_bytes());
        self.frame.push(b'}');
    }

    /// Tells what became of a field.
    fn computed(&mut self, Computed { value, error, input, took_us, kept }: Computed) {
        self.frame.extend_from_slice(b"{\"value\":[");
        self.frame.extend_from_slice(value.unwrap_or_default().as_bytes());
        let error = error.map_or(Value::Null, |words| Value::String(shortened(words)));
        let rest =
            format!("],\"error\":{error},\"input\":\"{input}\",\"took_us\":{took_us},\"kept\":{kept}}}");
        self.frame.extend_from_slice(rest.as_bytes());
    }

    fn fail(&mut self, words: String) {
        self.frame.extend_from_slice(b"{\"Err\":");
        self.frame.extend_from_slice(Value::String(shortened(words)).to_string().as_bytes());
        self.frame.push(b'}');
    }
}

fn shortened(mut words: String) -> String {
    if words.len() > WORDS_BYTES_MAX {
        words.truncate(words.floor_char_boundary(WORDS_BYTES_MAX - '…'.len_utf8()));
        words.push('…');
    }
    words
}
