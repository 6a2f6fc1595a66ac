//! Who may answer a gate through the command line's door. The peer is known by the socket, not by what it says.

use super::host::Host;
use super::kin;
use crate::house::Unproven;
use engine::Error;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The code of a refusal.
pub(crate) const CODE: &str = "not-a-human";

/// The processes that carry the bytes of MCP clients.
#[derive(Default)]
pub(super) struct Pipes(Mutex<BTreeMap<u64, u32>>);

impl Pipes {
    /// Notes one, as long as what it gives lives.
    pub(super) fn note(&self, pid: Option<i32>) -> Noted<'_> {
        let mut pipes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = pipes.last_key_value().map_or(0, |(number, _)| number + 1);
        if let Some(pid) = pid.and_then(|pid| u32::try_from(pid).ok()) {
            pipes.insert(number, pid);
        }
        Noted(self, number)
    }

    fn all(&self) -> Vec<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
    }
}

/// A client that is connected.
pub(super) struct Noted<'p>(&'p Pipes, u64);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

impl Host {
    /// Whether a client may show gates to its human, by the process that carries its bytes: one that a command of a workflow has
    /// started, or a command of another client, may not. Whoever starts several servers itself is one client with several.
    pub(super) fn may_show(&self, pid: Option<i32>) -> bool {
        let Some(pid) = pid.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0) else {
            return false;
        };
        let above: Vec<u32> = kin::lineage(pid).into_iter().skip(2).collect();
        let pipes = self.pipes.all();
        let others: Vec<u32> =
            pipes.iter().filter(|pipe| **pipe != pid).filter_map(|pipe| kin::parent(*pipe)).collect();
        let is_below = |one: &u32| *one == std::process::id() || pipes.contains(one) || others.contains(one);
        kin::parent(pid) != Some(std::process::id()) && !above.iter().any(is_below) && !kin::is_marked(pid)
    }

    /// Whether a process may answer a gate.
    pub(super) fn may_answer(&self, pid: Option<i32>) -> Result<(), Error> {
        let Some(pid) = pid.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0) else {
            return Err(refused("this system does not say which process asks"));
        };
        let line = kin::lineage(pid);
        if line.contains(&std::process::id()) {
            return Err(refused("the command was started by a workflow, or in a terminal of the server"));
        }
        if line.iter().any(|one| kin::is_marked(*one)) {
            return Err(refused(
                "the command bears the mark of those that a workflow, or a terminal of the server, has started",
            ));
        }
        let clients: Vec<u32> = self.pipes.all().into_iter().flat_map(kin::client).collect();
        match line.iter().any(|one| clients.contains(one)) {
            true => Err(refused("the command was started by a connected client, so perhaps by an agent")),
            false => Ok(()),
        }
    }
}

/// That nobody but a human at a terminal of their own may answer.
pub(crate) fn refused(why: &str) -> Error {
    Error::Told {
        code: CODE.to_owned(),
        message: format!("only a human may answer this, at a terminal of their own: {why}"),
    }
}

/// The code of a passphrase that proves nothing.
pub(crate) const UNPROVEN: &str = "unproven";

/// That a passphrase proves nothing.
pub(crate) fn unproven(why: &Unproven) -> Error {
    Error::Told { code: UNPROVEN.to_owned(), message: why.to_string() }
}
