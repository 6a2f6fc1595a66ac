//! The terminal at which a connection of the command line sits, if it does. One connection looks at one terminal; when it is over,
//! whoever typed has let go.

use super::host::Host;
use super::kin;
use super::wire::Attach;
use engine::Error;
use engine::terminals::{Control, Frame};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a look waits for something new. Whoever looks asks again.
const LOOK_MAX: Duration = Duration::from_secs(10);

/// Where a connection sits.
#[derive(Default)]
pub(super) struct Seat(Mutex<Option<Arc<Control>>>);

/// Gets up when it is dropped.
pub(super) struct Leaves(pub(super) Arc<Seat>);

impl Drop for Leaves {
    fn drop(&mut self) {
        let control = self.0.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        control.iter().for_each(|control| control.let_go());
    }
}

impl Seat {
    /// Sits down at a terminal. What runs in one of ours does not: it would see itself for ever.
    pub(super) fn attach(&self, host: &Host, peer: Option<i32>, attach: Attach) -> Result<(), Error> {
        let pid = peer.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0);
        let line = pid.map(kin::lineage).unwrap_or_default();
        if line.iter().any(|pid| *pid == std::process::id() || kin::is_marked(*pid)) {
            return Err(told(
                "inside-a-terminal",
                "this command was started by the server, in a terminal or a workflow",
            ));
        }
        let Attach { session, types } = attach;
        let attached = host.house.terminals.attach(&session, types);
        let control = attached.map_err(|refused| told(refused.code, &refused.error))?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(control));
        Ok(())
    }

    /// What the terminal looks like, once there is more than was seen.
    pub(super) async fn frame(&self, seen: Option<u64>) -> Result<Frame, Error> {
        let control = self.control()?;
        let look = tokio::task::spawn_blocking(move || control.frame(seen, LOOK_MAX));
        look.await.map_err(|error| Error::Stopped(error.to_string()))
    }

    /// Types.
    pub(super) async fn types(&self, text: String) -> Result<(), Error> {
        let control = self.control()?;
        let typing = tokio::task::spawn_blocking(move || control.types(&text));
        let typed = typing.await.map_err(|error| Error::Stopped(error.to_string()))?;
        typed.map_err(|why| told("not-typed", &why))
    }

    /// Gives the terminal another size.
    pub(super) fn resize(&self, columns: u16, rows: u16) -> Result<(), Error> {
        self.control()?.resize(columns, rows);
        Ok(())
    }

    fn control(&self) -> Result<Arc<Control>, Error> {
        let control = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        control.ok_or_else(|| told("not-attached", "this connection looks at no terminal"))
    }
}

fn told(code: &str, message: &str) -> Error {
    Error::Told { code: code.to_owned(), message: message.to_owned() }
}
