//! The thread that reads: what the program writes goes to the screen, to whoever waits and to the recording, in this order, so
//! that who is woken by output finds it on the screen, and nobody waits for a file. While a program floods, another thread reads and this one draws.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};

use super::Shared;
use super::pump::{Over, Pump, Pumped};
use crate::pty::Read;
use crate::turns::held;

/// What is read before it is shown.
const BATCH_BYTES: usize = 64 * 1024;

/// Who says so much at once floods.
const FLOOD_BYTES: usize = 16 * 1024;

/// The screen is given to others after so many bytes; after few when they are heavy (a character repeated 65,535 times).
const SLICE_BYTES: usize = 512;
const HEAVY_SLICE_BYTES: usize = 64;
const HEAVY: Duration = Duration::from_millis(2);

/// How long after its terminal a program may end as if both were one.
const ENDS_SOON: Duration = Duration::from_millis(100);

/// What a program has written before its end comes within this; others that hold its terminal may write for ever.
const LAST_WORDS: Duration = Duration::from_millis(20);
const LAST_WORDS_MAX: Duration = Duration::from_millis(200);

/// Reads until the terminal is closed, then waits for the program's end.
pub(super) fn run(shared: &Shared) {
    let pump = Pump::default();
    let read = catch_unwind(AssertUnwindSafe(|| {
        thread::scope(|scope| {
            let _over = Over(&pump);
            let start = || {
                let thread = thread::Builder::new().name("terminal-pump".to_owned()).stack_size(128 * 1024);
                thread.spawn_scoped(scope, || pump.run(&shared.pty)).is_ok()
            };
            Reader::new(shared, &pump).read_all(start)
        })
    }));
    let fault = match read {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("the terminal could not be read: {error}")),
        Err(_) => Some("BUG: the screen could not bear what the program wrote".to_owned()),
    };
    if fault.is_some() {
        // Nobody takes its status before we have seen it: the id is its own.
        let _ = kill_process(shared.leader.pid, Signal::KILL);
    }
    // Who closes the terminal mostly ends: the two are told as one.
    let exit = shared.leader.exit_within(ENDS_SOON);
    let mut output = held(shared.output.lock());
    (output.is_closed, output.fault) = (true, fault);
    output.exit = output.exit.or(exit);
    let is_told = output.exit.is_some();
    drop(output);
    shared.news.notify_all();
    if !is_told {
        let exit = shared.leader.wait();
        held(shared.output.lock()).exit = Some(exit);
    }
    tell_end(shared);
}

/// The end is known: whoever waits for it goes on, and what was to be done then is done.
fn tell_end(shared: &Shared) {
    shared.news.notify_all();
    shared.over.notify_all();
    // Whoever comes later sees the end and does it themselves.
    let then = std::mem::take(&mut *held(shared.then.lock()));
    then.into_iter().for_each(|then| then());
}

struct Reader<'a> {
    shared: &'a Shared,
    pump: &'a Pump,
    /// Whether there is a pump: known once it was wanted.
    has_pump: Option<bool>,
    buffer: Vec<u8>,
    /// Answers that found no room.
    replies: Vec<u8>,
    /// Until when a drawing may still be held back.
    held_until: Option<Instant>,
    slice: usize,
    /// When the end of the program was seen first, while others hold its terminal.
    ended: Option<Instant>,
}

