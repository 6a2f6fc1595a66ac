//! Makes the values of expressions. Whole-value references keep their type, and large data its reference; text
//! around references makes text.

use super::{Scope, Stop};
use crate::data::{DEPTH_MAX, TOO_DEEP, weight};
use crate::language::{Part, Path, Template, holds, kind};
use crate::plan::{Expr, Flow, Workflow};
use crate::{Data, Failure, FailureKind, Fields};
use serde_json::Value;

/// What foreign expressions gave, in order.
pub(super) type Told = std::vec::IntoIter<Data>;

/// What a step is given, and what else of it is only known when it begins.
pub(crate) struct Called {
    pub(crate) inputs: Fields,
    /// The name, where it was not known before.
    pub(crate) workflow: Option<String>,
    /// After how long an action ends by itself.
    pub(crate) ends_ms: Option<u64>,
}

impl Scope<'_> {
    /// Evaluates named expressions together: what an evaluator must be asked, it is asked at once.
    pub(crate) fn fields(&self, wanted: &[(String, Expr)]) -> Result<Fields, Stop> {
        let mut told = self.told(wanted.iter().map(|(_, expr)| expr))?;
        self.composed(wanted, &mut told)
    }

    /// Evaluates expressions together, in their order.
    pub(crate) fn all<'e>(&self, wanted: impl Iterator<Item = &'e Expr> + Clone) -> Result<Vec<Data>, Stop> {
        let mut told = self.told(wanted.clone())?;
        wanted.map(|expr| self.composed_one(expr, &mut told)).collect()
    }

    /// Evaluates one expression.
    pub(crate) fn data(&self, expr: &Expr) -> Result<Data, Stop> {
        let mut told = self.told(std::iter::once(expr))?;
        self.composed_one(expr, &mut told)
    }

    /// Evaluates a condition.
    pub(crate) fn holds(&self, expr: &Expr) -> Result<bool, Stop> {
        let value = self.value(self.data(expr)?)?;
        holds(&value).map_err(Stop::from)
    }

    /// The workflow that a step calls, and what it is given.
    pub(crate) fn child(&self, workflow: &Workflow, inputs: &[(String, Expr)]) -> Result<Called, Stop> {
        let depth_max = self.plan.limits.depth_max;
        if self.life.depth >= depth_max {
            let message = match &self.plan.flow {
                Flow::Machine(machine) if machine.variables.is_some() => {
                    format!("Maximum recursion depth ({depth_max}) exceeded")
                }
                _ => format!("workflows call workflows more than {depth_max} deep"),
            };
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        let name = match workflow {
            Workflow::Pinned { .. } => None,
            Workflow::Named(name) => Some(name),
        };
        let mut told = self.told(inputs.iter().map(|(_, expr)| expr).chain(name))?;
        let inputs = self.composed(inputs, &mut told)?;
        let workflow = name.map(|name| self.name_of_workflow(name, &mut told)).transpose()?;
        Ok(Called { inputs, workflow, ends_ms: None })
    }

    fn name_of_workflow(&self, name: &Expr, told: &mut Told) -> Result<String, Stop> {
        match self.value(self.make(name, told)?)? {
            Value::String(name) => Ok(name),
            other => Err(format!("a workflow's name is text, and this is {}", kind(&other)).into()),
        }
    }

    /// How long a wait takes, in whole milliseconds.
    pub(crate) fn wait(&self, ms: &Expr) -> Result<u64, Stop> {
        let value = self.value(self.data(ms)?)?;
        let whole = value.as_u64();
        // A part of a millisecond is waited for whole; more than a u64 holds is for ever.
        let part = value.as_f64().filter(|ms| *ms >= 0.0).map(|ms| ms.ceil() as u64);
        whole.or(part).ok_or_else(|| {
            format!("a wait needs a number of milliseconds, and this is {}", crate::language::cut(&value))
                .into()
        })
    }

    pub(super) fn told<'e>(&self, exprs: impl Iterator<Item = &'e Expr>) -> Result<Told, Stop> {
        let mut foreign = Vec::new();
        exprs.for_each(|expr| expr.foreign(&mut foreign));
        Ok(self.ask(&foreign)?.into_iter())
    }

    /// Makes what is not made of others; lists and mappings are composed.
    pub(super) fn make(&self, expr: &Expr, told: &mut Told) -> Result<Data, Stop> {
        Ok(match expr {
            Expr::Const(value) => Data::Inline(value.clone()),
            Expr::Template(template) => self.template(template)?,
            Expr::Needed(path) => match self.read(path)? {
                Data::Inline(Value::Null) => {
                    return Err(format!("`{path}` has no value, and one is needed here").into());
                }
                data => data,
            },
            Expr::Optional(path) => self.optional(path)?,
            Expr::Whole { texts, value } => {
                texts.iter().try_for_each(|(name, path)| self.whole_text(name, path))?;
                self.make(value, told)?
            }
            Expr::Words { name, value } => {
                let data = self.make(value, told)?;
                if self.is_blank(&data)? {
                    return Err(format!(
                        "`{name}` is empty: what its reference gives says nothing to whoever is asked"
                    )
                    .into());
                }
                data
            }
            Expr::Items(path) => {
                let data = self.read(path)?;
                match self.value_of(&data)? {
                    Value::Array(items) if !items.is_empty() => {}
                    Value::Array(_) => return Err(format!("`{path}` is an empty list").into()),
                    other => {
                        return Err(format!("`{path}` must be a list, and this is {}", kind(other)).into());
                    }
                }
                data
            }
            Expr::Condition(condition) => {
                Data::Inline(condition.evaluate(&mut |path| self.value(self.read(path)?))?)
            }
            Expr::Braced { text, kind } => self.braced(text, *kind)?,
            Expr::List(_) | Expr::Object(_) => self.composed_one(expr, told)?,
            Expr::Foreign(_) => told.next().expect("BUG: an expression was not asked about"),
        })
    }

    /// The data at a path, or nothing.
    fn optional(&self, path: &Path) -> Result<Data, Stop> {
        match self.read(path) {
            Err(Stop::Fail(failure)) if failure.kind == FailureKind::Expression => {
                Ok(Data::Inline(Value::Null))
            }
            read => read,
        }
    }

    /// Whether a text has nothing in it that could be read. What begins with words is not even loaded.
    fn is_blank(&self, data: &Data) -> Result<bool, Stop> {
        match data {
            Data::Stored(reference) if !reference.head.trim().is_empty() => Ok(false),
            data => Ok(self.value_of(data)?.as_str().is_some_and(|text| text.trim().is_empty())),
        }
    }

    /// Fails where something was left out of a text.
    fn whole_text(&self, name: &str, left_out: &Path) -> Result<(), Stop> {
        match self.value(self.optional(left_out)?)?.as_u64().unwrap_or_default() {
            0 => Ok(()),
            bytes => Err(format!(
                "`{name}` is not whole: {bytes} bytes of its middle were left out, so nobody knows what they say. Let the \
                 command itself say what matters, by its exit code or in few words"
            )
            .into()),
        }
    }

    fn template(&self, template: &Template) -> Result<Data, Stop> {
        if let Some(path) = template.whole() {
            return self.read(path);
        }
        let max = self.plan.limits.text_bytes_max;
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Reference(path) => {
                    let data = self.read(path)?;
                    // What is too long is not even loaded.
                    short(text.len() as u64 + stored_bytes(&data), max)?;
                    write_text(&mut text, path, self.value_of(&data)?)?;
                }
            }
            short(text.len() as u64, max)?;
        }
        Ok(Data::Inline(Value::String(text)))
    }
}

