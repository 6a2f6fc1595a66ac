//! Finds the value of a secret at the last moment, and remembers what it gave out, so that it is masked wherever it comes
//! back. What a server before it gave out it cannot know; so it masks all that lies in the file, as far as there is room.
//!
//! | place | for |
//! |---|---|
//! | the keyring | people at a desk; asked where someone said so, with a bound |
//! | `secrets.toml` | everyone; it is the owner's alone |
//! | what a client lends | values that live in an environment; held in memory, by folder |
//!
//! The first place that has it wins. A file that cannot be used ends the search, as does a keyring that holds something under the
//! name that cannot be a secret: another value must not take its place in silence. A keyring that cannot be asked is passed by.

use super::file::File;
use super::guard::keep_memory;
use super::keyring::{Asked, Keyring};
use super::mask::Masker;
use super::secret::Secret;
use kernel::Plan;
use kernel::plan::Work;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The bytes of values that are remembered for masking: all their forms together have about a hundred times as many.
/// Beyond it, values that were replaced or never given out are forgotten, and then nothing more is given out.
const KNOWN_BYTES_MAX: usize = 64 * 1024;

/// How long after its start a server waits for clients that come back and lend again.
const RETURN_MAX: Duration = Duration::from_secs(10);

/// Where secrets are found.
#[derive(Debug)]
pub struct Keeper {
    keyring: Keyring,
    file: Option<File>,
    /// What lies in the file is masked from the first time that something is.
    recalled: Once,
    held: Mutex<Held>,
    /// Counts what was lent.
    lent: watch::Sender<u64>,
    /// Until when someone may be on their way back.
    returning: Instant,
    /// The bytes that can be masked.
    room: usize,
}

#[derive(Debug, Default)]
struct Held {
    /// What clients lend, by folder.
    lent: BTreeMap<PathBuf, BTreeMap<String, Secret>>,
    /// What is masked, the oldest first.
    known: Vec<Known>,
    masker: Masker,
}

/// A value that is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    name: String,
    secret: Secret,
    /// Whether it was given out here; another one makes room for one that was.
    given: bool,
}

/// A secret without a value, and what was found in each place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// What was looked at, each with what was found.
    pub looked: Vec<String>,
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { name, looked } = self;
        write!(
            out,
            "the secret `{name}` has no value ({}); set it: switchback secret set {name}",
            looked.join("; ")
        )
    }
}

impl Default for Keeper {
    /// Knows no place but what is lent.
    fn default() -> Keeper {
        let (file, held, lent) = (None, Mutex::default(), watch::channel(0).0);
        Keeper {
            keyring: Keyring::default(),
            file,
            recalled: Once::new(),
            held,
            lent,
            returning: Instant::now(),
            room: KNOWN_BYTES_MAX,
        }
    }
}

impl Keeper {
    /// The keeper of a data directory.
    pub fn of(dir: &Path) -> Keeper {
        Keeper { file: Some(File::of(dir)), ..Keeper::default() }
    }

    /// One that asks a keyring before all else.
    #[must_use]
    pub fn asking(self, keyring: Keyring) -> Keeper {
        Keeper { keyring, ..self }
    }

    /// One that goes on with runs by itself: clients that lent something to the server before it may still come back.
    #[must_use]
    pub fn awaiting(self) -> Keeper {
        Keeper { returning: Instant::now() + RETURN_MAX, ..self }
    }

    /// Takes what a client of a folder lends; it stands in the place of what was lent under the same names.
    pub fn lend(&self, folder: &Path, secrets: BTreeMap<String, Secret>) {
        if secrets.is_empty() {
            return;
        }
        keep_memory();
        self.held().lent.entry(folder.to_owned()).or_default().extend(secrets);
        self.lent.send_modify(|count| *count += 1);
    }

    /// Finds a secret for a run in a folder. It may wait for the disk or the keyring: not for threads that others wait for.
    pub fn find(&self, folder: &Path, name: &str) -> Result<Secret, Missing> {
        let secret = self.look(folder, name)?;
        keep_memory();
        match self.remember(&[Known { name: name.to_owned(), secret: secret.clone(), given: true }]) {
            true => Ok(secret),
            false => {
                let why = format!(
                    "this server masks {} bytes of secrets already and can mask no more: end it, and the next \
                     one begins anew",
                    self.room
                );
                Err(Missing { name: name.to_owned(), looked: vec![why] })
            }
        }
    }

