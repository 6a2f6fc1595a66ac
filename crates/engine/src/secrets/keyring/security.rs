//! `security` of macOS. It shows a value in a form that says what it is: quoted if every letter can be printed, in hex if not.
//!
//! Values are put in by hand: it takes one from its command line, where everyone can read it, or from a terminal.

use super::ask::{Tool, Words};
use super::{SERVICE, Trouble, failed};
use crate::secrets::secret::BYTES_MAX;
use std::time::Instant;

/// It says a value in hex, and once more with every byte as four letters.
const ERR_BYTES_MAX: usize = 6 * BYTES_MAX + 4096;

/// There is no such entry.
const NONE: i32 = 44;

/// Nobody may be asked, the password was wrong, or the person said no.
const LOCKED: [i32; 3] = [36, 51, 128];

/// The value of a name, to the last byte.
pub(super) fn value(tool: &Tool, name: &str, deadline: Instant) -> Result<Option<Vec<u8>>, Trouble> {
    let args = ["find-generic-password", "-s", SERVICE, "-a", name, "-g"];
    let words = Words { args: &args, err_bytes_max: ERR_BYTES_MAX, ..Words::default() };
    let said = tool.ask(&words, deadline)?;
    match said.code {
        Some(0) => shown(&said.err)
            .map(Some)
            .ok_or_else(|| Trouble::Failed("it shows the value in a form that is not known".to_owned())),
        Some(NONE) => Ok(None),
        Some(code) if LOCKED.contains(&code) => Err(Trouble::Locked),
        // Where it says a value, nothing of that is repeated.
        _ if shows(&said.err) => Err(Trouble::Failed("it was ended while it said the value".to_owned())),
        _ => Err(failed(&said)),
    }
}

fn shows(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"password:"))
}

/// Takes a value out; gives whether there was one.
pub(super) fn remove(tool: &Tool, name: &str, deadline: Instant) -> Result<bool, Trouble> {
    let args = ["delete-generic-password", "-s", SERVICE, "-a", name];
    let words = Words { args: &args, err_bytes_max: 4096, ..Words::default() };
    let said = tool.ask(&words, deadline)?;
    match said.code {
        Some(0) => Ok(true),
        Some(NONE) => Ok(false),
        Some(code) if LOCKED.contains(&code) => Err(Trouble::Locked),
        _ => Err(failed(&said)),
    }
}

/// How a value is put in.
pub(super) fn by_hand(name: &str) -> Trouble {
    Trouble::Unable(format!(
        "on macOS its own program asks for the value: security add-generic-password -U -s {SERVICE} -a {name} -w"
    ))
}

/// The value in `password: "..."` or `password: 0x...  "..."`.
fn shown(text: &[u8]) -> Option<Vec<u8>> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let value = lines.find_map(|line| line.strip_prefix(b"password: "))?;
    match value.strip_prefix(b"0x") {
        Some(hex) => {
            let end = hex.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(hex.len());
            let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let pairs = hex[..end].chunks(2);
            pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
        }
        None => Some(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_in_both_forms() {
        let read = |text: &str| shown(text.as_bytes()).map(|value| String::from_utf8(value).unwrap());
        assert_eq!(read("password: \"a\"b 0x41\"\n").as_deref(), Some("a\"b 0x41"));
        assert_eq!(read("password: 0x610A62  \"a\\012b\"\n").as_deref(), Some("a\nb"));
        assert_eq!(read("password: 0xC3A4\n").as_deref(), Some("ä"));
        for bad in ["", "password: \n", "password: 0x61A\n", "password: \"a\n", "keychain: \"x\"\n"] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }
}
