//! Where a run belongs: its folder and the environment it was started with. Recorded with the run's first entry,
//! so that it goes on in its own folder whoever carries it on. Holds no secrets.

use kernel::{Bounds, EffectId, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A run's folder and environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// The workspace, without links: relative paths start here.
    pub folder: PathBuf,
    /// The environment its commands get.
    pub env: Arc<BTreeMap<String, String>>,
    /// Which rights the files do not get that its commands make; without it, those of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    /// Folders beside its own in which its file blocks may read and write, without links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<PathBuf>,
    /// Most blocks of one run that are carried out at once; without it, as many as its plan allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// How long past its time-out an action is offered before it is called overdue; without it, as its plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overdue_ms: Option<u64>,
}

/// The most blocks at once that can be set.
pub const WIDTH_MAX: u32 = 1_000;

/// The blocks that are carried out at once for each core of the machine, where nothing is set: most of them wait for something.
const WIDTH_OF_A_CORE: u32 = 4;

/// The blocks that are carried out at once on this machine, where nothing is set.
pub fn usual_width() -> u32 {
    // To ask takes several files, and every start asks.
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get));
    u32::try_from(cores).unwrap_or(WIDTH_MAX).saturating_mul(WIDTH_OF_A_CORE).min(WIDTH_MAX)
}

/// Where a run comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Its folder and environment.
    pub home: Home,
    /// The run that waits for its end, and the effect it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<(RunId, EffectId)>,
    /// How many runs are above it.
    pub depth: u32,
}

/// Names and beginnings of names that commands get from whoever started the run. Everything else, secrets above
/// all, stays behind.
const PASSED: [&str; 3] = [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM TMPDIR NO_COLOR CI EDITOR VISUAL PAGER DISPLAY \
     WAYLAND_DISPLAY SSH_AUTH_SOCK SWITCHBACK_HOME",
    // Where toolchains lie.
    "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOBIN JAVA_HOME ANDROID_HOME MAVEN_HOME GRADLE_USER_HOME \
     NVM_DIR NODE_PATH VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR PYENV_ROOT PYTHONPATH VIRTUAL_ENV CONDA_PREFIX",
    "GEM_HOME GEM_PATH RBENV_ROOT ASDF_DIR ASDF_DATA_DIR DOTNET_ROOT PKG_CONFIG_PATH LD_LIBRARY_PATH \
     DYLD_LIBRARY_PATH NIX_PATH NIX_PROFILES DOCKER_HOST KUBECONFIG",
];

impl Home {
    /// A home with what may be passed on of an environment.
    pub fn new(folder: PathBuf, env: impl Iterator<Item = (String, String)>) -> Self {
        Home { folder, env: Home::passed(env), ..Home::default() }
    }

    /// What of an environment may be passed on.
    pub fn passed(env: impl Iterator<Item = (String, String)>) -> Arc<BTreeMap<String, String>> {
        Arc::new(env.filter(|(name, _)| Home::passes(name)).collect())
    }

    /// The same home with further folders, as their paths lead now: who makes one of them a link later does not move it.
    pub fn with_roots(self, roots: &[PathBuf]) -> Self {
        Home { roots: roots.iter().map(|root| without_links(root)).collect(), ..self }
    }

    /// What holds for the run where it is carried out.
    pub fn bounds(&self) -> Bounds {
        Bounds { width: self.width, overdue_ms: self.overdue_ms }
    }

    /// Whether commands get a variable from whoever started the run.
    pub fn passes(name: &str) -> bool {
        PASSED.iter().any(|names| names.split_whitespace().any(|passed| passed == name))
            || name.starts_with("LC_")
            || name.starts_with("XDG_")
    }
}

/// Where a path leads; what of it is not there yet stays as it is written.
fn without_links(path: &Path) -> PathBuf {
    let mut beyond = Vec::new();
    for there in path.ancestors() {
        if let Ok(real) = there.canonicalize() {
            return beyond.iter().rev().fold(real, |path, name| path.join(name));
        }
        beyond.extend(there.components().next_back().map(|name| name.as_os_str()));
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_behind() {
        let env = [("PATH", "/bin"), ("LC_ALL", "C"), ("AWS_SECRET_ACCESS_KEY", "x"), ("GITHUB_TOKEN", "y")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let home = Home::new("/w".into(), env.into_iter());
        assert_eq!(home.env.keys().collect::<Vec<_>>(), ["LC_ALL", "PATH"]);
    }

    #[test]
    fn roots_are_where_their_paths_lead() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        std::fs::create_dir(real.join("shared")).unwrap();
        std::os::unix::fs::symlink("shared", real.join("link")).unwrap();
        let named =
            ["link", "link/new/deep", "shared/../link", "none/../link", "/"].map(|name| real.join(name));
        let home = Home::default().with_roots(&named);
        let at = |name: &str| real.join(name);
        assert_eq!(
            home.roots,
            [at("shared"), at("shared/new/deep"), at("shared"), at("none/../link"), "/".into()]
        );
    }
}
