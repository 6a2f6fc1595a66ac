//! A call of one of the six tools for terminals: its arguments become a request, the keeper carries it out, at once or on a thread that may
//! wait, and what comes of it is said twice, as data and in plain words.
//!
//! No such call is waited for longer than any other: at most as long as a call may take, or as long as someone listens to its
//! progress. Ending a call ends the waiting and nothing else.

use super::answer::{Answer, Answered};
use super::call::Call;
use super::last::Until;
use super::problem::Problem;
use super::tell::Teller;
use super::wait::SILENCE_MAX;
use engine::kernel::command::Caller;
use engine::terminals::{
    Answer as Done, Awaited, CallOff, Keeper, Pace, Refused, Request, Row, Unread, Visitor,
};
use serde_json::Value;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Carries a call out.
pub(super) async fn carry_out(call: &Call) -> Answered {
    let keeper = call.visit.house()?.terminals.clone();
    let given = Value::Object(call.arguments.as_given().clone());
    let request = Request::read(call.arguments.tool(), given).map_err(|error| unread(call, &error))?;
    let visitor = visitor(call);
    if let Some(done) = at_once(&keeper, &visitor, &request) {
        return done.map(answer).map_err(problem);
    }
    let teller = Teller::of(&call.context);
    let most = Duration::from_secs(call.visit.settings().call_seconds);
    let longest = teller.is_none().then_some(most);
    let call_off = CallOff::default();
    let off = call_off.clone();
    let work = tokio::task::spawn_blocking(move || keeper.carry_out(&visitor, &request, longest, &off));
    wait(call, work, teller, &call_off).await.map(answer).map_err(problem)
}

/// What is answered without waiting, on this thread: to wake another would take longer than most of it. Nothing, if what is waited
/// for is not there yet.
fn at_once(keeper: &Keeper, visitor: &Visitor, request: &Request) -> Option<Result<Done, Refused>> {
    let work = || keeper.carry_out(visitor, request, Some(Duration::ZERO), &CallOff::default());
    let is_one_of_many = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    let done = match request.pace() {
        Pace::Instant => work(),
        Pace::Brief if is_one_of_many => tokio::task::block_in_place(work),
        Pace::Brief | Pace::Slow => return None,
    };
    let is_late = matches!(&done, Ok(Done::Awaited(awaited)) if awaited.timed_out);
    (!is_late).then_some(done)
}

fn visitor(call: &Call) -> Visitor {
    let settings = call.visit.settings();
    let by = match call.caller() {
        Caller::Agent(name) => name,
        _ => "mcp".to_owned(),
    };
    Visitor { home: call.visit.home(&settings), by, run: None, policy: settings.terminals.clone() }
}

/// Waits for the keeper; tells whoever listens that it goes on, and calls off what nobody waits for any more.
async fn wait(
    call: &Call,
    mut work: JoinHandle<Result<Done, Refused>>,
    mut teller: Option<Teller>,
    call_off: &CallOff,
) -> Result<Done, Refused> {
    let begin = Instant::now();
    let (mut last, mut is_off): (Option<Until>, bool) = (None, false);
    let mut silence = begin + SILENCE_MAX;
    loop {
        let until = last.map(|last| last.at);
        tokio::select! {
            biased;
            done = &mut work => {
                return done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
            }
            () = call.context.ct.cancelled(), if !is_off => {
                is_off = true;
                call_off.call_off();
            }
            heard = call.visit.last.heard(last) => last = Some(heard),
            () = sleep_until(until.unwrap_or(begin)), if until.is_some() && !is_off => {
                is_off = true;
                call_off.call_off();
            }
            () = sleep_until(silence), if teller.is_some() => {
                silence = Instant::now() + SILENCE_MAX;
                let seconds = begin.elapsed().as_secs();
                if let Some(listener) = &mut teller
                    && listener.word(begin.elapsed(), format!("waiting for output, {seconds} s")).await.is_err()
                {
                    teller = None;
                    call_off.call_off();
                }
            }
        }
    }
}

/// How much of a command line is shown in a list of sessions; their data have all of it.
const SHELL_CHARS_MAX: usize = 100;

/// What came of it, as data and in plain words.
fn answer(done: Done) -> Answer {
    let mut value = done.to_json();
    let next = next(&done);
    if let Some(next) = &next {
        value["next"] = next.clone().into();
    }
    let words = [Some(head(&done)), next, body(&done)];
    let text = words.into_iter().flatten().collect::<Vec<_>>().join("\n");
    Answer::new(value).text(text)
}

