//! Remembers that a file is ours, from just before it gets its name until its report is recorded. Without that, an attempt that
//! follows a crash could not tell its own file from another's: with `overwrite: false` it would fail because of itself.
//!
//! A note is a small file beside the store, named after run and step, which says what the new file is on the disk. One that
//! a crash leaves behind after the report was recorded is never looked at again; the first owner of the store that finds its
//! run over takes it away.

use super::roots::Identity;
use kernel::{Digest, EffectId, RunId};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The folder of the notes, beside the store.
const FOLDER: &str = "files";

/// How the names of files begin that are not yet what they are for.
const TEMPORARY: &str = ".switchback-";

/// Whether a name is one of those.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)?.rsplit_once('-'));
    rest.is_some_and(|(name, attempt)| name.len() == NAME_CHARS && attempt.parse::<u32>().is_ok())
}

/// How long the short names are.
const NAME_CHARS: usize = 24;

/// The effect for which a file is written.
#[derive(Clone, Debug)]
pub(super) struct Errand {
    /// The same for every attempt.
    name: String,
    /// The same for everything the run writes.
    run: String,
    /// Which attempt this is, counted from one.
    attempt: u32,
}

/// A note that may be forgotten when the report is recorded.
#[derive(Debug)]
pub(crate) struct Created(PathBuf);

impl Created {
    /// The report is recorded.
    pub(crate) fn forget(self) {
        // One that stays harms nobody.
        let _ = fs::remove_file(self.0);
    }
}

impl Errand {
    pub(super) fn new(run: &RunId, effect: &EffectId) -> Errand {
        let (key, attempt) = effect.as_str().rsplit_once('#').unwrap_or((effect.as_str(), "1"));
        let name = short(&format!("{run}\0{key}"));
        Errand { name, run: short(run.as_str()), attempt: attempt.parse().unwrap_or(1) }
    }

    /// Whether an attempt came before this one.
    pub(super) fn is_again(&self) -> bool {
        self.attempt > 1
    }

    /// The name of the file that becomes the one that was asked for.
    pub(super) fn temporary(&self) -> String {
        self.temporary_of(self.attempt)
    }

    /// What attempts before this one may have left behind.
    pub(super) fn left_behind(&self) -> impl Iterator<Item = String> {
        (1..self.attempt).map(|attempt| self.temporary_of(attempt))
    }

    fn temporary_of(&self, attempt: u32) -> String {
        format!("{TEMPORARY}{}-{attempt}", self.name)
    }

    pub(super) fn path(&self, data: &Path) -> PathBuf {
        data.join(FOLDER).join(format!("{}-{}", self.run, self.name))
    }

    /// Notes what is about to get its name. It outlasts a power cut. If that fails, no note is left.
    pub(super) fn write(&self, data: &Path, file: Identity) -> io::Result<Created> {
        let created = Created(self.path(data));
        match self.flushed(data, file) {
            Ok(()) => Ok(created),
            Err(error) => {
                created.forget();
                Err(error)
            }
        }
    }

    fn flushed(&self, data: &Path, file: Identity) -> io::Result<()> {
        let folder = data.join(FOLDER);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let mut note =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(self.path(data))?;
        writeln!(note, "{} {}", file.0, file.1)?;
        note.sync_all()?;
        File::open(folder)?.sync_all()
    }

    /// What an attempt before this one has noted.
    pub(super) fn read(&self, data: &Path) -> Option<(Identity, Created)> {
        let path = self.path(data);
        let text = fs::read_to_string(&path).ok()?;
        let (device, number) = text.strip_suffix('\n')?.split_once(' ')?;
        Some(((device.parse().ok()?, number.parse().ok()?), Created(path)))
    }
}

/// Takes away the notes of all runs but these.
pub(crate) fn keep<'r>(data: &Path, open: impl Iterator<Item = &'r RunId>) {
    let open: BTreeSet<String> = open.map(|run| short(run.as_str())).collect();
    let is_over = |note: &DirEntry| {
        let name = note.file_name();
        let run = name.to_str().and_then(|name| name.split_once('-')).map(|(run, _)| run);
        !run.is_some_and(|run| open.contains(run))
    };
    let notes = fs::read_dir(data.join(FOLDER)).into_iter().flatten().flatten();
    // One that stays harms nobody.
    notes.filter(is_over).for_each(|note| drop(fs::remove_file(note.path())));
}

/// A short name for a text.
fn short(text: &str) -> String {
    let digest = Digest::of(text.as_bytes()).to_string();
    let name = digest.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    name[name.len().saturating_sub(NAME_CHARS)..].to_owned()
}
