//! `switchback answer`: shows what a run asks, takes an answer, and says what happened next.
//!
//! A gate is answered only here, on a terminal, by typing a word of the run's name; the daemon looks whose process it is. What
//! that does not stop stands in docs/cli.md.

use super::arguments::AnswerArguments;
use super::aside;
use super::desk::{self, Desk, Seating};
use super::error::CommandError;
use super::exit::Exit;
use super::follow::{Followable, Followed, Signals, follow};
use super::inline::say;
use super::look::{Look, clean, print_json, talk};
use super::proof::passphrase;
use super::sheet::{Meant, Sheet};
use super::still::Still;
use super::store::{Looked, directory, find};
use super::typed::Typed;
use super::{given, result};
use crate::daemon::Passphrase;
use engine::asking::{self, Asked, AskedKind, Unpicked};
use engine::kernel::{Command, Refusal, RunId};
use engine::store::RunRow;
use engine::view::View;
use serde_json::{Value, json};

/// How many open questions are named to whoever named none of them.
const NAMED_MAX: usize = 8;

/// Carries the command out.
pub(crate) fn answer(arguments: &AnswerArguments) -> Result<Exit, CommandError> {
    let looked = Looked::open_for(&directory()?, &arguments.run)?;
    let row = find(&looked.reader, &arguments.run)?;
    let open = asking::asked(&looked.reader, &row.id)?;
    let asked = match asking::pick(&open, arguments.question.as_deref()) {
        Ok(asked) => asked.clone(),
        Err(Unpicked::Several(_)) if arguments.json && arguments.response.is_none() => {
            return listed(&open);
        }
        Err(unpicked) => not_open(&looked, &row, &open, unpicked)?,
    };
    let name = looked.view(&root(&looked, &asked)?)?.plan.name.clone();
    drop(looked);
    let said = arguments.response.as_deref().map(|word| given::answer(word, asked.kind == AskedKind::Agent));
    let said = said.transpose()?;
    if arguments.response.as_deref() == Some("-") && said == Some("".into()) && asked.default.is_none() {
        return Err(nothing_came(&asked));
    }
    if said.is_none() && arguments.json {
        return listed(&[asked]);
    }
    let seating = Seating::unless(arguments.no_daemon, Seating::Daemon);
    let front = Front { name, said, asks: !arguments.no_input };
    match desk::block_on(put(Sheet::new(asked), front, seating))?? {
        Ok(followed) => result::finish(followed, arguments.json),
        Err(exit) => Ok(exit),
    }
}

/// What is asked, for programs.
fn listed(open: &[Asked]) -> Result<Exit, CommandError> {
    let questions: Vec<Value> = open.iter().map(asking::document).collect();
    print_json(&json!({ "run": open.first().map(|asked| &asked.root), "questions": questions }))?;
    Ok(Exit::Waiting)
}

/// How a question is put.
struct Front {
    /// The name of the workflow.
    name: String,
    /// The answer that was given with the command.
    said: Option<Value>,
    /// Whether something may be asked.
    asks: bool,
}

fn root(looked: &Looked, asked: &Asked) -> Result<RunRow, CommandError> {
    Ok(looked.reader.run(&asked.root)?.ok_or_else(|| engine::Error::NoRun(asked.root.clone()))?)
}

/// Shows a question, takes the answer and follows the run; only an exit code where there is no answer yet.
async fn put(
    mut sheet: Sheet,
    front: Front,
    seating: Seating,
) -> Result<Result<Followed, Exit>, CommandError> {
    let mut signals = Signals::listen()?;
    aside::begin();
    let mut typed = Typed::open().filter(|_| front.asks);
    let meant = front.said.clone().map(|said| sheet.say(said));
    let command = match meant {
        Some(Meant::Say(command)) => Some(command),
        Some(Meant::Again(why)) => return Err(misfit(&sheet.asked, &why)),
        Some(Meant::Later) => None,
        Some(Meant::More) | None => {
            show(&sheet, &front.name);
            match &mut typed {
                Some(typed) => {
                    let mut still = Still::of(&sheet.asked, seating).await;
                    let asking = ask(&mut sheet, typed, &mut signals, &mut still).await;
                    asking.map_err(|why| closed(&sheet.asked, why))?
                }
                None if front.said.is_some() => return Err(needs_a_terminal(&sheet.asked)),
                None => None,
            }
        }
    };
    match command {
        Some(command) => {
            let proof = match wants_proof(&sheet.asked, &command) {
                true if typed.is_some() => match passphrase("passphrase")? {
                    Ok(said) => Some(said),
                    Err(broken) => {
                        unsaid(&sheet.asked, true);
                        return Ok(Err(broken.exit()));
                    }
                },
                true => return Err(needs_a_terminal(&sheet.asked)),
                false => None,
            };
            let given = give(&sheet.asked, (command, proof), (signals, typed), seating).await;
            given.map(Ok).map_err(|error| error.of_run(&sheet.asked.root))
        }
        None => {
            unsaid(&sheet.asked, typed.is_some());
            Ok(Err(Exit::Waiting))
        }
    }
}

