//! One file of a kept definition, and the folder of all of them under its lock.

use super::{Success, index, is_name};
use kernel::clock::iso;
use rustix::fs::{FlockOperation, flock};
use rustix::io::retry_on_intr;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// A kept definition.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) definition: Value,
    pub(super) metadata: Value,
}

impl File {
    /// One that is kept because a run of it has succeeded.
    pub(super) fn saved(name: String, definition: Value, hash: &str, by: Success<'_>) -> File {
        let now = iso(by.at);
        let metadata = json!({
            "hash": hash,
            "created": now,
            "success_count": 1,
            "last_execution": now,
            "total_states": by.states,
            "run_count": 1,
            "last_run": now,
            "version": "1.0",
            "saved_by": by.run,
            "counted_for": by.run,
        });
        File { name, definition, metadata }
    }

    /// Whether it is kept because this very run has succeeded.
    pub(super) fn was_saved_by(&self, run: &str) -> bool {
        self.metadata.get("saved_by").and_then(Value::as_str) == Some(run)
    }

    /// One that somebody has created.
    pub(super) fn created(name: String, definition: Value, hash: &str, at: u64) -> File {
        let metadata = json!({
            "hash": hash,
            "created": iso(at),
            "success_count": 0,
            "last_execution": null,
            "total_states": 0,
            "run_count": 0,
            "last_run": null,
            "version": "1.0",
        });
        File { name, definition, metadata }
    }

    /// Counts a run that has succeeded, unless it was the last that was counted: after a crash it is asked for again.
    pub(super) fn count(&mut self, by: Success<'_>) {
        if self.metadata.get("counted_for").and_then(Value::as_str) == Some(by.run) {
            return;
        }
        self.metadata["counted_for"] = by.run.into();
        for (count, last) in [("success_count", "last_execution"), ("run_count", "last_run")] {
            let before = self.metadata[count].as_u64().unwrap_or_default();
            self.metadata[count] = (before + 1).into();
            self.metadata[last] = iso(by.at).into();
        }
    }

    /// Reads a file, or says what is wrong with it.
    pub(super) fn read(path: &Path, name: &str) -> io::Result<File> {
        let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        let found = fs::metadata(path)?;
        // Whoever opens a pipe waits for somebody to write.
        if !found.is_file() {
            return Err(wrong("it is no regular file".to_owned()));
        }
        let bytes = found.len();
        if bytes > FILE_BYTES_MAX {
            return Err(wrong(format!("it has {bytes} bytes; at most {FILE_BYTES_MAX} are read")));
        }
        let mut read: Value = serde_json::from_slice(&fs::read(path)?)?;
        let definition = read.get_mut("definition").map(Value::take).filter(Value::is_object);
        let definition = definition.ok_or_else(|| wrong("it has no `definition`".to_owned()))?;
        let metadata = read.get_mut("metadata").map(Value::take).filter(Value::is_object);
        let metadata = metadata.unwrap_or_else(|| json!({}));
        Ok(File { name: name.to_owned(), definition, metadata })
    }
}

/// The folder, as long as nobody else changes it.
pub(super) struct Folder {
    path: PathBuf,
    _lock: fs::File,
}

impl Folder {
    /// Makes the folder if need be, and waits until nobody else changes it.
    pub(super) fn lock(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        let lock = fs::File::open(path)?;
        retry_on_intr(|| flock(&lock, FlockOperation::LockExclusive))?;
        Ok(Folder { path: path.to_owned(), _lock: lock })
    }

    /// Whether something of this name is there, whatever it is.
    pub(super) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.file(name)).is_ok()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.json"))
    }

    /// All that can be read, by name.
    pub(super) fn read(&self) -> io::Result<Vec<File>> {
        Ok(names(&self.path)
            .into_iter()
            .filter_map(|name| File::read(&self.file(&name), &name).ok())
            .collect())
    }

    /// Takes a file away; says whether it was there.
    pub(super) fn remove(&self, name: &str) -> io::Result<bool> {
        match fs::remove_file(self.file(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// Puts a file in its place, whole or not at all.
    pub(super) fn write(&self, file: &File) -> io::Result<()> {
        let body = json!({ "definition": file.definition, "metadata": file.metadata });
        self.put(&format!("{}.json", file.name), &serde_json::to_vec_pretty(&body)?)
    }

    /// Writes both indexes anew.
    pub(super) fn write_indexes(&self, all: &[File], at: u64) -> io::Result<()> {
        let before = fs::read(self.path.join(index::FIRST)).ok();
        self.put(index::FIRST, &serde_json::to_vec_pretty(&index::first(all, before.as_deref(), at))?)?;
        self.put(index::SECOND, index::second(all).as_bytes())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.path.join(format!(".{}.new", name.trim_start_matches('.')));
        let mut file = fs::File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, self.path.join(name))
    }
}

/// The names of all files that can be kept definitions, in order.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().to_str()?.strip_suffix(".json")?.to_owned();
        (is_name(&name) && entry.path().is_file()).then_some(name)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort_unstable();
    names
}
