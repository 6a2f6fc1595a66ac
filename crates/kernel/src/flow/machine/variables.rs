//! What results leave behind: variables, all of them text. First those that were given, then those of names that are always the
//! same, then those named after the state; on equal names the later kind wins.

use super::timed_out;
use super::way::said;
use crate::clock::seconds_text;
use crate::data::Kind;
use crate::news::ChangedBy;
use crate::plan::{Access, Flow, Machine, Plan, Variables};
use crate::run::{Changes, Moment, Stop};
use crate::{Data, Failure, Fields};
use serde_json::Value;

impl Moment<'_> {
    /// Gives a machine that has variables the first of them.
    pub(in crate::flow) fn open_variables(&mut self, variables: &Variables) -> Result<(), Stop> {
        let none = Data::Inline(Value::Null);
        let given = self.life.inputs.get(&variables.initial).unwrap_or(&none);
        let scope = self.scope(&Access::All);
        let mut fields = Fields::new();
        if let Value::Object(given) = scope.value_of(given)? {
            for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
                fields.insert(name.clone(), text(said(value), variables.bytes_max));
            }
        }
        let changes = self.with_computed(fields.into())?;
        Ok(self.put(changes, ChangedBy::Run)?)
    }

    /// The variables that the result of a state leaves behind.
    pub(super) fn left_behind(
        &self,
        variables: &Variables,
        current: usize,
        result: &Fields,
    ) -> Result<Changes, Stop> {
        let id = &self.plan.steps[current].id;
        let (mut standard, mut own) = (Fields::new(), Fields::new());
        for (field, data) in result.iter().filter(|(field, _)| !variables.without.contains(*field)) {
            let Some(said) = self.variable_of(data, variables.bytes_max)? else { continue };
            if let Some(name) = variables.standard.get(field)
                && !self.is_of_another_state(name, id)
            {
                standard.insert(name.clone(), said.clone());
            }
            own.insert(format!("{id}_{field}"), said);
        }
        standard.extend(own);
        self.with_computed(standard.into())
    }

    /// What a field of a result is as a variable; nothing where it is null. Stored text that is short enough stays where it is.
    fn variable_of(&self, data: &Data, bytes_max: u64) -> Result<Option<Data>, Stop> {
        if let Data::Stored(reference) = data
            && reference.kind == Kind::Text
            && reference.size <= bytes_max
        {
            return Ok(Some(data.clone()));
        }
        let value = self.scope(&Access::All).value_of(data)?.clone();
        Ok((!value.is_null()).then(|| text(said(&value), bytes_max)))
    }

    /// Whether a variable is named after another state that has left it behind: that one keeps it.
    fn is_of_another_state(&self, name: &str, current: &str) -> bool {
        let left = |id: &str| self.life.state.get(&format!("{id}_success")).is_some();
        let mut others = self.plan.steps.iter().map(|step| step.id.as_str()).filter(|id| *id != current);
        self.life.state.get(name).is_some()
            && others.any(|id| name.strip_prefix(id).is_some_and(|rest| rest.starts_with('_')) && left(id))
    }

    /// What transitions, writes and variables see of an end: the outputs, and how the step ended.
    pub(super) fn result(
        &self,
        machine: &Machine,
        current: usize,
        failure: Option<Failure>,
        mut outputs: Fields,
    ) -> (Option<Failure>, Fields) {
        let late = timed_out(failure.as_ref());
        if machine.variables.is_none() {
            let error = failure.as_ref().map(|failure| failure.message.clone());
            outputs.insert("ok".into(), Data::Inline(failure.is_none().into()));
            outputs.insert("timed_out".into(), Data::Inline(late.into()));
            outputs.insert("error".into(), Data::Inline(error.into()));
            return (failure, outputs);
        }
        let has_error = outputs.get("error").is_some_and(|error| error.inline() != Some(&Value::Null));
        let failure = failure.map(|failure| if has_error { failure } else { self.worded(current, failure) });
        if let Some(failure) = failure.as_ref().filter(|_| !has_error) {
            outputs.insert("error".into(), Data::Inline(failure.message.clone().into()));
        }
        if late {
            outputs.insert("timeout_occurred".into(), Data::Inline(true.into()));
        }
        outputs.entry("success".into()).or_insert_with(|| Data::Inline(failure.is_none().into()));
        (failure, outputs)
    }

    /// A failure as people read it: of what took too long, the state and its time.
    fn worded(&self, current: usize, failure: Failure) -> Failure {
        let step = &self.plan.steps[current];
        match step.timeout.ms() {
            Some(ms) if timed_out(Some(&failure)) => {
                let message = format!("State '{}' timed out after {}s", step.id, seconds_text(ms));
                Failure::new(failure.kind, message)
            }
            _ => failure,
        }
    }

    /// How many states the run may enter.
    pub(super) fn visits_max(&self) -> u32 {
        let max = self.plan.limits.visits_max;
        let asked = variables(self.plan).and_then(|variables| self.life.inputs.get(&variables.visits));
        let asked = asked.and_then(Data::inline).and_then(Value::as_u64);
        asked.map_or(max, |asked| u32::try_from(asked).unwrap_or(u32::MAX).min(max))
    }
}

fn variables(plan: &Plan) -> Option<&Variables> {
    match &plan.flow {
        Flow::Machine(machine) => machine.variables.as_ref(),
        _ => None,
    }
}

/// How long whoever started a machine says that it may take, in milliseconds.
pub(crate) fn seconds(plan: &Plan, inputs: &Fields) -> Option<u64> {
    let given = inputs.get(&variables(plan)?.seconds)?.inline()?.as_f64()?;
    (given >= 0.0).then(|| (given * 1_000.0).round() as u64)
}

/// A variable of at most so many bytes, and where something was cut off, how much.
fn text(mut said: String, bytes_max: u64) -> Data {
    let max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    if said.len() > max {
        let kept = said.floor_char_boundary(max);
        let cut = said.len() - kept;
        said.truncate(kept);
        said.push_str(&format!("\n[cut: {cut} more bytes]"));
    }
    Data::Inline(said.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_variables_say_what_was_cut() {
        assert_eq!(text("abc".into(), 3), json!("abc").into());
        assert_eq!(text("abcd".into(), 3), json!("abc\n[cut: 1 more bytes]").into());
        assert_eq!(text("aäb".into(), 2), json!("a\n[cut: 3 more bytes]").into());
    }
}
