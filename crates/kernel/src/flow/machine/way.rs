//! Which way a machine goes from a state: the first transition that holds. All regular expressions of a state are asked about
//! at once, and only where one of them decides.

use super::{FALL_BACK, Left, TAKE, TIMED_OUT, timed_out};
use crate::language::cut;
use crate::news::Way;
use crate::plan::{Access, Language, Machine, State, Test, Transition};
use crate::run::{Changes, Moment, Scope, Stop};
use crate::{Answer, Data, Failure, FailureKind, Fields, Question};
use serde_json::Value;

/// The fields in which regular expressions are searched, in this order.
const SEARCHED: [&str; 2] = ["match_text", "screen_content"];

impl Moment<'_> {
    /// The way from a state whose step has ended.
    pub(super) fn way(
        &self,
        machine: &Machine,
        state: &State,
        failure: Option<&Failure>,
        result: &Fields,
        changes: &Changes,
    ) -> Result<Option<Left>, Stop> {
        let late = timed_out(failure);
        let scope = self.scope(&Access::All).with_result(Some(result)).over(changes);
        let looked = Looked { scope, result, late, state, answers: self.answers };
        // Where ways are expressions, each of them may be for a time-out.
        let any = !late || machine.variables.is_none();
        let explicit = |way: &Transition| any || way.is_for_time_out();
        if let Some(way) = looked.first(explicit)? {
            return Ok(Some(way));
        }
        if let Some(to) = state.on_timeout.filter(|_| late) {
            return Ok(Some((TIMED_OUT, Way::TimedOut, to)));
        }
        if let Some(way) = looked.first(|way| !explicit(way))? {
            return Ok(Some(way));
        }
        Ok(state.on_failure.filter(|_| failure.is_some()).map(|to| (FALL_BACK, Way::Failed, to)))
    }
}

/// What transitions look at.
struct Looked<'l> {
    scope: Scope<'l>,
    result: &'l Fields,
    late: bool,
    state: &'l State,
    answers: &'l std::collections::BTreeMap<crate::Digest, Answer>,
}

impl Looked<'_> {
    /// The first of some transitions that holds.
    fn first(&self, wanted: impl Fn(&Transition) -> bool) -> Result<Option<Left>, Stop> {
        for (way, position) in self.state.transitions.iter().zip(0..) {
            if wanted(way) && self.scope.holds(&way.when)? && self.passes(way)? {
                return Ok(Some((TAKE, Way::Transition(position), way.to)));
            }
        }
        Ok(None)
    }

    /// Whether all tests hold. What can be seen here is looked at before anybody is asked.
    fn passes(&self, way: &Transition) -> Result<bool, Stop> {
        let (asked, seen): (Vec<&Test>, Vec<&Test>) =
            way.tests.iter().partition(|test| matches!(test, Test::Found { .. }));
        for test in seen.into_iter().chain(asked) {
            if !self.holds(test)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, test: &Test) -> Result<bool, Stop> {
        Ok(match test {
            Test::TimedOut(late) => *late == self.late,
            Test::Equals { field, value } => match self.result.get(field) {
                None => value.is_null(),
                Some(data) => alike(self.scope.value_of(data)?, value),
            },
            Test::Contains { field, text } => match self.result.get(field) {
                None => text.is_empty(),
                Some(data) => said(self.scope.value_of(data)?).contains(text.as_str()),
            },
            Test::Found { pattern, found } => self.finds(pattern)? == *found,
        })
    }

    /// Whether a regular expression is found in what was matched or shown. In nothing, nothing is found.
    fn finds(&self, pattern: &str) -> Result<bool, Stop> {
        let searched: Vec<(String, Data)> = SEARCHED
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), self.result.get(*name)?.clone())))
            .filter(|(_, data)| !is_empty(data))
            .collect();
        if searched.is_empty() {
            return Ok(false);
        }
        let patterns = self.patterns();
        let position = patterns.iter().position(|known| known == pattern).expect("BUG: a pattern of its own");
        let question = Question::Evaluate {
            language: Language::Regex,
            expressions: patterns,
            scope: searched,
            origins: Vec::new(),
        };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::ask(question)),
            Some(Answer::Evaluated(told)) => match told.get(position) {
                Some(Ok(Data::Inline(Value::Bool(found)))) => Ok(*found),
                Some(Err(reason)) => Err(unclear(pattern, reason)),
                _ => Err(unclear(pattern, "the answer does not fit the question")),
            },
            Some(Answer::Unanswered(reason)) => Err(unclear(pattern, reason)),
            Some(_) => Err(unclear(pattern, "the answer does not fit the question")),
        }
    }

    /// All regular expressions of the state, each once, in the order written.
    fn patterns(&self) -> Vec<String> {
        let mut patterns: Vec<String> = Vec::new();
        for test in self.state.transitions.iter().flat_map(|way| &way.tests) {
            if let Test::Found { pattern, .. } = test
                && !patterns.contains(pattern)
            {
                patterns.push(pattern.clone());
            }
        }
        patterns
    }
}

fn unclear(pattern: &str, reason: &str) -> Stop {
    let message = format!("nobody can say whether {} is found: {reason}", cut(&Value::from(pattern)));
    Failure::new(FailureKind::Expression, message).into()
}

fn is_empty(data: &Data) -> bool {
    data.inline().is_some_and(|value| value.is_null() || value.as_str() == Some(""))
}

/// Whether two values are the same: of one type, and numbers by what they count.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

/// The text form of a value; nothing is no text.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_alike_by_what_they_count() {
        assert!(alike(&json!(0), &json!(0)) && alike(&json!(0), &json!(0.0)));
        assert!(!alike(&json!("0"), &json!(0)) && !alike(&json!(false), &json!(0)));
        assert!(alike(&json!({"a": [1]}), &json!({"a": [1]})) && alike(&json!(null), &json!(null)));
    }
}