/// Says that nothing was answered, and how to do it later.
fn unsaid(asked: &Asked, at_terminal: bool) {
    talk(&format!("nothing was said: {} still waits", asked.root));
    later(asked, at_terminal).iter().for_each(|line| talk(line));
}

/// Whether an answer is a yes that must be proven.
fn wants_proof(asked: &Asked, command: &Command) -> bool {
    asked.wants_proof() && matches!(command, Command::Answer { approved: true, .. })
}

/// What is asked, by which run.
fn show(sheet: &Sheet, name: &str) {
    let look = Look::of_stderr();
    let asked = &sheet.asked;
    talk(&format!("{}  {}  {} asks:", look.bold(&clean(name)), asked.root, clean(&asked.step())));
    sheet.lines().iter().for_each(|line| talk(&format!("  {line}")));
}

/// Asks until there is an answer, or none to be had; why it is not asked any more, if it is not.
async fn ask(
    sheet: &mut Sheet,
    typed: &mut Typed,
    signals: &mut Signals,
    still: &mut Option<Still>,
) -> Result<Option<Command>, &'static str> {
    typed.forget();
    loop {
        aside::say(&format!("{} ", sheet.choice()));
        let line = tokio::select! {
            biased;
            _ = signals.next() => {
                talk("");
                return Ok(None);
            }
            line = typed.line() => match line {
                Some(line) => line,
                None => return Ok(None),
            },
            why = closes(still, &sheet.asked) => {
                talk("");
                return Err(why);
            }
        };
        match sheet.typed(&line) {
            Meant::Say(command) => return Ok(Some(command)),
            Meant::Later => return Ok(None),
            Meant::Again(why) => talk(&clean(&why)),
            Meant::More => {}
        }
    }
}

async fn closes(still: &mut Option<Still>, asked: &Asked) -> &'static str {
    match still {
        Some(still) => still.closed(asked).await,
        None => std::future::pending().await,
    }
}

/// Gives the answer to the run, and follows the root of it.
async fn give(
    asked: &Asked,
    (command, proof): (Command, Option<Passphrase>),
    (mut signals, typed): (Signals, Option<Typed>),
    seating: Seating,
) -> Result<Followed, CommandError> {
    let desk = Desk::open(seating).await?;
    let unheard = || CommandError::unheard(&asked.root, "take the answer");
    let progress = signals.hear(desk.backend().subscribe(&asked.root)).await.ok_or_else(unheard)??;
    let seq = match signals.hear(say(&desk, asked, command, proof)).await.ok_or_else(unheard)? {
        Ok(seq) => seq,
        Err(error) => {
            desk.close().await;
            return Err(refused(asked, error));
        }
    };
    // Nobody carries a run whose process went away; whoever answers goes on with it.
    let carried = signals.hear(desk.backend().recover(&asked.root)).await;
    if let Err(error) = carried.map_or_else(|| Err(unheard()), |carried| carried.map_err(CommandError::from))
    {
        desk.close().await;
        return Err(error);
    }
    let gone = || engine::Error::NoRun(asked.root.clone());
    let view = View::load(&desk.reader, &asked.root)?.ok_or_else(gone)?;
    let since = if asked.run == asked.root { seq } else { 0 };
    follow(Followable { desk, view, progress, signals, since, ours: false, typed }).await
}

