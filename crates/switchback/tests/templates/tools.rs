//! Tools that workflows are run with: those of the machine, and those that pip fetches once for each build folder.

use crate::bounded;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long pip may take.
const INSTALL_MAX: Duration = Duration::from_secs(600);

/// How long a tool may take to say its version.
const VERSION_MAX: Duration = Duration::from_secs(30);

/// What pip fetches, each into a folder of its own, so that a test chooses what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Package {
    Pytest,
    Ruff,
    Flake8,
}

impl Package {
    const fn pin(self) -> &'static str {
        match self {
            Package::Pytest => "pytest==9.2.0",
            Package::Ruff => "ruff==0.17.4",
            Package::Flake8 => "flake8==7.5.0",
        }
    }

    /// Its folder, for PYTHONPATH; nothing if it cannot be had, which has been said then.
    pub(crate) fn folder(self) -> Option<PathBuf> {
        has("python3").then_some(())?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("templates").join(format!("{self:?}"));
        fs::create_dir_all(&folder).unwrap();
        let lock = File::create(folder.with_extension("lock")).unwrap();
        lock.lock().unwrap();
        let mark = folder.join("pin");
        if fs::read_to_string(&mark).is_ok_and(|made_from| made_from == self.pin()) {
            return Some(folder);
        }
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]);
        pip.args(["--upgrade", "--target"]).arg(&folder).arg(self.pin());
        match bounded::run(&mut pip, INSTALL_MAX) {
            Ok(ended) if ended.code() == Some(0) => {
                fs::write(mark, self.pin()).unwrap();
                Some(folder)
            }
            Ok(ended) => skipped(&format!("pip could not fetch {}: {}", self.pin(), ended.stderr.trim())),
            Err(error) => skipped(&format!("pip could not be started: {error}")),
        }
    }
}

/// Whether a program of the machine is there; that it is not has been said then.
pub(crate) fn has(program: &str) -> bool {
    let ended = bounded::run(Command::new(program).arg("--version"), VERSION_MAX);
    match ended {
        Ok(ended) if ended.code() == Some(0) => true,
        _ => skipped::<()>(&format!("there is no {program} here")).is_some(),
    }
}

/// Says that a test is skipped to whoever watches: what is printed in the usual way is kept from them if a test passes.
pub(crate) fn skipped<T>(reason: &str) -> Option<T> {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    assert!(std::env::var_os("SWITCHBACK_REQUIRE_TOOLS").is_none(), "{test} must run, and cannot: {reason}");
    std::io::stderr().write_all(format!("\n{test}: SKIPPED, {reason}\n").as_bytes()).unwrap();
    None
}