/// What happened, in one line.
fn head(done: &Done) -> String {
    match done {
        Done::Opened(opened) => {
            let record =
                opened.recording.as_ref().map(|path| format!(", recorded in {path}")).unwrap_or_default();
            format!("{} is open: {} ({}){record}", opened.session_id, opened.shell, opened.size)
        }
        Done::Sent(sent) => match (sent.unwritten_bytes, sent.has_output) {
            (0, true) => format!("typed into {}", sent.session_id),
            (0, false) => format!("typed into {}; nothing has come back yet", sent.session_id),
            (bytes, _) => format!(
                "typed into {} but for the last {bytes} bytes: its program does not read",
                sent.session_id
            ),
        },
        Done::Awaited(awaited) => waited(awaited),
        Done::Shown(shown) => {
            let ended = shown.ended.as_ref().map_or("runs".to_owned(), |how| format!("has ended ({how})"));
            let left_out =
                shown.left_out.as_ref().map(|what| format!("; left out: {what}")).unwrap_or_default();
            format!("{}: its program {ended}{left_out}", shown.session_id)
        }
        Done::Listed(listed) => match listed.total_sessions {
            0 => "no session is open in this folder".to_owned(),
            1 => "1 session is open in this folder".to_owned(),
            count => format!("{count} sessions are open in this folder"),
        },
        Done::Exited(exited) => exited.message.clone(),
    }
}

fn waited(awaited: &Awaited) -> String {
    let (id, seconds) = (&awaited.session_id, awaited.elapsed_time);
    match &awaited.match_text {
        Some(text) => format!("{id}: matched {text:?} after {seconds} s"),
        None if awaited.timed_out => format!("{id}: nothing matched within {seconds} s"),
        None => format!("{id}: its program has ended, and nothing matched before"),
    }
}

/// What to do next, where that is not plain.
fn next(done: &Done) -> Option<String> {
    match done {
        Done::Awaited(Awaited { match_text: None, timed_out: true, session_id, .. }) => Some(format!(
            "await_output(\"{session_id}\", pattern) waits on and misses nothing since the last input; \
             get_screen_content shows more."
        )),
        Done::Awaited(Awaited { match_text: None, session_id, .. }) => Some(format!(
            "get_screen_content(\"{session_id}\") shows how it ended; exit_terminal removes it."
        )),
        Done::Listed(listed) if listed.sessions.is_empty() => {
            Some("open_terminal(shell) opens one.".to_owned())
        }
        _ => None,
    }
}

/// What the program wrote, or the sessions one by one.
fn body(done: &Done) -> Option<String> {
    let screen = match done {
        Done::Opened(opened) => &opened.screen_content,
        Done::Sent(sent) => &sent.screen_content,
        Done::Awaited(awaited) => &awaited.screen_content,
        Done::Shown(shown) => &shown.screen_content,
        Done::Listed(listed) => return Some(listed.sessions.iter().map(row).collect::<Vec<_>>().join("\n")),
        Done::Exited(_) => return None,
    };
    // A label, so that what a program writes is not taken for what the server says.
    Some(format!("--- output of the program ---\n{screen}"))
}

fn row(row: &Row) -> String {
    let Row { session_id, status, .. } = row;
    let shell = match row.shell.char_indices().nth(SHELL_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &row.shell[..end]),
        None => row.shell.clone(),
    };
    let what = row.what.as_ref().map(|what| format!(": {what}")).unwrap_or_default();
    let idle =
        row.idle_seconds.filter(|_| status == "running").map(|s| format!(", idle {s} s")).unwrap_or_default();
    let held = row.held_by.as_ref().map(|who| format!(", held by {who}")).unwrap_or_default();
    format!("{session_id}  {shell}  {status}{what}{idle}{held}")
}

fn problem(refused: Refused) -> Problem {
    let Refused { code, error, open_sessions, next } = refused;
    Problem::new(code, error)
        .options_as("open_sessions", open_sessions)
        .next(next)
        .help("list_terminal_sessions() shows the sessions of this folder")
}

fn unread(call: &Call, error: &Unread) -> Problem {
    let tool = call.arguments.tool();
    Problem::new("wrong-argument", format!("{tool}: {error}"))
        .next(format!("Call {tool} again as its schema says."))
        .help("list_terminal_sessions() shows the sessions of this folder")
}
