//! Every example does what its first lines say: `# try:` is run as it stands, and stdout must be the `# gives:` lines.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What an example says of itself.
struct Claim {
    arguments: Vec<String>,
    gives: String,
}

fn claim(text: &str) -> Claim {
    let lines = |mark: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix(mark)).map(|line| line.trim().to_owned()).collect()
    };
    let tried = lines("# try:");
    let [tried] = tried.as_slice() else { panic!("an example has one `# try:` line") };
    let arguments: Vec<String> = tried.split_whitespace().map(str::to_owned).collect();
    assert_eq!(arguments[0], "switchback");
    let gives = lines("# gives:").iter().map(|line| format!("{line}\n")).collect();
    Claim { arguments: arguments[1..].to_vec(), gives }
}

fn switchback(home: &Path, arguments: &[String]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchback"));
    command.args(arguments).current_dir(root()).env("SWITCHBACK_HOME", home).env("NO_COLOR", "1");
    command.output().unwrap()
}

#[test]
fn examples_do_what_they_say() {
    let mut examples: Vec<PathBuf> =
        std::fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    examples.sort();
    assert!(examples.len() >= 3, "there are examples");
    for example in examples {
        let home = tempfile::tempdir().unwrap();
        let claim = claim(&std::fs::read_to_string(&example).unwrap());
        let output = switchback(home.path(), &claim.arguments);
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // Before anything is asserted: no daemon is left behind.
        let stopped = switchback(home.path(), &["stop".to_owned(), "--now".to_owned()]);
        assert!(stopped.status.success());
        assert!(output.status.success(), "{}: {stderr}", example.display());
        assert_eq!(stdout, claim.gives, "{}: {stderr}", example.display());
    }
}
