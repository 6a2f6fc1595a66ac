//! Installs the pinned clients with pip and npm, once for each build folder, and again when a pin has changed.

use crate::bounded;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// How long one package manager may take.
const INSTALL_MAX: Duration = Duration::from_secs(600);

/// A client that speaks MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// The Python SDK.
    Python,
    /// The TypeScript SDK of both eras.
    TypeScript,
    /// The TypeScript SDK that came before it.
    TypeScript1,
    /// Inspector's command line.
    Inspector,
}

/// Where clients lie.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    /// The folder of the packages.
    pub(crate) packages: PathBuf,
    /// The program that runs scripts.
    pub(crate) program: PathBuf,
}

impl Client {
    /// Where it lies; nothing if it cannot be had, which has been said then.
    pub(crate) fn installed(self) -> Option<Installed> {
        static PYTHON: OnceLock<Result<Installed, String>> = OnceLock::new();
        static NODE: OnceLock<Result<Installed, String>> = OnceLock::new();
        let found = match self {
            Client::Python => {
                PYTHON.get_or_init(|| once("python", include_str!("python/requirements.txt"), python))
            }
            _ => NODE.get_or_init(|| once("node", include_str!("node/package.json"), node)),
        };
        match found {
            Ok(installed) => Some(installed.clone()),
            Err(reason) if std::env::var_os("SWITCHBACK_REQUIRE_CLIENTS").is_some() => {
                panic!("this test must run, and {self:?} could not be installed: {reason}")
            }
            Err(reason) => {
                skipped(self, reason);
                None
            }
        }
    }
}

/// Says that a test is skipped to whoever watches: what is printed in the usual way is kept from them if a test passes.
fn skipped(client: Client, reason: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let word = format!("\n{test}: SKIPPED, {client:?} could not be installed: {reason}\n");
    std::io::stderr().write_all(word.as_bytes()).unwrap();
}

/// Installs unless what is pinned is there already. Of several processes one does it.
fn once(
    name: &str,
    pins: &str,
    install: fn(&Path, &str) -> Result<Installed, String>,
) -> Result<Installed, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients").join(name);
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    install(&folder, pins)
}

/// Whether what lies in a folder was made from the same pins; if not, it is emptied.
fn is_there(folder: &Path, pins: &str) -> bool {
    if fs::read_to_string(folder.join("pins")).is_ok_and(|made_from| made_from == pins) {
        return true;
    }
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir_all(folder).unwrap();
    false
}

fn python(folder: &Path, pins: &str) -> Result<Installed, String> {
    // The program itself: one that chooses among several may choose another one later. What was built for one does not
    // fit another.
    let about = "import sys; print(sys.executable); print('#', sys.version.split()[0], sys.executable)";
    let about = said(Command::new("python3").args(["-c", about]))?;
    let (program, key) =
        about.split_once('\n').ok_or_else(|| format!("python3 says of itself only: {about}"))?;
    let (program, pins) = (PathBuf::from(program), format!("{key}\n{pins}"));
    let packages = folder.join("packages");
    if !is_there(folder, &pins) {
        fs::write(folder.join("requirements.txt"), &pins).unwrap();
        let mut pip = Command::new(&program);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]);
        said(pip.arg("--target").arg(&packages).arg("-r").arg(folder.join("requirements.txt")))?;
        fs::write(folder.join("pins"), pins).unwrap();
    }
    Ok(Installed { packages, program })
}

fn node(folder: &Path, pins: &str) -> Result<Installed, String> {
    let packages = folder.join("node_modules");
    if !is_there(folder, pins) {
        fs::write(folder.join("package.json"), pins).unwrap();
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]);
        said(npm.arg("--loglevel=error").current_dir(folder))?;
        fs::write(folder.join("pins"), pins).unwrap();
    }
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let pinned = packages.join(format!("node-linux-{machine}/bin/node"));
    // Elsewhere the Node that is there must do.
    let program = if cfg!(target_os = "linux") { pinned } else { PathBuf::from("node") };
    let version = said(Command::new(&program).arg("--version"))?;
    let mut numbers = version.trim_start_matches('v').split('.').map(|number| number.parse().unwrap_or(0));
    match (numbers.next(), numbers.next()) >= (Some(22), Some(19)) {
        true => Ok(Installed { packages, program }),
        false => Err(format!("Inspector needs Node 22.19 or newer, and this one is {version}")),
    }
}

/// What a command said; what it complained of if it failed.
fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = bounded::run(command, INSTALL_MAX).map_err(|error| format!("{name}: {error}"))?;
    match ended.status {
        Some(status) if status.success() => Ok(ended.stdout.trim().to_owned()),
        Some(status) => Err(format!("{name} failed with {status}: {}", ended.stderr.trim())),
        None => Err(format!("{name} took more than {} seconds", INSTALL_MAX.as_secs())),
    }
}
