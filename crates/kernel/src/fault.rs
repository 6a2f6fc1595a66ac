//! Faults the simulation plants to prove that it would find them. Without the `faults` feature
//! none can be planted and every check is a constant `false`.

/// A mistake the kernel could make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A result that was already taken is taken again.
    DroppedDuplicateCheck,
    /// Cancelling a run leaves its children alone.
    CancelForgetsChild,
    /// A step that is already running is started once more.
    StepStartedTwice,
    /// Open timers are missing from what is open.
    LostTimer,
}

/// What is planted in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planted {
    #[cfg(feature = "faults")]
    fault: Option<Fault>,
}

impl Planted {
    /// Plants a fault.
    #[cfg(feature = "faults")]
    pub fn fault(fault: Fault) -> Self {
        Planted { fault: Some(fault) }
    }

    #[cfg(feature = "faults")]
    pub(crate) fn has(self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    #[cfg(not(feature = "faults"))]
    pub(crate) fn has(self, _fault: Fault) -> bool {
        false
    }
}
