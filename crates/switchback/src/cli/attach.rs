//! `switchback attach`: a terminal of an agent, live in one's own. The daemon sends what the screen looks like, and this draws it;
//! no byte of the program reaches the person's terminal as it is. With `--control` what is typed goes back.
//!
//! ```text
//!  daemon ── frame ── drawn ── asks for the next ──┐
//!     └────────────── woken by output ─────────────┘
//!  keyboard ── keys ── typed one after the other; Ctrl-\\ d leaves
//! ```

use super::arguments::AttachArguments;
use super::desk::{self, block_on};
use super::error::CommandError;
use super::exit::Exit;
use super::look::talk;
use super::store::directory;
use crate::daemon::{Attach, Remote};
use canvas::{Canvas, size};
use engine::terminals::Frame;
use keyboard::{Heard, Keyboard};
use std::io::{self, IsTerminal};
use tokio::signal::unix::{SignalKind, signal};

mod canvas;
mod keyboard;

/// Carries the command out.
pub(crate) fn attach(arguments: &AttachArguments) -> Result<Exit, CommandError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(CommandError::usage("not-a-terminal", "a terminal is shown in a terminal, to a person")
            .hint("for programs: switchback terminals --json"));
    }
    block_on(sit(arguments))?
}

async fn sit(arguments: &AttachArguments) -> Result<Exit, CommandError> {
    let Some(reached) = desk::find(&directory()?)? else {
        return Err(CommandError::usage("no-daemon", "no daemon runs, and terminals live in it")
            .hint("those that were lost: switchback terminals"));
    };
    let remote = desk::remote(reached)?;
    let (columns, rows) = size();
    let types = arguments.control.then(|| (who(), columns, rows));
    let session = arguments.session.clone();
    remote.attach(Attach { session, types }).await.map_err(refused)?;
    let mut canvas = Canvas::begin(&arguments.session, arguments.control).map_err(|error| {
        CommandError::internal("terminal", format!("failed to take the terminal: {error}"))
    })?;
    let left = show(&remote, &mut canvas, arguments.control).await;
    drop(canvas);
    match left? {
        Left::Ended(how) => talk(&format!("{} has ended: {how}", arguments.session)),
        Left::Detached => talk(&format!("left {}; it goes on", arguments.session)),
    }
    Ok(Exit::Succeeded)
}

/// Why it is over.
enum Left {
    Ended(String),
    Detached,
}

async fn show(remote: &Remote, canvas: &mut Canvas, types: bool) -> Result<Left, CommandError> {
    let heard = |kind| signal(kind).map_err(|error| CommandError::internal("no-signals", error.to_string()));
    let (mut resized, mut ends, mut gone) =
        (heard(SignalKind::window_change())?, heard(SignalKind::terminate())?, heard(SignalKind::hangup())?);
    let mut keyboard = Keyboard::begin(types);
    let mut seen: Option<Frame> = None;
    let next = |seen: &Option<Frame>| remote.frame(seen.as_ref().map(|frame| frame.end));
    let mut frame = Box::pin(next(&seen));
    loop {
        tokio::select! {
            shown = &mut frame => {
                let shown = shown?;
                canvas.draw(&shown);
                if let Some(how) = shown.ended {
                    return Ok(Left::Ended(how));
                }
                seen = Some(shown);
                frame = Box::pin(next(&seen));
            }
            heard = keyboard.next() => match heard {
                Heard::Leave => return Ok(Left::Detached),
                // One after the other: what is typed meanwhile waits in the keyboard.
                Heard::Keys(text) if types => remote.types(text).await?,
                Heard::Keys(_) => {}
            },
            _ = resized.recv() => {
                let (columns, rows) = size();
                if types {
                    remote.resize(columns, rows).await?;
                }
                canvas.forget();
                frame = Box::pin(remote.frame(None));
            }
            _ = ends.recv() => return Ok(Left::Detached),
            _ = gone.recv() => return Ok(Left::Detached),
        }
    }
}

fn refused(error: engine::Error) -> CommandError {
    let (code, message) = match error {
        engine::Error::Told { code, message } => (code, message),
        other => return other.into(),
    };
    let said = CommandError { code: code.into(), ..CommandError::usage("refused", message) };
    said.hint("which there are: switchback terminals --all")
}

/// Who types, as others are told.
fn who() -> String {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    let user = user.unwrap_or_else(|_| format!("user {}", rustix::process::getuid().as_raw()));
    let tty = rustix::termios::ttyname(io::stdin(), Vec::new()).ok().and_then(|name| name.into_string().ok());
    match tty {
        Some(tty) => format!("{user} at {tty}"),
        None => user,
    }
}