impl<'a> Reader<'a> {
    fn new(shared: &'a Shared, pump: &'a Pump) -> Reader<'a> {
        // Small until there is much: most sessions say little.
        let (buffer, replies) = (vec![0; 4_096], Vec::new());
        let (held_until, slice, ended) = (None, SLICE_BYTES, None);
        Reader { shared, pump, has_pump: None, buffer, replies, held_until, slice, ended }
    }

    fn read_all(&mut self, start_pump: impl Fn() -> bool) -> std::io::Result<()> {
        loop {
            self.shared.is_reading.store(true, Ordering::SeqCst);
            let (count, mut is_closed) = self.read_batch()?;
            let buffer = std::mem::take(&mut self.buffer);
            self.show(&buffer[..count]);
            self.buffer = buffer;
            if count >= FLOOD_BYTES && !is_closed && *self.has_pump.get_or_insert_with(&start_pump) {
                is_closed = self.draw_on()?;
            }
            self.shared.is_reading.store(false, Ordering::SeqCst);
            if is_closed {
                return Ok(());
            }
            if count == 0 {
                self.wait()?;
            }
        }
    }

    /// Draws what the pump reads, as long as it comes; tells whether there will be nothing more.
    fn draw_on(&mut self) -> std::io::Result<bool> {
        let mut buffer = Vec::new();
        self.pump.begin();
        loop {
            match self.pump.take(&mut buffer) {
                Pumped::Bytes => buffer.chunks(BATCH_BYTES).for_each(|batch| self.show(batch)),
                Pumped::Dry => return Ok(false),
                Pumped::End(end) => return end.map(|()| true),
            }
        }
    }

    /// Takes what is there, up to a batch.
    fn read_batch(&mut self) -> std::io::Result<(usize, bool)> {
        let mut count = 0;
        while count < self.buffer.len() {
            match self.shared.pty.read(&mut self.buffer[count..])? {
                Read::Bytes(more) => count += more,
                Read::Nothing => break,
                Read::Closed => return Ok((count, true)),
            }
        }
        if count == self.buffer.len() && count < BATCH_BYTES {
            self.buffer.resize(BATCH_BYTES, 0);
        }
        Ok((count, false))
    }

    fn show(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut rest = bytes;
        while !rest.is_empty() && !self.shared.is_abandoned.load(Ordering::Relaxed) {
            let (slice, behind) = rest.split_at(rest.len().min(self.slice));
            self.show_slice(slice);
            rest = behind;
        }
        self.reply();
        self.tell(bytes);
        self.shared.recorder(|recorder| recorder.output(bytes));
        self.look_for_end();
    }

    /// The program may end and leave its terminal to others: its end is told all the same, after its last words.
    fn look_for_end(&mut self) {
        if self.shared.leader.exit().is_some() {
            let since = *self.ended.get_or_insert_with(Instant::now);
            if since.elapsed() > LAST_WORDS_MAX {
                self.tell_end();
            }
        }
    }

    fn tell_end(&self) {
        let mut output = held(self.shared.output.lock());
        if output.exit.is_none() {
            output.exit = self.shared.leader.exit();
            drop(output);
            tell_end(self.shared);
        }
    }

    fn show_slice(&mut self, bytes: &[u8]) {
        let mut screen = self.shared.screen.lock();
        let begin = Instant::now();
        screen.feed(bytes);
        let is_heavy = begin.elapsed() > HEAVY;
        self.slice = if is_heavy { HEAVY_SLICE_BYTES } else { SLICE_BYTES.min(self.slice * 2) };
        self.replies.extend(screen.take_replies());
        self.held_until = screen.held_until();
    }

    /// Tells whoever waits. What somebody waits to see is not pushed out before they have seen it.
    fn tell(&self, bytes: &[u8]) {
        let mut output = held(self.shared.output.lock());
        while output.would_outrun(bytes.len()) {
            output = held(self.shared.news.wait(output));
        }
        output.push(bytes);
        drop(output);
        self.shared.news.notify_all();
    }

    /// Writes the answers, between two messages of others, as far as there is room.
    fn reply(&mut self) {
        const REPLIES_BYTES_MAX: usize = 64 * 1024;
        self.replies.truncate(REPLIES_BYTES_MAX);
        if self.replies.is_empty() {
            return;
        }
        if let Ok(_writing) = self.shared.writing.try_lock() {
            // A program that is gone reads no answers; the end is found by reading.
            let written = self.shared.pty.write(&self.replies).unwrap_or(self.replies.len());
            self.replies.drain(..written);
        }
    }

    fn wait(&mut self) -> std::io::Result<()> {
        let is_told = held(self.shared.output.lock()).exit.is_some();
        let last_words = self.ended.filter(|_| !is_told).map(|_| Instant::now() + LAST_WORDS);
        // Once it has ended, its handle would wake us all the time.
        let leader = self.shared.leader.handle().filter(|_| self.ended.is_none());
        let until = [self.held_until, last_words].into_iter().flatten().min();
        let ready = self.shared.pty.wait_with(true, !self.replies.is_empty(), leader, until)?;
        if ready.is_empty() && last_words.is_some_and(|until| until <= Instant::now()) {
            self.tell_end();
        }
        if self.held_until.is_some_and(|until| until <= Instant::now()) {
            let mut screen = self.shared.screen.lock();
            screen.show_held();
            self.replies.extend(screen.take_replies());
            self.held_until = None;
        }
        self.look_for_end();
        self.reply();
        Ok(())
    }
}
