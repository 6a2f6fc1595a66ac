//! The doctor finds what is wrong, names what mends it, and touches nothing.

use crate::home::{Home, Ran, binary};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

fn line<'a>(ran: &'a Ran, subject: &str) -> &'a str {
    let is_it = |line: &&str| line.get(8..).is_some_and(|rest| rest.starts_with(subject));
    ran.stdout.lines().find(is_it).unwrap_or_else(|| panic!("no {subject}: {}", ran.stdout))
}

fn after<'a>(ran: &'a Ran, subject: &str) -> &'a str {
    let at = ran.stdout.find(line(ran, subject)).unwrap();
    ran.stdout[at..].lines().nth(1).unwrap_or_default()
}

/// A home in which nothing is wrong.
fn sound() -> Home {
    let home = Home::new();
    symlink(binary(), home.path("bin/switchback")).unwrap();
    home
}

#[test]
fn a_fresh_machine_is_well() {
    let home = sound();
    let before = home.all();
    let ran = home.good("doctor");
    assert!(ran.stdout.lines().all(|line| line.starts_with("ok ")), "{}", ran.stdout);
    assert!(
        line(&ran, "data directory")
            .ends_with("~/.local/share/switchback is not there yet; the first run makes it")
    );
    assert!(line(&ran, "daemon").ends_with("not running; it starts when it is needed"));
    assert!(
        line(&ran, "other clients").ends_with("claude-code, codex, gemini, cursor, vscode, claude-desktop")
    );
    assert_eq!(ran.stderr, "nothing is wrong\n");
    assert_eq!(home.all(), before);
}

#[test]
fn every_client_that_is_set_up_is_well_and_its_mending_mends() {
    for (client, file) in [("codex", ".codex/config.toml"), ("cursor", ".cursor/mcp.json")] {
        let home = sound();
        fs::create_dir_all(home.path(file).parent().unwrap()).unwrap();
        let ran = home.good("doctor");
        assert!(after(&ran, client).ends_with(&format!("set up with: switchback install {client} --yes")));
        home.good(&format!("install {client} --yes"));
        let ran = home.good("doctor");
        assert!(line(&ran, client).ends_with(&format!("set up in ~/{file}")), "{}", ran.stdout);

        let gone = home.read(file).replace(&binary(), "/old/switchback");
        home.write(file, &gone);
        let ran = home.run("doctor");
        assert_eq!(ran.code, 1);
        assert!(
            line(&ran, client).starts_with("fail")
                && line(&ran, client).ends_with("/old/switchback, which is not there")
        );
        let mend = after(&ran, client).trim().strip_prefix("mend with: switchback ").unwrap().to_owned();
        home.good(&mend);
        assert!(line(&home.good("doctor"), client).starts_with("ok"));

        home.program("switchback-old", "#!/bin/sh\n");
        let other = home.path("bin/switchback-old").display().to_string();
        home.write(file, &home.read(file).replace(&binary(), &other));
        let ran = home.good("doctor");
        assert!(
            line(&ran, client).starts_with("warn") && line(&ran, client).contains("starts another binary")
        );
    }
}

#[test]
fn broken_files_are_named() {
    let home = sound();
    home.write(".cursor/mcp.json", "{");
    home.write("project/switchback.toml", "read_only = maybe\n");
    home.write("project/.switchback/workflows/bad.yaml", "name: bad\nblocks: 1\n");
    let before = home.all();
    let ran = home.run("doctor");
    assert_eq!((ran.code, home.all()), (1, before));
    assert!(line(&ran, "cursor").contains("~/.cursor/mcp.json:1:2 cannot be understood"), "{}", ran.stdout);
    assert!(line(&ran, "settings").starts_with("fail") && line(&ran, "settings").contains("switchback.toml"));
    assert!(line(&ran, "definitions").contains("1 of 1 file cannot be run"), "{}", ran.stdout);
    assert!(ran.stderr.contains("2 things do not work, 1 thing to look at"), "{}", ran.stderr);
}

#[test]
fn an_entry_that_is_switched_off_is_told() {
    let home = sound();
    home.good("install codex --yes");
    home.write(".codex/config.toml", &format!("{}enabled = false\n", home.read(".codex/config.toml")));
    assert!(line(&home.good("doctor"), "codex").contains("switched off"));
}

