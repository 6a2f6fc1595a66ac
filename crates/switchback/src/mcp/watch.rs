//! A run that is watched: its view, what it and the runs below it ask, and whether anything more happens by itself.
//!
//! Questions are looked for only where there can be some: in a plan with actions or with children, and after a turn that may
//! have opened or closed one.

use super::call::Call;
use super::elicit::{Again, is_for_a_form};
use super::problem::Problem;
use super::runs;
use super::submit::Taken;
use super::young::Young;
use engine::asking::{self, Asked};
use engine::backend::Progress;
use engine::kernel::{EffectId, RunId, Status, Waiting};
use engine::view::View;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// How long questions are not looked for, where one turn after the other may have opened or closed some.
const UNLOOKED_MAX: Duration = Duration::from_secs(1);

/// A run that is watched.
pub(super) struct Watch {
    /// How it stands.
    pub(super) view: View,
    /// What happens to it.
    pub(super) progress: UnboundedReceiver<Progress>,
    /// The entry of the command that was sent: what the run was before it does not count.
    pub(super) since: u64,
    /// What became of asking a human, where that came to nothing.
    pub(super) word: Option<String>,
    /// Whether a human may be asked while the call waits.
    pub(super) asks: bool,
    /// The entry up to which whoever calls knows the run.
    pub(super) known: Option<u64>,
    /// The run, as long as it has just begun.
    pub(super) young: Option<Young>,
    /// What whoever calls waits for, where that is not all that the run asks.
    pub(super) wants: Option<Wants>,
    /// The answer that did not fit, if someone is asked again because of one.
    unfit: Option<Unfit>,
    /// How it stood when the call came, where that is waited through.
    stood: Option<Stand>,
    /// Whether something may have been asked, or answered, since its questions were looked for.
    touched: bool,
    /// When they were looked for last.
    looked: Instant,
}

/// An answer that did not fit.
struct Unfit {
    run: RunId,
    effect: EffectId,
    why: String,
    /// How many there were.
    tries: u32,
}

/// How often someone is asked again by one call because an answer does not fit.
const TRIES_MAX: u32 = 5;

/// How far a run is, and which questions are open.
#[derive(PartialEq, Eq)]
struct Stand {
    seq: u64,
    asked: Vec<(RunId, EffectId)>,
    /// The children that sub-agents have to do with.
    delegated: Vec<RunId>,
}

impl Watch {
    /// Watches a run from a view on.
    pub(super) fn new(view: View, progress: UnboundedReceiver<Progress>, since: u64) -> Watch {
        let (touched, looked) = (false, Instant::now());
        Watch {
            view,
            progress,
            since,
            word: None,
            asks: true,
            known: None,
            young: None,
            wants: None,
            unfit: None,
            stood: None,
            touched,
            looked,
        }
    }

    /// Watches a run that has just begun.
    pub(super) fn young(mut self, young: Young) -> Watch {
        self.young = Some(young);
        self
    }

    /// Waits through how it stands now, if only someone else can move it: whoever calls knows that, or hears it at the end.
    pub(super) fn wait_through(&mut self, here: &str) {
        let Status::Waiting(waiting) = &self.view.status else { return };
        let is_for_agent = waiting.iter().any(|one| matches!(one, Waiting::Agent(_)));
        let is_for_caller =
            is_for_agent || self.view.asked.iter().any(|asked| !asked.is_gate() && !asked.ends);
        if self.view.workspace != here || !is_for_caller {
            self.stood = Some(self.stand());
        }
    }

    /// Waits through how it stands now, because another call asks what it asks.
    pub(super) fn stand_still(&mut self) {
        self.stood = Some(self.stand());
    }

    /// Whether it stands as it did when that was to be waited through.
    pub(super) fn stands(&self) -> bool {
        self.stood.as_ref() == Some(&self.stand())
    }

    fn stand(&self) -> Stand {
        let asked = self.view.asked.iter().map(|one| (one.run.clone(), one.effect.clone()));
        let delegated = self.view.delegated.iter().flat_map(|one| &one.open).map(|(run, _)| run.clone());
        Stand { seq: self.view.seq(), asked: asked.collect(), delegated: delegated.collect() }
    }

    /// Takes in what has happened already.
    pub(super) fn catch_up(&mut self) {
        while let Ok(turn) = self.progress.try_recv() {
            self.view.take(&turn);
        }
    }

    /// Takes in a turn; says whether it is news of the run itself.
    pub(super) async fn take(&mut self, call: &Call, turn: &Progress) -> Result<bool, Problem> {
        let is_own = self.view.take(turn);
        if !self.touched {
            let (house, view) = (call.visit.house()?, &self.view);
            let touched = asking::touches(&house.local, view, turn).await;
            self.touched = view.is_touched_below(turn) || touched.map_err(runs::refused)?;
        }
        // Many runs below may move at once: what is told already is taken in first.
        if self.touched && (self.progress.is_empty() || self.looked.elapsed() > UNLOOKED_MAX) {
            self.look(call).await?;
        }
        Ok(is_own)
    }

    /// Looks for questions, where there can be some.
    pub(super) async fn look(&mut self, call: &Call) -> Result<(), Problem> {
        if !asking::can_ask(&self.view.plan) {
            return Ok(());
        }
        let view = &mut self.view;
        call.visit.look(|_, reader| view.ask(reader)).await?.map_err(runs::not_loaded)?;
        (self.touched, self.looked) = (false, Instant::now());
        Ok(())
    }

