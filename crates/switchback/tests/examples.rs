//! Every example does what its first lines say: `# try:` is run as it stands in a fresh repository that holds the examples, and
//! stdout must be the `# gives:` lines. Where a tool that it `# needs:` is not there, it is left out, and that is said.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

/// What an example says of itself.
struct Claim {
    needs: Vec<String>,
    env: Vec<(String, String)>,
    arguments: Vec<String>,
    gives: String,
}

fn claim(text: &str) -> Claim {
    let lines = |mark: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix(mark)).map(|line| line.trim().to_owned()).collect()
    };
    let tried = lines("# try:");
    let [tried] = tried.as_slice() else { panic!("an example has one `# try:` line") };
    let (before, arguments) = tried.split_once("switchback ").unwrap();
    let variables = before.split_whitespace().map(|word| word.split_once('=').unwrap());
    Claim {
        needs: lines("# needs:"),
        env: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        arguments: arguments.split_whitespace().map(str::to_owned).collect(),
        gives: lines("# gives:").iter().map(|line| format!("{line}\n")).collect(),
    }
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A repository with one commit, if there is a git to make it, and the examples in it.
fn fresh() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("examples")).unwrap();
    for entry in std::fs::read_dir(examples()).unwrap() {
        let entry = entry.unwrap();
        // Those of `steps` and `reactive` need an agent, and are played with one.
        if entry.path().is_dir() {
            continue;
        }
        std::fs::copy(entry.path(), folder.path().join("examples").join(entry.file_name())).unwrap();
    }
    if is_there("git") {
        let one =
            ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "one"];
        for arguments in [&["init", "-q"][..], &one] {
            let git = Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
            assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
        }
    }
    folder
}

fn switchback(
    home: &Path,
    folder: &Path,
    env: &[(String, String)],
    arguments: &[String],
) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchback"));
    command.args(arguments).current_dir(folder).env("SWITCHBACK_HOME", home).env("NO_COLOR", "1");
    command.env_remove("WORKFLOWS_TEMPLATE_PATHS").envs(env.iter().cloned());
    command.output().unwrap()
}

#[test]
fn examples_do_what_they_say() {
    let mut examples: Vec<PathBuf> =
        std::fs::read_dir(examples()).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    examples.sort();
    assert!(examples.len() >= 11, "there are examples");
    for example in examples {
        let claim = claim(&std::fs::read_to_string(&example).unwrap());
        if let Some(missing) = claim.needs.iter().find(|tool| !is_there(tool)) {
            assert!(std::env::var_os("SWITCHBACK_REQUIRE_TOOLS").is_none(), "there is no {missing}");
            eprintln!("SKIPPED {}: there is no {missing}", example.display());
            continue;
        }
        let (home, folder) = (tempfile::tempdir().unwrap(), fresh());
        let output = switchback(home.path(), folder.path(), &claim.env, &claim.arguments);
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // Before anything is asserted: no daemon is left behind.
        let stopped = switchback(home.path(), folder.path(), &[], &["stop".to_owned(), "--now".to_owned()]);
        assert!(stopped.status.success());
        assert!(output.status.success(), "{}: {stderr}", example.display());
        assert_eq!(stdout, claim.gives, "{}: {stderr}", example.display());
    }
}
