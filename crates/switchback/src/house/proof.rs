//! The passphrase that passes gates of level `proof`: only its salted hash lies beside the store, for its owner alone. It is never
//! taken from the environment, an argument or a client's form.

use engine::kernel::Digest;
use pbkdf2::pbkdf2_hmac_array;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often the hash is made anew: some tenths of a second for whoever tries one.
const ROUNDS: u32 = 600_000;

/// The shortest passphrase.
pub(crate) const CHARS_MIN: usize = 8;

/// Wrong ones, before nobody may try for a while.
const WRONG_MAX: u32 = 5;

/// That while.
const REST: Duration = Duration::from_secs(60);

/// What lies in the file.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    v: u32,
    rounds: u32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

/// The passphrase of a data directory.
pub(crate) struct Proof {
    path: PathBuf,
}

/// What was tried of late. It lies in a file beside the passphrase: another process, or the next one, counts on.
#[derive(Default, Serialize, Deserialize)]
struct Tries {
    wrong: u32,
    /// Until when none counts, in milliseconds since 1970.
    rests_until: u64,
}

impl Tries {
    /// Opens them for one try, and keeps others from theirs meanwhile.
    fn open(path: &Path) -> io::Result<(File, Tries)> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok((file, serde_json::from_str(&text).unwrap_or_default()))
    }

    fn write(&self, mut file: &File) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(&text)
    }

    /// None counts for a while from now on.
    fn resting(now: SystemTime) -> Tries {
        let until = now.duration_since(UNIX_EPOCH).unwrap_or_default() + REST;
        Tries { wrong: 0, rests_until: u64::try_from(until.as_millis()).unwrap_or(u64::MAX) }
    }

    /// How long none counts yet.
    fn rest(&self, now: SystemTime) -> Option<Duration> {
        let until = UNIX_EPOCH + Duration::from_millis(self.rests_until);
        until.duration_since(now).ok().filter(|left| !left.is_zero())
    }
}

/// Why a passphrase proves nothing.
#[derive(Debug)]
pub(crate) enum Unproven {
    /// None was set.
    NoneSet,
    /// Another one.
    Wrong,
    /// There were too many wrong ones; for so long none counts.
    Rests(Duration),
    /// The file cannot be used.
    Unusable(PathBuf, io::Error),
}

impl fmt::Display for Unproven {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::NoneSet => {
                write!(out, "no passphrase is set: a human sets one with `switchback proof set`")
            }
            Unproven::Wrong => write!(out, "the passphrase is wrong"),
            Unproven::Rests(left) => {
                write!(
                    out,
                    "there were {WRONG_MAX} wrong passphrases; the next one counts in {} s",
                    left.as_secs() + 1
                )
            }
            Unproven::Unusable(path, error) => write!(out, "{}: {error}", path.display()),
        }
    }
}

impl Proof {
    /// That of a data directory.
    pub(crate) fn of(dir: &Path) -> Proof {
        Proof { path: dir.join("proof.json") }
    }

