//! `secrets.toml` in the data directory: values for those who have no keyring. Only its owner may read it, and a file that
//! others may read is not read at all.
//!
//! ```text
//! version = 1
//! [secrets]
//! TOKEN = "..."
//! ```
//! Invariant: no error of this file holds a word of what is written in it.

use super::secret::{Secret, Unfit, is_name};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::retry_on_intr;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Its name in the data directory.
const NAME: &str = "secrets.toml";

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The number of its form.
const VERSION: &str = "1";

const HEAD: &str = "# Secrets of switchback, written by `switchback secret set`. Only you may read this file.\nversion = 1\n\n[secrets]\n";

/// The file of a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    path: PathBuf,
}

/// Why the file is not read or not written.
#[derive(Debug)]
pub enum FileError {
    /// Others may read it, or it belongs to someone else.
    Open {
        /// The file.
        path: PathBuf,
        /// Its rights.
        mode: u32,
    },
    /// It is another user's, or no file.
    Strange {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A secret in it cannot be one.
    Unfit {
        /// The file.
        path: PathBuf,
        /// The secret.
        name: String,
        /// Why.
        unfit: Unfit,
    },
    /// The system said no.
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Open { path, mode } => {
                let path = path.display();
                write!(out, "others may read {path} (mode {mode:o}), so it is not used: chmod 600 '{path}'")
            }
            FileError::Strange { path, what } => write!(out, "{} {what}", path.display()),
            FileError::Unfit { path, name, unfit } => write!(out, "`{name}` in {} {unfit}", path.display()),
            FileError::Io { path, error } => write!(out, "failed to use {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for FileError {}

impl File {
    /// The file of a data directory.
    pub fn of(dir: &Path) -> File {
        File { path: dir.join(NAME) }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all of it; one that is not there holds nothing.
    pub fn read(&self) -> Result<BTreeMap<String, Secret>, FileError> {
        // What is no file is not waited for.
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let mut file = match OpenOptions::new().read(true).custom_flags(flags).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(self.io(error)),
        };
        let about = file.metadata().map_err(|error| self.io(error))?;
        if !about.is_file() {
            return Err(self.strange("is no file"));
        }
        if about.uid() != rustix::process::geteuid().as_raw() {
            return Err(self.strange("belongs to another user"));
        }
        if about.mode() & 0o077 != 0 {
            return Err(FileError::Open { path: self.path.clone(), mode: about.mode() & 0o777 });
        }
        if about.len() > FILE_BYTES_MAX {
            return Err(self.strange(format!("is larger than {FILE_BYTES_MAX} bytes")));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| self.io(error))?;
        self.parse(&text)
    }

    fn parse(&self, text: &str) -> Result<BTreeMap<String, Secret>, FileError> {
        let table = DeTable::parse(text).map_err(|error| {
            // Its message may show the line.
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            self.strange(format!("cannot be read as TOML, line {line}"))
        })?;
        let table = table.get_ref();
        let version = table.get("version").map(toml::Spanned::get_ref);
        match version {
            Some(DeValue::Integer(number)) if number.as_str() == VERSION => {}
            Some(_) => return Err(self.strange("was written by another version of switchback")),
            None => return Err(self.strange("does not say `version = 1`")),
        }
        let secrets = match table.get("secrets").map(toml::Spanned::get_ref) {
            None => return Ok(BTreeMap::new()),
            Some(DeValue::Table(secrets)) => secrets,
            Some(_) => return Err(self.strange("has no table `[secrets]`")),
        };
        let mut found = BTreeMap::new();
        for (name, value) in secrets {
            let name = name.get_ref();
            let (true, DeValue::String(value)) = (is_name(name), value.get_ref()) else {
                return Err(self.strange("holds something else than names and texts under `[secrets]`"));
            };
            let secret = Secret::new(value).map_err(|unfit| FileError::Unfit {
                path: self.path.clone(),
                name: name.to_string(),
                unfit,
            })?;
            found.insert(name.to_string(), secret);
        }
        Ok(found)
    }

    /// Puts a secret into it; gives whether there was one of this name.
    pub fn set(&self, name: &str, secret: Secret) -> Result<bool, FileError> {
        self.change(|secrets| secrets.insert(name.to_owned(), secret).is_some())
    }

    /// Takes a secret out of it; gives whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, FileError> {
        self.change(|secrets| secrets.remove(name).is_some())
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Secret>) -> T) -> Result<T, FileError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let lock = options.open(self.path.with_extension("lock")).map_err(|error| self.io(error))?;
        let locked = retry_on_intr(|| flock(&lock, FlockOperation::LockExclusive));
        locked.map_err(|error| self.io(error.into()))?;
        let mut secrets = self.read()?;
        let changed = change(&mut secrets);
        self.write(&secrets).map_err(|error| self.io(error))?;
        Ok(changed)
    }

