//! What is typed into a shell to learn which variables are set. Each answer begins with a mark that is made only when the shell runs
//! the line, so that the line itself, which a terminal shows as well, never looks like an answer; and it ends with a semicolon, so
//! that it is known whole wherever it stands: behind a prompt, or behind what a job in the background prints.

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

    /// The line that asks for variables. How the command before it ended can still be asked for after it.
    pub(super) fn line(self, names: &[&str], mark: &str) -> String {
        let asked: Vec<String> = names.iter().map(|name| self.one(name, mark)).collect();
        let asked = format!("{}; command printf 'SB%s %s;\\n' {mark} END", asked.join("; "));
        match self {
            Shell::Posix => format!(" (__sb=$?; {asked}; exit $__sb)\n"),
            Shell::Fish => {
                format!(" begin; set -l __sb $status; {asked}; command sh -c \"exit $__sb\"; end\n")
            }
        }
    }

    fn one(self, name: &str, mark: &str) -> String {
        match self {
            Shell::Posix => format!(
                "command printf 'SB%s %s=%s%s;\\n' {mark} {name} \"${{{name}+SET}}\" \"$(sh -c 'printf %s \"${{{name}+,EXPORTED}}\"')\""
            ),
            Shell::Fish => format!(
                "if set -qx {name}; command printf 'SB%s %s=SET,EXPORTED;\\n' {mark} {name}; else if set -q {name}; command printf \
                 'SB%s %s=SET;\\n' {mark} {name}; else; command printf 'SB%s %s=;\\n' {mark} {name}; end"
            ),
        }
    }
}

/// What the shell says of a variable: whether it is set, and whether commands see it. Nothing where that cannot be made out.
pub(super) fn said(output: &str, mark: &str, name: &str) -> Option<(bool, bool)> {
    let begin = format!("SB{mark} {name}=");
    let (_, behind) = output.split_once(&begin)?;
    match behind.split_once(';')?.0 {
        "" => Some((false, false)),
        "SET" => Some((true, false)),
        "SET,EXPORTED" => Some((true, true)),
        _ => None,
    }
}

/// The pattern that says that all is said.
pub(super) fn end(mark: &str) -> String {
    format!("SB{mark} END;")
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
    fn answers_are_read_wherever_they_stand() {
        let output = "$ echo\n# ..SBx1 A=SET,EXPORTED;\r\nSBx1 B=SET;...\nSBx1 C=;SBx1 E=S.ET;\nSBx1 END;";
        assert_eq!(said(output, "x1", "A"), Some((true, true)));
        assert_eq!(said(output, "x1", "B"), Some((true, false)));
        assert_eq!(said(output, "x1", "C"), Some((false, false)));
        assert_eq!((said(output, "x1", "D"), said(output, "x1", "E")), (None, None));
    }

    #[test]
    fn how_the_last_command_ended_can_still_be_asked_for() {
        for (program, status) in
            [("sh", "$?"), ("bash", "$?"), ("dash", "$?"), ("zsh", "$?"), ("fish", "$status")]
        {
            let line = Shell::of(program).unwrap().line(&["HOME"], "m");
            let script = format!("sh -c 'exit 7'\n{line}echo it was {status}");
            let asked = std::process::Command::new(program).args(["-c", &script]).output();
            // Not every machine has every shell.
            let Ok(output) = asked else { continue };
            let output = String::from_utf8(output.stdout).unwrap();
            assert!(output.ends_with("it was 7\n"), "{program}: {output}");
        }
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