    /// Whether one is set.
    pub(crate) fn is_set(&self) -> Result<bool, Unproven> {
        match self.stored() {
            Ok(_) => Ok(true),
            Err(Unproven::NoneSet) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Whether this is it. It takes a moment.
    pub(crate) fn check(&self, said: &str) -> Result<(), Unproven> {
        self.check_at(said, SystemTime::now())
    }

    fn check_at(&self, said: &str, now: SystemTime) -> Result<(), Unproven> {
        let stored = self.stored()?;
        let path = self.path.with_file_name("proof-tries.json");
        let unusable = |error| Unproven::Unusable(path.clone(), error);
        // Held meanwhile: one after the other.
        let (file, tries) = Tries::open(&path).map_err(unusable)?;
        if let Some(left) = tries.rest(now) {
            if left > REST {
                // The clock was set back: it begins anew, and does not take longer than it should.
                Tries::resting(now).write(&file).map_err(unusable)?;
            }
            let left = left.min(REST);
            return Err(Unproven::Rests(left));
        }
        // It counts before it is looked at: whoever ends this process has tried all the same.
        let tried = match tries.wrong.saturating_add(1) {
            WRONG_MAX.. => Tries::resting(now),
            wrong => Tries { wrong, rests_until: 0 },
        };
        tried.write(&file).map_err(unusable)?;
        if !is_same(&made(said, &stored.salt, stored.rounds), &stored.hash) {
            return Err(Unproven::Wrong);
        }
        Tries::default().write(&file).map_err(unusable)
    }

    /// Sets one. Whether that may be done is for the caller to know.
    pub(crate) fn set(&self, new: &str) -> io::Result<()> {
        self.set_with(new, ROUNDS)
    }

    fn set_with(&self, new: &str, rounds: u32) -> io::Result<()> {
        let mut salt = vec![0; 16];
        getrandom(salt.as_mut_slice(), GetRandomFlags::empty())?;
        let hash = made(new, &salt, rounds).to_vec();
        let fresh = self.path.with_extension("json.new");
        let _ = fs::remove_file(&fresh);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
        file.write_all(&serde_json::to_vec(&Stored { v: 1, rounds, salt, hash })?)?;
        file.sync_all()?;
        fs::rename(fresh, &self.path)
    }

    /// Forgets it.
    pub(crate) fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }

    fn stored(&self) -> Result<Stored, Unproven> {
        let unusable = |error| Unproven::Unusable(self.path.clone(), error);
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Unproven::NoneSet),
            Err(error) => return Err(unusable(error)),
        };
        let stored: Stored = serde_json::from_slice(&bytes).map_err(|error| unusable(error.into()))?;
        match stored.v == 1 && stored.rounds > 0 && stored.hash.len() == 32 {
            true => Ok(stored),
            false => Err(unusable(io::Error::other("it is of another version"))),
        }
    }
}

fn made(said: &str, salt: &[u8], rounds: u32) -> [u8; 32] {
    pbkdf2_hmac_array::<Sha256, 32>(said.as_bytes(), salt, rounds)
}

/// By their digests: how long it takes tells nothing of where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    Digest::of(one) == Digest::of(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_set_proves_something() {
        let dir = tempfile::tempdir().unwrap();
        let proof = Proof::of(dir.path());
        assert!(!proof.is_set().unwrap());
        assert!(matches!(proof.check("x"), Err(Unproven::NoneSet)));
        proof.set_with("long enough", 10).unwrap();
        assert!(proof.is_set().unwrap());
        assert!(proof.check("long enough").is_ok());
        assert!(matches!(proof.check("long enough "), Err(Unproven::Wrong)));
        assert!(!fs::read_to_string(&proof.path).unwrap().contains("long"));
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&proof.path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&proof.path, "{}").unwrap();
        assert!(matches!(proof.check("long enough"), Err(Unproven::Unusable(..))));
    }

    #[test]
    fn after_five_wrong_ones_nobody_may_try_for_a_minute() {
        let dir = tempfile::tempdir().unwrap();
        let (proof, now) = (Proof::of(dir.path()), SystemTime::now());
        proof.set_with("right", 10).unwrap();
        for _ in 0..WRONG_MAX {
            // Another process counts on.
            let proof = Proof::of(dir.path());
            assert!(matches!(proof.check_at("wrong", now), Err(Unproven::Wrong)));
        }
        // A clock that is set back makes the rest no longer than it is.
        let back = now - 100 * REST;
        let told = proof.check_at("right", back);
        assert!(matches!(told, Err(Unproven::Rests(left)) if left == REST), "{told:?}");
        assert!(proof.check_at("right", back + REST).is_ok());
        for _ in 0..WRONG_MAX {
            let _ = proof.check_at("wrong", now);
        }
        assert!(matches!(
            proof.check_at("right", now + REST - Duration::from_millis(1)),
            Err(Unproven::Rests(_))
        ));
        assert!(proof.check_at("right", now + REST).is_ok());
        for _ in 1..WRONG_MAX {
            let _ = proof.check_at("wrong", now + REST);
        }
        assert!(proof.check_at("right", now + REST).is_ok(), "those before the last right one do not count");
    }
}
