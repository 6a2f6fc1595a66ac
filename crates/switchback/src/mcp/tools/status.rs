//! What the tools that look at runs share: a run that is watched, and its document.

use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::next::next_from;
use crate::mcp::problem::Problem;
use crate::mcp::questions;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::mcp::stored;
use crate::mcp::watch::Watch;
use engine::asking::Asked;
use engine::backend::Backend;
use engine::dialects::steps::view::progress;
use engine::kernel::RunId;
use engine::kernel::plan::Dialect;
use engine::view::{Detail, History, Values, View};
use serde_json::{Map, Value, json};

/// Watches a run that is there: what happens from now on is told, what happened before is looked at.
pub(super) async fn watch(call: &Call, run: &RunId) -> Result<Watch, Problem> {
    let progress = call.visit.house()?.local.subscribe(run).await.map_err(runs::refused)?;
    Ok(Watch::new(look(call, run).await?, progress, 0))
}

/// Watches a run that has ended: nothing more will be told.
pub(super) async fn over(call: &Call, run: &RunId) -> Result<Watch, Problem> {
    let (_, progress) = tokio::sync::mpsc::unbounded_channel();
    Ok(Watch::new(look(call, run).await?, progress, 0))
}

/// How a run stands.
pub(super) async fn look(call: &Call, run: &RunId) -> Result<View, Problem> {
    let run = run.clone();
    call.visit.look(move |visit, reader| runs::view_of(visit, reader, &run)).await?
}

/// The document of a run.
pub(super) async fn answer(call: &Call, watch: Watch, detail: Detail) -> Answered {
    let Watch { mut view, word, known, .. } = watch;
    let here = call.visit.workspace();
    // What belongs to another folder cannot be read from here, and so it is not named.
    let is_here = view.workspace == here;
    let rest = is_here.then(|| uri::run(&view.run));
    let document = call.visit.look(move |visit, reader| {
        if let Some(known) = known {
            view.know(reader, known).map_err(runs::not_loaded)?;
        }
        let mut document = view.to_json(Values(reader), detail).map_err(runs::not_loaded)?;
        if detail == Detail::Whole && stored::is_named(&view) {
            stored::load(&view, reader, &mut document, |document, position, _| {
                &mut document["steps"][position]
            })?;
        }
        let next = next_from(&here, &view, &visit.settings().toolsets);
        if let Some(result) =
            document["outputs"].get("result").filter(|_| view.plan.dialect == Dialect::Steps)
        {
            document["final_result"] = result.clone();
        }
        let said = match view.plan.dialect {
            Dialect::Steps => brief(&view, word, &mut document, detail),
            Dialect::Reactive => {
                let mut said = brief(&view, word, &mut document, detail);
                let history = History::load(reader, &view.run).map_err(runs::not_loaded)?.unwrap_or_default();
                if !history.warnings.is_empty() {
                    let told: Vec<String> = history.warnings.iter().map(ToString::to_string).collect();
                    said.insert("warnings".to_owned(), told.into());
                }
                said
            }
            _ => said(&view.asked, word, is_here),
        };
        Ok(framed(document, next, said))
    });
    let answer = Answer::new(document.await??);
    Ok(match rest {
        Some(rest) => answer.rest(rest),
        None => answer,
    })
}

/// How far a run of steps is and what is due in it: enough to go on in a new conversation. Steps that were never begun are not
/// listed unless all is asked for.
fn brief(view: &View, word: Option<String>, document: &mut Value, detail: Detail) -> Map<String, Value> {
    let due = view.due();
    let mut said = Map::new();
    if let Some(word) = word {
        said.insert("note".to_owned(), word.into());
    }
    said.insert("progress".to_owned(), progress(view.lines(), &due).into());
    said.extend(due.members(&view.run));
    if let (Detail::Brief, Some(steps)) = (detail, document["steps"].as_array_mut()) {
        steps.retain(|step| step["status"] != "pending");
    }
    said
}

/// What is asked, and what became of asking someone; `is_here` where the resources of the run can be read.
pub(super) fn said(asked: &[Asked], word: Option<String>, is_here: bool) -> Map<String, Value> {
    let mut said = Map::new();
    if let Some(word) = word {
        said.insert("note".to_owned(), word.into());
    }
    if !asked.is_empty() {
        said.insert("questions".to_owned(), questions::documents(asked, is_here));
    }
    said
}

/// The document with the words of the tools before it.
fn framed(mut document: Value, next: Option<String>, said: Map<String, Value>) -> Value {
    let mut value = json!({ "workflow_id": document["run"], "status": document["status"].take() });
    if let Some(next) = next {
        value["next"] = next.into();
    }
    if let (Value::Object(value), Value::Object(document)) = (&mut value, document) {
        value.extend(said);
        value.extend(document.into_iter().filter(|(key, _)| key != "status"));
    }
    value
}
