//! What a client hears instead of an answer, where the pipe knows that no daemon will give one.

use super::talk::{Reason, SILENCE_MAX};
use crate::mcp;
use std::borrow::Cow;

/// The daemon was stopped on purpose.
pub(super) const STOPPED: Reason = Reason {
    code: "daemon-stopped",
    error: Cow::Borrowed("The switchback daemon was stopped while this call was under way. Runs are kept."),
    next: "get_workflow_status() shows the runs, and any call starts the daemon again.",
    next_if_sent: None,
};

/// The store was taken away under the daemon.
pub(super) const LOST: Reason = Reason {
    code: mcp::LOST,
    error: Cow::Borrowed(
        "The store of switchback was removed, moved or replaced while this call was under way, and the runs recorded in it \
         with it. Commands that were under way are ended.",
    ),
    next: mcp::CALL_AGAIN,
    next_if_sent: None,
};

/// The daemon did not understand the client.
pub(super) const HUNG_UP: Reason = Reason {
    code: "hung-up",
    error: Cow::Borrowed("The server did not understand how this conversation began and has hung up."),
    next: "Begin with `initialize`, or say the protocol version in the `_meta` of each request.",
    next_if_sent: None,
};

/// The client has said its last line, and the answer does not come in time.
pub(super) const TOO_LATE: Reason = Reason {
    code: "too-late",
    error: Cow::Borrowed(
        "The client has closed its side, and this call had no answer in time. Runs are kept.",
    ),
    next: "get_workflow_status() shows the runs.",
    next_if_sent: None,
};

/// The daemon dies each time it is started.
pub(super) const DIES: Reason = Reason {
    code: "daemon-dies",
    error: Cow::Borrowed(
        "The switchback daemon died again and again while this call was under way. Runs are kept.",
    ),
    next: "What this call was to start may have begun: look with get_workflow_status() before you start it again; that call \
           starts the daemon once more. Ask the person at this machine to run `switchback doctor`; daemon.log in the \
           data directory says more.",
    next_if_sent: None,
};

/// The daemon is there and says nothing.
pub(super) fn silent(pid: Option<u32>) -> Reason {
    let who = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
    let seconds = SILENCE_MAX.as_secs();
    let error = format!(
        "The switchback daemon{who} has said nothing for {seconds} s: it stands still, or its disk does. Runs are kept."
    );
    Reason {
        code: "daemon-silent",
        error: error.into(),
        next: "What this call was to do may have been done, or be done later: look with get_workflow_status() before you ask for \
               it again. Ask the person at this machine to run `switchback doctor`.",
        next_if_sent: None,
    }
}
