//! Lines whose errors are sentences: the library below says only the name of a method that there is not.

use super::problem::said;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::borrow::Cow;

/// Lines of a client, with what is said to it in words.
pub(super) struct Worded<T>(pub(super) T);

impl<T: Transport<RoleServer>> Transport<RoleServer> for Worded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Error(answer) = &mut item
            && answer.error.code == ErrorCode::METHOD_NOT_FOUND
        {
            answer.error.message = no_method(&answer.error.message);
        }
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.0.close()
    }
}

fn no_method(method: &str) -> Cow<'static, str> {
    match method {
        "" => "a request needs `method`: its name is empty".into(),
        "initialize" => "this conversation has begun already; `initialize` is only said once".into(),
        method => format!("there is no method `{}`", said(method)).into(),
    }
}
