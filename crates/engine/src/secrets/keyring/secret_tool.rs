//! `secret-tool` of libsecret: GNOME Keyring, KWallet, KeePassXC, whoever answers for `org.freedesktop.secrets`.
//!
//! It is asked for attributes first, which never opens a dialog and says whether an entry is locked; only then for the value. What
//! `search` writes to stdout holds values and is read by nobody.

use super::ask::{Said, Tool, Words};
use super::{Names, SERVICE, Trouble, failed};
use crate::secrets::secret::{BYTES_MAX, Secret, is_name};
use std::time::Instant;

/// The bytes of a value that it stores; it cuts off the rest and calls that a success.
pub(super) const STORED_BYTES_MAX: usize = 8191;

/// The bytes that are read of attributes: those of thousands of entries.
const ATTRIBUTES_BYTES_MAX: usize = 1 << 20;

/// The bytes that are read of what it complains of.
const COMPLAINT_BYTES_MAX: usize = 4096;

const LOCKED: &str = "Cannot get secret of a locked object";

/// The value of a name, to the last byte.
pub(super) fn value(tool: &Tool, name: &str, deadline: Instant) -> Result<Option<Vec<u8>>, Trouble> {
    let found = names(tool, Some(name), deadline)?;
    if !found.names.iter().any(|known| known == name) {
        return Ok(None);
    }
    if found.locked {
        return Err(Trouble::Locked);
    }
    let args = ["lookup", "service", SERVICE, "name", name];
    // One byte more tells that it is too long.
    let words = Words { args: &args, out_bytes_max: BYTES_MAX + 1, ..plain() };
    let said = tool.ask(&words, deadline)?;
    match said.code {
        Some(0) => Ok(Some(said.out)),
        _ if said.out.len() > BYTES_MAX => Ok(Some(said.out)),
        // It was there a moment ago, and nobody unlocked it.
        Some(_) if said.err.is_empty() => Err(Trouble::Locked),
        _ => Err(failed(&said)),
    }
}

/// The names of entries, or of the one that has this name.
pub(super) fn names(tool: &Tool, name: Option<&str>, deadline: Instant) -> Result<Names, Trouble> {
    let mut args = vec!["search"];
    match name {
        Some(name) => args.extend(["service", SERVICE, "name", name]),
        None => args.extend(["--all", "service", SERVICE]),
    }
    let words = Words { args: &args, err_bytes_max: ATTRIBUTES_BYTES_MAX, ..plain() };
    let said = tool.ask(&words, deadline)?;
    match said.code {
        Some(0) => Ok(listed(&said)),
        _ if said.err.len() == ATTRIBUTES_BYTES_MAX => {
            Err(Trouble::Failed("it holds more entries than are read".to_owned()))
        }
        _ => Err(failed(&said)),
    }
}

fn listed(said: &Said) -> Names {
    let text = String::from_utf8_lossy(&said.err);
    let mut found = Names::default();
    for line in text.lines() {
        match line.strip_prefix("attribute.name = ") {
            Some(name) if is_name(name) => found.names.push(name.to_owned()),
            _ => found.locked |= line.ends_with(LOCKED),
        }
    }
    found.names.sort();
    found.names.dedup();
    found
}

/// Puts a value in; it stands in the place of one of the same name.
pub(super) fn set(tool: &Tool, name: &str, secret: &Secret, deadline: Instant) -> Result<(), Trouble> {
    if secret.expose().len() > STORED_BYTES_MAX {
        return Err(Trouble::Unable(format!(
            "`secret-tool` cuts values off that have more than {STORED_BYTES_MAX} bytes: keep it in the file, without --keyring"
        )));
    }
    let label = format!("--label=switchback: {name}");
    let args = ["store", &label, "service", SERVICE, "name", name];
    let said = tool.ask(&Words { args: &args, input: Some(secret), ..plain() }, deadline)?;
    match said.code {
        Some(0) => Ok(()),
        _ if String::from_utf8_lossy(&said.err).contains("locked collection") => Err(Trouble::Locked),
        _ => Err(failed(&said)),
    }
}

/// Takes a value out; gives whether there was one.
pub(super) fn remove(tool: &Tool, name: &str, deadline: Instant) -> Result<bool, Trouble> {
    if names(tool, Some(name), deadline)?.names.is_empty() {
        return Ok(false);
    }
    let args = ["clear", "service", SERVICE, "name", name];
    let said = tool.ask(&Words { args: &args, ..plain() }, deadline)?;
    match said.code {
        Some(0) => Ok(true),
        Some(_) if said.err.is_empty() => Err(Trouble::Locked),
        _ => Err(failed(&said)),
    }
}

fn plain<'a>() -> Words<'a> {
    Words { err_bytes_max: COMPLAINT_BYTES_MAX, ..Words::default() }
}