#[test]
fn the_data_directory_is_looked_at() {
    let home = sound();
    home.write(
        "flow.yaml",
        "name: flow\nblocks:\n  - id: a\n    type: Shell\n    inputs: {command: 'true'}\n",
    );
    home.good("run ../flow.yaml");
    home.run("stop");
    let ran = home.good("doctor");
    assert!(line(&ran, "data directory").ends_with(", 1 run)"), "{}", ran.stdout);
    assert!(line(&ran, "store").contains("opens, version "), "{}", ran.stdout);
    assert!(line(&ran, "left behind").ends_with("nothing"), "{}", ran.stdout);

    let dir = home.path(".local/share/switchback");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = home.good("doctor");
    assert!(line(&ran, "data directory").contains("open to other users (mode 755)"), "{}", ran.stdout);
    assert!(after(&ran, "data directory").contains("chmod 700"));
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o775)).unwrap();
    let ran = home.run("doctor");
    assert!(line(&ran, "data directory").contains("open to other users (mode 775)"), "{}", ran.stdout);
    assert!(line(&ran, "data directory").starts_with("fail"), "{}", ran.stdout);
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();

    fs::write(dir.join("processes/9.note"), "{\"version\":1}\n\n").unwrap();
    assert!(line(&home.good("doctor"), "left behind").contains("1 process noted by a server that is gone"));

    fs::write(dir.join("switchback.db"), "not a database at all, but long enough to be looked at").unwrap();
    let ran = home.run("doctor");
    assert_eq!(ran.code, 1);
    assert!(line(&ran, "store").starts_with("fail"), "{}", ran.stdout);
}

/// A mount of its own, where that is allowed; elsewhere there is nothing to see.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_file_system_is_told_as_one() {
    use std::process::Command;
    if !Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success()) {
        return eprintln!("left out: this machine gives no mounts");
    }
    let home = sound();
    let dir = home.path("data");
    fs::create_dir(&dir).unwrap();
    for (data, said) in [
        (dir.clone(), "cannot be written: the file system is read-only"),
        (dir.join("new"), "the file system is read-only"),
    ] {
        let mut command = Command::new("unshare");
        let script = "mount -t tmpfs -o ro,mode=700 none \"$1\" && exec \"$2\" doctor";
        command.args(["-rm", "sh", "-c", script, "sh"]).arg(&dir).arg(binary()).env_clear();
        command.env("HOME", home.path("")).env("SWITCHBACK_HOME", data).current_dir(home.path("project"));
        command.env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        let ran = crate::home::ran(&mut command);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(line(&ran, "data directory").ends_with(said), "{}", ran.stdout);
        assert!(after(&ran, "data directory").contains("SWITCHBACK_HOME=/some/folder"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("chmod"), "{}", ran.stdout);
    }
}

#[test]
fn in_ones_own_folder_a_file_is_told_once() {
    let home = sound();
    home.good("install cursor --yes");
    let ran = crate::home::ran(home.command("doctor").current_dir(home.path("")));
    assert_eq!(ran.stdout.matches("set up in").count(), 1, "{}", ran.stdout);
}

#[test]
fn another_switchback_on_the_path_is_told() {
    let home = Home::new();
    assert!(line(&home.good("doctor"), "PATH").contains("`switchback` is not found there"));
    home.program("switchback", "#!/bin/sh\n");
    assert!(line(&home.good("doctor"), "PATH").contains("`switchback` is ~/bin/switchback, and this is "));
}

#[test]
fn missing_programs_are_told() {
    let home = sound();
    let ran = crate::home::ran(home.command("doctor").env("PATH", home.path("bin")));
    assert_eq!(ran.code, 1);
    assert!(line(&ran, "programs").contains("sh is not found on PATH"), "{}", ran.stdout);
}

#[test]
fn programs_get_one_document() {
    let home = sound();
    home.write(".cursor/mcp.json", "{");
    let ran = home.run("doctor --json");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, document["fails"].as_u64(), document["warnings"].as_u64()), (1, Some(1), Some(0)));
    let findings = document["findings"].as_array().unwrap();
    assert!(findings.iter().all(|one| one["level"].is_string() && one["mend"].is_array()));
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
}
