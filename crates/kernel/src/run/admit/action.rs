//! Results and answers: from whom, to what, and not twice.

use crate::command::Caller;
use crate::event::Claim;
use crate::language::Part;
use crate::plan::{Expr, Flow, GateLevel, Work, Write, WriteKind};
use crate::run::activity::{Activity, Stage, is_gate};
use crate::run::life::FlowLife;
use crate::run::{Owner, Run};
use crate::{Data, Digest, EffectId, Fields, Refusal};

/// A human's answer to a gate.
pub(super) struct Answer<'a> {
    pub(super) approved: bool,
    pub(super) result: &'a Fields,
    pub(super) shown: Digest,
    pub(super) by: &'a Caller,
}

/// Steps that nobody can give up: there is always an answer, or the clock gives one.
const NEVER_GIVEN_UP: [&str; 3] = ["prompt", "wait", "set_state"];

/// Names a result by what it says, to recognise it when it comes again.
pub(in crate::run) fn fingerprint(result: &Fields, claim: &Claim) -> Digest {
    if claim.is_empty() { Digest::of_json(result) } else { Digest::of_json(&(result, claim)) }
}

/// Names an answer by what it says.
pub(in crate::run) fn fingerprint_of_answer(approved: bool, result: &Fields) -> Digest {
    Digest::of_json(&(approved, result))
}

impl Run {
    /// Whether no result of this effect was taken before.
    pub(super) fn not_taken(&self, effect: &EffectId, fingerprint: Digest) -> Result<(), Refusal> {
        match self.life.taken.iter().find(|(taken, _)| taken == effect) {
            Some((_, same)) if *same == fingerprint => Err(Refusal::Repeated { effect: effect.clone() }),
            Some(_) => Err(Refusal::AlreadyAnswered { effect: effect.clone() }),
            None => Ok(()),
        }
    }

    pub(super) fn submittable(
        &self,
        effect: &EffectId,
        result: &Fields,
        claim: &Claim,
    ) -> Result<(), Refusal> {
        self.not_taken(effect, fingerprint(result, claim))?;
        let activity = self.work(effect)?;
        if !matches!(activity.stage, Stage::Offered { .. }) {
            return Err(self.wrong_kind(effect, activity));
        }
        let step = &self.plan.steps[activity.step as usize];
        if is_gate(step) {
            return Err(Refusal::HumansOnly { effect: effect.clone() });
        }
        if let Some(error) = &claim.error {
            if NEVER_GIVEN_UP.contains(&step.kind.as_str()) {
                let waits_for = "a result, and cannot be given up".into();
                return Err(Refusal::WrongKind { effect: effect.clone(), waits_for });
            }
            self.small(&Fields::from([("error".to_owned(), Data::Inline(error.as_str().into()))]))?;
        }
        self.small(result)?;
        self.fits_in_state(activity, result)?;
        // What is to be verified is held on to while that is done.
        if step.verify.is_some() {
            self.fits_in("what the run would hold with the result", result)
        } else {
            Ok(())
        }
    }

    /// Whether the state has room for what goes there whole: who hands in too much can hand in less.
    fn fits_in_state(&self, activity: &Activity, result: &Fields) -> Result<(), Refusal> {
        let (Flow::Sequence(planned), FlowLife::Sequence(life), Owner::Lane(lane)) =
            (&self.plan.flow, &self.life.flow, &activity.owner)
        else {
            return Ok(());
        };
        let whole = |write: &Write| match (&write.kind, &write.value) {
            _ if !write.keys.is_empty() => None,
            (WriteKind::Set, Expr::Template(template)) => match template.parts.as_slice() {
                [Part::Reference(path)] if path.root == "result" => {
                    path.name(0).map(|name| name.into_owned())
                }
                _ => None,
            },
            _ => None,
        };
        let writes = life.writes(planned, *lane).iter();
        let fields = writes.filter_map(|write| Some((write.path.first()?, result.get(&whole(write)?)?)));
        self.life.state.would_have(fields, self.plan.limits.state_bytes_max).map_or(Ok(()), |size| {
            let max = self.plan.limits.state_bytes_max;
            Err(Refusal::TooLarge { name: "the state with the result".to_owned(), size, max })
        })
    }

    pub(super) fn answerable(&self, effect: &EffectId, answer: &Answer<'_>) -> Result<(), Refusal> {
        let Caller::Human { proven, .. } = answer.by else {
            return Err(Refusal::HumansOnly { effect: effect.clone() });
        };
        self.not_taken(effect, fingerprint_of_answer(answer.approved, answer.result))?;
        let activity = self.work(effect)?;
        let work = &self.plan.steps[activity.step as usize].work;
        let (Stage::Offered { shown, .. }, Work::Action { gate: Some(gate), .. }) = (&activity.stage, work)
        else {
            return Err(self.wrong_kind(effect, activity));
        };
        if gate.level == GateLevel::Proof && answer.approved && !proven {
            return Err(Refusal::ProofNeeded { effect: effect.clone() });
        }
        if *shown != answer.shown {
            return Err(Refusal::ShownChanged { effect: effect.clone() });
        }
        self.small(answer.result)
    }
}
