//! Writes a file whole or not at all: a temporary file in the same folder, flushed, then named in one move, then the folder
//! flushed. Whoever reads meanwhile sees the old file or the new one. A name that became a link in between is replaced and not
//! followed.
//!
//! It is idempotent by construction, so that it is simply done again after an interruption: the same content under the same name. An
//! attempt that had made the file is recognised by its note.

use super::bytes::CHUNK_BYTES;
use super::job::Options;
use super::masked::spares;
use super::note::{Created, Errand};
use super::roots::widened;
use super::trouble::{is_folder, shown};
use super::walk::{Place, flush, rights};
use super::{Gate, Trouble};
use crate::adapters::full::{FULL_PATIENCE, FULL_PAUSE, is_full};
use crate::secrets::Masker;
use crate::{births, kill_point};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fstat, fsync, openat, renameat,
    renameat_with, unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::IntoRawFd as _;
use std::path::Path;
use std::thread;
use std::time::Instant;

/// What a write stands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Desk<'d> {
    pub(super) data: &'d Path,
    pub(super) errand: &'d Errand,
    pub(super) gate: &'d Gate,
    /// Which rights new files do not get.
    pub(super) umask: Option<u32>,
    /// Knows the secrets.
    pub(super) mask: &'d Masker,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Written {
    /// Whether there was no file before.
    pub(super) created: bool,
    /// To be forgotten when the report is recorded.
    pub(super) note: Option<Created>,
}

/// Writes a file.
pub(super) fn write(
    place: &Place,
    content: &[u8],
    options: &Options,
    desk: Desk<'_>,
) -> Result<Written, Trouble> {
    sweep(place, desk.errand);
    let found = place.file()?;
    if let (Some(stat), true) = (found, options.is_noted && desk.errand.is_again())
        && let Some((ours, note)) = desk.errand.read(desk.data)
        && ours == (widened(stat.st_dev), stat.st_ino)
    {
        return Ok(Written { created: true, note: Some(note) });
    }
    if found.is_some() && !options.overwrite {
        return Err(exists(place));
    }
    if found.is_some() {
        spares(place, content, desk.mask, desk.gate)?;
    }
    let told = options.permissions.map(rights);
    let kept = found.map(|stat| Mode::from_raw_mode(stat.st_mode) & rights(0o777));
    let fresh = desk.umask.map(|mask| rights(0o666 & !mask));
    let temporary = Temporary::new(place, desk.errand, told.or(kept).or(fresh))?;
    found.into_iter().for_each(|stat| temporary.belong_as(stat));
    temporary.fill(content, desk.gate)?;
    kill_point("file written");
    let note = (found.is_none() && options.is_noted).then(|| temporary.noted(desk)).transpose()?;
    if let Err(stopped) = place.leads_here().and_then(|()| desk.gate.pass()) {
        note.into_iter().for_each(Created::forget);
        return Err(stopped);
    }
    let written = name(temporary, place, options, note)?;
    // It may be executed next, which nobody may who holds it open.
    births::settle();
    Ok(written)
}

/// Takes away what attempts before this one left that died with their server.
pub(super) fn sweep(place: &Place, errand: &Errand) {
    for left in errand.left_behind() {
        // Most attempts leave nothing.
        let _ = unlinkat(&place.dir, left, AtFlags::empty());
    }
}

/// Gives the file its name, and closes it.
fn name(
    temporary: Temporary<'_>,
    place: &Place,
    options: &Options,
    note: Option<Created>,
) -> Result<Written, Trouble> {
    let mut written = Written { created: false, note: None };
    match note.map(|note| (temporary.name_new(place), note)) {
        None => temporary.name_over(place)?,
        Some((Ok(()), note)) => written = Written { created: true, note: Some(note) },
        Some((Err(errno), note)) => {
            note.forget();
            match errno {
                // Someone else was faster, and may be replaced.
                Errno::EXIST if options.overwrite => temporary.name_over(place)?,
                Errno::EXIST => return Err(exists(place)),
                errno => return Err(refused(place, errno)),
            }
        }
    }
    temporary.stays();
    kill_point("file named");
    flush(&place.dir, &temporary.file).map_err(|errno| place.said("flushed", errno))?;
    Ok(written)
}

fn exists(place: &Place) -> Trouble {
    let shown = shown(&place.given);
    Trouble::no(format!("{shown} exists already: use another path, or `overwrite: true`"))
}

fn refused(place: &Place, errno: Errno) -> Trouble {
    match errno {
        Errno::ISDIR | Errno::NOTEMPTY => is_folder(&place.given),
        errno => place.said("written", errno),
    }
}