    /// Looks once more before it is told how the run stands. Where more has come to it than was told so far, all of it is looked at
    /// again: its status and its questions are of one moment.
    pub(super) async fn settle(&mut self, call: &Call) -> Result<(), Problem> {
        if !asking::can_ask(&self.view.plan) {
            return Ok(());
        }
        let view = &mut self.view;
        if call.visit.look(|_, reader| view.ask_now(reader)).await?.map_err(runs::not_loaded)? {
            (self.touched, self.looked) = (false, Instant::now());
            return Ok(());
        }
        let left = self.view.left;
        self.reload(call).await?;
        self.view.left = left && self.view.needs_carrier();
        Ok(())
    }

    /// The question to put to a human now, if there is one.
    pub(super) fn for_a_form(&self, shows_gates: bool) -> Option<Asked> {
        let is_due = self.asks && self.view.seq() >= self.since;
        let may = |asked: &&Asked| is_due && is_for_a_form(asked) && (shows_gates || !asked.is_gate());
        let mut asked = self.view.asked.iter().find(may).cloned()?;
        if let Some(unfit) = self.unfit_of(&asked) {
            asked.note = Some(unfit.why.clone());
        }
        Some(asked)
    }

    fn unfit_of(&self, asked: &Asked) -> Option<&Unfit> {
        self.unfit.as_ref().filter(|unfit| unfit.run == asked.run && unfit.effect == asked.effect)
    }

    /// How often a question was asked because an answer did not fit.
    pub(super) fn tries(&self, asked: &Asked) -> u32 {
        self.unfit_of(asked).map_or(0, |unfit| unfit.tries)
    }

    /// Waits no longer: an answer that did not fit is told at least.
    pub(super) fn leave(&mut self) {
        if let Some(unfit) = self.unfit.take() {
            self.word.get_or_insert(unfit.why);
        }
    }

    /// Asks again, so often and no oftener.
    fn ask_again(&mut self, asked: &Asked, tries: u32, why: String) {
        if tries >= TRIES_MAX {
            return self.give_up(why);
        }
        let (run, effect, tries) = (asked.run.clone(), asked.effect.clone(), tries + 1);
        self.unfit = Some(Unfit { run, effect, why, tries });
    }

    /// Whether a question is still open.
    pub(super) fn is_open(&self, question: &Asked) -> bool {
        self.view.asked.iter().any(|asked| asked.run == question.run && asked.effect == question.effect)
    }

    /// Whether all that is left waits for someone or something.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.view.status, Status::Waiting(_))
    }

    /// Asks nobody any more, and remembers why.
    pub(super) fn give_up(&mut self, why: String) {
        (self.word, self.asks) = (Some(why), false);
    }

    /// Goes on where a call left off that has brought an answer back.
    pub(super) fn goes_on(&mut self, again: Again) {
        match again.taken {
            Taken::Recorded(Some(seq)) if again.asked.run == self.view.run => self.since = seq,
            Taken::Recorded(_) => {}
            Taken::Open(why) => self.give_up(why),
            Taken::Unfit(why) => self.ask_again(&again.asked, again.tries, why),
            // Asked for the next thing they would take it for granted that their word counts.
            Taken::Late(why) => self.give_up(late(&why)),
        }
    }

    /// Goes on after someone was asked.
    pub(super) async fn taken(&mut self, call: &Call, asked: &Asked, taken: Taken) -> Result<(), Problem> {
        match taken {
            Taken::Recorded(Some(seq)) if asked.run == self.view.run => self.since = seq,
            Taken::Recorded(_) => {}
            Taken::Open(why) => self.give_up(why),
            Taken::Unfit(why) => self.ask_again(asked, self.tries(asked), why),
            // Asked for the next thing they would take it for granted that their word counts.
            Taken::Late(why) => self.give_up(late(&why)),
        }
        self.reload(call).await
    }

    /// Looks at all of it again: the store is the truth, whatever was told so far.
    pub(super) async fn reload(&mut self, call: &Call) -> Result<(), Problem> {
        let (run, left) = (self.view.run.clone(), self.view.left);
        self.view = call.visit.look(move |visit, reader| runs::view_of(visit, reader, &run)).await??;
        self.view.left &= left;
        (self.touched, self.looked) = (false, Instant::now());
        Ok(())
    }

    /// Whether nothing more happens by itself, or someone is to do something.
    pub(super) fn is_settled(&self) -> bool {
        let is_news = || self.view.left || self.word.is_some() || !self.stands();
        // What was not looked for yet is still to be asked.
        let is_settled = match &self.wants {
            None => is_settled(&self.view),
            Some(wants) => wants.is_met(&self.view),
        };
        !self.touched && self.view.seq() >= self.since && is_settled && is_news()
    }
}

/// What a caller waits for.
pub(super) struct Wants {
    /// Whether it is there.
    pub(super) due: Box<dyn Fn(&View) -> bool + Send + Sync>,
    /// Whether what others are to do is waited through.
    pub(super) strict: bool,
}

impl Wants {
    fn is_met(&self, view: &View) -> bool {
        let is_over = matches!(view.status, Status::Ended(_)) || view.left;
        is_over || (self.due)(view) || (!self.strict && is_settled(view))
    }
}

fn late(why: &str) -> String {
    format!("the answer came too late and was not taken: {why}")
}

/// Whether nothing more happens by itself, or someone is to do something.
pub(super) fn is_settled(view: &View) -> bool {
    // What several children ask is told at once, when all of them are there.
    matches!(view.status, Status::Ended(_)) || view.left || (view.waits_for_someone() && view.coming == 0)
}
