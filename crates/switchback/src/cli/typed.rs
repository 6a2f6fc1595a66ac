//! What someone types, line by line. Reading cannot be interrupted, so a thread does it, one line whenever one is wanted.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A keyboard.
pub(crate) struct Typed {
    wants: Sender<()>,
    lines: UnboundedReceiver<Option<Vec<u8>>>,
    /// Whether a line was asked for and has not come.
    wanted: bool,
}

impl Typed {
    /// The keyboard of this terminal, if someone sits there who also sees what is asked.
    pub(crate) fn open() -> Option<Typed> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        let (wants, wanted) = channel();
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || {
            while wanted.recv().is_ok() {
                let mut line = Vec::new();
                // What cannot be read any more has ended.
                let read = std::io::stdin().lock().read_until(b'\n', &mut line).unwrap_or(0);
                if sender.send((read > 0).then_some(line)).is_err() {
                    return;
                }
            }
        });
        Some(Typed { wants, lines, wanted: false })
    }

    /// Forgets what was typed before anything was asked: it was no answer to what is asked now.
    pub(crate) fn forget(&mut self) {
        // A terminal that does not forget lets people correct themselves all the same.
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        while self.lines.try_recv().is_ok() {
            self.wanted = false;
        }
    }

    /// The next line, text or not, or nothing at the end of the input. May be dropped and called again.
    pub(crate) async fn line(&mut self) -> Option<Vec<u8>> {
        if !self.wanted {
            self.wanted = self.wants.send(()).is_ok();
        }
        let line = self.lines.recv().await.flatten();
        self.wanted = false;
        line
    }
}
