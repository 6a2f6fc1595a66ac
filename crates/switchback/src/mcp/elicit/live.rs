//! Asks in the older era: by a request of ours, which the client answers while the call waits.

use super::form::{Said, form};
use crate::mcp::call::Call;
use crate::mcp::front::InFront;
use engine::asking::Asked;
use rmcp::RoleServer;
use rmcp::model::{ClientResult, ElicitRequest, ServerRequest};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use tokio::time::Instant;

/// A question that is in front of someone.
pub(in crate::mcp) struct Live {
    /// The question.
    pub(in crate::mcp) asked: Asked,
    /// Until when it is waited for.
    pub(in crate::mcp) until: Instant,
    handle: RequestHandle<RoleServer>,
    front: InFront,
}

impl Live {
    /// Puts a question in front of whoever sits at the client.
    pub(in crate::mcp) async fn ask(
        call: &Call,
        asked: Asked,
        front: InFront,
        until: Instant,
    ) -> Result<Live, String> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(&asked)));
        let sent =
            call.context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(|error| format!("the person could not be asked: {error}"))?;
        Ok(Live { asked, until, handle, front })
    }

    /// What came back. May be dropped and asked for again.
    pub(in crate::mcp) async fn said(&mut self) -> Said {
        let answer = (&mut self.handle.rx).await;
        self.front.heard();
        match answer {
            Ok(Ok(ClientResult::ElicitResult(result))) => Said::of(result),
            Ok(Ok(_)) => Said::Garbled("the client answered something else than the form".to_owned()),
            Ok(Err(error)) => Said::Garbled(format!("the client did not show the form: {error}")),
            Err(_) => Said::Garbled("the client went away".to_owned()),
        }
    }

    /// Nobody has said anything in time, and so it is taken back.
    pub(in crate::mcp) async fn expire(self) {
        self.front.heard();
        self.withdraw("nobody answered in time; the question stays open").await;
    }

    /// Takes the question back: it was answered elsewhere, or is not waited for any longer.
    pub(in crate::mcp) async fn withdraw(self, why: &str) {
        // A client that is gone shows nothing any more.
        let _ = self.handle.cancel(Some(why.to_owned())).await;
    }
}
