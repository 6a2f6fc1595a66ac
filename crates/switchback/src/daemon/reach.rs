//! Finds the daemon of a data directory, or starts one. Whoever starts one holds a lock meanwhile, so that of many
//! clients one starts it and the others wait for that, without looking again and again.

use super::hello::{Hello, LINE_BYTES_MAX, Welcome};
use super::idle;
use super::kin::follower;
use super::place::Place;
use super::successor::Successor;
use crate::cli::{CommandError, HELD, talk};
use engine::store::Owner;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a daemon may take to answer a hello.
const WELCOME_MAX: Duration = Duration::from_secs(10);

/// How long a daemon whose socket is missing may take to listen again, or to end.
const HIDDEN_MAX: Duration = Duration::from_secs(10);

/// How long a daemon may take from its start until it is ready: its disk may be slow, and what a crash left is looked at first.
const READY_MAX: Duration = Duration::from_secs(20);

/// How long others may take to start one.
const STARTING_MAX: Duration = Duration::from_secs(60);

/// How often a daemon is started that ends before it can be met.
const STARTS_MAX: u32 = 3;

/// A log that is longer is put aside when a daemon is started.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// What of the environment a daemon needs itself. What commands get comes with each client.
const KEPT: [&str; 13] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    // The way to the keyring.
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "RUST_BACKTRACE",
    idle::VARIABLE,
];

/// A daemon that said welcome.
pub(crate) struct Reached {
    /// All that follows is spoken here.
    pub(crate) stream: UnixStream,
    /// What it said.
    pub(crate) welcome: Welcome,
}

/// Why there is no daemon to speak to.
#[derive(Debug)]
pub(crate) enum Unreachable {
    /// It did not start, and said why.
    Failed(CommandError),
    /// It does not let this program in.
    Refused(String),
    /// It is there and does not answer; its process, if that is known.
    Silent(Option<u32>),
    /// Somebody has begun to start it and does not go on; their process, if that is known.
    Starting(Option<u32>),
    /// The system did not let us.
    Io(String, io::Error),
}

