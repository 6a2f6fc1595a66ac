//! The loop: a request in, an answer out. What one request does, no other can see: between two requests there are
//! only compiled code and values that nothing changes.

use super::super::jinja::{Jinja, Scope};
use super::super::limits::{OUTPUT_BYTES_MAX, OUTPUTS_BYTES_MAX, REQUEST_BYTES_MAX, WORDS_BYTES_MAX};
use super::super::wire::{Asked, LENGTH_BYTES, Sent, length, length_of, split};
use super::confine::Time;
use super::said;
use super::values::Values;
use crate::kill_point;
use kernel::plan::Language;
use serde_json::Value;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
        let (head, bodies) = split(request)?;
        self.values.forget(&head.forget);
        self.values.take(&head.bodies, bodies)?;
        let mut out = Out { frame: vec![0; LENGTH_BYTES], left: OUTPUTS_BYTES_MAX };
        out.frame.push(b'[');
        for (number, asked) in head.questions.into_iter().enumerate() {
            if number > 0 {
                out.frame.push(b',');
            }
            self.question(asked, &mut out)?;
        }
        out.frame.push(b']');
        let bytes = out.frame.len() - LENGTH_BYTES;
        out.frame[..LENGTH_BYTES].copy_from_slice(&length(bytes));
        Ok(out.frame)
    }

    fn question(&mut self, asked: Asked<'_, minijinja::Value>, out: &mut Out) -> Result<(), String> {
        let mut scope = Scope::default();
        for (path, sent) in asked.scope {
            let value = match sent {
                Sent::Inline(value) => value,
                Sent::Held(digest) => self.values.get(&digest)?,
            };
            scope.set(&path, value);
        }
        out.frame.push(b'[');
        for (number, source) in asked.expressions.iter().enumerate() {
            if number > 0 {
                out.frame.push(b',');
            }
            out.tell(match asked.language {
                Language::Jinja => self.jinja(source, &scope),
                Language::JavaScript => {
                    Err("this version evaluates no JavaScript: write it in Jinja".to_owned())
                }
            });
        }
        out.frame.push(b']');
        Ok(())
    }
}

impl Worker {
    /// Evaluates Jinja. If the engine itself fails, the expression has no value, and what it has compiled goes.
    fn jinja(&mut self, source: &str, scope: &Scope) -> Result<Value, String> {
        let told = catch_unwind(AssertUnwindSafe(|| self.jinja.evaluate(source, scope)));
        told.unwrap_or_else(|failure| {
            self.jinja = Jinja::default();
            Err(format!("the engine failed on this ({}): write it in another way", said(&*failure)))
        })
    }
}

/// The answer as it grows.
struct Out {
    frame: Vec<u8>,
    left: usize,
}

impl Out {
    fn tell(&mut self, told: Result<Value, String>) {
        let json = match told.map(|value| value.to_string()) {
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

    fn fail(&mut self, mut words: String) {
        if words.len() > WORDS_BYTES_MAX {
            words.truncate(words.floor_char_boundary(WORDS_BYTES_MAX - '…'.len_utf8()));
            words.push('…');
        }
        self.frame.extend_from_slice(b"{\"Err\":");
        self.frame.extend_from_slice(Value::String(words).to_string().as_bytes());
        self.frame.push(b'}');
    }
}
