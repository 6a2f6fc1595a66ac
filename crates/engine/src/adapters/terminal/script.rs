//! What is typed into a shell to learn which variables are set. Each line of the answer begins with a mark that is made only when
//! the shell runs the line, so that the line itself, which a terminal shows as well, never looks like an answer.

/// A shell that can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shell {
    /// One that reads as `sh` does.
    Posix,
    /// Fish.
    Fish,
}

/// The shells that can be asked, for people.
pub(super) const KNOWN: &str = "sh, bash, dash, zsh or fish";

impl Shell {
    /// The shell that a session was opened with.
    pub(super) fn of(command: &str) -> Option<Shell> {
        let program = command.split_whitespace().next()?.rsplit('/').next()?;
        match program.trim_start_matches('-') {
            "sh" | "bash" | "dash" | "zsh" | "ash" | "ksh" | "mksh" => Some(Shell::Posix),
            "fish" => Some(Shell::Fish),
            _ => None,
        }
    }

    /// How a variable is set in it.
    pub(super) fn setting(self, name: &str) -> String {
        match self {
            Shell::Posix => format!("export {name}=value"),
            Shell::Fish => format!("set -gx {name} value"),
        }
    }

    /// The line that asks for variables.
    pub(super) fn line(self, names: &[&str], mark: &str) -> String {
        let asked: Vec<String> = names.iter().map(|name| self.one(name, mark)).collect();
        format!(" {}; command printf 'SB%s %s\\n' {mark} END\n", asked.join("; "))
    }

    fn one(self, name: &str, mark: &str) -> String {
        match self {
            Shell::Posix => format!(
                "command printf 'SB%s %s=%s%s\\n' {mark} {name} \"${{{name}+SET}}\" \"$(sh -c 'printf %s \"${{{name}+,EXPORTED}}\"')\""
            ),
            Shell::Fish => format!(
                "if set -qx {name}; command printf 'SB%s %s=SET,EXPORTED\\n' {mark} {name}; else if set -q {name}; command printf \
                 'SB%s %s=SET\\n' {mark} {name}; else; command printf 'SB%s %s=\\n' {mark} {name}; end"
            ),
        }
    }
}

/// What the shell says of a variable: whether it is set, and whether commands see it.
pub(super) fn said(output: &str, mark: &str, name: &str) -> Option<(bool, bool)> {
    let begin = format!("SB{mark} {name}=");
    let line = output.lines().find_map(|line| line.trim_end().strip_prefix(&begin))?;
    Some((line.starts_with("SET"), line.ends_with(",EXPORTED")))
}

/// The pattern that says that all is said.
pub(super) fn end(mark: &str) -> String {
    format!("^SB{mark} END")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_known_by_their_program() {
        assert_eq!(Shell::of("/usr/bin/zsh -f"), Some(Shell::Posix));
        assert_eq!(Shell::of("-bash"), Some(Shell::Posix));
        assert_eq!(
            (Shell::of("fish"), Shell::of("python3 -i"), Shell::of("")),
            (Some(Shell::Fish), None, None)
        );
    }

    #[test]
    fn a_line_never_looks_like_its_answer() {
        for shell in [Shell::Posix, Shell::Fish] {
            let line = shell.line(&["A", "B"], "x1");
            assert_eq!(said(&line, "x1", "A"), None);
            assert!(!line.contains("SBx1"), "{line}");
        }
    }

    #[test]
    fn answers_are_read_by_line() {
        let output = "$ echo\nSBx1 A=SET,EXPORTED\r\nSBx1 B=SET\nSBx1 C=\nSBx1 END";
        assert_eq!(said(output, "x1", "A"), Some((true, true)));
        assert_eq!(said(output, "x1", "B"), Some((true, false)));
        assert_eq!(said(output, "x1", "C"), Some((false, false)));
        assert_eq!(said(output, "x1", "D"), None);
    }

    #[test]
    fn real_shells_answer() {
        for program in ["sh", "bash", "dash", "zsh", "fish"] {
            let shell = Shell::of(program).unwrap();
            let line = shell.line(&["SB_SET", "SB_EMPTY", "SB_NONE"], "m");
            let asked = std::process::Command::new(program)
                .args(["-c", line.trim()])
                .env("SB_SET", "x")
                .env("SB_EMPTY", "")
                .env_remove("SB_NONE")
                .output();
            // Not every machine has every shell.
            let Ok(output) = asked else { continue };
            let output = String::from_utf8(output.stdout).unwrap();
            let all = ["SB_SET", "SB_EMPTY", "SB_NONE"].map(|name| said(&output, "m", name));
            assert_eq!(
                all,
                [Some((true, true)), Some((true, true)), Some((false, false))],
                "{program}: {output}"
            );
        }
    }
}
