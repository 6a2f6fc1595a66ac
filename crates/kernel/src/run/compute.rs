//! Fields that follow from others. Those that the kernel can compute are computed one after the other; for those that
//! only an evaluator can, one question asks for all that follow from a change, each after what it reads.
//!
//! A field of which something that it follows from is not set is not set either, and nobody is asked about it.

use super::Moment;
use super::scope::{Stop, shallow};
use super::write::Changes;
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::fault::planted;
use crate::language::Path;
use crate::plan::{Access, COMPUTED, Computed, Language, OnError, Transform};
use crate::question::{Before, Compute, Made, Otherwise};
use crate::{Answer, Data, Digest, Failure, FailureKind, News, Question};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A field that an evaluator is asked about, and what it follows from that is different now.
struct Touched<'p> {
    field: &'p Computed,
    transform: &'p Transform,
    trigger: String,
    /// Fields that are asked about with it, where it follows from nothing else that is different.
    only_after: Vec<String>,
}

/// What became of a field.
struct Outcome {
    value: Option<Data>,
    error: Option<String>,
    input: Option<Digest>,
    took_us: u64,
}

impl<'m> Moment<'m> {
    /// Adds the computed fields that follow from changes: those that read something that is now different.
    pub(crate) fn with_computed(&self, mut changes: Changes) -> Result<Changes, Stop> {
        let mut different: BTreeSet<String> = changes
            .fields
            .iter()
            .filter(|(name, data)| self.life.state.get(name) != Some(data))
            .map(|(name, _)| name.clone())
            .collect();
        let computed = &self.plan.state.computed;
        for alike in computed.chunk_by(|one, next| one.transform.is_some() == next.transform.is_some()) {
            if alike[0].transform.is_some() {
                self.ask_for(alike, &mut changes, &mut different)?;
                continue;
            }
            for field in alike {
                if !field.from.is_disjoint(&different)
                    && let Some(value) = self.computed(field, &changes)?
                {
                    different.insert(field.name.clone());
                    changes.set(&field.name, value);
                }
            }
        }
        self.holdable(changes)
    }

    /// The value of a field that the kernel computes, if it is another one than before.
    fn computed(&self, field: &Computed, changes: &Changes) -> Result<Option<Data>, Stop> {
        let scope = self.scope(&Access::All).over(changes);
        if field.from.iter().any(|from| scope.state_data(from).is_none()) {
            return Ok(None);
        }
        let value = match (scope.data(&field.value), &field.on_error) {
            (Ok(value), _) => value,
            (Err(Stop::Ask(questions)), _) => return Err(Stop::Ask(questions)),
            (Err(Stop::Fail(_)), OnError::Fallback(value)) => Data::Inline(value.clone()),
            (Err(Stop::Fail(_)), OnError::Null) => Data::Inline(Value::Null),
            (Err(Stop::Fail(_)), OnError::Ignore) => return Ok(None),
            (Err(Stop::Fail(failure)), OnError::Propagate) => {
                return Err(of_field(field, failure.kind, &failure.message).into());
            }
        };
        Ok(Some(value).filter(|value| scope.state_data(&field.name) != Some(value)))
    }

    /// Asks an evaluator for all fields that follow from what is different, and adds what it says.
    fn ask_for(
        &self,
        fields: &'m [Computed],
        changes: &mut Changes,
        different: &mut BTreeSet<String>,
    ) -> Result<(), Stop> {
        let mut touched = self.touched(fields, changes, different);
        if planted!(self, StaleField) {
            touched.truncate(1);
        }
        if touched.is_empty() {
            return Ok(());
        }
        let question = self.question(&touched, changes)?;
        let told = match self.answers.get(&question.digest()) {
            None => return Err(Stop::ask(question)),
            Some(Answer::Computed(made)) if made.len() == touched.len() => Ok(made),
            Some(Answer::Unanswered(reason)) => Err(reason.as_str()),
            Some(_) => Err("the evaluator's answer does not fit the question"),
        };
        for (position, touched) in touched.iter().enumerate() {
            let old = || self.scope(&Access::All).over(changes).state_data(&touched.field.name).cloned();
            let outcome = match told {
                Ok(made) if made[position].kept => {
                    different.remove(&touched.field.name);
                    continue;
                }
                Ok(made) => told_by(&made[position], touched.field, old),
                Err(reason) => without_answer(touched.field, reason, old),
            };
            self.take_made(touched, outcome, changes)?;
        }
        Ok(())
    }

