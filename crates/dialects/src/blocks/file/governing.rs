//! What decides over the server or over git, known by its name. Blocks read it and do not write it: whoever fills in a path could
//! else give himself further folders, secrets, or commands of his own.

/// A name that decides over something.
#[derive(Debug, PartialEq, Eq)]
pub struct Governing {
    /// The name of the file or folder.
    pub name: &'static str,
    /// Whether all that lies below it belongs to it; otherwise only a file of that name does.
    pub is_folder: bool,
    /// Whether it counts wherever it stands in a path, and not only in the folders of a run.
    pub is_everywhere: bool,
    /// What it decides.
    pub decides: &'static str,
}

const TRUSTED: &str = "what the server trusts";

/// All such names.
pub const GOVERNING: [Governing; 5] = [
    Governing { name: ".git", is_folder: true, is_everywhere: true, decides: "what git runs" },
    Governing { name: "switchback.toml", is_folder: false, is_everywhere: true, decides: TRUSTED },
    Governing { name: ".switchback", is_folder: true, is_everywhere: false, decides: TRUSTED },
    Governing { name: ".aromcp", is_folder: true, is_everywhere: false, decides: TRUSTED },
    Governing {
        name: ".terminal_control_workflows",
        is_folder: true,
        is_everywhere: false,
        decides: TRUSTED,
    },
];

/// What to do instead of writing it with a block.
pub const GOVERNED_HINT: &str = "a person edits it, or a Shell block that a person wrote";

/// What a name decides over; `is_last` where nothing follows in its path.
pub fn governing(name: &str, is_last: bool) -> Option<&'static Governing> {
    let folded = folded(name);
    GOVERNING.iter().find(|one| one.name == folded && (is_last || one.is_folder))
}

/// A name as the most forgiving file system reads it: without regard to case, to marks that are not seen, and to dots and blanks at
/// its end.
pub fn folded(name: &str) -> String {
    let is_unseen = |letter: char| matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|letter| !is_unseen(*letter)).collect();
    seen.trim_end_matches(['.', ' ']).to_uppercase().to_lowercase()
}

/// What a path decides over, as far as its text tells.
pub(in crate::blocks) fn governed(path: &str) -> Option<&'static Governing> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let last = names.len().checked_sub(1)?;
    let found = names.iter().enumerate().find_map(|(at, name)| governing(name, at == last));
    // Where the folders of a run begin is not known yet.
    found.filter(|one| one.is_everywhere || !path.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_every_form() {
        for path in [
            ".git",
            ".git/config",
            "a/.git/hooks/x",
            "./.GIT/x",
            ".Git./x",
            ".g\u{200c}it/x",
            "a/../.git/x",
            "/p/.git/x",
            "switchback.toml",
            "a/Switchback.TOML",
            "/p/switchback.toml",
            ".switchback/x",
            "a/.\u{17f}witchbac\u{212a}/x",
            ".aromcp/workflows/x.yaml",
            ".terminal_control_workflows/x",
            "../.switchback/x",
        ] {
            assert!(governed(path).is_some(), "{path}");
        }
        for path in [
            "git",
            ".gitignore",
            ".github/x",
            "a.git/x",
            ".git/../a",
            "switchback.toml/x",
            "switchback.tom",
            "workflows/x",
            ".switchback2/x",
            "/p/.switchback/worktrees/x",
            "",
            "..",
        ] {
            assert!(governed(path).is_none(), "{path}");
        }
    }
}
