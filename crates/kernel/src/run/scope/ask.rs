//! What only others know: foreign expressions and stored content. What was answered in this turn is known.

use super::gather::{told_so, too_large};
use super::{Scope, Stop};
use crate::data::weight;
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::language::Path;
use crate::plan::{Access, Foreign, Language, Origin};
use crate::question::{ABSENT, DECLARED, VIOLATION};
use crate::{Answer, Data, Failure, FailureKind, Question};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl Scope<'_> {
    /// The values of foreign expressions, in their order. All of one language are asked at once, but for those that
    /// have names of their own.
    pub(super) fn ask(&self, foreign: &[&Foreign]) -> Result<Vec<Data>, Stop> {
        let mut told: Vec<Option<Data>> = vec![None; foreign.len()];
        for language in [Language::Jinja, Language::JavaScript, Language::Regex] {
            let speaks = |position: &usize| foreign[*position].language == language;
            let shares = |position: &usize| foreign[*position].given.is_empty();
            let (shared, own): (Vec<usize>, Vec<usize>) = (0..foreign.len()).filter(speaks).partition(shares);
            for positions in std::iter::once(shared).chain(own.into_iter().map(|position| vec![position])) {
                let asked: Vec<&Foreign> = positions.iter().map(|position| foreign[*position]).collect();
                for (position, value) in positions.into_iter().zip(self.ask_in(language, &asked)?) {
                    told[position] = Some(value);
                }
            }
        }
        Ok(told.into_iter().flatten().collect())
    }

    fn ask_in(&self, language: Language, foreign: &[&Foreign]) -> Result<Vec<Data>, Stop> {
        if foreign.is_empty() {
            return Ok(Vec::new());
        }
        let question = Question::Evaluate {
            language,
            expressions: foreign.iter().map(|foreign| foreign.source.clone()).collect(),
            scope: self.read_by(foreign)?,
            origins: origins(foreign),
        };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::ask(question)),
            Some(Answer::Evaluated(values)) if values.len() == foreign.len() => {
                values.iter().cloned().collect::<Result<_, String>>().map_err(|reason| self.blamed(reason))
            }
            Some(Answer::Unanswered(reason)) => Err(told_so(reason.clone())),
            Some(_) => Err("the evaluator's answer does not fit the question".to_owned().into()),
        }
    }

    /// Why an expression has no value. What reads more than it may is no mistake of the expression alone.
    fn blamed(&self, reason: String) -> Stop {
        match (self.step, reason.strip_prefix(VIOLATION)) {
            (_, None) => told_so(reason),
            (None, Some(_)) => denied(reason),
            (Some(step), Some(why)) => denied(format!("{VIOLATION}step `{step}`: {why}")),
        }
    }

    /// The values that expressions read, by path or by the name they are given.
    fn read_by(&self, foreign: &[&Foreign]) -> Result<Vec<(String, Data)>, Stop> {
        let mut scope = self.read_all(foreign.iter().flat_map(|foreign| &foreign.reads))?;
        let telling = foreign.iter().filter(|foreign| foreign.language == Language::JavaScript);
        let read = telling.flat_map(|foreign| &foreign.reads).filter(|path| !is_always_there(path));
        let read: BTreeSet<String> = read.map(ToString::to_string).collect();
        for foreign in foreign {
            scope.extend(self.given(&foreign.given)?);
        }
        let absent: Vec<String> = read.into_iter().filter(|path| !scope.contains_key(path)).collect();
        if !absent.is_empty() {
            scope.insert(ABSENT.to_owned(), Data::Inline(absent.into()));
        }
        Ok(scope.into_iter().collect())
    }

    /// The values at paths, as far as there are any.
    pub(crate) fn read_all<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path>,
    ) -> Result<BTreeMap<String, Data>, Stop> {
        let (mut scope, mut bytes) = (BTreeMap::new(), 0);
        for path in paths {
            if let (Access::Fields(names), true) = (self.access, is_whole_state(path)) {
                scope.insert(DECLARED.to_owned(), Data::Inline(names.iter().cloned().collect()));
            }
            match self.read(path) {
                Ok(data) => {
                    bytes += data.inline().map_or(0, weight);
                    scope.insert(path.to_string(), data);
                }
                // What is not there stays undefined; the evaluator knows what that means in its language.
                Err(Stop::Fail(failure)) if failure.kind == FailureKind::Expression => {}
                Err(stop) => return Err(stop),
            }
            // Parts of what is stored are copied; what is read whole is not.
            let max = self.plan.limits.made_bytes_max.saturating_mul(2);
            if bytes > max {
                return Err(too_large("what the expressions read", bytes, max).into());
            }
        }
        Ok(scope)
    }

    /// The value of data, loaded if it is stored.
    pub(crate) fn value(&self, data: Data) -> Result<Value, Stop> {
        match data {
            Data::Inline(value) => Ok(value),
            stored => self.value_of(&stored).cloned(),
        }
    }

    /// The value of data, to look at.
    pub(crate) fn value_of<'d>(&'d self, data: &'d Data) -> Result<&'d Value, Stop> {
        let reference = match data {
            Data::Inline(value) => return Ok(value),
            Data::Stored(reference) => reference,
        };
        let question = Question::Load { digest: reference.digest };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::ask(question)),
            Some(Answer::Loaded { value, .. }) => Ok(value),
            Some(Answer::Unanswered(reason)) => Err(told_so(reason.clone())),
            Some(_) => Err("the answer does not fit the question".to_owned().into()),
        }
    }
}

/// Whether all of the state is read, so that only the expression knows which field it wants.
fn is_whole_state(path: &Path) -> bool {
    path.root == "state" && path.segments.is_empty()
}

/// Whether a path begins at what is an object even where nothing is in it.
fn is_always_there(path: &Path) -> bool {
    ["inputs", "raw", "computed", "state", "included", "metadata"].contains(&path.root.as_str())
}

/// Where expressions stand in their files; nothing where that can be said of none.
fn origins(foreign: &[&Foreign]) -> Vec<Option<Origin>> {
    if foreign.iter().all(|foreign| foreign.origin.is_none()) {
        return Vec::new();
    }
    foreign.iter().map(|foreign| foreign.origin).collect()
}

fn denied(message: String) -> Stop {
    Failure::new(FailureKind::Access, shortened(message, MESSAGE_BYTES_MAX)).into()
}
