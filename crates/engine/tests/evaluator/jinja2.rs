//! Python's Jinja in the version that is pinned here, fetched once for each build folder. Where it cannot be had the test
//! is skipped and says so; with SWITCHBACK_REQUIRE_TOOLS=1 that is a failure.

use crate::bounded;
use crate::oracle::Asked;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PINS: [&str; 2] = ["jinja2==3.1.6", "MarkupSafe==3.0.3"];

/// How long pip may take.
const INSTALL_MAX: Duration = Duration::from_secs(600);

/// How long all expressions may take together.
const ASK_MAX: Duration = Duration::from_secs(60);

/// A value, or why there is none.
pub(crate) type Told = Result<Value, String>;

/// What Python says to each; nothing if it cannot be asked, which has been said then.
pub(crate) fn jinja2(asked: &[Asked], now: i64) -> Option<Vec<Told>> {
    match installed().map(|packages| ask(&packages, asked, now)) {
        Ok(told) => Some(told),
        Err(reason) if std::env::var_os("SWITCHBACK_REQUIRE_TOOLS").is_some() => {
            panic!("this test must run, and {reason}")
        }
        Err(reason) => {
            println!("  SKIPPED, {reason}");
            None
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("jinja2")
}

/// The folder of the packages. Of several processes one fetches them.
fn installed() -> Result<PathBuf, String> {
    let (folder, python) = (folder(), said(Command::new("python3").arg("--version"))?);
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    // What was fetched for one Python does not fit another.
    let (mark, pins) = (folder.join("pins"), format!("{python} {}", PINS.join(" ")));
    let packages = folder.join("packages");
    if !fs::read_to_string(&mark).is_ok_and(|made_from| made_from == pins) {
        let _ = fs::remove_dir_all(&packages);
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]);
        said(pip.args(["--no-deps", "--target"]).arg(&packages).args(PINS))?;
        fs::write(mark, pins).unwrap();
    }
    Ok(packages)
}

/// What a command said; what it complained of if it failed.
fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended =
        bounded::run(command, INSTALL_MAX).map_err(|error| format!("{name} is not there: {error}"))?;
    match ended.code() {
        Some(0) => Ok(ended.stdout.trim().to_owned()),
        _ => Err(format!("{name} could not fetch {PINS:?}: {}", ended.stderr.trim())),
    }
}

fn ask(packages: &Path, asked: &[Asked], now: i64) -> Vec<Told> {
    let one = |asked: &Asked| json!({"source": asked.source, "native": asked.native, "scope": asked.scope});
    let document = json!({"now": now, "asked": asked.iter().map(one).collect::<Vec<_>>()});
    let (script, questions) =
        (folder().join("ask.py"), folder().join(format!("asked-{}.json", std::process::id())));
    fs::write(&script, include_str!("oracle/ask.py")).unwrap();
    fs::write(&questions, document.to_string()).unwrap();
    let mut python = Command::new("python3");
    python.arg(&script).arg(&questions).env_clear().env("PYTHONPATH", packages);
    // Dates are told in UTC and in plain English, wherever this runs.
    python.env("PATH", std::env::var_os("PATH").unwrap_or_default()).envs([("TZ", "UTC"), ("LC_ALL", "C")]);
    let ended = bounded::run(&mut python, ASK_MAX).unwrap();
    fs::remove_file(questions).unwrap();
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
    let told: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told.len(), asked.len());
    let one = |mut told: Value| match told.get_mut("value") {
        Some(value) => Ok(value.take()),
        None => Err(told["error"].as_str().unwrap().to_owned()),
    };
    told.into_iter().map(one).collect()
}
