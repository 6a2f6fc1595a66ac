//! `switchback serve`: carries MCP lines between stdio and the daemon, and outlives the daemon. When a daemon dies, the next
//! one is started and told again what it must know: the opening of the conversation, and every request that has no
//! answer yet. A request that starts something carries a key of its own, so that asking twice starts one run.
//!
//! ```text
//!  stdin ── take ── remember what is open ── socket ── daemon
//!  stdout ── give ── forget what is answered ── socket ──┘
//!                    └── the daemon is gone: reach the next one, say it all again
//! ```
//! A daemon that was stopped on purpose is not brought back by the pipe: what was open is answered with an error, and the
//! next line from the client starts one. Nor is one to which the store was lost: what had begun would begin anew.

use super::hello::Hello;
use super::host::RESTARTED;
use super::lines::{whole_lines, write_line};
use super::missing::Missed;
use super::place::Place;
use super::reach::{Reached, Unreachable, find, reach};
use super::reasons::{DIES, HUNG_UP, LOST, STOPPED, TOO_LATE, silent};
use super::successor::Successor;
use super::talk::{Line, Reason, SILENCE_MAX, Taken, Talk};
use crate::cli::CommandError;
use crate::ends::{Input, Output};
use crate::mcp::intake::Intake;
use crate::mcp::line::bare;
use engine::kill_point;
use engine::store::Ground;
use std::io::{self, BufRead, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a daemon that has hung up may take to sign off and end, and how often that is looked for meanwhile.
const SIGNS_OFF_WITHIN: Duration = Duration::from_secs(2);
const LOOKS_EACH: Duration = Duration::from_millis(5);

/// How long answers are awaited after the client has said its last line, and how long it may take to read one then.
const LAST_ANSWERS_MAX: Duration = Duration::from_secs(60);

/// A daemon that dies more often than this in so short a time is not started again until the client asks for something.
const DEATHS_MAX: usize = 5;
const DEATHS_WITHIN: Duration = Duration::from_secs(30);

/// How long a daemon may take nothing of a line: all that is tried with one, the first part and the rest, takes as long as it may be
/// silent.
const TAKES_WITHIN: Duration = Duration::from_secs(SILENCE_MAX.as_secs() / 2);

/// Finds out where the daemon is, or why that cannot be known.
pub(crate) type Seek = Box<dyn Fn() -> Result<Place, CommandError> + Send + Sync>;

/// A client on stdio and its daemon.
pub(crate) struct Pipe {
    seek: Seek,
    /// Where the daemon is, once that could be found out.
    place: OnceLock<Place>,
    pub(super) hello: Hello,
    /// Held while a line is written to the daemon, and while a new one is reached. Taken before `state`.
    writing: Mutex<()>,
    state: Mutex<State>,
    changed: Condvar,
    say: fn(&str),
}

pub(super) struct State {
    talk: Talk,
    link: Option<Link>,
    links: u64,
    deaths: Vec<Instant>,
    /// Why there is no daemon, where someone stands in for it.
    pub(super) missed: Option<Missed>,
    /// Why the client cannot be told anything any more.
    unheard: Option<io::Error>,
    /// Why what it says could not be read to its end.
    unread: Option<io::Error>,
    /// How many are on their way to the client with what it is told, and when one was through.
    telling: u32,
    told: Instant,
    /// Whether the daemon was to be heard long ago, and may have been: the client takes nothing.
    held_up: bool,
    /// When the daemon said something last, and whether somebody waits for it to say something.
    heard: Instant,
    watched: bool,
}

impl State {
    /// Takes a line of the client; from now on somebody waits for the daemon.
    fn take(&mut self, line: &[u8], changed: &Condvar) -> Taken {
        if !std::mem::replace(&mut self.watched, true) {
            changed.notify_all();
        }
        self.talk.take(line)
    }

    /// Whether nothing is left to be said.
    fn is_over(&self) -> bool {
        self.talk.is_over() && (self.telling == 0 || self.unheard.is_some())
    }
}

#[derive(Clone)]
pub(super) struct Link {
    number: u64,
    pub(super) stream: Arc<UnixStream>,
    version: String,
    pid: u32,
    /// The store behind it, if there is one.
    ground: Option<Ground>,
}

impl Link {
    /// Says a line. What could not be said, because nobody is there any more or takes anything, is remembered, and said again to
    /// the next daemon, which is reached by the thread that reads: it sees the end as well.
    pub(super) fn say(&self, line: &[u8]) {
        if write_line(&*self.stream, line).is_err() {
            // Half of it may have been taken.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }
}

impl Pipe {
    /// A pipe from this process to the daemon, started if need be. `say` is how people hear of what happens. Where no daemon
    /// can be had, someone stands in who says why, until there is one.
    pub(crate) fn open(seek: Seek, hello: Hello, say: fn(&str)) -> io::Result<Arc<Pipe>> {
        let (talk, deaths) = (Talk::default(), Vec::new());
        let state = State {
            talk,
            link: None,
            links: 0,
            deaths,
            missed: None,
            unheard: None,
            unread: None,
            telling: 0,
            told: Instant::now(),
            held_up: false,
            heard: Instant::now(),
            watched: false,
        };
        let pipe = Arc::new(Pipe {
            seek,
            place: OnceLock::new(),
            hello,
            writing: Mutex::new(()),
            state: Mutex::new(state),
            changed: Condvar::new(),
            say,
        });
        if let Err(error) = pipe.connect() {
            pipe.stand_in(error.into())?;
        }
        Ok(pipe)
    }

    /// Why there is no daemon, if there is none.
    pub(crate) fn missed(&self) -> Option<CommandError> {
        self.state().missed.take().map(|missed| missed.why)
    }

    /// Whether all that was said has reached the client.
    pub(crate) fn heard(&self) -> io::Result<()> {
        self.state().unheard.take().map_or(Ok(()), Err)
    }

    /// Whether all that the client said was read.
    pub(crate) fn read(&self) -> io::Result<()> {
        self.state().unread.take().map_or(Ok(()), Err)
    }

    /// Carries lines until the client hangs up.
    pub(crate) fn carry(self: &Arc<Self>) {
        let pipe = Arc::clone(self);
        // Reading stdin cannot be interrupted, and whoever does not read any more must not be waited for.
        std::thread::spawn(move || pipe.take_all(BufReader::new(Input)));
        let mut state = self.state();
        loop {
            if state.is_over() {
                return;
            }
            state = match state.talk.hung_up_since() {
                None => self.watch(state),
                Some(since) => {
                    let left = LAST_ANSWERS_MAX.saturating_sub(since.max(state.told).elapsed());
                    if left.is_zero() && state.telling > 0 {
                        // Whoever tells has the line in hand, and nobody takes it.
                        let why = "the client hung up and does not read its last answers";
                        state.unheard.get_or_insert_with(|| io::Error::new(io::ErrorKind::TimedOut, why));
                        return;
                    }
                    if left.is_zero() {
                        drop(state);
                        self.answer_all(&TOO_LATE);
                        return;
                    }
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Waits for a change, and for a daemon that says nothing only so long: one that stands still dies to nobody, and whoever
    /// waits for it hears of it here.
    fn watch<'p>(&'p self, mut state: MutexGuard<'p, State>) -> MutexGuard<'p, State> {
        let ends = state.talk.patience_ends(state.heard.max(state.told));
        state.watched = ends.is_some();
        let Some(ends) = ends else {
            return self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        let left = ends.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            return self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.telling > 0 {
            // What the daemon has said stands behind what the client does not read.
            state.held_up = true;
            return self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let why = silent(state.link.as_ref().map(|link| link.pid));
        drop(state);
        (self.say)(&why.error);
        self.tell_all(|talk| talk.silence(&why));
        self.state()
    }

    /// Takes lines from the client to the daemon.
    fn take_all(self: &Arc<Self>, mut input: impl BufRead) {
        let mut intake = Intake::default();
        let mut next = || match intake.next(&mut input) {
            Ok(came) => came,
            // What cannot be read any more has ended.
            Err(error) => {
                self.state().unread = Some(error);
                None
            }
        };
        while let Some(came) = next() {
            let line = match came.as_deref() {
                Ok(line) => bare(line),
                Err(refused) => {
                    self.tell(&refused.answer());
                    continue;
                }
            };
            if line.is_empty() {
                continue;
            }
            kill_point("pipe took a line");
            if let Err(error) = self.send(line) {
                self.lose(error);
            }
            kill_point("pipe sent a line");
        }
        self.hang_up();
        self.changed.notify_all();
    }

    /// The client has said its last line: so its calls are answered in time.
    fn hang_up(&self) {
        let _writing = self.writing();
        let (line, link) = {
            let mut state = self.state();
            (state.talk.hang_up(), state.link.clone())
        };
        if let (Some(line), Some(link)) = (line, link) {
            link.say(&line);
        }
    }

    fn send(self: &Arc<Self>, line: &[u8]) -> Result<(), Unreachable> {
        let _writing = self.writing();
        let taken = self.state().take(line, &self.changed);
        let line = match taken {
            Taken::Pass(line) => line,
            Taken::Answer(answer) => {
                self.tell(&answer);
                return Ok(());
            }
            Taken::Dropped => return Ok(()),
        };
        let link = self.state().link.clone();
        match link {
            Some(link) if self.looks_again() => self.look_again(&link, &line),
            Some(link) => link.say(&line),
            None => self.connect()?,
        }
        Ok(())
    }

    /// Reaches a daemon and says again what it must know. Called with `writing` held.
    pub(super) fn connect(self: &Arc<Self>) -> Result<(), Unreachable> {
        if self.place.get().is_none() {
            // One that was found meanwhile is the same.
            let _ = self.place.set((self.seek)().map_err(Unreachable::Failed)?);
        }
        let place = self.place.get().expect("BUG: the place was just set");
        let Reached { stream, welcome } = reach(place, &self.hello)?;
        if let Some(note) = &welcome.note {
            (self.say)(note);
        }
        self.state().missed = None;
        self.attach(stream, welcome.version, welcome.pid);
        kill_point("pipe reached a daemon");
        Ok(())
    }

    /// Speaks to someone from now on, and says again what they must know.
    pub(super) fn attach(self: &Arc<Self>, stream: UnixStream, version: String, pid: u32) {
        let (stream, ground) =
            (Arc::new(stream), self.place.get().and_then(|place| Ground::of(&place.dir).ok()));
        // Where it cannot be bounded, nothing else is the matter with it.
        let _ = stream.set_write_timeout(Some(TAKES_WITHIN));
        let (link, again) = {
            let mut state = self.state();
            state.links += 1;
            state.heard = Instant::now();
            let link = Link { number: state.links, stream, version, pid, ground };
            state.link = Some(link.clone());
            (link, state.talk.again())
        };
        let (pipe, read) = (Arc::clone(self), link.clone());
        std::thread::spawn(move || pipe.give_all(&read));
        again.iter().for_each(|line| link.say(line));
    }

    /// Gives lines of the daemon to the client, until the daemon is gone.
    fn give_all(self: &Arc<Self>, link: &Link) {
        for line in whole_lines(BufReader::new(&*link.stream)) {
            let told = self.tell_all(|talk| {
                let given = talk.give(&line);
                given.iter().for_each(|_| kill_point("pipe has an answer"));
                given.into_iter().collect()
            });
            if !told {
                return;
            }
        }
        if let Err(error) = self.after(link) {
            self.lose(error);
        }
    }

    /// The daemon is gone: reaches the next one, or answers what is open if it was stopped on purpose.
    fn after(self: &Arc<Self>, link: &Link) -> Result<(), Unreachable> {
        let _writing = self.writing();
        {
            let mut state = self.state();
            if state.link.as_ref().is_none_or(|current| current.number != link.number) || state.talk.is_over()
            {
                return Ok(());
            }
            state.link = None;
        }
        self.tell_all(Talk::unlink);
        if let Some(Err(lost)) = link.ground.as_ref().map(Ground::holds) {
            (self.say)(&lost.to_string());
            self.answer_all(&LOST);
            return Ok(());
        }
        // Before there is a place, only someone who stands in can have gone.
        let Some(place) = self.place.get() else { return self.connect() };
        let hung_up = self.is_there_still(place, link);
        let left = if hung_up { None } else { left_behind(place, link) };
        let (gone_on, crashed) = match left.as_deref().map(str::trim) {
            None => (false, false),
            // Nothing died: it was started again, or has been already.
            Some(said) if said == RESTARTED || said != link.pid.to_string() => (true, false),
            Some(_) => (true, true),
        };
        let replaced = Successor::read(place).is_some_and(|next| next.version != link.version);
        let hopeless = crashed && self.dies_too_often();
        if hopeless || (!gone_on && !replaced) {
            let why = match (hung_up, hopeless) {
                (true, _) => HUNG_UP,
                (false, true) => DIES,
                (false, false) => STOPPED,
            };
            self.answer_all(&why);
            return Ok(());
        }
        self.connect()
    }

    /// Whether the same daemon still answers: then it hung up on purpose.
    fn is_there_still(&self, place: &Place, link: &Link) -> bool {
        matches!(find(place, &self.hello), Ok(Some(reached)) if reached.welcome.pid == link.pid)
    }

    fn dies_too_often(&self) -> bool {
        let mut state = self.state();
        state.deaths.retain(|death| death.elapsed() < DEATHS_WITHIN);
        state.deaths.push(Instant::now());
        state.deaths.len() > DEATHS_MAX
    }

    /// No daemon can be had now: what is open is answered with an error, and the next line of the client tries again.
    fn lose(&self, error: Unreachable) {
        let error = CommandError::from(error).message;
        (self.say)(&error);
        self.answer_all(&Reason {
            code: "no-daemon",
            error: format!("The switchback daemon cannot be reached: {error}. Runs are kept.").into(),
            next: "The next call tries again. Ask the person at this machine to run `switchback doctor`.",
            next_if_sent: Some(
                "What this call was to do may have been begun, and goes on once there is a daemon again: look with \
                 get_workflow_status() before you ask for it again. Ask the person at this machine to run `switchback doctor`.",
            ),
        });
    }

    /// Answers what is open, because no daemon will.
    fn answer_all(&self, why: &Reason) {
        self.tell_all(|talk| talk.unanswered(why));
        self.changed.notify_all();
    }

    /// Says what the talk gives, which counts as said only when it is. Whether it was.
    fn tell_all<L: AsRef<Line>>(&self, give: impl FnOnce(&mut Talk) -> Vec<L>) -> bool {
        let lines = {
            let mut state = self.state();
            state.telling += 1;
            state.heard = Instant::now();
            give(&mut state.talk)
        };
        let told = lines.iter().all(|line| self.tell(line.as_ref()));
        let mut state = self.state();
        state.telling -= 1;
        state.told = Instant::now();
        // Only the last answers are waited for, and a client that did not read.
        if state.talk.hung_up_since().is_some() || std::mem::take(&mut state.held_up) {
            self.changed.notify_all();
        }
        told
    }

    /// Says a line to the client. Where that fails nothing more can be said, and all is over.
    fn tell(&self, line: &Line) -> bool {
        let Err(error) = write_line(Output::lock(), line) else { return true };
        let mut state = self.state();
        state.unheard.get_or_insert(error);
        state.talk.give_up();
        self.changed.notify_all();
        false
    }

    /// Lets go of the daemon.
    pub(crate) fn close(&self) {
        if let Some(link) = self.state().link.take() {
            let _ = link.stream.shutdown(Shutdown::Both);
        }
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the pid file says once the daemon is gone: one that ends in order hangs up first, and signs off last.
fn left_behind(place: &Place, link: &Link) -> Option<String> {
    let until = Instant::now() + SIGNS_OFF_WITHIN;
    loop {
        let said = std::fs::read_to_string(&place.pid).ok()?;
        let is_its_own = said.trim() == link.pid.to_string();
        if !is_its_own || !lives(link.pid) || Instant::now() >= until {
            return Some(said);
        }
        std::thread::sleep(LOOKS_EACH);
    }
}

fn lives(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}
