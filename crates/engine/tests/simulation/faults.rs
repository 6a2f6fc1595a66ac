//! The planted faults: mistakes that the kernel, the driver or the store could make, and that worlds must find.

use engine::driver::{self, Driver};
use engine::store::Store;
use kernel::fault::{self, Planted};

/// A mistake to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Kernel(fault::Fault),
    Driver(driver::Fault),
    MissingFence,
}

/// All of them, by name.
pub(crate) const ALL: [(&str, Fault); 9] = [
    ("effect-before-commit", Fault::Driver(driver::Fault::EffectBeforeCommit)),
    ("missing-fence", Fault::MissingFence),
    ("dropped-duplicate-check", Fault::Kernel(fault::Fault::DroppedDuplicateCheck)),
    ("snapshot-without-tail", Fault::Driver(driver::Fault::SnapshotWithoutTail)),
    ("lost-timer", Fault::Kernel(fault::Fault::LostTimer)),
    ("cancel-forgets-child", Fault::Kernel(fault::Fault::CancelForgetsChild)),
    ("too-many-tasks", Fault::Kernel(fault::Fault::TooManyTasks)),
    ("stale-field", Fault::Kernel(fault::Fault::StaleField)),
    ("step-started-twice", Fault::Kernel(fault::Fault::StepStartedTwice)),
];

/// What is planted in every run.
pub(crate) fn in_runs(fault: Option<Fault>) -> Planted {
    match fault {
        Some(Fault::Kernel(fault)) => Planted::fault(fault),
        _ => Planted::default(),
    }
}

/// A driver with the fault in it.
pub(crate) fn driver(mut store: Store, fault: Option<Fault>) -> Driver {
    if fault == Some(Fault::MissingFence) {
        store.plant_missing_fence();
    }
    let mut driver = Driver::new(store);
    match fault {
        Some(Fault::Kernel(_)) => driver.plant_in_runs(in_runs(fault)),
        Some(Fault::Driver(fault)) => driver.plant(fault),
        Some(Fault::MissingFence) | None => {}
    }
    driver
}
