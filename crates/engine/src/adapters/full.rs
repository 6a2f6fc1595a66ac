//! A disk without room for a note beside the store. Nothing tells when there is room again, so it is tried for as long as the store
//! itself would be.

use std::io;
use std::time::Duration;

/// How long it is tried.
pub(super) const FULL_PATIENCE: Duration = Duration::from_secs(15);
/// How long it rests in between.
pub(super) const FULL_PAUSE: Duration = Duration::from_millis(250);

/// Whether that is what went wrong.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
