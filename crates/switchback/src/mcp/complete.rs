//! Completion: names of workflows and ids of runs, as far as they were typed.

use super::prompts;
use super::runs::{self, Sight};
use super::visit::Visit;
use super::workflows;
use engine::store::Filter;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use std::sync::Arc;

/// What fits what was typed. What cannot be completed has no completions.
pub(super) async fn complete(
    visit: &Arc<Visit>,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let typed = request.argument.value;
    let found = match (&request.r#ref, request.argument.name.as_str()) {
        (Reference::Prompt(_), prompts::WORKFLOW_NAME) => names(visit, typed).await,
        (Reference::Prompt(_), prompts::WORKFLOW_ID) => ids(visit, typed).await,
        (Reference::Resource(template), "name") if template.uri.starts_with("workflow://") => {
            names(visit, typed).await
        }
        (Reference::Resource(template), "id") if template.uri.starts_with("switchback://") => {
            ids(visit, typed).await
        }
        _ => Vec::new(),
    };
    let info = CompletionInfo::new(found).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

async fn names(visit: &Arc<Visit>, typed: String) -> Vec<String> {
    let found = visit.look(move |visit, _| {
        let library = visit.library()?;
        let names = workflows::names(&library).into_iter().filter(|name| name.starts_with(&typed));
        Ok::<_, super::problem::Problem>(names.take(CompletionInfo::MAX_VALUES).map(str::to_owned).collect())
    });
    found.await.and_then(|found| found).unwrap_or_default()
}

async fn ids(visit: &Arc<Visit>, typed: String) -> Vec<String> {
    let found = visit.look(move |visit, reader| {
        let Sight::Folder(workspace) = Sight::of(visit, false) else { return Ok(Vec::new()) };
        let filter =
            Filter { workspace: Some(workspace), roots: true, limit: Some(1_000), ..Filter::default() };
        let runs = reader.runs(&filter).map_err(runs::unreadable)?;
        let ids = runs.into_iter().map(|run| run.id.to_string()).filter(|id| id.starts_with(&typed));
        Ok::<_, super::problem::Problem>(ids.take(CompletionInfo::MAX_VALUES).collect())
    });
    found.await.and_then(|found| found).unwrap_or_default()
}
