//! One call of a tool: who asks, with what, and what it stands on.

use super::arguments::{Arguments, KEY_BYTES_MAX};
use super::visit::Visit;
use engine::kernel::command::Caller;
use rmcp::RoleServer;
use rmcp::model::InputResponses;
use rmcp::service::RequestContext;
use std::sync::Arc;
use tokio::time::Instant;

/// Where our own pipe puts the key of a call that it may have to send again.
const KEY_IN_META: &str = "switchback/request_key";

/// What our own pipe adds to a call that it sends again to the next daemon: when it was first sent.
const AGAIN_IN_META: &str = "switchback/again";

/// Longest name of a client that is recorded.
const CLIENT_CHARS_MAX: usize = 64;

/// A call.
pub(super) struct Call {
    pub(super) visit: Arc<Visit>,
    pub(super) arguments: Arguments,
    /// What a call that is made again brings along: what it stands on, and what people answered.
    pub(super) request_state: Option<String>,
    pub(super) input_responses: Option<InputResponses>,
    pub(super) context: RequestContext<RoleServer>,
    /// When it came.
    pub(super) came: Instant,
}

impl Call {
    /// Who asks.
    pub(super) fn caller(&self) -> Caller {
        let name = self.context.client_info().map_or_else(|| "mcp".to_owned(), |client| client.name);
        Caller::Agent(name.chars().filter(|letter| !letter.is_control()).take(CLIENT_CHARS_MAX).collect())
    }

    /// Since when the call may have been carried out, if it was made before, of a daemon that is gone; in milliseconds
    /// since 1970.
    pub(super) fn made_before(&self) -> Option<u64> {
        self.context.meta.get(AGAIN_IN_META)?.as_u64()
    }

    /// The key by which a repeated call is recognised.
    pub(super) fn key_in_meta(&self) -> Option<&str> {
        let key = self.context.meta.get(KEY_IN_META)?.as_str()?;
        (1..=KEY_BYTES_MAX).contains(&key.len()).then_some(key)
    }
}
