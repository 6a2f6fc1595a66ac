//! Lets effects leave: each to the hand it is for. Results come back as letters.

use super::worker::{Mail, Worker};
use crate::adapters::file;
use crate::answers::Patience;
use crate::driver::Letter;
use crate::mistake::caught_here;
use crate::turn::{Home, stored};
use dialects::states::{INITIAL_VARIABLES, given_to};
use kernel::effect::Perform;
use kernel::plan::{Adapter, Dialect};
use kernel::{Answer, Data, Effect, EffectId, Fields, Question, RunId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long questions may still be begun when the server is about to end: those that are answered quickly are.
const HURRY: Duration = Duration::from_secs(1);

impl Worker {
    pub(super) fn dispatch(&mut self, run: RunId, home: Arc<Home>, effect: Effect) {
        if self.is_parked(&run) && begins(&effect) {
            if let Effect::Perform(perform) = effect {
                self.driver.never_began(run, perform.id);
            }
            return;
        }
        match effect {
            Effect::Perform(perform) => {
                let perform = match self.loaded(perform) {
                    Ok(perform) => perform,
                    Err((id, reason)) => return self.hands.refuse(run, id, reason),
                };
                self.begin(run, home, perform);
            }
            // An action waits in the run itself; whoever looks finds it there.
            Effect::Offer(_) => {}
            Effect::Withdraw { id } => {
                self.timers.stop(&run, &id);
                self.withdraw(&run, &id);
            }
            Effect::StartTimer { id, due } => self.timers.start(&run, &id, due),
            Effect::StartChild { id, child, workflow, plan, inputs, depth } => {
                let caller = self.driver.run(&run).map(|caller| caller.plan().dialect);
                let plan = match (plan, caller) {
                    (Some(pinned), _) => self.driver.pinned(&workflow, &pinned),
                    (None, Some(caller)) => self.answers.plan_for(&home, caller, &workflow),
                    (None, None) => self.answers.plan(&home, &workflow, None),
                };
                let inputs = match &plan {
                    Ok(called) if caller == Some(Dialect::States) => {
                        given_to(&called.plan, self.with_variables(inputs))
                    }
                    _ => inputs,
                };
                self.own.push_back(Letter::StartChild { child, parent: (run, id), plan, inputs, depth });
            }
            Effect::CancelChild { id, child, reason } => {
                self.own.push_back(Letter::CancelChild { child, parent: (run, id), reason });
            }
            Effect::TellParent { parent, effect, outcome } => {
                self.own.push_back(Letter::TellParent { child: run, parent: (parent, effect), outcome });
            }
        }
    }

    /// What a state gives to a workflow, with its variables at hand where they are only named.
    fn with_variables(&mut self, mut inputs: Fields) -> Fields {
        if let Some(data) = inputs.get_mut(INITIAL_VARIABLES)
            && let Data::Stored(reference) = &*data
            && let Answer::Loaded { value, .. } = self.driver.load_content(&reference.digest)
        {
            *data = Data::Inline(Arc::unwrap_or_clone(value));
        }
        inputs
    }

    /// Gives an adapter the data itself where the effect only names it.
    fn loaded(&mut self, mut perform: Perform) -> Result<Perform, (EffectId, String)> {
        if let Some(reason) = too_much(&perform.inputs) {
            return Err((perform.id, reason));
        }
        for data in perform.inputs.values_mut() {
            let Data::Stored(reference) = data else { continue };
            match self.driver.load_content(&reference.digest) {
                Answer::Loaded { value, .. } => *data = Data::Inline(Arc::unwrap_or_clone(value)),
                Answer::Unanswered(reason) => return Err((perform.id, reason)),
                Answer::Evaluated(_) | Answer::Computed(_) => {
                    unreachable!("BUG: content was answered as an expression")
                }
            }
        }
        Ok(perform)
    }

    /// Takes away what an effect left whose server died.
    pub(super) fn clear(&mut self, run: RunId, home: Arc<Home>, mut perform: Perform) {
        if perform.adapter != Adapter::File {
            return;
        }
        // What was to be written is not needed for that.
        perform.inputs.retain(|name, _| file::PLACES.contains(&name.as_str()));
        if let Ok(perform) = self.loaded(perform) {
            self.hands.clear(run, home, perform);
        }
    }

    /// Answers on a thread of its own: an evaluator may take its time, and the driver does not wait for it.
    pub(super) fn ask(&mut self, run: RunId, questions: Vec<Question>, patience: Arc<Patience>) {
        if let Some(at) = self.hurries {
            patience.stop_at(at);
        }
        let (answers, desk) = (Arc::clone(&self.answers), Arc::clone(&self.desk));
        self.hands.aside(move || {
            let answers =
                caught_here(|| answers.answer(&run, &questions, &patience)).unwrap_or_else(|mistake| {
                    questions.iter().map(|_| Answer::Unanswered(mistake.to_string())).collect()
                });
            let (answers, contents) = small(answers);
            desk.post(Mail::Letter(Letter::Answers { run, answers, contents }));
        });
    }
}

impl Worker {
    /// The server is about to end: turns that wait for answers are to be over soon.
    pub(super) fn hurry(&mut self) {
        let at = Instant::now() + HURRY;
        self.hurries = Some(at);
        self.driver.patience().for_each(|patience| patience.stop_at(at));
    }
}

/// What one step may be given, wherever it is: all of it is in memory while the step is carried out.
const GIVEN_BYTES_MAX: u64 = 128 * 1024 * 1024;

/// Why a step is not even given what it should be.
fn too_much(inputs: &Fields) -> Option<String> {
    let bytes: u64 = inputs.values().map(Data::bytes).sum();
    let mib = GIVEN_BYTES_MAX / 1024 / 1024;
    (bytes > GIVEN_BYTES_MAX).then(|| {
        format!("the step would be given {bytes} bytes; at most {mib} MiB are allowed: pass paths of files instead")
    })
}

/// Whether it begins something; what is not begun is asked for again when its run goes on.
fn begins(effect: &Effect) -> bool {
    matches!(effect, Effect::Perform(_) | Effect::StartTimer { .. } | Effect::StartChild { .. })
}

/// Stores what is too large in answers.
fn small(answers: Vec<Answer>) -> (Vec<Answer>, Vec<crate::turn::Content>) {
    let inline = kernel::Limits::default().inline_bytes_max;
    let mut contents = Vec::new();
    let mut settle = |data: Data| {
        let (mut fields, large) = stored(Fields::from([(String::new(), data)]), inline);
        contents.extend(large);
        fields.remove("").expect("BUG: one went in")
    };
    let answers = answers
        .into_iter()
        .map(|answer| match answer {
            Answer::Evaluated(values) => {
                Answer::Evaluated(values.into_iter().map(|value| value.map(&mut settle)).collect())
            }
            Answer::Computed(mut fields) => {
                for made in &mut fields {
                    made.value = made.value.take().map(&mut settle);
                }
                Answer::Computed(fields)
            }
            answer => answer,
        })
        .collect();
    (answers, contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Digest;
    use kernel::data::{Kind, Reference};

    #[test]
    fn what_a_step_is_given_has_an_edge() {
        let given = |size: u64| {
            let reference =
                Reference { digest: Digest::of(b""), size, kind: Kind::Text, head: String::new() };
            let fields = ["env.A", "env.B"].map(|name| (name.to_owned(), Data::Stored(reference.clone())));
            too_much(&Fields::from(fields))
        };
        assert_eq!(given(GIVEN_BYTES_MAX / 2), None);
        let reason = given(GIVEN_BYTES_MAX / 2 + 1).unwrap();
        assert!(
            reason.starts_with("the step would be given 134217730 bytes; at most 128 MiB are allowed"),
            "{reason}"
        );
    }
}
