//! A process that holds secrets keeps its memory to itself.

/// From now on this process leaves no core dump, and no other process of its user can look into its memory. What it starts is
/// not affected. Elsewhere than on Linux nothing is done: core dumps are off there unless someone turns them on.
pub(super) fn keep_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        use std::sync::Once;
        static KEPT: Once = Once::new();
        // It cannot fail with a behaviour that the system knows.
        KEPT.call_once(|| {
            let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        });
    }
}
