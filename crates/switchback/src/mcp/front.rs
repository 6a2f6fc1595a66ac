//! The questions that are in front of whoever sits at a client: none is asked twice at once. A call that would ask what another
//! one asks already waits beside it, and hears what became of the form.

use engine::asking::Asked;
use engine::kernel::{EffectId, RunId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

type Question = (RunId, EffectId);
type Shown = Arc<Mutex<HashMap<Question, watch::Receiver<bool>>>>;

/// All forms of one client.
#[derive(Default)]
pub(super) struct Fronts(Shown);

impl Fronts {
    /// Notes that a question is put in front of someone; gives the form of another call where it is there already.
    pub(super) fn put(&self, asked: &Asked) -> Result<InFront, Beside> {
        let question = (asked.run.clone(), asked.effect.clone());
        let mut shown = lock(&self.0);
        if let Some(form) = shown.get(&question) {
            return Err(Beside(form.clone()));
        }
        let (heard, form) = watch::channel(false);
        shown.insert(question.clone(), form);
        Ok(InFront { shown: Arc::clone(&self.0), question, heard })
    }
}

/// A question that is in front of someone, as long as this lives.
pub(super) struct InFront {
    shown: Shown,
    question: Question,
    heard: watch::Sender<bool>,
}

impl InFront {
    /// Whoever was asked has answered, would not, or let the time pass: they need not be asked the same again at once.
    pub(super) fn heard(&self) {
        self.heard.send_replace(true);
    }
}

impl Drop for InFront {
    fn drop(&mut self) {
        lock(&self.shown).remove(&self.question);
    }
}

/// The form of another call.
pub(super) struct Beside(watch::Receiver<bool>);

impl Beside {
    /// Waits until it is gone, and says whether whoever was asked was heard. May be dropped and asked for again.
    pub(super) async fn gone(&mut self) -> bool {
        while self.0.changed().await.is_ok() {}
        *self.0.borrow()
    }
}

fn lock(shown: &Shown) -> MutexGuard<'_, HashMap<Question, watch::Receiver<bool>>> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::elicit::gate;

    #[tokio::test]
    async fn a_question_has_one_form_and_whoever_comes_later_hears_what_became_of_it() {
        let (fronts, asked) = (Fronts::default(), gate("x", &[]));
        for was_heard in [false, true] {
            let front = fronts.put(&asked).ok().expect("the first");
            let mut beside = fronts.put(&asked).err().expect("the second");
            if was_heard {
                front.heard();
            }
            drop(front);
            assert_eq!(beside.gone().await, was_heard);
        }
        assert!(fronts.put(&asked).is_ok());
    }
}
