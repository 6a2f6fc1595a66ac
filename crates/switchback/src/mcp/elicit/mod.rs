//! Asks a human through the client of whoever called, while the call waits. The agent does not hold this door: its client
//! shows the question and sends the answer itself.
//!
//! ```text
//!  handshake:  wait ── elicitation/create ── answer ── submit ── wait on
//!  stateless:  wait ── input required, sealed state ── the call again, with the answer ── submit ── wait on
//! ```
//! Nothing said is never a yes: a question that was declined, cancelled or not answered in time is still open, and only at
//! a gate a decline is an answer: no. What cannot be shown whole passes no gate: it is not asked in a form.

mod again;
mod form;
mod key;
mod live;
mod message;
mod seal;

pub(super) use again::{Again, again};
pub(super) use form::Said;
pub(super) use live::Live;
#[cfg(test)]
pub(super) use message::tests::gate;
pub(super) use message::unseen;
pub(super) use seal::sealed;

use super::call::Call;
use engine::asking::{Asked, AskedKind};
use engine::kernel::command::Caller;
use engine::kernel::plan::Audience;
use rmcp::model::ProtocolVersion;

/// How the human behind a call can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By a request of ours while the call waits.
    Live,
    /// By the result of the call, which is then made again.
    Sealed,
}

impl Way {
    /// The way to the human behind a call, if its client said that there is one.
    pub(super) fn of(call: &Call) -> Option<Way> {
        let can = call.context.client_capabilities()?.elicitation?;
        // A client that names no form of asking means the only one there was at first.
        if can.form.is_none() && can.url.is_some() {
            return None;
        }
        let is_new = call.context.protocol_version()? >= ProtocolVersion::V_2026_07_28;
        Some(if is_new { Way::Sealed } else { Way::Live })
    }
}

/// Whether a question can be put to a human in a form: a gate only where all of it is shown, because a yes is to all of it.
pub(super) fn is_for_a_form(asked: &Asked) -> bool {
    let is_for_a_person = asked.audience == Audience::Human || asked.kind == AskedKind::Text;
    is_for_a_person && !asked.wants_proof() && unseen(asked).is_none()
}

/// The human who answers in a form of the caller's client.
pub(super) fn human(call: &Call) -> Caller {
    let client = match call.caller() {
        Caller::Agent(name) => name,
        _ => "mcp".to_owned(),
    };
    Caller::Human { door: format!("elicitation through {client}"), proven: false }
}
