//! Hears when somebody touches the names of the data directory: a daemon whose store is taken away ends what it carries out at
//! once, also if nobody asks anything of it. Only a hint: what counts is the look before each commit, and where the system cannot
//! tell (another system than Linux, too many watches) that look is all there is.

use std::path::Path;
use std::sync::Arc;
use tokio::sync::Notify;

/// Watches over a store and its directory, and says when something was removed, moved or replaced, or may have been.
pub(super) fn over(dir: &Path) -> Arc<Notify> {
    let touched = Arc::new(Notify::new());
    // Who cannot watch never says anything.
    let _ = watch(dir, Arc::clone(&touched));
    touched
}

/// Has a thread wait for what the system tells, until the process ends.
#[cfg(target_os = "linux")]
fn watch(dir: &Path, touched: Arc<Notify>) -> std::io::Result<()> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let told = init(CreateFlags::CLOEXEC)?;
    let gone = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
    // A file that is open loses its name before it goes: that is a change of its attributes.
    add_watch(&told, dir.join(engine::store::FILE), gone | WatchFlags::ATTRIB)?;
    add_watch(&told, dir, gone)?;
    std::thread::Builder::new().name("vigil".into()).spawn(move || {
        let mut events = [0; 4096];
        while rustix::io::retry_on_intr(|| rustix::io::read(&told, &mut events)).is_ok() {
            touched.notify_one();
        }
    })?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn watch(_: &Path, _: Arc<Notify>) -> std::io::Result<()> {
    Ok(())
}
