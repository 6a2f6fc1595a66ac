//! Daemons that a play has started: none may outlive it.
//!
//! A daemon leaves `daemon.pid` in its data directory; wherever one lies in the folders of a play, the product is asked to
//! stop it. Whether it has gone is found out by whoever looks for strays.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::driver::Driver;
use crate::process::{self, Spec};
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(20);

/// Stops every daemon of a play.
pub(crate) fn stop_all(driver: &Driver, workspace: &Workspace) {
    for (index, data) in homes(workspace.root(), 0).into_iter().enumerate() {
        let mut env = workspace.env(&driver.program);
        env.push(("SWITCHBACK_HOME".to_owned(), data.display().to_string()));
        let argv = [driver.program.display().to_string(), "stop".to_owned(), "--now".to_owned()];
        let capture = workspace.capture(&format!("stop-{index}"));
        let folder = workspace.folder();
        let started = process::start(Spec { argv: argv.to_vec(), env, folder: &folder, capture });
        // It may have gone by itself, or been killed by the case: what counts is that nothing is left.
        let _ = started.and_then(|running| running.wait(LIMIT, workspace.root()));
    }
}

const DEPTH_MAX: usize = 12;

/// Returns the data directories in which a daemon has left its mark.
fn homes(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for entry in entries {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if entry.file_name() == "daemon.pid" {
            found.push(folder.to_owned());
        } else if is_folder && depth < DEPTH_MAX {
            found.extend(homes(&entry.path(), depth + 1));
        }
    }
    found
}