    fn look(&self, folder: &Path, name: &str) -> Result<Secret, Missing> {
        let mut looked = Vec::new();
        match self.keyring.find(name) {
            Asked::Found(secret) => return Ok(secret),
            Asked::Nothing => looked.push("the keyring has none".to_owned()),
            Asked::Unfit(why) => {
                looked.push(format!("the value in the keyring {why}"));
                return Err(Missing { name: name.to_owned(), looked });
            }
            Asked::Trouble(why) => looked.push(format!("keyring: {why}")),
        }
        if let Some(file) = &self.file {
            match file.read() {
                Ok(mut secrets) => match secrets.remove(name) {
                    Some(secret) => return Ok(secret),
                    None => looked.push(format!("not in {}", file.path().display())),
                },
                Err(error) => {
                    looked.push(error.to_string());
                    return Err(Missing { name: name.to_owned(), looked });
                }
            }
        }
        if let Some(secret) = self.held().lent.get(folder).and_then(|lent| lent.get(name)) {
            return Ok(secret.clone());
        }
        looked.push(format!("not lent by a client of {}", folder.display()));
        Err(Missing { name: name.to_owned(), looked })
    }

    /// Finds secrets as [`Keeper::find`] does. Just after a server has begun, those that are missing may still be lent by a
    /// client that comes back.
    pub async fn find_all(
        self: &Arc<Self>,
        folder: &Path,
        names: BTreeSet<String>,
    ) -> Result<BTreeMap<String, Secret>, Missing> {
        let mut lent = self.lent.subscribe();
        loop {
            let (keeper, folder, names) = (Arc::clone(self), folder.to_owned(), names.clone());
            let find = move || {
                let found = names.into_iter().map(|name| Ok((name.clone(), keeper.find(&folder, &name)?)));
                found.collect::<Result<BTreeMap<_, _>, Missing>>()
            };
            let found = tokio::task::spawn_blocking(find).await;
            let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
            let left = self.returning.saturating_duration_since(Instant::now());
            if found.is_ok() || left.is_zero() || tokio::time::timeout(left, lent.changed()).await.is_err() {
                return found;
            }
        }
    }

    /// The first of some secrets that has no value. It may wait for the disk or the keyring.
    pub fn missing(&self, folder: &Path, names: &BTreeSet<String>) -> Option<Missing> {
        names.iter().find_map(|name| self.find(folder, name).err())
    }

    /// Masks all that was given out, and all that lies in the file.
    pub fn masker(&self) -> Masker {
        self.recalled.call_once(|| self.recall());
        self.held().masker.clone()
    }

    /// The names that clients of a folder lend.
    pub fn lent(&self, folder: &Path) -> Vec<String> {
        self.held().lent.get(folder).map(|lent| lent.keys().cloned().collect()).unwrap_or_default()
    }

    /// Remembers what lies in the file: a server before this one may have given it out. A file that cannot be used is told to
    /// whoever wants something of it.
    fn recall(&self) {
        let secrets = self.file.as_ref().and_then(|file| file.read().ok()).unwrap_or_default();
        if secrets.is_empty() {
            return;
        }
        keep_memory();
        let known = secrets.into_iter().map(|(name, secret)| Known { name, secret, given: false });
        self.remember(&known.collect::<Vec<_>>());
    }

    /// Remembers some; gives whether they can be masked.
    fn remember(&self, more: &[Known]) -> bool {
        loop {
            let before = self.held().known.clone();
            let known = more.iter().try_fold(before.clone(), |known, one| self.with(known, one));
            let Some(known) = known else { return false };
            if known == before {
                return true;
            }
            // Built while nobody waits: of large values that takes its time.
            let masker = Masker::new(known.iter().map(|known| (known.name.as_str(), &known.secret)));
            let mut held = self.held();
            if held.known == before {
                (held.known, held.masker) = (known, masker);
                return true;
            }
        }
    }

    /// What is known with one more, if there is room for it. What was replaced makes room, and then what was never given out.
    fn with(&self, mut known: Vec<Known>, one: &Known) -> Option<Vec<Known>> {
        let same = |other: &&mut Known| other.name == one.name && other.secret == one.secret;
        if let Some(same) = known.iter_mut().find(same) {
            same.given |= one.given;
            return Some(known);
        }
        let at = if one.given { known.len() } else { 0 };
        known.insert(at, one.clone());
        while known.iter().map(|known| known.secret.expose().len()).sum::<usize>() > self.room {
            let newer = |at: usize| known[at + 1..].iter().any(|later| later.name == known[at].name);
            let replaced = (0..known.len()).find(|at| newer(*at));
            let spare = replaced.or_else(|| known.iter().position(|known| !known.given))?;
            known.remove(spare);
        }
        Some(known)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of all secrets that steps of a plan use.
pub fn used(plan: &Plan) -> BTreeSet<String> {
    let secrets = plan.steps.iter().filter_map(|step| match &step.work {
        Work::Server { secrets, .. } => Some(secrets.values().cloned()),
        _ => None,
    });
    secrets.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text).unwrap()
    }