    /// Replaces it as a whole, so that nobody ever sees half of it.
    fn write(&self, secrets: &BTreeMap<String, Secret>) -> io::Result<()> {
        let mut text = HEAD.to_owned();
        for (name, secret) in secrets {
            // TOML reads a text as JSON writes it, but for one letter.
            let value = serde_json::Value::from(secret.expose()).to_string().replace('\u{7f}', "\\u007f");
            text.push_str(&format!("{name} = {value}\n"));
        }
        let new = self.path.with_extension("new");
        // What a crash left is not ours to trust.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        fs::File::open(self.path.parent().unwrap_or(Path::new(".")))?.sync_all()
    }

    fn io(&self, error: io::Error) -> FileError {
        FileError::Io { path: self.path.clone(), error }
    }

    fn strange(&self, what: impl Into<String>) -> FileError {
        FileError::Strange { path: self.path.clone(), what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn written(text: &str, mode: u32) -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let file = File::of(dir.path());
        fs::write(file.path(), text).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        (dir, file)
    }

    #[test]
    fn what_is_put_in_is_read_and_taken_out() {
        let dir = tempfile::tempdir().unwrap();
        let file = File::of(dir.path());
        assert!(file.read().unwrap().is_empty() && !file.remove("NONE").unwrap());
        let values = ["quote\"d \\ back", "lines\n\ttab\r", "\u{1}\u{7f}\u{80}ü漢'''", "\"\"\"x\"\"\""];
        for (number, value) in values.iter().enumerate() {
            assert!(!file.set(&format!("S{number}"), Secret::new(value).unwrap()).unwrap());
        }
        let read = file.read().unwrap();
        let found: Vec<&str> = read.values().map(Secret::expose).collect();
        assert_eq!(found, values);
        assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
        assert!(file.set("S0", Secret::new("other").unwrap()).unwrap() && file.remove("S1").unwrap());
        assert_eq!(file.read().unwrap().len(), 3);
    }

    #[test]
    fn a_file_that_others_may_read_is_not_read() {
        for (mode, used) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            let (_dir, file) = written("version = 1\n[secrets]\nA = 'abcd'\n", mode);
            match file.read() {
                Ok(secrets) => assert!(used && secrets.contains_key("A"), "{mode:o}"),
                Err(error) => {
                    assert!(!used && error.to_string().contains("chmod 600"), "{mode:o}: {error}");
                    assert!(file.set("B", Secret::new("abcd").unwrap()).is_err());
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_a_word_of_it() {
        for text in [
            "version = 1\n[secrets]\nA = hidden\n",
            "version = 1\n[secrets]\nA = \"hidden\n",
            "version = 1\n[secrets]\nA = ['hidden']\n",
            "version = 1\n[secrets]\n'hidden b' = 'x'\n",
            "version = 2\n[secrets]\nA = 'hidden'\n",
            "A = 'hidden'\n",
            "version = 1\nsecrets = 'hidden'\n",
            "version = 1\n[secrets]\nA = 'hid'\n",
        ] {
            let error = written(text, 0o600).1.read().unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hid"), "{error:?}");
        }
    }

    #[test]
    fn the_size_has_an_edge() {
        let text = |bytes: u64| format!("version = 1\n#{}", "x".repeat(bytes as usize - 13));
        assert!(written(&text(FILE_BYTES_MAX), 0o600).1.read().is_ok());
        assert!(written(&text(FILE_BYTES_MAX + 1), 0o600).1.read().is_err());
    }
}
