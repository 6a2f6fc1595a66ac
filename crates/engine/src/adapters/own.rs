//! What the server lives by outside of its data directory, so that no adapter takes it away.

use std::path::PathBuf;

/// The folder with a short path, one for each user, in which sockets lie whose own path would be too long. It is the same for
/// every process, whatever its environment says.
pub fn socket_folder() -> PathBuf {
    let uid = rustix::process::getuid().as_raw();
    PathBuf::from(format!("/tmp/switchback-{uid}"))
}
