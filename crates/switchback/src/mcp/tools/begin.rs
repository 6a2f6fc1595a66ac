//! Starts a run: the definition, a name for the run and what a key meant before are looked at together; inputs are checked
//! before anything is subscribed to or stored; the run's turns are folded in memory, so that its journal is not read again.

use super::status;
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::runs;
use crate::mcp::takes;
use crate::mcp::visit::Visit;
use crate::mcp::watch::Watch;
use crate::mcp::workflows;
use crate::mcp::young::Young;
use engine::backend::{Accepted, Backend, Error, Start};
use engine::kernel::plan::{Input, InputKind};
use engine::kernel::{Command, Data, Fields, Plan, Refusal, Run, RunId, Status};
use engine::library::Order;
use engine::names;
use engine::store::{Reader, Request};
use engine::view::View;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Starts the run that a call asks for, or finds the one that the same key has started. Definitions are looked for in this
/// order.
pub(super) async fn begin(call: &Call, order: Order) -> Result<Watch, Problem> {
    let (said, sent) = (call.arguments.request_key()?, call.key_in_meta());
    let key = said.or(sent).map(str::to_owned);
    let (name, given) = (call.arguments.workflow()?, call.arguments.inputs()?);
    let young = Young::turn(call).await?;
    let asked = Asked { name, given, key: key.clone(), again: said.is_some(), order };
    let ready = call.visit.glance(move |visit, reader| prepare(visit, reader, asked)).await??;
    start(call, ready, key, false).await.map(|watch| watch.young(young))
}

/// Starts a run of a plan that the call itself brings or has found, or finds the one that the same key has started.
pub(super) async fn begin_plan(
    call: &Call,
    (plan, pinned): (Arc<Plan>, Vec<Arc<Plan>>),
    given: JsonObject,
    is_brought: bool,
) -> Result<Watch, Problem> {
    let (said, sent) = (call.arguments.request_key()?, call.key_in_meta());
    let key = said.or(sent).map(str::to_owned);
    let asked = key.clone().filter(|_| said.is_some());
    let young = Young::turn(call).await?;
    let ready = call
        .visit
        .glance(move |visit, reader| {
            let known = match &asked {
                Some(key) => reader.request(&visit.workspace(), key).map_err(runs::unreadable)?,
                None => None,
            };
            ready((plan, pinned), given, known)
        })
        .await??;
    start(call, ready, key, is_brought).await.map(|watch| watch.young(young))
}

/// A run that can be started.
struct Ready {
    plan: Arc<Plan>,
    /// The plans of what it calls.
    pinned: Vec<Arc<Plan>>,
    inputs: Fields,
    id: RunId,
    /// Whether the key was used before, so that the run is there already.
    known: bool,
}

/// What a caller asks for.
struct Asked {
    name: String,
    given: JsonObject,
    key: Option<String>,
    /// Whether the key may well have been used before; one that our own pipe made up has hardly ever.
    again: bool,
    order: Order,
}

fn prepare(visit: &Visit, reader: &Reader, asked: Asked) -> Result<Ready, Problem> {
    let Asked { name, given, key, again, order } = asked;
    let request = || match &key {
        Some(key) => reader.request(&visit.workspace(), key).map_err(runs::unreadable),
        None => Ok(None),
    };
    let mut known = if again { request()? } else { None };
    let library = visit.library_of(order)?;
    let found = workflows::find_in(&library, order, &name);
    let pinned = found.as_ref().map(|found| found.reading.pinned.clone()).unwrap_or_default();
    let plan = match found.and_then(workflows::plan) {
        Ok(plan) => Arc::clone(plan),
        // The definition may be gone or broken since the key was used; its run has a plan of its own.
        Err(problem) => {
            known = request()?;
            plan_of(visit, reader, known.as_ref(), &name)?.ok_or(problem)?
        }
    };
    ready((plan, pinned), given, known)
}

/// Looks whether a run of a plan would be admitted.
fn ready(
    (plan, pinned): (Arc<Plan>, Vec<Arc<Plan>>),
    given: JsonObject,
    known: Option<Request>,
) -> Result<Ready, Problem> {
    let inputs = fields(&plan, given);
    if let Some(request) = known {
        return Ok(Ready { plan, pinned, inputs, id: request.run, known: true });
    }
    // Whether the name is free, the store says when it is used.
    let id = RunId::new(names::another(0));
    // Nothing is begun that would be refused.
    let run = Run::new(Arc::clone(&plan), id.clone(), None, 0);
    let (small, _) = engine::turn::brought(inputs.clone(), &plan.limits, 0);
    let fits = engine::turn::fits(&plan, &inputs, |digest| Err(format!("{digest} is not stored yet")));
    match run.admit(Command::Start { inputs: small }, now()).and(fits) {
        Ok(()) => Ok(Ready { plan, pinned, inputs, id, known: false }),
        Err(refusal) => Err(wrong_inputs(&plan, &refusal)),
    }
}

