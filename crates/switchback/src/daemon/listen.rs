//! Where the daemon listens. Somebody may remove the socket under it (a cleaner of old files, a hand that slipped); a
//! client that finds the daemon but no socket sends SIGHUP, and the daemon listens anew.

use super::place::Place;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::Signal;

/// A socket in the file system, and the wish to look after it.
pub(super) struct Listener {
    socket: UnixListener,
    place: Place,
    /// The device and the number of the file.
    file: (u64, u64),
    asked: Signal,
}

impl Listener {
    /// Listens at a place whose store this process owns, so that whatever lies there belongs to a daemon that is gone.
    /// `asked` comes whenever somebody misses the socket.
    pub(super) fn bind(place: &Place, asked: Signal) -> io::Result<Listener> {
        let (socket, file) = bound(place)?;
        Ok(Listener { socket, place: place.clone(), file, asked })
    }

    /// The next client.
    pub(super) async fn accept(&mut self) -> io::Result<UnixStream> {
        loop {
            tokio::select! {
                accepted = self.socket.accept() => return accepted.map(|(stream, _)| stream),
                _ = self.asked.recv() => self.look_after()?,
            }
        }
    }

    /// Listens anew if the file is gone or is another one now.
    fn look_after(&mut self) -> io::Result<()> {
        if identity(&self.place).ok() != Some(self.file) {
            (self.socket, self.file) = bound(&self.place)?;
        }
        Ok(())
    }
}

fn bound(place: &Place) -> io::Result<(UnixListener, (u64, u64))> {
    match fs::remove_file(&place.socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let socket = UnixListener::bind(&place.socket)?;
    fs::set_permissions(&place.socket, Permissions::from_mode(0o600))?;
    Ok((socket, identity(place)?))
}

fn identity(place: &Place) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(&place.socket)?;
    Ok((found.dev(), found.ino()))
}
