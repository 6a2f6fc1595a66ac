//! The first line each way. A hello says who comes in and through which door; a welcome says who is there, or why
//! nobody comes in. Both are one line of JSON. The number changes only when the rest of the conversation would not be
//! understood.

use crate::house::{Client, Lent, lent};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The number of what is spoken after the hello.
pub(crate) const HELLO: u32 = 1;

/// The longest first line.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// This binary's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Who comes in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// The number of what it speaks.
    pub(crate) hello: u32,
    /// Its version.
    pub(crate) version: String,
    /// Its program, which the next daemon is if it is newer.
    #[serde(default)]
    pub(crate) program: Option<PathBuf>,
    /// Its process.
    #[serde(default)]
    pub(crate) pid: Option<u32>,
    /// The door it wants.
    pub(crate) door: Door,
    /// Where it works, and what it wants.
    pub(crate) client: Client,
    /// What it lends; kept in memory and nowhere else.
    #[serde(
        default,
        serialize_with = "lent::send",
        deserialize_with = "lent::receive",
        skip_serializing_if = "Lent::is_empty"
    )]
    pub(crate) lent: Lent,
}

/// What is spoken after the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Door {
    /// MCP.
    Mcp,
    /// Our own, for the command line.
    Control,
}

/// Who is there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    /// The number of what it speaks.
    pub(crate) hello: u32,
    /// Its version.
    pub(crate) version: String,
    /// Its process.
    pub(crate) pid: u32,
    /// Why nobody comes in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// What whoever comes in should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// Nobody comes in because it ends by itself: another one can be started at once.
    #[serde(default)]
    pub(crate) ends: bool,
}

impl Hello {
    /// The hello of this process.
    pub(crate) fn new(door: Door, client: Client) -> Hello {
        Hello {
            hello: HELLO,
            version: VERSION.to_owned(),
            program: std::env::current_exe().ok(),
            pid: Some(std::process::id()),
            door,
            client,
            lent: Lent::default(),
        }
    }

    /// Lends secrets along with it.
    #[must_use]
    pub(crate) fn lending(self, lent: Lent) -> Hello {
        Hello { lent, ..self }
    }
}

impl Welcome {
    /// The welcome of this process.
    pub(crate) fn new(refused: Option<String>, note: Option<String>) -> Welcome {
        Welcome {
            hello: HELLO,
            version: VERSION.to_owned(),
            pid: std::process::id(),
            refused,
            note,
            ends: false,
        }
    }

    /// What to say when this process is about to end, for this reason.
    pub(crate) fn last(why: &str) -> Welcome {
        let (refused, note) =
            (format!("{why}; the daemon ends: try again"), format!("{why}; the daemon ends"));
        Welcome { ends: true, ..Welcome::new(Some(refused), Some(note)) }
    }

    /// What to say to a hello: whoever speaks another number is told so, and whoever is newer is told to wait.
    pub(crate) fn to(hello: &Hello) -> Welcome {
        if hello.hello != HELLO {
            let version = &hello.version;
            let refused = format!(
                "the daemon is switchback {VERSION} and does not understand switchback {version}: end it by \
                 `switchback stop`, and the next command starts the one you have now"
            );
            return Welcome::new(Some(refused), None);
        }
        let note = is_newer(&hello.version, VERSION).then(|| {
            format!(
                "the daemon is still switchback {VERSION}; it is replaced once nothing is being carried out"
            )
        });
        Welcome::new(None, note)
    }
}

/// Whether a version comes after another. What is not made of numbers comes before all that is.
pub(crate) fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let core = version.split(['-', '+']).next().unwrap_or_default();
        core.split('.').map(|part| part.parse().ok()).collect()
    };
    numbers(version) > numbers(than)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, than, newer) in [
            ("0.10.0", "0.9.9", true),
            ("1.0.0", "0.99.99", true),
            ("0.1.0", "0.1.0", false),
            ("0.1.0", "0.1.1", false),
            ("later", "0.1.0", false),
            ("0.2.0-rc.1", "0.1.0", true),
        ] {
            assert_eq!(is_newer(version, than), newer, "{version} after {than}");
        }
    }

    #[test]
    fn another_number_is_refused_and_a_newer_version_is_told_to_wait() {
        let mut hello = Hello::new(Door::Mcp, Client::default());
        assert_eq!((Welcome::to(&hello).refused, Welcome::to(&hello).note), (None, None));
        hello.version = "99.0.0".to_owned();
        assert!(Welcome::to(&hello).note.is_some_and(|note| note.contains("replaced once nothing")));
        hello.hello = 2;
        assert!(Welcome::to(&hello).refused.is_some_and(|said| said.contains("switchback stop")));
    }
}
