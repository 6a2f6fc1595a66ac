//! Why an operation did not come to its end. What was tried and said no is a failed operation, which a workflow can look at;
//! what could not be tried at all is a crash.

use kernel::{Failure, FailureKind};
use rustix::io::Errno;
use serde_json::Value;

/// What went wrong, for the machine and for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble(Failure);

impl Trouble {
    /// It was tried, and the answer is no.
    pub(super) fn no(message: impl Into<String>) -> Trouble {
        Trouble(Failure::new(FailureKind::Operation, message))
    }

    /// It cannot be tried at all.
    pub(super) fn cannot(message: impl Into<String>) -> Trouble {
        Trouble(Failure::new(FailureKind::Crashed, message))
    }

    /// A template has a mistake.
    pub(super) fn expression(message: impl Into<String>) -> Trouble {
        Trouble(Failure::new(FailureKind::Expression, message))
    }

    /// Someone stopped it; whoever did says why.
    pub(super) fn stopped() -> Trouble {
        Trouble(Failure::new(FailureKind::Cancelled, "was stopped"))
    }

    /// The system said no.
    pub(super) fn system(what: &str, path: &str, errno: Errno) -> Trouble {
        let shown = shown(path);
        let next = match errno {
            Errno::NOENT => return Trouble::no(format!("{shown} does not exist")),
            Errno::NOTDIR => {
                return Trouble::no(format!("{shown} leads through a file where a folder should be"));
            }
            Errno::ISDIR => return is_folder(path),
            Errno::LOOP => return loops(path),
            Errno::NAMETOOLONG => ": a name may have 255 bytes",
            Errno::ACCESS | Errno::PERM => ": look at its permissions and those of its folder",
            Errno::NOSPC | Errno::DQUOT => ": make room",
            Errno::ROFS => ": the file system is read-only",
            _ => "",
        };
        let said = std::io::Error::from(errno).to_string();
        let said = said.split(" (os error").next().unwrap_or_default().to_lowercase();
        Trouble::no(format!("{shown} cannot be {what}: {said}{next}"))
    }

    /// The failure to report.
    pub(super) fn into_failure(self) -> Failure {
        self.0
    }

    #[cfg(test)]
    pub(super) fn failure(&self) -> &Failure {
        &self.0
    }
}

/// That a path names a folder where a file should be.
pub(super) fn is_folder(path: &str) -> Trouble {
    Trouble::no(format!("{} is a folder, and a file is needed", shown(path)))
}

/// That a path ends with a slash or dots, where nothing is yet.
pub(super) fn names_folder(path: &str) -> Trouble {
    Trouble::no(format!(
        "{} leads to a folder, and a file is needed: end it with the name of a file",
        shown(path)
    ))
}

/// That a folder on the way is missing, which the way leaves again.
pub(super) fn leads_back(path: &str, name: &std::ffi::OsStr) -> Trouble {
    let name = name.to_string_lossy();
    Trouble::no(format!(
        "{} leads through `{}`, which is not there, and back out of it by `..`: write the path without both",
        shown(path),
        name.chars().take(80).collect::<String>()
    ))
}

/// That the folder of a file is missing, and nobody wants it to be made.
pub(super) fn no_folder(path: &str) -> Trouble {
    let shown = shown(path);
    Trouble::no(format!(
        "{shown} cannot be written: its folder does not exist; make that first, or `create_parents: true`"
    ))
}

/// That links lead in a circle.
pub(super) fn loops(path: &str) -> Trouble {
    Trouble::no(format!("{} leads through more than {} links", shown(path), super::walk::LINKS_MAX))
}

/// That the folder of a file is not where it was a moment ago.
pub(super) fn moved(path: &str) -> Trouble {
    Trouble::cannot(format!(
        "the folder of {} was moved or replaced while the block was at it, so nothing was read or written there: look at \
         what moves it, and run this again",
        shown(path)
    ))
}

/// A path in a sentence: a very long one is cut.
pub(super) fn shown(path: &str) -> String {
    const CHARS_MAX: usize = 200;
    let mut letters = path.chars();
    let head: String = letters.by_ref().take(CHARS_MAX).collect();
    let dots = if letters.next().is_some() { "..." } else { "" };
    format!("`{}{dots}`", head.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\""))
}

/// What a value is, as a person says it.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