    /// The fields to ask about. One that cannot be computed because something is not set is not set any more.
    fn touched(
        &self,
        fields: &'m [Computed],
        changes: &mut Changes,
        different: &mut BTreeSet<String>,
    ) -> Vec<Touched<'m>> {
        let (mut touched, mut asked) = (Vec::new(), BTreeSet::new());
        for field in fields {
            let Some(transform) = &field.transform else { continue };
            let from: Vec<&String> = field.from.intersection(different).collect();
            if from.is_empty() {
                continue;
            }
            let may_stay = from.iter().all(|name| asked.contains(name.as_str())) && self.plan.revision >= 2;
            let only_after = from.iter().filter(|_| may_stay).map(|name| (*name).clone()).collect();
            let trigger = from.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            let scope = self.scope(&Access::All).over(changes);
            let is_set = |name: &String| asked.contains(name.as_str()) || scope.state_data(name).is_some();
            let was_set = scope.state_data(&field.name).is_some();
            if field.from.iter().all(is_set) {
                asked.insert(field.name.as_str());
                different.insert(field.name.clone());
                touched.push(Touched { field, transform, trigger, only_after });
            } else if was_set && field.on_error != OnError::Ignore {
                different.insert(field.name.clone());
                changes.told.push(computed_news(field, trigger, Outcome::unset()));
                changes.unset(&field.name);
            }
        }
        touched
    }

    /// The question about fields, with all that they read and that it does not compute itself.
    fn question(&self, touched: &[Touched<'_>], changes: &Changes) -> Result<Question, Stop> {
        let mut hidden = changes.clone();
        let asked: BTreeSet<&str> = touched.iter().map(|touched| touched.field.name.as_str()).collect();
        asked.iter().for_each(|name| hidden.unset(name));
        let is_known = |path: &&Path| {
            let name = path.name(0).filter(|_| path.root == COMPUTED);
            !name.is_some_and(|name| asked.contains(format!("{COMPUTED}.{name}").as_str()))
        };
        let paths = touched.iter().flat_map(|it| it.transform.inputs.iter().chain(&it.transform.reads));
        let scope = self.scope(&Access::All).over(&hidden);
        let mut read: BTreeMap<String, Data> = scope.read_all(paths.filter(is_known))?;
        let now = self.scope(&Access::All).over(changes);
        let is_read = |name: &str| {
            let mut paths =
                touched.iter().flat_map(|it| it.transform.inputs.iter().chain(&it.transform.reads));
            let bare = name.split_once('.').map_or(name, |(_, bare)| bare);
            paths.any(|path| {
                path.root == bare || path.root == COMPUTED && path.name(0).is_some_and(|name| name == bare)
            })
        };
        let may_stay = |it: &Touched<'_>| !it.only_after.is_empty() && is_read(&it.field.name);
        let keeps = |it: &&Touched<'_>| it.field.on_error == OnError::Ignore || may_stay(it);
        for Touched { field, .. } in touched.iter().filter(keeps) {
            read.extend(now.state_data(&field.name).map(|old| (field.name.clone(), old.clone())));
        }
        let before = |name: &String| Before { name: name.clone(), was: now.state_data(name).map(named) };
        let fields = touched.iter().map(|touched| {
            let only_after = touched.only_after.iter().map(before).collect();
            Compute { only_after, ..asked_for(touched.field, touched.transform) }
        });
        let fields = fields.collect();
        Ok(Question::Compute { language: Language::JavaScript, fields, scope: read.into_iter().collect() })
    }

    /// Takes what became of a field.
    fn take_made(&self, touched: &Touched<'_>, outcome: Outcome, changes: &mut Changes) -> Result<(), Stop> {
        let Touched { field, trigger, .. } = touched;
        if let (Some(reason), OnError::Propagate) = (&outcome.error, &field.on_error) {
            return Err(of_field(field, FailureKind::Expression, reason).into());
        }
        let scope = self.scope(&Access::All).over(changes);
        let old = scope.state_data(&field.name).cloned();
        let value = outcome.value.clone();
        changes.told.push(computed_news(field, trigger.clone(), outcome));
        match value {
            Some(value) if old.as_ref() != Some(&value) => changes.set(&field.name, value),
            None if old.is_some() => changes.unset(&field.name),
            Some(_) | None => {}
        }
        Ok(())
    }
}

