//! Ends the sessions that a run has opened and not closed, and those of runs below it. Sessions of others stay.

use super::{Call, fields};
use crate::terminals::{Answer, Exit, Request, Row};
use dialects::states::KEEP_SESSIONS;
use kernel::RunId;
use kernel::event::Report;
use serde_json::{Map, Value, json};

impl Call<'_> {
    pub(super) fn close(&self, params: &Map<String, Value>) -> Report {
        let keeps = params.get(KEEP_SESSIONS).and_then(Value::as_bool).unwrap_or_default();
        let own = if keeps { Vec::new() } else { self.own() };
        let ended = own.into_iter().filter(|id| {
            let exit = Request::Exit(Exit { session_id: id.clone() });
            self.ask(&exit).is_ok()
        });
        let ended: Vec<String> = ended.collect();
        Report::Done { outputs: fields(json!({ "success": true, "closed": ended })) }
    }

    fn own(&self) -> Vec<String> {
        let Some(run) = self.visitor.run.as_deref().map(RunId::new) else { return Vec::new() };
        let Ok(Answer::Listed(listed)) = self.ask(&Request::List) else { return Vec::new() };
        let is_own = |of: &String| RunId::new(of.as_str()).is_within(&run);
        let rows = listed.sessions.into_iter().filter(|row| row.run.as_ref().is_some_and(is_own));
        // A person who has taken one keeps it.
        let is_free = |row: &Row| row.status == "running" && row.held_by.is_none();
        rows.filter(is_free).map(|row| row.session_id).collect()
    }
}
