//! What the tools that look at runs share: a run that is watched, and its document.

use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::next::next_from;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::mcp::stored;
use crate::mcp::wait::Watch;
use engine::backend::Backend;
use engine::kernel::RunId;
use engine::view::{Detail, Values, View};
use serde_json::{Value, json};

/// Watches a run that is there: what happens from now on is told, what happened before is looked at.
pub(super) async fn watch(call: &Call, run: &RunId) -> Result<Watch, Problem> {
    let progress = call.visit.house()?.local.subscribe(run).await.map_err(runs::refused)?;
    let view = look(call, run).await?;
    Ok(Watch { view, progress, since: 0 })
}

/// Watches a run that has ended: nothing more will be told.
pub(super) async fn over(call: &Call, run: &RunId) -> Result<Watch, Problem> {
    let (_, progress) = tokio::sync::mpsc::unbounded_channel();
    Ok(Watch { view: look(call, run).await?, progress, since: 0 })
}

/// How a run stands.
pub(super) async fn look(call: &Call, run: &RunId) -> Result<View, Problem> {
    let run = run.clone();
    call.visit.look(move |visit, reader| runs::view_of(visit, reader, &run)).await?
}

/// The document of a run.
pub(super) async fn answer(call: &Call, view: View, detail: Detail) -> Answered {
    let here = call.visit.workspace();
    // What belongs to another folder cannot be read from here, and so it is not named.
    let rest = (view.workspace == here).then(|| uri::run(&view.run));
    let document = call.visit.look(move |_, reader| {
        let mut document = view.to_json(Values(reader), detail).map_err(runs::not_loaded)?;
        if detail == Detail::Whole && stored::is_named(&view) {
            stored::load(&view, reader, &mut document, |document, position, _| {
                &mut document["steps"][position]
            })?;
        }
        Ok(framed(document, next_from(&here, &view)))
    });
    Ok(Answer { value: document.await??, rest })
}

/// The document with the words of the tools before it.
fn framed(mut document: Value, next: Option<String>) -> Value {
    let mut value = json!({ "workflow_id": document["run"], "status": document["status"].take() });
    if let Some(next) = next {
        value["next"] = next.into();
    }
    if let (Value::Object(value), Value::Object(document)) = (&mut value, document) {
        value.extend(document.into_iter().filter(|(key, _)| key != "status"));
    }
    value
}
