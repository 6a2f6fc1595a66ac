//! Keeps a file from being robbed of a secret: what was read of it has a mask in the secret's place, and written back that would be
//! all that is left.

use super::bytes::read;
use super::trouble::shown;
use super::walk::Place;
use super::{Gate, Trouble};
use crate::secrets::Masker;
use std::collections::BTreeSet;

/// How a mask begins and ends.
const BEGINS: &str = "[secret ";
const ENDS: char = ']';

/// The largest file that is looked through.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Refuses content with a mask in it where the file that it replaces has the secret itself.
pub(super) fn spares(place: &Place, content: &[u8], mask: &Masker, gate: &Gate) -> Result<(), Trouble> {
    let content = String::from_utf8_lossy(content);
    let written = masks(&content);
    if mask.is_empty() || written.is_empty() {
        return Ok(());
    }
    // What cannot be read is not a file whose content came from there.
    let Ok(old) = read(place, BYTES_MAX, "", gate) else { return Ok(()) };
    let old = String::from_utf8_lossy(&old);
    let stood = masks(&old);
    let lost =
        masks(&mask.text(&old)).into_iter().find(|name| written.contains(name) && !stood.contains(name));
    let Some(name) = lost else { return Ok(()) };
    let shown = shown(&place.given);
    Err(Trouble::no(format!(
        "{shown} holds the secret {name}, and what is to be written has `{BEGINS}{name}{ENDS}` in its place: what was masked stays \
         so. Let a Shell block change the file, or MergeJSONState, which keeps what it does not name"
    )))
}

/// The names that masks in a text bear.
fn masks(text: &str) -> BTreeSet<String> {
    let names = text.split(BEGINS).skip(1).filter_map(|rest| rest.split_once(ENDS));
    names.map(|(name, _)| name.to_owned()).collect()
}
