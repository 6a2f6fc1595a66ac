//! From the kernel's words to the adapter's: what an effect asks for, checked.
//!
//! | `operation` | other inputs |
//! |---|---|
//! | `create` | `path`, `content`, `encoding`, `permissions`, `overwrite`, `create_parents` |
//! | `read` | `path`, `encoding`, `max_bytes` |
//! | `look` | `path` |
//! | `read_state` | `path`, `required` |
//! | `write_state` | `path`, `state` |
//! | `merge_state` | `path`, `updates` |
//! | `render` | `source` or `template_path` with `variables.NAME`; `target`, `overwrite`, `permissions` |
//!
//! Each that writes may have `left_out`: how much is missing of the texts that the others are made of.

use super::Trouble;
use super::bytes::Encoding;
use super::trouble::kind;
use dialects::blocks::LEFT_OUT;
use dialects::blocks::file::{READ_BYTES_DEFAULT, READ_BYTES_MAX, permissions};

use kernel::{Data, Fields};
use serde_json::{Map, Value};

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Job {
    Create {
        path: String,
        content: Vec<u8>,
        options: Options,
    },
    Read {
        path: String,
        encoding: Encoding,
        bytes_max: u64,
    },
    /// Only whether a file is there.
    Look {
        path: String,
    },
    ReadState {
        path: String,
        required: bool,
    },
    WriteState {
        path: String,
        state: Map<String, Value>,
    },
    MergeState {
        path: String,
        updates: Map<String, Value>,
    },
    Render {
        template: Template,
        target: Option<(String, Options)>,
    },
}

/// A template, and the values it sees.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template {
    pub(super) text: Text,
    pub(super) variables: Vec<(String, Data)>,
}

/// Where a template is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// In the definition, which has made it fit for an evaluator.
    Source(String),
    /// In a file.
    File(String),
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) permissions: Option<u32>,
    pub(super) overwrite: bool,
    pub(super) create_parents: bool,
    /// Whether it matters who has made the file.
    pub(super) is_noted: bool,
}

impl Options {
    /// What holds where nothing is said.
    pub(super) const USUAL: Options =
        Options { permissions: None, overwrite: true, create_parents: true, is_noted: true };
}

impl Job {
    /// The job that inputs ask for.
    pub(super) fn of(inputs: &Fields) -> Result<Job, Trouble> {
        let given = Given(inputs);
        given.is_whole()?;
        match given.text("operation")?.as_str() {
            "create" => Ok(Job::Create {
                path: given.text("path")?,
                content: given.encoding(Encoding::Utf8)?.decode(given.written("content")?)?,
                options: given.options()?,
            }),
            "read" => Ok(Job::Read {
                path: given.text("path")?,
                encoding: given.encoding(Encoding::Auto)?,
                bytes_max: given.bytes_max()?,
            }),
            "look" => Ok(Job::Look { path: given.text("path")? }),
            "read_state" => {
                Ok(Job::ReadState { path: given.text("path")?, required: given.flag("required", false)? })
            }
            "write_state" => Ok(Job::WriteState { path: given.text("path")?, state: given.object("state")? }),
            "merge_state" => {
                Ok(Job::MergeState { path: given.text("path")?, updates: given.object("updates")? })
            }
            "render" => given.render(),
            other => Err(Trouble::cannot(format!("this version has no file operation `{other}`"))),
        }
    }
}

struct Given<'g>(&'g Fields);

