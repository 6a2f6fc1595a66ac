//! `run_workflow`: runs a state machine, given with the call or kept by name, and tells all that came of it.

use super::begin::{begin_plan, now};
use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::machine::{self, Source, Wanted};
use crate::mcp::next::next;
use crate::mcp::resources::uri;
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::Watch;
use crate::settings::Toolset;
use engine::dialects::states::view::failed;
use engine::kernel::Status;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "run_workflow",
    title: "Run a state machine",
    description: "Use this to run a state machine over terminals from its initial state to its end in one call; for workflows of \
        blocks use execute_workflow. Two ways: give `workflow_definition` (it is run at once, and kept after success), or \
        `workflow_name` of one that is kept. A definition has `name`, `initial_state` and `states`; a state has `action` \
        {tool, params}, `transitions` [{condition, next_state}], `timeout` (seconds, default 30) and `on_timeout`. Tools are the \
        six of terminals and run_workflow itself, up to 5 deep. Conditions: success, pattern_match, pattern_not_match, \
        field_equals, field_contains, timeout_occurred; all keys of one must hold, the first transition that holds is taken, and \
        where none does the run ends. Texts in params may name variables as {name}: {session_id}, {match_text}, \
        {screen_content}, {success}, {error}, {timestamp}, {elapsed_time}, {shell}, {web_url}, {process_running}, \
        {total_sessions}, {message}, {workflow_final_state}, {workflow_saved}, {saved_workflow_name}, {state_field} of each state, \
        and those of `initial_variables`. A tool that failed is a result: route it with {\"success\": false}; if nothing does, \
        the run fails. With `session_id`, or where the definition has `arguments` or `return_values`, it runs in that session and \
        its environment variables are checked before and after.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::States),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_definition": { "type": ["object", "null"], "default": null, "description": "The definition to run." },
                "workflow_name": { "type": ["string", "null"], "default": null, "description": "The name of one that is kept, instead." },
                "initial_variables": { "type": ["object", "null"], "default": {}, "description": "The first variables, by name: texts, numbers, truth values." },
                "max_states": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "How many states the run may enter." },
                "execution_timeout": { "type": "number", "minimum": 1, "maximum": 7200, "default": 1800, "description": "How many seconds it may take." },
                "save_on_success": { "type": "boolean", "default": true, "description": "Keep the definition of this call after success." },
                "session_id": { "type": ["string", "null"], "default": null, "description": "The terminal session to run in, as open_terminal names it." },
                "keep_sessions": { "type": "boolean", "default": false, "description": "Leave sessions open that the run has opened, if it fails." },
                "wait_seconds": schema::wait_seconds("How long this call waits for the run. Without it: as long as a call may take."),
                "request_key": schema::request_key("Any text of yours. The same key with the same arguments gives the same run instead of a second one."),
            }),
            &[],
        )
    },
    call: |call| -> Later<'_> { Box::pin(run(call)) },
};

async fn run(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    let wanted = match Wanted::of(&call.arguments) {
        Ok(wanted) => wanted,
        Err(why) => return refused(call, "", "error", why).await,
    };
    let name = wanted.name().to_owned();
    let asked = wanted.clone();
    let found = call.visit.look(move |visit, _| machine::find(visit, &asked)).await?;
    let source = match found {
        Ok(source) => source,
        Err((state, why)) => return refused(call, &name, state, why).await,
    };
    let given = wanted.inputs(&source.plan);
    let (plan, is_brought) = ((source.plan.clone(), source.pinned.clone()), wanted.is_brought());
    let mut watch = match begin_plan(call, plan, given, is_brought).await {
        Ok(watch) => watch,
        Err(problem) => {
            return refused(call, &name, wanted.broken(), format!("Workflow execution failed: {problem}"))
                .await;
        }
    };
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    answer(call, wanted, source, watch).await
}

/// An answer for what could not be run at all.
async fn refused(call: &Call, name: &str, state: &'static str, why: String) -> Answered {
    let names = call.visit.look(|visit, _| machine::kept(visit).names()).await?;
    Ok(Answer::new(failed(name, state, &why, names, now())))
}

async fn answer(call: &Call, wanted: Wanted, source: Source, watch: Watch) -> Answered {
    let (run, is_over) = (watch.view.run.clone(), matches!(watch.view.status, Status::Ended(_)));
    let seen = run.clone();
    let mut told =
        call.visit.look(move |visit, reader| machine::tell(visit, reader, &seen, &wanted, &source)).await??;
    told["workflow_id"] = json!(run);
    if !is_over {
        told["success"] = Value::Null;
        told["status"] = watch.view.word().into();
        told["total_elapsed_time"] = (now().saturating_sub(watch.view.since) as f64 / 1_000.0).into();
        let again = match call.arguments.request_key()? {
            Some(_) => "; this very call again, with its `request_key`, tells the whole result",
            None => "",
        };
        told["next"] = format!(
            "The run goes on. get_workflow_status(workflow_id=\"{run}\", wait_seconds=45) waits for it{again}."
        )
        .into();
        // Where somebody else has to do something, that comes first.
        if matches!(watch.view.status, Status::Waiting(_)) {
            told["next"] = next(&watch.view).into();
        }
        if let Value::Object(told) = &mut told {
            told.extend(super::status::said(&watch.view.asked, watch.word, true));
        }
    }
    Ok(Answer::new(told).rest(uri::run(&run)))
}
