//! What file blocks say about files, as far as it can be told from the text of a definition; whoever carries them out asks the same
//! of values that are known only then.

mod governing;

pub(super) use governing::governed;
pub use governing::{GOVERNED_HINT, GOVERNING, Governing, folded, governing};

use super::jinja::{self, Part};

/// How much of a file is read where nothing is said.
pub const READ_BYTES_DEFAULT: u64 = 10 * 1024 * 1024;

/// How much of a file can be read.
pub const READ_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How long a file block may take where its definition does not say: one minute.
pub const FILE_TIMEOUT_MS: u64 = 60_000;

/// The bytes that one name in a path may have, on every file system there is.
const NAME_BYTES_MAX: usize = 255;

/// Reads the permissions of a file, which are always octal: `0644`, `644`, `0o644`. Or says what they should be.
pub fn permissions(text: &str) -> Result<u32, &'static str> {
    const HINT: &str = "write three octal digits, as chmod takes them: \"0644\", \"0755\"";
    let digits = text.strip_prefix("0o").unwrap_or(text);
    let is_octal =
        (3..=5).contains(&digits.len()) && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    match is_octal.then(|| u32::from_str_radix(digits, 8)) {
        Some(Ok(bits @ 0..=0o777)) => Ok(bits),
        Some(Ok(_)) => Err("only rights to read, write and execute can be given: \"0644\", \"0755\""),
        _ => Err(HINT),
    }
}

/// A template of a file as an evaluator takes it, or what is wrong with it. `${...}` means nothing in it.
pub fn template(text: &str) -> Result<String, String> {
    jinja::compile(&[Part::Text(text)]).map(|compiled| compiled.source).map_err(|faults| {
        let Some(fault) = faults.into_iter().next() else { return "cannot be read".to_owned() };
        let before = &text[..text.floor_char_boundary(fault.at)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}: {} ({})", fault.message, fault.hint)
    })
}

/// What is wrong with a path that is known when the file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadPath {
    /// No file can have it.
    Impossible(&'static str, &'static str),
    /// It leads out of the folder of the run, which is allowed only where the settings say so.
    Outside(&'static str),
}

/// Looks at a path without looking at any disk.
pub(super) fn look_at(path: &str) -> Option<BadPath> {
    let impossible = |message, hint| Some(BadPath::Impossible(message, hint));
    if path.trim().is_empty() {
        return impossible("the path is empty", "name a file: `path: out/report.md`");
    }
    if path.contains('\0') {
        return impossible("a path cannot contain a NUL byte", "remove it");
    }
    if path.split('/').any(|name| name.len() > NAME_BYTES_MAX) {
        return impossible(
            "a name in this path has more than 255 bytes",
            "no file system takes it: use a shorter one",
        );
    }
    if matches!(path.rsplit('/').next(), Some("" | "." | "..")) {
        return impossible("this path names a folder", "name a file in it");
    }
    if path.starts_with("~/") {
        return impossible(
            "`~` means nothing here",
            "write the path out, or use the environment in a Shell block",
        );
    }
    if path.starts_with('/') {
        return Some(BadPath::Outside("an absolute path"));
    }
    let mut depth = 0_usize;
    for name in path.split('/') {
        depth = match name {
            "" | "." => depth,
            ".." => match depth.checked_sub(1) {
                Some(depth) => depth,
                None => return Some(BadPath::Outside("`..`")),
            },
            _ => depth + 1,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_octal() {
        for (text, bits) in [("0644", 0o644), ("644", 0o644), ("0o755", 0o755), ("000", 0), ("0777", 0o777)] {
            assert_eq!(permissions(text), Ok(bits), "{text}");
        }
        for text in ["", "0", "64", "0888", "04755", "1777", "rw-r--r--", "-644", "00644x", "6 44"] {
            assert!(permissions(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_is_looked_at() {
        for path in ["a", "a/b.txt", "./a", "a/../b", "a//b", "..a", "a/b/../../c", &"x".repeat(255)] {
            assert_eq!(look_at(path), None, "{path}");
        }
        for path in ["../a", "a/../../b", "/etc/passwd"] {
            assert!(matches!(look_at(path), Some(BadPath::Outside(_))), "{path}");
        }
        for path in ["", " ", "a/", ".", "a/..", "..", "a\0b", "~/a", &"x".repeat(256)] {
            assert!(matches!(look_at(path), Some(BadPath::Impossible(..))), "{path}");
        }
    }

    #[test]
    fn a_template_of_a_file_knows_no_references() {
        assert_eq!(template("a ${inputs.x} {{ y }}").as_deref(), Ok("a ${inputs.x} {{ y }}"));
        let wrong = template("one\n {{ two").unwrap_err();
        assert!(wrong.starts_with("line 2, column 2: "), "{wrong}");
    }
}
