//! Asks in the newer era: the call ends with the question, and what it stands on goes along, sealed. Whoever makes the call
//! again brings it back; it opens only for the same tool, the same arguments and the same folder.

use super::form::form;
use super::key::Sealer;
use crate::mcp::call::Call;
use engine::asking::Asked;
use engine::kernel::{Digest, RunId};
use rmcp::model::{ElicitRequest, InputRequest, InputRequests, InputRequiredResult, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a person may think.
pub(super) const OPEN_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// What a call that is made again stands on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The run that is waited for.
    pub(super) watched: RunId,
    /// The run that nobody else started.
    pub(super) root: RunId,
    /// The question.
    pub(super) question_id: String,
    /// The digest of what was shown.
    pub(super) shown: Digest,
    /// Until when an answer counts, in milliseconds since 1970.
    pub(super) until: u64,
    /// How often it was asked because an answer did not fit.
    #[serde(default)]
    pub(super) tries: u32,
}

/// The result that asks, for a call that waits for a run.
pub(in crate::mcp) fn sealed(
    call: &Call,
    watched: &RunId,
    asked: &Asked,
    tries: u32,
) -> Result<InputRequiredResult, String> {
    let house = call.visit.house().map_err(|problem| problem.to_string())?;
    let sealer = Sealer::of(&house.dir)
        .map_err(|error| format!("the key that seals questions cannot be had: {error}"))?;
    let until = now().saturating_add(u64::try_from(OPEN_FOR.as_millis()).unwrap_or(u64::MAX));
    let state = State {
        watched: watched.clone(),
        root: asked.root.clone(),
        question_id: asked.question_id.clone(),
        shown: asked.digest,
        until,
        tries,
    };
    let bound = bound(call);
    let options = SealOptions::new().associated_data(&bound);
    let sealed = sealer.0.seal_json_with(&state, &options).map_err(|error| error.to_string())?;
    let request = InputRequest::Elicitation(ElicitRequest::new(form(asked)));
    let requests = InputRequests::from([(asked.question_id.clone(), request)]);
    Ok(InputRequiredResult::new(Some(requests), Some(sealed)))
}

/// What a client brought back, if it was sealed here for this very call.
pub(super) fn opened(call: &Call, sealed: &str) -> Result<State, String> {
    let house = call.visit.house().map_err(|problem| problem.to_string())?;
    let sealer = Sealer::of(&house.dir)
        .map_err(|error| format!("the key that seals questions cannot be had: {error}"))?;
    sealer.0.open_json_with(sealed, &bound(call)).map_err(|error| error.to_string())
}

/// The call that a state belongs to.
fn bound(call: &Call) -> Vec<u8> {
    let mut bound =
        json!([call.arguments.tool(), call.arguments.as_given(), call.visit.workspace(), "question"]);
    bound.sort_all_objects();
    bound.to_string().into_bytes()
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