/// Why the question that was meant is not open; a question that was answered before may be answered the same again.
fn not_open(
    looked: &Looked,
    row: &RunRow,
    open: &[Asked],
    unpicked: Unpicked,
) -> Result<Asked, CommandError> {
    let run = &row.id;
    match unpicked {
        Unpicked::NothingAsked => {
            let word = looked.view(row)?.word();
            Err(CommandError::usage("nothing-asked", format!("run {run} asks nothing: it is {word}"))
                .hint(format!("how it stands: switchback show {run}")))
        }
        Unpicked::Several(_) => {
            let message = format!("{} questions of {run} are open: say which one", open.len());
            Err(each(CommandError::usage("several-questions", message), run, open))
        }
        Unpicked::Unknown { named, .. } => {
            let root = asking::root(&looked.reader, run)?;
            if let Some(asked) = asking::find(&looked.reader, &root, &named)? {
                return Ok(asked);
            }
            let error =
                CommandError::usage("unknown-question", format!("no question of {run} is called `{named}`"));
            Err(each(error, run, open))
        }
    }
}

/// Adds how to name one of the open questions, each with its first line; of many only the first ones.
fn each(error: CommandError, run: &RunId, open: &[Asked]) -> CommandError {
    let error = error.hint(format!("switchback answer {run} --question ID"));
    let error = open.iter().take(NAMED_MAX).fold(error, |error, asked| {
        let prompt = clean(asked.prompt.lines().next().unwrap_or_default());
        error.hint(format!("--question '{}'  {prompt}", asked.question_id))
    });
    match open.len().saturating_sub(NAMED_MAX) {
        0 => error,
        more => error.hint(format!("and {more} more; all of them: switchback answer {run} --json")),
    }
}

/// A question in one line, with the command that answers it.
pub(crate) fn one(asked: &Asked, several: bool) -> String {
    let which = if several { format!(" --question '{}'", asked.question_id) } else { String::new() };
    let prompt = clean(asked.prompt.lines().next().unwrap_or_default());
    format!("`{}` asks: {prompt}   switchback answer {}{which}", clean(&asked.step()), asked.root)
}

/// How to answer later.
fn later(asked: &Asked, at_terminal: bool) -> Vec<String> {
    let (root, id) = (&asked.root, &asked.question_id);
    let mut lines = vec![format!("answer with: switchback answer {root} --question '{id}'")];
    if !at_terminal && !asked.is_gate() {
        lines.push(format!("without a terminal: switchback answer {root} --question '{id}' RESPONSE"));
    }
    lines
}

/// It went away while somebody had it in front of them.
fn closed(asked: &Asked, why: &str) -> CommandError {
    let (root, id) = (&asked.root, &asked.question_id);
    CommandError::usage("not-asked", format!("run {root} asks `{id}` no more: {why}"))
        .hint("nothing was said")
        .hint(format!("how the run stands: switchback show {root}"))
}

/// What was to say it may have failed.
fn nothing_came(asked: &Asked) -> CommandError {
    let id = &asked.question_id;
    CommandError::usage("empty-answer", format!("stdin was empty, and so nothing was said to `{id}`"))
        .hint("nothing was changed; the question is still open")
        .hint(format!("if an empty text is meant: switchback answer {} --question '{id}' ''", asked.root))
}

fn misfit(asked: &Asked, why: &str) -> CommandError {
    CommandError::usage("wrong-answer", format!("the answer does not fit `{}`: {why}", asked.question_id))
        .hint("nothing was changed; the question is still open")
}

fn needs_a_terminal(asked: &Asked) -> CommandError {
    CommandError::usage(
        "needs-a-terminal",
        format!("only a human at a terminal may approve `{}`", asked.question_id),
    )
    .hint(format!("in a terminal of your own: switchback answer {}", asked.root))
}

fn refused(asked: &Asked, error: engine::Error) -> CommandError {
    let show = format!("how the run stands: switchback show {}", asked.root);
    match error {
        engine::Error::Refused(Refusal::Over) => {
            CommandError::usage("run-over", format!("run {} takes no answer any more", asked.root))
                .hint("nothing was changed: it had ended, or was about to, when the answer came")
                .hint(show)
        }
        engine::Error::Refused(refusal @ Refusal::AlreadyAnswered { .. }) => {
            CommandError::usage("already-answered", refusal.to_string())
                .hint("nothing was changed: the first answer counts")
                .hint(show)
        }
        error => CommandError::from(error),
    }
}