    #[test]
    fn the_file_stands_over_what_is_lent_and_folders_are_kept_apart() {
        let dir = tempfile::tempdir().unwrap();
        let keeper = Keeper::of(dir.path());
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        keeper.lend(here, [("A".to_owned(), secret("lent-a")), ("B".to_owned(), secret("lent-b"))].into());
        File::of(dir.path()).set("A", secret("kept-a")).unwrap();
        let found =
            |folder: &Path, name: &str| keeper.find(folder, name).map(|found| found.expose().to_owned());
        assert_eq!(found(here, "A").unwrap(), "kept-a");
        assert_eq!(found(here, "B").unwrap(), "lent-b");
        let missing = found(there, "B").unwrap_err().to_string();
        for word in ["`B`", "keyring", "secrets.toml", "/there", "switchback secret set B"] {
            assert!(missing.contains(word), "{missing}");
        }
        assert_eq!(keeper.masker().text("kept-a lent-a lent-b"), "[secret A] lent-a [secret B]");
    }

    #[test]
    fn a_file_that_cannot_be_used_ends_the_search() {
        let dir = tempfile::tempdir().unwrap();
        let keeper = Keeper::of(dir.path());
        keeper.lend(dir.path(), [("A".to_owned(), secret("lent-a"))].into());
        std::fs::write(File::of(dir.path()).path(), "version = 9").unwrap();
        assert!(keeper.find(dir.path(), "A").unwrap_err().to_string().contains("others may read"));
    }

    #[test]
    fn what_is_remembered_has_an_edge() {
        let keeper = Keeper { room: 64, ..Keeper::default() };
        let folder = Path::new("/");
        let give = |name: &str, letter: &str, bytes: usize| {
            keeper.lend(folder, [(name.to_owned(), secret(&letter.repeat(bytes)))].into());
            keeper.find(folder, name).map(drop).map_err(|missing| missing.to_string())
        };
        let part = keeper.room / 4;
        for name in ["A", "B", "C", "D"] {
            give(name, name, part).unwrap();
        }
        assert!(give("E", "E", 4).unwrap_err().contains("can mask no more"));
        assert!(!keeper.masker().text(&"A".repeat(part)).contains("AA"));
        // What was replaced makes room.
        give("A", "a", 8).unwrap();
        give("E", "E", 4).unwrap();
        assert_eq!(keeper.masker().text("EEEE aaaaaaaa"), "[secret E] [secret A]");
    }

    #[test]
    fn what_a_server_before_gave_out_of_the_file_is_masked() {
        let dir = tempfile::tempdir().unwrap();
        File::of(dir.path()).set("A", secret("kept-a")).unwrap();
        let before = Keeper::of(dir.path());
        before.find(Path::new("/"), "A").unwrap();
        assert_eq!(before.masker().text("kept-a"), "[secret A]");
        assert_eq!(Keeper::of(dir.path()).masker().text("kept-a"), "[secret A]");
        std::fs::write(File::of(dir.path()).path(), "version = 9").unwrap();
        assert_eq!(Keeper::of(dir.path()).masker().text("kept-a"), "kept-a");
    }

    #[test]
    fn what_only_lies_in_the_file_makes_room() {
        let dir = tempfile::tempdir().unwrap();
        let file = File::of(dir.path());
        for name in ["A", "B", "C"] {
            file.set(name, secret(&name.repeat(20))).unwrap();
        }
        let keeper = Keeper { room: 45, ..Keeper::of(dir.path()) };
        let known = |keeper: &Keeper| {
            let masker = keeper.masker();
            ["A", "B", "C", "D"].map(|name| masker.text(&name.repeat(20)) == format!("[secret {name}]"))
        };
        let masked = known(&keeper);
        assert_eq!(masked.iter().filter(|masked| **masked).count(), 2, "{masked:?}");
        let folder = Path::new("/");
        keeper.find(folder, "A").unwrap();
        keeper.lend(folder, [("D".to_owned(), secret(&"D".repeat(20)))].into());
        keeper.find(folder, "D").unwrap();
        assert_eq!(known(&keeper), [true, false, false, true]);
        assert!(keeper.find(folder, "B").unwrap_err().to_string().contains("can mask no more"));
    }

    #[tokio::test]
    async fn who_comes_back_in_time_is_waited_for() {
        let keeper = Arc::new(Keeper::default().awaiting());
        let folder = Path::new("/");
        let (waits, name) = (Arc::clone(&keeper), BTreeSet::from(["A".to_owned()]));
        let waiting = tokio::spawn(async move { waits.find_all(folder, name).await });
        tokio::task::yield_now().await;
        keeper.lend(folder, [("A".to_owned(), secret("lent-a"))].into());
        assert!(waiting.await.unwrap().is_ok());
        assert!(
            Arc::new(Keeper::default()).find_all(folder, BTreeSet::from(["A".to_owned()])).await.is_err()
        );
    }
}
