//! Faults the simulation plants to prove that it would find them. Without the `faults` feature there is nothing
//! here but a macro that says `false`: no run carries a place for a fault.

/// A mistake the kernel could make.
#[cfg(feature = "faults")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A late result of an old attempt is taken for the one that is due.
    DroppedDuplicateCheck,
    /// A run that closes forgets its children instead of cancelling them.
    CancelForgetsChild,
    /// Another attempt at a step is asked for twice.
    StepStartedTwice,
    /// Timers are missing from what is open, so that nobody starts them again after a crash.
    LostTimer,
    /// One task more is begun than may be open at once.
    TooManyTasks,
    /// Only the first of the fields that follow from a change is computed.
    StaleField,
}

/// What is planted in a run.
#[cfg(feature = "faults")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planted {
    fault: Option<Fault>,
}

#[cfg(feature = "faults")]
impl Planted {
    /// Plants a fault.
    pub fn fault(fault: Fault) -> Self {
        Planted { fault: Some(fault) }
    }

    pub(crate) fn has(self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }
}

/// Whether a run or moment has this fault planted.
#[cfg(feature = "faults")]
macro_rules! planted {
    ($at:expr, $fault:ident) => {
        $at.planted.has($crate::fault::Fault::$fault)
    };
}

/// Whether a run or moment has this fault planted: never.
#[cfg(not(feature = "faults"))]
macro_rules! planted {
    ($at:expr, $fault:ident) => {
        false
    };
}

pub(crate) use planted;