impl Outcome {
    /// Something of what it follows from is not set.
    fn unset() -> Self {
        Outcome { value: None, error: None, input: None, took_us: 0 }
    }
}

/// What the evaluator says of a field. A value that cannot be kept is none.
fn told_by(made: &Made, field: &Computed, old: impl Fn() -> Option<Data>) -> Outcome {
    let error = made.error.clone().map(|reason| shortened(reason, MESSAGE_BYTES_MAX));
    let told = Outcome { value: None, error, input: Some(made.input), took_us: made.took_us };
    match made.value.clone().map(shallow).transpose() {
        Ok(None) if field.on_error == OnError::Ignore => Outcome { value: old(), ..told },
        Ok(value) => Outcome { value, ..told },
        Err(failure) => {
            let otherwise = without_answer(field, &failure.message, old);
            Outcome { value: otherwise.value, error: otherwise.error, ..told }
        }
    }
}

/// What becomes of a field that nobody computed.
fn without_answer(field: &Computed, reason: &str, old: impl Fn() -> Option<Data>) -> Outcome {
    let value = match &field.on_error {
        OnError::Fallback(value) => Some(Data::Inline(value.clone())),
        OnError::Null | OnError::Propagate => Some(Data::Inline(Value::Null)),
        OnError::Ignore => old(),
    };
    let error = Some(shortened(reason.to_owned(), MESSAGE_BYTES_MAX));
    Outcome { value, error, ..Outcome::unset() }
}

fn asked_for(field: &Computed, transform: &Transform) -> Compute {
    let in_words = |paths: &[Path]| paths.iter().map(Path::to_string).collect();
    Compute {
        name: field.name.clone(),
        source: transform.source.clone(),
        inputs: in_words(&transform.inputs),
        single: transform.single,
        reads: in_words(&transform.reads),
        validate: transform.validate.clone(),
        otherwise: match &field.on_error {
            OnError::Fallback(value) => Otherwise::Value(value.clone()),
            OnError::Ignore => Otherwise::Old,
            OnError::Null | OnError::Propagate => Otherwise::Null,
        },
        origin: transform.origin,
        validate_origin: transform.validate_origin,
        only_after: Vec::new(),
    }
}

/// Names a value.
fn named(data: &Data) -> Digest {
    match data {
        Data::Inline(value) => Digest::of_json(value),
        Data::Stored(reference) => reference.digest,
    }
}

fn computed_news(field: &Computed, trigger: String, outcome: Outcome) -> News {
    let Outcome { value: output, error, input, took_us } = outcome;
    News::Computed { field: field.name.clone(), trigger, input, output, took_us, error }
}

fn of_field(field: &Computed, kind: FailureKind, reason: &str) -> Failure {
    Failure::new(kind, format!("computed field `{}`: {reason}", field.name)).bounded()
}
