//! What someone types and nobody sees.

use super::exit::Exit;
use super::follow::Signals;
use engine::secrets::BYTES_MAX;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How typing was broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// By Ctrl-C or Ctrl-\\.
    Off,
    /// By the end of the input, before anything was typed.
    Ended,
}

impl Broken {
    /// The exit code of a command that can do nothing without it.
    pub(super) const fn exit(self) -> Exit {
        match self {
            Broken::Off => Exit::Interrupted,
            Broken::Ended => Exit::Waiting,
        }
    }
}

/// Asks a person for one line and shows nothing of it.
pub(super) fn prompt(what: &str) -> io::Result<Result<String, Broken>> {
    // First of all: what is typed after the question counts.
    let _hidden = Hidden::begin()?;
    super::aside::settle();
    let mut err = io::stderr().lock();
    write!(err, "{what} (not shown): ")?;
    err.flush()?;
    let typed = typed(&mut io::stdin().lock());
    writeln!(err)?;
    typed
}

/// What is typed up to the end of the line.
fn typed(input: &mut impl Read) -> io::Result<Result<String, Broken>> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while bytes.len() <= BYTES_MAX {
        let end_of_input = input.read(&mut byte)? == 0 || byte[0] == 0x04;
        match byte[0] {
            _ if end_of_input && bytes.is_empty() => return Ok(Err(Broken::Ended)),
            _ if end_of_input => break,
            b'\n' | b'\r' => break,
            0x03 | 0x1c => return Ok(Err(Broken::Off)),
            0x08 | 0x7f => {
                // All bytes of one character.
                while bytes.pop().is_some_and(|last: u8| last & 0xC0 == 0x80) {}
            }
            // The keys by which a line and its last word are taken back.
            0x15 => bytes.clear(),
            0x17 => {
                bytes.truncate(bytes.trim_ascii_end().len());
                while bytes.pop_if(|last| !last.is_ascii_whitespace()).is_some() {}
            }
            b'\t' => bytes.push(b'\t'),
            control if control.is_ascii_control() => {
                return Err(io::Error::other("a key was pressed that is no letter: type it again"));
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map(Ok).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

/// A terminal that shows nothing of what is typed, until this is dropped or a signal ends the process.
struct Hidden;

/// How the terminal was before, while it shows nothing.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

impl Hidden {
    fn begin() -> io::Result<Hidden> {
        hear()?;
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        // Ctrl-C comes as a letter: the terminal must be made as it was before this process ends.
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        let hidden = Hidden;
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(hidden)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        show();
    }
}

/// Makes the terminal as it was; says whether it showed nothing.
fn show() -> bool {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(before) = before.take() else { return false };
    // A terminal that is gone needs nothing.
    let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &before);
    true
}

/// From now on a signal that ends the process makes the terminal as it was first.
fn hear() -> io::Result<()> {
    static HEARS: Mutex<bool> = Mutex::new(false);
    let mut hears = HEARS.lock().unwrap_or_else(PoisonError::into_inner);
    if *hears {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let heard = {
        let _inside = runtime.enter();
        let kinds =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hangup, quit] = kinds.map(signal);
        (interrupt?, terminate?, hangup?, quit?)
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(end(heard)))?;
    *hears = true;
    Ok(())
}

/// Ends the process at a signal, unless nothing is hidden and somebody else hears it.
async fn end((mut interrupt, mut terminate, mut hangup, mut quit): (Signal, Signal, Signal, Signal)) {
    loop {
        let is_heard = tokio::select! {
            _ = interrupt.recv() => Signals::are_heard(),
            _ = terminate.recv() => Signals::are_heard(),
            _ = hangup.recv() => Signals::are_heard(),
            _ = quit.recv() => false,
        };
        if show() || !is_heard {
            std::process::exit(Exit::Interrupted as i32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_ends_with_the_line_and_can_be_mended() {
        let read = |text: &[u8]| typed(&mut &*text).unwrap();
        assert_eq!(read(b"abcd\nrest").as_deref(), Ok("abcd"));
        assert_eq!(read("abé\u{7f}c\r".as_bytes()).as_deref(), Ok("abc"));
        assert_eq!(read(b"\x7fab").as_deref(), Ok("ab"));
        assert_eq!(read(b"ab\x04cd").as_deref(), Ok("ab"));
        assert_eq!(read(b"\n").as_deref(), Ok(""));
        assert_eq!((read(b"ab\x03"), read(b"ab\x1c")), (Err(Broken::Off), Err(Broken::Off)));
        assert_eq!((read(b""), read(b"\x04")), (Err(Broken::Ended), Err(Broken::Ended)));
        assert!(typed(&mut &b"\xff\n"[..]).is_err());
        assert_eq!(read(b"kill\x15rest\n").as_deref(), Ok("rest"));
        assert_eq!(read(b"one two \x17three\n").as_deref(), Ok("one three"));
        assert_eq!(read(b"a\tb\n").as_deref(), Ok("a\tb"));
        assert!(typed(&mut &b"ab\x1b[D\n"[..]).unwrap_err().to_string().contains("no letter"));
    }
}