/// A file that is not yet what it is for. It goes away unless it stays.
struct Temporary<'p> {
    place: &'p Place<'p>,
    name: String,
    file: OwnedFd,
    rights: Option<Mode>,
    stays: std::cell::Cell<bool>,
}

impl<'p> Temporary<'p> {
    fn new(place: &'p Place<'p>, errand: &Errand, rights: Option<Mode>) -> Result<Self, Trouble> {
        let name = errand.temporary();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Nobody else reads it before it is what it shall be.
        let mode = Mode::from_raw_mode(if rights.is_some() { 0o600 } else { 0o666 });
        let open = || openat(&place.dir, name.as_str(), flags, mode);
        let file = match open() {
            Err(Errno::EXIST) => {
                // It lies there from a time before, or was put there: it is nobody's.
                unlinkat(&place.dir, name.as_str(), AtFlags::empty()).and_then(|()| open())
            }
            other => other,
        };
        let file = file.map_err(|errno| place.said("written", errno))?;
        Ok(Temporary { place, name, file, rights, stays: false.into() })
    }

    /// Gives it to whom the file belongs that it replaces, as far as that may be done: the group at least stays.
    fn belong_as(&self, stat: &Stat) {
        let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        if fchown(&self.file, Some(owner), Some(group)).is_err() {
            // Who may not do even that writes as before.
            let _ = fchown(&self.file, None, Some(group));
        }
    }

    fn fill(&self, content: &[u8], gate: &Gate) -> Result<(), Trouble> {
        let said = |errno| self.place.said("written", errno);
        let mut file = File::from(self.file.try_clone().map_err(|error| said(errno(&error)))?);
        for chunk in content.chunks(CHUNK_BYTES) {
            gate.check()?;
            file.write_all(chunk).map_err(|error| said(errno(&error)))?;
        }
        if let Some(rights) = self.rights {
            fchmod(&self.file, rights).map_err(said)?;
        }
        fsync(&self.file).map_err(said)?;
        closed(file).map_err(said)
    }

    /// Notes that it is ours.
    fn noted(&self, desk: Desk<'_>) -> Result<Created, Trouble> {
        let stat = fstat(&self.file).map_err(|errno| self.place.said("written", errno))?;
        let deadline = Instant::now() + FULL_PATIENCE;
        loop {
            desk.gate.check()?;
            match desk.errand.write(desk.data, (widened(stat.st_dev), stat.st_ino)) {
                Err(error) if is_full(&error) && Instant::now() < deadline => thread::sleep(FULL_PAUSE),
                Err(error) => {
                    let words = format!(
                        "nothing can be noted beside the store ({error}): make room in the data directory and check its \
                         permissions"
                    );
                    return Err(Trouble::cannot(words));
                }
                Ok(noted) => return Ok(noted),
            }
        }
    }

    /// Names it where nothing is.
    fn name_new(&self, place: &Place) -> Result<(), Errno> {
        let moved =
            renameat_with(&place.dir, self.name.as_str(), &place.dir, &place.name, RenameFlags::NOREPLACE);
        match moved {
            // Some file systems cannot do that; a second name that must be new does the same.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(
                    &place.dir,
                    self.name.as_str(),
                    &place.dir,
                    &place.name,
                    AtFlags::empty(),
                )?;
                unlinkat(&place.dir, self.name.as_str(), AtFlags::empty())
            }
            other => other,
        }
    }

    /// Names it, whatever is there.
    fn name_over(&self, place: &Place) -> Result<(), Trouble> {
        let moved = renameat(&place.dir, self.name.as_str(), &place.dir, &place.name);
        moved.map_err(|errno| refused(place, errno))
    }

    fn stays(&self) {
        self.stays.set(true);
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.stays.get() {
            // What is left behind is removed by the next attempt.
            let _ = unlinkat(&self.place.dir, self.name.as_str(), AtFlags::empty());
        }
    }
}

/// Closes a file, and says how that went: some file systems take what was written only then.
#[expect(unsafe_code, reason = "a descriptor is closed by its number where it is to be heard how that goes")]
fn closed(file: File) -> Result<(), Errno> {
    // SAFETY: it was ours alone until here, and nobody else closes it.
    let is_closed = unsafe { libc::close(file.into_raw_fd()) } == 0;
    match std::io::Error::last_os_error() {
        // It is closed all the same.
        error if is_closed || error.kind() == std::io::ErrorKind::Interrupted => Ok(()),
        error => Err(errno(&error)),
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