/// The daemon that runs, if one does. One whose socket was removed is asked to listen again.
pub(crate) fn find(place: &Place, hello: &Hello) -> Result<Option<Reached>, Unreachable> {
    let deadline = Instant::now() + HIDDEN_MAX;
    let (mut asked, mut told) = (false, false);
    loop {
        match meet(place, hello)? {
            Met::Daemon(reached) => return Ok(Some(reached)),
            Met::Ending(said) if !std::mem::replace(&mut told, true) => talk(&said),
            Met::Ending(_) | Met::Nobody => {}
        }
        let Some(pid) = daemon_of(place) else { return Ok(None) };
        if Instant::now() > deadline {
            return Err(Unreachable::Silent(Some(pid)));
        }
        if !std::mem::replace(&mut asked, true)
            && let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw)
        {
            // One that has ended meanwhile needs no asking.
            let _ = kill_process(process, Signal::HUP);
        }
        // It begins, ends, or listens again: each takes a moment, and none of them tells us.
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The daemon that owns the store at this moment.
fn daemon_of(place: &Place) -> Option<u32> {
    Owner::of(&place.dir).filter(|owner| owner.carries_all)?.pid
}

/// Who is behind a socket.
enum Met {
    Daemon(Reached),
    /// One that ends by itself, and says why.
    Ending(String),
    Nobody,
}

/// The daemon behind the socket, if there is one.
fn meet(place: &Place, hello: &Hello) -> Result<Met, Unreachable> {
    let failed =
        |error| Unreachable::Io(format!("failed to reach the daemon at {}", place.socket.display()), error);
    let mut stream = match connect(&place.socket) {
        Ok(stream) => stream,
        Err(error) if is_nobody(&error) => return Ok(Met::Nobody),
        Err(error) => return Err(failed(error)),
    };
    match greet(&mut stream, hello) {
        Ok(Some(Welcome { ends: true, note, .. })) => Ok(Met::Ending(note.unwrap_or_default())),
        Ok(Some(Welcome { refused: Some(said), .. })) => Err(Unreachable::Refused(said)),
        Ok(Some(welcome)) => Ok(Met::Daemon(Reached { stream, welcome })),
        // It was about to end.
        Ok(None) => Ok(Met::Nobody),
        Err(error) if is_nobody(&error) => Ok(Met::Nobody),
        Err(error) if is_silence(&error) => Err(Unreachable::Silent(daemon_of(place))),
        Err(error) => Err(failed(error)),
    }
}

/// Connects. It waits while many others do, and a signal that comes meanwhile is no reason to give up.
fn connect(socket: &Path) -> io::Result<UnixStream> {
    loop {
        match UnixStream::connect(socket) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The daemon, started if need be.
pub(crate) fn reach(place: &Place, hello: &Hello) -> Result<Reached, Unreachable> {
    if let Some(reached) = find(place, hello)? {
        return Ok(reached);
    }
    let failed = |error| Unreachable::Io("failed to start the daemon".to_owned(), error);
    // Somebody may have removed it since.
    place.prepare().map_err(failed)?;
    let lock = starting(place, STARTING_MAX).map_err(failed)?.ok_or_else(|| held_up(place))?;
    if let Some(reached) = find(place, hello)? {
        return Ok(reached);
    }
    let mut why = failed(io::Error::other("it ended as soon as it had started; its log says why"));
    for _ in 0..STARTS_MAX {
        let said = match start(place, READY_MAX)? {
            Ok(said) => said,
            // One that died before it said a word may just have been killed.
            Err(error) => {
                why = failed(error);
                continue;
            }
        };
        // Also where it could not begin: one that somebody has started who is gone by now may have been first.
        if let Some(reached) = find(place, hello)? {
            return Ok(reached);
        }
        match said {
            // It has just been killed, or has ended.
            None => {}
            Some(said) if said.code == HELD => why = Unreachable::Failed(said),
            Some(said) => return Err(Unreachable::Failed(said)),
        }
    }
    drop(lock);
    Err(why)
}

/// Who is waited for in vain.
fn held_up(place: &Place) -> Unreachable {
    match daemon_of(place) {
        Some(pid) => Unreachable::Silent(Some(pid)),
        None => {
            let starter = fs::read_to_string(&place.starting).ok();
            Unreachable::Starting(starter.and_then(|pid| pid.trim().parse().ok()))
        }
    }
}

/// Waits until nobody else starts a daemon, and writes down who does now; nothing, if that takes too long.
fn starting(place: &Place, starting_max: Duration) -> io::Result<Option<File>> {
    let mut lock = own(OpenOptions::new().write(true).truncate(false), &place.starting)?;
    let deadline = Instant::now() + starting_max;
    loop {
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                // For whoever waits: on a full disk the daemon itself will say what is wrong.
                let _ = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
                return Ok(Some(lock));
            }
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
        // Whoever starts one takes a moment, and a lock cannot be waited for with a bound.
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A file of ours, made if need be. Whatever else lies there is not waited for.
fn own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let options = options.create(true).mode(0o600).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    options.open(path).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// What a daemon that was started said: nothing if it is ready, else why it is not.
type Started = io::Result<Option<CommandError>>;

/// Starts a daemon and waits until it says that it is ready, or why it is not. One that says nothing is left where it is.
fn start(place: &Place, ready_max: Duration) -> Result<Started, Unreachable> {
    let mut child = match spawn(place) {
        Ok(child) => child,
        Err(error) => return Ok(Err(error)),
    };
    let (tell, told) = mpsc::channel();
    let (first, out) = (child.id(), child.stdout.take());
    std::thread::spawn(move || {
        let mut said = String::new();
        let read = out.map(|out| BufReader::new(out).take(LINE_BYTES_MAX as u64).read_line(&mut said));
        // Nobody hears it who has given up.
        let _ = tell.send(read.unwrap_or(Ok(0)).map(|_| said));
        // What was started forks and ends at once; the daemon is nobody's child.
        child.wait()
    });
    let Ok(said) = told.recv_timeout(ready_max) else {
        return Err(Unreachable::Silent(daemon_of(place).or_else(|| follower(first)).or(Some(first))));
    };
    let parsed = said.map(|said| {
        serde_json::from_str(&said).map_err(|_| {
            io::Error::other(format!("it ended before it was ready; its log is {}", place.log.display()))
        })
    });
    Ok(parsed.and_then(|parsed| parsed))
}

fn spawn(place: &Place) -> io::Result<Child> {
    let program = match Successor::read(place) {
        Some(next) => next.program,
        None => this_program()?,
    };
    let kept = std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        KEPT.contains(&&*name) || name.starts_with("LC_")
    });
    Command::new(program)
        .arg(super::DAEMON)
        .arg(&place.dir)
        .env_clear()
        .envs(kept)
        .envs(engine::kill_point::passed_on())
        .env("SWITCHBACK_HOME", &place.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log(place)?)
        .spawn()
}

/// This very program, even if its file was replaced meanwhile.
fn this_program() -> io::Result<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    match std::env::current_exe() {
        Ok(program) if program.exists() => Ok(program),
        _ if own.exists() => Ok(own),
        other => other,
    }
}

fn log(place: &Place) -> io::Result<File> {
    if fs::metadata(&place.log).is_ok_and(|log| log.len() > LOG_BYTES_MAX) {
        fs::rename(&place.log, place.log.with_extension("log.old"))?;
    }
    own(OpenOptions::new().append(true), &place.log)
}

/// Says hello and hears the welcome; nothing if the other side hung up.
fn greet(stream: &mut UnixStream, hello: &Hello) -> io::Result<Option<Welcome>> {
    let mut line = serde_json::to_vec(hello)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    stream.set_read_timeout(Some(WELCOME_MAX))?;
    // Byte by byte: what follows the line is not ours to read.
    let (mut welcome, mut byte) = (Vec::new(), [0]);
    while welcome.len() < LINE_BYTES_MAX {
        match stream.read(&mut byte)? {
            0 => return Ok(None),
            _ if byte == *b"\n" => break,
            _ => welcome.push(byte[0]),
        }
    }
    stream.set_read_timeout(None)?;
    Ok(Some(serde_json::from_slice(&welcome)?))
}

/// Whether the time to answer was up.
fn is_silence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn is_nobody(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, NotFound};
    matches!(error.kind(), NotFound | ConnectionRefused | ConnectionReset | BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn one_that_never_gets_ready_is_named_and_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let place = Place::of(dir.path()).unwrap();
        let program = dir.path().join("stuck");
        fs::write(&program, "#!/bin/sh\necho $$ > \"$2/stuck.pid\"\nexec sleep 60\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        Successor { version: "999.0.0".to_owned(), program }.write(&place).unwrap();
        let silent = start(&place, Duration::from_millis(300));
        let Err(Unreachable::Silent(Some(pid))) = silent else { panic!("{silent:?}") };
        assert_eq!(fs::read_to_string(dir.path().join("stuck.pid")).unwrap().trim(), pid.to_string());
        kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
    }

    #[test]
    fn whoever_starts_one_and_does_not_go_on_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let place = Place::of(dir.path()).unwrap();
        fs::write(&place.starting, "another that was longer\n").unwrap();
        let first = starting(&place, STARTING_MAX).unwrap().unwrap();
        assert!(starting(&place, Duration::ZERO).unwrap().is_none());
        let Unreachable::Starting(Some(pid)) = held_up(&place) else { panic!("nobody is named") };
        assert_eq!(pid, std::process::id());
        drop(first);
        assert!(starting(&place, Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let place = Place::of(dir.path()).unwrap();
        for path in [&place.starting, &place.log, &place.pid] {
            mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        }
        let said = starting(&place, STARTING_MAX).unwrap_err().to_string();
        assert!(said.contains("daemon.starting: "), "{said}");
        assert!(log(&place).unwrap_err().to_string().contains("daemon.log: "));
        place.sign("7").unwrap();
        assert_eq!(fs::read_to_string(&place.pid).unwrap(), "7\n");
    }
}