/// The plan of the run that a key has started from a workflow of this name.
fn plan_of(
    visit: &Visit,
    reader: &Reader,
    request: Option<&Request>,
    name: &str,
) -> Result<Option<Arc<Plan>>, Problem> {
    let Some(request) = request else { return Ok(None) };
    let plan = runs::view(visit, reader, &request.run)?.map(|view| view.plan);
    Ok(plan.filter(|plan| plan.name == name))
}

/// The inputs as data; `null` means that nothing was given, unless anything may be.
pub(super) fn fields(plan: &Plan, given: JsonObject) -> Fields {
    let is_given = |name: &str, value: &Value| {
        let input = plan.inputs.iter().find(|input| input.name == name);
        !value.is_null() || input.is_none_or(|input| input.kind.accepts(&Value::Null))
    };
    let is_integer =
        |name: &str| plan.inputs.iter().any(|input| input.name == name && input.kind == InputKind::Integer);
    given
        .into_iter()
        .filter(|(name, value)| is_given(name, value))
        .map(|(name, value)| if is_integer(&name) { (name, whole(value)) } else { (name, value) })
        .map(|(name, value)| (name, Data::Inline(value)))
        .collect()
}

/// The integer that a number without a fraction is: to JSON Schema `5.0` is one.
fn whole(value: Value) -> Value {
    /// Up to here every integer is a number of its own.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    match value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT_MAX) {
        #[allow(clippy::cast_possible_truncation, reason = "it is whole and small")]
        Some(number) if value.is_f64() => (number as i64).into(),
        _ => value,
    }
}

pub(super) fn wrong_inputs(plan: &Plan, refusal: &Refusal) -> Problem {
    let help = "Use get_workflow_info() to see input requirements";
    match refusal {
        Refusal::MissingInputs(names) => Problem::new("missing-inputs", refusal.to_string())
            .options_as("required", names.clone())
            .with("inputs", takes::table(plan))
            .help(help),
        Refusal::UnknownInput { name, known } => {
            let error = format!("`{}` has no input `{}`", plan.name, crate::mcp::problem::said(name));
            Problem::new("unknown-input", error).options(known.clone()).near(name).help(help)
        }
        Refusal::WrongInput { name, .. } => {
            let wanted = plan.inputs.iter().find(|input: &&Input| input.name == *name);
            let about =
                wanted.map(|input| json!({"type": input.kind.as_str(), "description": input.description}));
            Problem::new("wrong-input", refusal.to_string()).with("input", json!({ name: about })).help(help)
        }
        other => Problem::new("refused", other.to_string()).help(help),
    }
}

/// Starts a run, or finds the one that the same key has started.
async fn start(call: &Call, ready: Ready, key: Option<String>, is_brought: bool) -> Result<Watch, Problem> {
    let Ready { plan, pinned, inputs, id, known } = ready;
    let house = call.visit.house()?;
    let home = call.visit.home(&call.visit.settings());
    let mut asked = Start { id, plan, inputs, home, request_key: key, pinned, is_brought };
    let mut taken = 0;
    // Both are on their way at once, and in this order.
    let (subscribed, accepted) = loop {
        let subscribed = (!known).then(|| house.local.subscribe(&asked.id));
        match house.local.start(asked.clone()).await {
            Err(Error::NameTaken(_)) => {
                taken += 1;
                asked.id = RunId::new(names::another(taken));
            }
            accepted => break (subscribed, accepted.map_err(runs::refused)?),
        }
    };
    let Accepted { run, seq, status } = accepted;
    let progress = match subscribed {
        Some(subscribed) => Some(subscribed.await.map_err(runs::refused)?),
        None => None,
    };
    match progress {
        Some(progress) if run == asked.id => {
            let folder = asked.home.folder.display().to_string();
            let mut view = View::new(asked.id, asked.plan, folder, now());
            view.pending_max = call.visit.pending_max(view.pending_max);
            view.status = status;
            Ok(Watch::new(view, progress, seq))
        }
        // The key was used just now or before: the run is looked at like any other.
        _ if matches!(status, Status::Ended(_)) => status::over(call, &run).await,
        _ => status::watch(call, &run).await,
    }
}

/// Milliseconds since 1970.
pub(in crate::mcp) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_fraction_is_an_integer() {
        for (given, meant) in [
            (json!(5.0), json!(5)),
            (json!(-0.0), json!(0)),
            (json!(9007199254740992.0), json!(9007199254740992i64)),
        ] {
            assert_eq!(whole(given), meant);
        }
        for other in [json!(5), json!(5.5), json!(1e300), json!(u64::MAX), json!("5.0"), json!(null)] {
            assert_eq!(whole(other.clone()), other);
        }
    }
}