impl Given<'_> {
    /// A value, unless there is none.
    fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name).and_then(Data::inline).filter(|value| !value.is_null())
    }

    fn wrong(&self, name: &str, needed: &str) -> Trouble {
        match self.value(name) {
            Some(value) => Trouble::cannot(format!("`{name}` is {needed}, and this is {}", kind(value))),
            None => Trouble::cannot(format!("`{name}` has no value, and one is needed")),
        }
    }

    /// A part of a text would be taken for all of it by whoever reads the file.
    fn is_whole(&self) -> Result<(), Trouble> {
        let texts = self.value(LEFT_OUT).and_then(Value::as_object);
        let cut = texts.and_then(|texts| texts.iter().find(|(_, bytes)| !bytes.is_null()));
        let Some((text, bytes)) = cut else { return Ok(()) };
        Err(Trouble::no(format!(
            "`${{{text}}}` is not whole: {bytes} bytes of its middle were left out, so nothing was written. Let the \
             command write the file itself, `command > file`"
        )))
    }

    fn text(&self, name: &str) -> Result<String, Trouble> {
        let text = self.value(name).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| self.wrong(name, "text"))
    }

    /// A value as it is written into a file: text as it is, all else as JSON.
    fn written(&self, name: &str) -> Result<String, Trouble> {
        match self.value(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Ok(other.to_string()),
            None => Err(self.wrong(name, "text")),
        }
    }

    /// What an option says, if it is there. One whose value came to nothing says nothing that could be meant.
    fn said(&self, name: &str) -> Result<Option<&Value>, Trouble> {
        match self.0.get(name).and_then(Data::inline) {
            Some(Value::Null) => Err(Trouble::cannot(format!(
                "`{name}` has no value, and one is needed here: give it one, or leave `{name}` out for what is usual"
            ))),
            _ => Ok(self.value(name)),
        }
    }

    fn flag(&self, name: &str, usual: bool) -> Result<bool, Trouble> {
        match self.said(name)? {
            None => Ok(usual),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    fn object(&self, name: &str) -> Result<Map<String, Value>, Trouble> {
        let object = self.value(name).and_then(Value::as_object);
        object.cloned().ok_or_else(|| self.wrong(name, "an object"))
    }

    fn encoding(&self, usual: Encoding) -> Result<Encoding, Trouble> {
        let Some(value) = self.said("encoding")? else { return Ok(usual) };
        let found = value.as_str().and_then(Encoding::named);
        let found = found.filter(|one| *one != Encoding::Auto || usual == Encoding::Auto);
        found.ok_or_else(|| {
            let auto = if usual == Encoding::Auto { ", `auto`" } else { "" };
            Trouble::cannot(format!("there is no `encoding` {value}: there are `utf-8`, `base64`{auto}"))
        })
    }

    fn bytes_max(&self) -> Result<u64, Trouble> {
        let Some(value) = self.said("max_bytes")? else { return Ok(READ_BYTES_DEFAULT) };
        let found = value.as_u64().filter(|bytes| (1..=READ_BYTES_MAX).contains(bytes));
        found.ok_or_else(|| {
            Trouble::cannot(format!("`max_bytes` is a whole number from 1 to {READ_BYTES_MAX}, not {value}"))
        })
    }

    fn options(&self) -> Result<Options, Trouble> {
        Ok(Options {
            permissions: self.permissions()?,
            overwrite: self.flag("overwrite", Options::USUAL.overwrite)?,
            create_parents: self.flag("create_parents", Options::USUAL.create_parents)?,
            is_noted: true,
        })
    }

    fn permissions(&self) -> Result<Option<u32>, Trouble> {
        let Some(value) = self.said("permissions")? else { return Ok(None) };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let found = permissions(&text);
        found.map(Some).map_err(|hint| Trouble::cannot(format!("`permissions` cannot be `{text}`: {hint}")))
    }

    fn render(&self) -> Result<Job, Trouble> {
        let text = match self.value("source").is_some() {
            true => Text::Source(self.text("source")?),
            false => Text::File(self.text("template_path")?),
        };
        let variables = self
            .0
            .iter()
            .filter_map(|(name, data)| Some((name.strip_prefix("variables.")?.to_owned(), data.clone())));
        let template = Template { text, variables: variables.collect() };
        let target = match self.0.contains_key("target") {
            true => Some((self.text("target")?, self.options()?)),
            false => None,
        };
        Ok(Job::Render { template, target })
    }
}
