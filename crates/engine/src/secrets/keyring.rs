//! The keyring of the system, in builds that have it (feature `keyring`). To ask it may wait for a person who unlocks it, so
//! it is asked with a bound: where nobody answers, the other places are looked at.

use super::secret::Secret;

/// The keyring of the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keyring;

/// What the keyring said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The value.
    Found(Secret),
    /// It has none of this name.
    Nothing,
    /// It cannot be asked, for this reason.
    Unusable(String),
}

impl Keyring {
    /// Asks for a secret.
    pub fn find(self, _name: &str) -> Asked {
        Asked::Unusable(self.trouble().unwrap_or_default())
    }

    /// Why it cannot be used.
    pub fn trouble(self) -> Option<String> {
        Some("not part of this build".to_owned())
    }
}
