//! The value of a secret: held, given to a process, and never shown. It has no form for logs, journals or answers.

use std::fmt;
use std::sync::Arc;

/// The characters that are not blanks which a secret must have: a shorter one could not be masked without masking half of
/// what people write.
pub const CHARS_MIN: usize = 4;

/// The bytes that a secret may have.
pub const BYTES_MAX: usize = 16 * 1024;

/// The value of a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes a text as a secret, if it can be one.
    pub fn new(text: &str) -> Result<Secret, Unfit> {
        if text.contains('\0') {
            return Err(Unfit::Nul);
        }
        if text.len() > BYTES_MAX {
            return Err(Unfit::Long);
        }
        let shown = text.chars().filter(|letter| !letter.is_whitespace()).count();
        if shown < CHARS_MIN { Err(Unfit::Short) } else { Ok(Secret(text.into())) }
    }

    /// The value itself. Whoever asks for it gives it to a process, or puts it away.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[secret]")
    }
}

/// Why a text cannot be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It could not be masked.
    Short,
    /// It is larger than is held.
    Long,
    /// No process could be given it.
    Nul,
}

impl fmt::Display for Unfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Short => write!(
                out,
                "has fewer than {CHARS_MIN} characters that are not blanks, too few to be masked in output"
            ),
            Unfit::Long => write!(out, "has more than {BYTES_MAX} bytes"),
            Unfit::Nul => out.write_str("contains a NUL byte, which no process can be given"),
        }
    }
}

/// Tells whether a text can be the name of a secret: `^[A-Za-z][A-Za-z0-9_-]*$`, at most 64 characters.
pub fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.len() <= 64 && name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.bytes().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_have_edges() {
        for (text, unfit) in [
            ("abcd", None),
            ("abc", Some(Unfit::Short)),
            (" a b c \n", Some(Unfit::Short)),
            ("äöüß", None),
            ("ab\0cd", Some(Unfit::Nul)),
        ] {
            assert_eq!(Secret::new(text).err(), unfit, "{text:?}");
        }
        assert!(Secret::new(&"x".repeat(BYTES_MAX)).is_ok());
        assert_eq!(Secret::new(&"x".repeat(BYTES_MAX + 1)), Err(Unfit::Long));
    }

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("s3cr3t").unwrap();
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "[secret] Some([secret])");
    }

    #[test]
    fn names_are_narrow() {
        assert!(is_name("TOKEN") && is_name("a-b_9") && is_name(&"x".repeat(64)));
        assert!(!is_name("") && !is_name("9a") && !is_name("a.b") && !is_name(&"x".repeat(65)));
    }
}
