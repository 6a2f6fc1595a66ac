//! Who reads a command: a POSIX shell, or another interpreter that takes a program as one argument.
//!
//! Only a POSIX shell can have references in its command: there each is a variable, quoted as its place asks. In any
//! other language a value would have to be written as code, so it comes by `env:` and the program reads it there. So it does
//! for ksh and zsh, which evaluate numbers and subscripts wherever they meet them (`printf %d`, `$a[...]`, `repeat`).

/// An interpreter that is known.
#[derive(Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its name.
    pub name: &'static str,
    /// The arguments before the command.
    pub arguments: &'static [&'static str],
    /// How a program reads the variable `NAME`; none for a POSIX shell, whose command may have references.
    pub reads: Option<&'static str>,
}

/// The shell of a command that names none.
pub const DEFAULT: &str = "sh";

const fn posix(name: &'static str) -> Interpreter {
    Interpreter { name, arguments: &["-c"], reads: None }
}

const fn other(name: &'static str, arguments: &'static [&'static str], reads: &'static str) -> Interpreter {
    Interpreter { name, arguments, reads: Some(reads) }
}

/// All that are known. In each of the POSIX shells among them `tests/shell.rs` has seen values come through.
pub const KNOWN: [Interpreter; 15] = [
    posix(DEFAULT),
    posix("bash"),
    posix("dash"),
    other("ksh", &["-c"], "$NAME"),
    other("zsh", &["-c"], "$NAME"),
    other("python3", &["-c"], "os.environ[\"NAME\"]"),
    other("python", &["-c"], "os.environ[\"NAME\"]"),
    other("node", &["-e"], "process.env.NAME"),
    other("bun", &["-e"], "process.env.NAME"),
    other("deno", &["eval"], "Deno.env.get(\"NAME\")"),
    other("ruby", &["-e"], "ENV[\"NAME\"]"),
    other("perl", &["-e"], "$ENV{NAME}"),
    other("php", &["-r"], "getenv(\"NAME\")"),
    other("fish", &["-c"], "$NAME"),
    other("pwsh", &["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"], "$env:NAME"),
];

/// The interpreter that a name or a path stands for: `bash`, `/opt/homebrew/bin/bash`, `.venv/bin/python`, `python3.13`.
pub fn interpreter(shell: &str) -> Option<&'static Interpreter> {
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let is = |wanted: &str| KNOWN.iter().find(|known| known.name == wanted);
    is(name).or_else(|| {
        let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        is(bare).filter(|known| known.reads.is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_versions_are_known() {
        for (shell, name) in [
            ("sh", "sh"),
            ("/bin/bash", "bash"),
            ("/opt/my tools/zsh", "zsh"),
            ("python3", "python3"),
            ("python3.13", "python"),
            (".venv/bin/python", "python"),
            ("/usr/bin/ruby3.2", "ruby"),
            ("node22", "node"),
        ] {
            assert_eq!(interpreter(shell).map(|known| known.name), Some(name), "{shell}");
        }
        for shell in ["", "/", "tcsh", "bash -e", "bash/", "bash5", "SH", "3", "sh.", "busybox", "awk"] {
            assert_eq!(interpreter(shell), None, "{shell}");
        }
    }
}