pub(super) fn short(bytes: u64, max: u64) -> Result<(), Failure> {
    if bytes <= max {
        return Ok(());
    }
    let message = format!(
        "the text grows longer than {max} bytes: pass what is long alone, without text around it, or write it to a file and \
         pass its path"
    );
    Err(Failure::new(FailureKind::Limit, message))
}

pub(super) fn stored_bytes(data: &Data) -> u64 {
    match data {
        Data::Inline(_) => 0,
        Data::Stored(reference) => reference.size,
    }
}

fn write_text(text: &mut String, path: &Path, value: &Value) -> Result<(), Stop> {
    match value {
        Value::Null => {
            let message = format!(
                "`{path}` has no value, so it cannot be part of a text: only a reference that stands alone may have none"
            );
            return Err(message.into());
        }
        Value::String(plain) => text.push_str(plain),
        other => text.push_str(&other.to_string()),
    }
    Ok(())
}

/// Data that does not nest too deep to be stored and read again.
pub(crate) fn shallow(data: Data) -> Result<Data, Failure> {
    let nests = matches!(data, Data::Inline(Value::Array(_) | Value::Object(_)));
    if nests && data.inline().map(weight) == Some(TOO_DEEP) {
        return Err(too_deep());
    }
    Ok(data)
}

pub(super) fn too_deep() -> Failure {
    Failure::new(FailureKind::Limit, format!("a value nests deeper than {DEPTH_MAX} levels"))
}
