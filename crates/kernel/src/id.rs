//! Names of things inside and between runs. All ids are derived or given; none is made here.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a name that is already known to be good.
            pub fn new(name: impl Into<String>) -> Self {
                Self(name.into())
            }
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// Names a run. A child's id follows from its parent's.
    RunId
}
text_id! {
    /// Names an effect inside its run: `build#2` is the second attempt at `build`.
    EffectId
}

impl RunId {
    /// The id of the child that effect `effect` of this run starts: asking twice names one child.
    pub fn child(&self, effect: &EffectId) -> RunId {
        RunId(format!("{}/{}", self.0, effect.0))
    }

    /// Whether this is that run or one below it.
    pub fn is_within(&self, head: &RunId) -> bool {
        let rest = self.0.strip_prefix(&head.0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// This run, and then every name that a run above it can have.
    pub fn lineage(&self) -> impl Iterator<Item = RunId> {
        let above = |run: &RunId| run.0.rsplit_once('/').map(|(above, _)| RunId::new(above));
        std::iter::successors(Some(self.clone()), above)
    }
}

/// What an effect is for, written behind the attempt in its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The work itself.
    Work,
    /// The check of a submitted result.
    Verify,
    /// The timer after which an action is overdue or a wait is over.
    Due,
    /// The rest before another attempt.
    Retry,
}

impl Purpose {
    fn suffix(self) -> &'static str {
        match self {
            Purpose::Work => "",
            Purpose::Verify => "/verify",
            Purpose::Due => "/due",
            Purpose::Retry => "/retry",
        }
    }
}

impl EffectId {
    /// The effect of an attempt at what is open under a key.
    pub(crate) fn of(key: &str, attempt: u32, purpose: Purpose) -> Self {
        EffectId(format!("{key}#{attempt}{}", purpose.suffix()))
    }

    /// Which attempt of its step it belongs to, counted from one; nothing where it belongs to none.
    pub fn attempt(&self) -> Option<u32> {
        self.parts().map(|(_, attempt, _)| attempt)
    }

    /// Splits the id into activity key, attempt and purpose; `None` for the run's own timers.
    pub(crate) fn parts(&self) -> Option<(&str, u32, Purpose)> {
        let (key, rest) = self.0.rsplit_once('#')?;
        let (number, suffix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let purpose = [Purpose::Work, Purpose::Verify, Purpose::Due, Purpose::Retry]
            .into_iter()
            .find(|purpose| purpose.suffix() == suffix)?;
        let attempt = number.parse().ok()?;
        // One name for one thing: `build#02` is not `build#2`.
        (EffectId::of(key, attempt, purpose) == *self).then_some((key, attempt, purpose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_id_says_what_it_is_for() {
        for purpose in [Purpose::Work, Purpose::Verify, Purpose::Due, Purpose::Retry] {
            let id = EffectId::of("1/fix#me", 3, purpose);
            assert_eq!(id.parts(), Some(("1/fix#me", 3, purpose)));
        }
        assert_eq!(EffectId::new("run/close").parts(), None);
        for odd in ["a#x", "a#01", "a#+1", "a#1/other", "a#", "#", "a#-1", "a#4294967296"] {
            assert_eq!(EffectId::new(odd).parts(), None, "{odd}");
        }
    }

    #[test]
    fn a_run_is_below_all_of_its_lineage() {
        let run = RunId::new("mossy-otter-41").child(&EffectId::new("call#1")).child(&EffectId::new("ask#2"));
        let names: Vec<String> = run.lineage().map(|run| run.to_string()).collect();
        assert_eq!(names, ["mossy-otter-41/call#1/ask#2", "mossy-otter-41/call#1", "mossy-otter-41"]);
        assert!(run.lineage().all(|above| run.is_within(&above)));
    }
}
