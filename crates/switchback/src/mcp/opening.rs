//! Lines before a conversation has begun. The library below ends one that begins with a notification or an answer; here such
//! a line is passed over, as one that nobody waits for, and what is asked behind it is answered.
//!
//! ```text
//!  notification, answer ── passed over ┐
//!  ping, server/discover, a request that will be refused ── handed on ┤── until `initialize`, or a request that says all
//!                                                                         a request must ── everything is handed on
//! ```

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::borrow::Cow;

/// Lines of a client, of which the first that is handed on is a request.
pub(super) struct Opening<T> {
    lines: T,
    versions: Cow<'static, [ProtocolVersion]>,
    is_open: bool,
}

impl<T> Opening<T> {
    /// Lines in one of these versions of the protocol.
    pub(super) fn new(lines: T, versions: Cow<'static, [ProtocolVersion]>) -> Self {
        Opening { lines, versions, is_open: false }
    }

    /// Whether the library begins the conversation with this request.
    fn opens(&self, request: &ClientRequest) -> bool {
        match request {
            ClientRequest::InitializeRequest(_) => true,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
            request => {
                let meta = request.get_meta();
                let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
                is_whole && meta.protocol_version().is_some_and(|version| self.versions.contains(&version))
            }
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            match &message {
                _ if self.is_open => return Some(message),
                JsonRpcMessage::Request(request) => {
                    self.is_open = self.opens(&request.request);
                    return Some(message);
                }
                JsonRpcMessage::Notification(_) | JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.lines.close()
    }
}
