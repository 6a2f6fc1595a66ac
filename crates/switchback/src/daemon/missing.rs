//! What a pipe does as long as no daemon can be had: someone in this process stands in for it, who answers every call with the
//! reason, and what the client says later looks for the daemon again.

use super::hello::VERSION;
use super::pipe::{Link, Pipe};
use crate::cli::CommandError;
use crate::mcp;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long after a daemon was looked for in vain the next line may look again.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// A daemon that could not be had.
pub(super) struct Missed {
    /// Why.
    pub(super) why: CommandError,
    /// When it was looked for last.
    at: Instant,
}

impl Pipe {
    /// Lets someone stand in for the daemon: without it every tool says why.
    pub(super) fn stand_in(self: &Arc<Self>, why: CommandError) -> io::Result<()> {
        let (ours, theirs) = UnixStream::pair()?;
        let (said, client) = (why.in_one_line(), self.hello.client.clone());
        std::thread::Builder::new()
            .name("stands in".into())
            .spawn(move || mcp::stand_in(said, client, theirs))?;
        self.state().missed = Some(Missed { why, at: Instant::now() });
        self.attach(ours, VERSION.to_owned(), std::process::id());
        Ok(())
    }

    /// Whether someone stands in for the daemon, and it is time to look for it again.
    pub(super) fn looks_again(&self) -> bool {
        self.state().missed.as_ref().is_some_and(|missed| missed.at.elapsed() >= LOOK_AGAIN)
    }

    /// Looks for the daemon again, for a line of the client. Whoever stands in goes once it is there, or once there is another
    /// reason why it is not. Called with `writing` held.
    pub(super) fn look_again(self: &Arc<Self>, stand_in: &Link, line: &[u8]) {
        let Err(error) = self.connect() else {
            // Nobody is there who could mind.
            return drop(stand_in.stream.shutdown(Shutdown::Both));
        };
        let why = CommandError::from(error);
        let is_new =
            self.state().missed.as_ref().is_none_or(|missed| missed.why.in_one_line() != why.in_one_line());
        if is_new && self.stand_in(why).is_ok() {
            return drop(stand_in.stream.shutdown(Shutdown::Both));
        }
        self.state().missed.iter_mut().for_each(|missed| missed.at = Instant::now());
        stand_in.say(line);
    }
}
