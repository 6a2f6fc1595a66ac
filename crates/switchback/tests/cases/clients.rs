//! The clients of one play, by their names. The first comes in by itself when it is first needed.

use std::collections::BTreeMap;
use std::io;

use rustix::process::Signal;

use crate::answer::Reply;
use crate::case::{Connect, Request};
use crate::driver::{Driver, Setting, Trouble};
use crate::mcp::{Connection, Waiting};
use crate::process::End;

/// Those who are connected.
#[derive(Default)]
pub(crate) struct Clients {
    connected: BTreeMap<String, Connection>,
}

impl Clients {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.connected.contains_key(name)
    }

    /// Lets a client come in and gives what the server said of itself.
    pub(crate) fn connect(
        &mut self,
        driver: &Driver,
        connect: &Connect,
        setting: &Setting<'_>,
    ) -> Result<Reply, Trouble> {
        if self.has(&connect.name) {
            return Err(format!("`{}` is connected already", connect.name));
        }
        let folder = match &connect.folder {
            Some(folder) => setting.workspace.subfolder(&setting.names.fill(folder)?),
            None => Ok(setting.workspace.folder()),
        };
        let folder = folder.map_err(|error| error.to_string())?;
        let (connection, reply) = Connection::open(driver.opening(connect, &folder, setting)?)?;
        self.connected.insert(connect.name.clone(), connection);
        Ok(reply)
    }

    /// Sends a request with its names filled in already.
    pub(crate) fn send(&mut self, request: &Request) -> Result<Waiting, Trouble> {
        let connection = self.connected.get_mut(&request.client).ok_or_else(|| unknown(&request.client))?;
        Ok(connection.request(&request.method, &request.params, request.progress))
    }

    pub(crate) fn cancel(&self, waiting: &Waiting) -> Result<(), Trouble> {
        let connection = self.connected.get(&waiting.client).ok_or_else(|| unknown(&waiting.client))?;
        connection.cancel(waiting.id);
        Ok(())
    }

    pub(crate) fn signal(&self, name: &str, signal: Signal) -> io::Result<()> {
        self.connected.get(name).map_or(Ok(()), |connection| connection.signal(signal))
    }

    /// Hangs up and gives how the server ended.
    pub(crate) fn disconnect(&mut self, name: &str) -> Result<End, Trouble> {
        self.connected.remove(name).ok_or_else(|| unknown(name))?.close()
    }

    /// Hangs up for all and gives the first thing that was wrong.
    pub(crate) fn close(&mut self) -> Result<(), Trouble> {
        let connected = std::mem::take(&mut self.connected);
        // All are closed, also after one that was wrong.
        let closed: Vec<_> = connected.into_values().map(Connection::close).collect();
        closed.into_iter().try_for_each(|closed| closed.map(drop))
    }

    /// Returns what the servers have said on stderr.
    pub(crate) fn overheard(&self) -> Vec<(String, String)> {
        let said = self.connected.iter().map(|(name, connection)| (name, connection.said()));
        let said = said.filter(|(_, said)| !said.is_empty());
        said.map(|(name, said)| (format!("stderr of `{name}`"), said)).collect()
    }
}

fn unknown(name: &str) -> Trouble {
    format!("no client is connected as `{name}`")
}
