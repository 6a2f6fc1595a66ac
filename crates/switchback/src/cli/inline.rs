//! Questions of a run that is followed: looked for when there may be some, asked where someone can type, and told otherwise.

use super::desk::Desk;
use super::error::CommandError;
use super::painter::Painter;
use super::sheet::{Meant, Sheet};
use super::typed::Typed;
use crate::daemon::{self, Passphrase};
use engine::asking::{self, Asked};
use engine::backend::Progress;
use engine::kernel::plan::Audience;
use engine::kernel::{Command, EffectId, RunId, Status};
use engine::store::Reader;
use engine::view::View;
use std::time::{Duration, Instant};

/// What a run asks, and whoever is asked.
pub(crate) struct Inline {
    typed: Option<Typed>,
    sheet: Option<Sheet>,
    /// What is not asked again by this command.
    later: Vec<(RunId, EffectId)>,
    /// The entry of the last answer: what the run was before it does not count.
    pub(crate) since: u64,
    /// How many were answered here.
    pub(crate) answered: usize,
    /// Whether something may have been asked, or answered, since questions were looked for, and when that was.
    touched: bool,
    looked: Instant,
}

/// How long questions are not looked for, where one turn after the other may have opened or closed some.
const UNLOOKED_MAX: Duration = Duration::from_secs(1);

impl Inline {
    pub(crate) fn new(typed: Option<Typed>) -> Inline {
        let (touched, looked) = (false, Instant::now());
        Inline { typed, sheet: None, later: Vec::new(), since: 0, answered: 0, touched, looked }
    }

    /// Looks again after turns that may have opened or closed a question, once nothing more was told.
    pub(crate) async fn turn(
        &mut self,
        desk: &Desk,
        view: &mut View,
        (turn, is_last): (&Progress, bool),
        painter: &mut Painter,
    ) -> Result<(), CommandError> {
        self.touched = self.touched
            || view.is_touched_below(turn)
            || asking::touches(desk.backend(), view, turn).await?;
        // Many runs below may move at once: what is told already is taken in first.
        if !self.touched || !(is_last || self.looked.elapsed() > UNLOOKED_MAX) {
            return Ok(());
        }
        view.ask(&desk.reader)?;
        (self.touched, self.looked) = (false, Instant::now());
        let is_open = |sheet: &Sheet| view.asked.iter().any(|asked| name(asked) == name(&sheet.asked));
        if let Some(closed) = self.sheet.take_if(|sheet| !is_open(sheet)) {
            painter.asked(asking::why_closed(&desk.reader, &closed.asked)?);
        }
        Ok(())
    }

    /// Whether the run goes no further without an answer: neither it nor a run below it works.
    pub(crate) fn holds(view: &View, reader: &Reader) -> Result<bool, CommandError> {
        let asks = !view.asked.is_empty() && matches!(view.status, Status::Waiting(_));
        Ok(asks && !reader.works_below(&view.run)?)
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.sheet.is_some()
    }

    /// Puts the next question in front of whoever can type.
    pub(crate) fn put(&mut self, view: &View, painter: &mut Painter) {
        if self.sheet.is_some() {
            return;
        }
        let Some(typed) = &mut self.typed else { return };
        let is_new = |asked: &&Asked| {
            let is_later = self.later.iter().any(|later| *later == name(asked));
            asked.audience == Audience::Human && !asked.wants_proof() && !is_later
        };
        let Some(asked) = view.asked.iter().find(is_new) else { return };
        let sheet = Sheet::new(asked.clone());
        typed.forget();
        painter.ask(&sheet.asked.step(), &sheet.lines(), &sheet.choice());
        self.sheet = Some(sheet);
    }

    /// What is typed; comes only while someone is asked.
    pub(crate) async fn line(&mut self) -> Option<Vec<u8>> {
        match (&mut self.typed, &self.sheet) {
            (Some(typed), Some(_)) => typed.line().await,
            _ => std::future::pending().await,
        }
    }

    /// Takes a typed line.
    pub(crate) async fn typed(
        &mut self,
        line: Option<Vec<u8>>,
        (desk, view): (&Desk, &mut View),
        painter: &mut Painter,
    ) -> Result<(), CommandError> {
        let Some(mut sheet) = self.sheet.take() else { return Ok(()) };
        let meant = line.map_or(Meant::Later, |line| sheet.typed(&line));
        match meant {
            Meant::Say(command) => {
                let word = self.say((desk, view), &sheet.asked, command).await?;
                painter.asked(&word);
                Ok(view.ask(&desk.reader)?)
            }
            Meant::Later => {
                self.later.push(name(&sheet.asked));
                painter.asked("");
                Ok(())
            }
            Meant::Again(why) => {
                painter.again(&why, &sheet.choice());
                self.sheet = Some(sheet);
                Ok(())
            }
            Meant::More => {
                painter.again("", &sheet.choice());
                self.sheet = Some(sheet);
                Ok(())
            }
        }
    }

    /// Leaves all that is asked for later.
    pub(crate) fn leave(&mut self, painter: &mut Painter) {
        (self.sheet, self.typed) = (None, None);
        painter.asked("\nleft for later");
    }

    /// Says it to the run; gives a word where it was not taken.
    async fn say(
        &mut self,
        (desk, view): (&Desk, &View),
        asked: &Asked,
        command: Command,
    ) -> Result<String, CommandError> {
        match say(desk, asked, command, None).await {
            Ok(seq) => {
                self.answered += 1;
                self.since = self.since.max(if asked.run == view.run { seq } else { 0 });
                Ok(String::new())
            }
            Err(error @ (engine::Error::Refused(_) | engine::Error::Told { .. })) => {
                self.later.push(name(asked));
                Ok(error.to_string())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Says an answer to the run that asks, and gives its entry. At a gate, only for a human as far as that can be told.
pub(crate) async fn say(
    desk: &Desk,
    asked: &Asked,
    command: Command,
    proof: Option<Passphrase>,
) -> Result<u64, engine::Error> {
    if asked.is_gate() && !desk.outlives_us() && daemon::is_below_our_own() {
        return Err(daemon::not_a_human("the command was started by a workflow"));
    }
    match desk.say(&asked.run, command, proof).await {
        Ok(accepted) => Ok(accepted.seq),
        Err(engine::Error::Refused(refusal)) if asking::is_taken(&refusal) => Ok(0),
        Err(error) => Err(error),
    }
}

fn name(asked: &Asked) -> (RunId, EffectId) {
    (asked.run.clone(), asked.effect.clone())
}
