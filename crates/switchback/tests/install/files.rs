//! Files that are not plain: links, read-only ones, ones moved by the environment.

use crate::home::{Home, binary, ran};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn a_link_stays_and_what_it_leads_to_is_changed() {
    let home = Home::new();
    home.write("dotfiles/cursor.json", "{}\n");
    fs::create_dir_all(home.path(".cursor")).unwrap();
    symlink("../dotfiles/cursor.json", home.path(".cursor/mcp.json")).unwrap();
    let ran = home.good("install cursor --yes");
    assert!(ran.stdout.contains("~/.cursor/mcp.json -> "), "{}", ran.stdout);
    assert!(home.read("dotfiles/cursor.json").contains(&binary()));
    assert_eq!(
        fs::read_link(home.path(".cursor/mcp.json")).unwrap().to_str(),
        Some("../dotfiles/cursor.json")
    );
    assert_eq!(home.backups("dotfiles/cursor.json").len(), 1, "{:?}", home.all());
}

#[test]
fn a_link_to_nothing_gets_its_file() {
    let home = Home::new();
    fs::create_dir_all(home.path(".cursor")).unwrap();
    symlink("../dotfiles/cursor.json", home.path(".cursor/mcp.json")).unwrap();
    home.good("install cursor --yes");
    assert!(home.read("dotfiles/cursor.json").contains(&binary()));
    assert!(fs::symlink_metadata(home.path(".cursor/mcp.json")).unwrap().is_symlink());
}

#[test]
fn a_read_only_file_is_left_alone() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{}\n");
    fs::set_permissions(home.path(".cursor/mcp.json"), fs::Permissions::from_mode(0o444)).unwrap();
    let before = home.all();
    let ran = home.run("install cursor --yes");
    assert_eq!((ran.code, home.all()), (2, before), "{}", ran.stderr);
    assert!(ran.stderr.contains("~/.cursor/mcp.json is read-only, and was left as it is"), "{}", ran.stderr);
}

#[test]
fn an_empty_file_gets_the_entry() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "\n");
    home.good("install cursor --yes");
    let document: Value = serde_json::from_str(&home.read(".cursor/mcp.json")).unwrap();
    assert_eq!(
        document,
        json!({ "mcpServers": { "switchback": { "command": binary(), "args": ["serve"] } } })
    );
}

#[test]
fn the_environment_says_where_files_lie() {
    let home = Home::new();
    let mut command = home.command("install codex --yes");
    assert_eq!(ran(command.env("CODEX_HOME", home.path("elsewhere"))).code, 0);
    assert!(home.read("elsewhere/config.toml").contains("[mcp_servers.switchback]"));
    let mut command = home.command("install claude-code --yes");
    assert_eq!(ran(command.env("CLAUDE_CONFIG_DIR", home.path("elsewhere"))).code, 0);
    assert!(home.read("elsewhere/.claude.json").contains(&binary()));
}

#[cfg(not(target_os = "macos"))]
#[test]
fn xdg_moves_what_follows_it() {
    let home = Home::new();
    let mut command = home.command("install vscode --yes");
    assert_eq!(ran(command.env("XDG_CONFIG_HOME", home.path("settings"))).code, 0);
    assert!(home.read("settings/Code/User/mcp.json").contains("\"servers\""));
}

#[test]
fn a_link_to_this_binary_is_this_binary() {
    let home = Home::new();
    symlink(binary(), home.path("bin/switchback")).unwrap();
    let entry = |command: &str| {
        format!(
            "{{\"mcpServers\": {{\"switchback\": {{\"command\": \"{command}\", \"args\": [\"serve\"]}}}}}}"
        )
    };
    for command in ["switchback", home.path("bin/switchback").to_str().unwrap()] {
        home.write(".cursor/mcp.json", &entry(command));
        assert_eq!(home.json("install cursor")["standing"], "current", "{command}");
    }
}

#[test]
fn a_binary_behind_a_link_is_named_by_the_link() {
    let home = Home::new();
    symlink(binary(), home.path("bin/switchback")).unwrap();
    let link = home.path("bin/switchback").display().to_string();
    for word in [link.clone(), "../bin/switchback".to_owned(), "switchback".to_owned()] {
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", &format!("{word} install cursor --yes && {word} doctor")]);
        command.current_dir(home.path("project")).env_clear().env("HOME", home.path(""));
        command.env("PATH", format!("{}:/usr/bin:/bin", home.path("bin").display()));
        let ran = ran(&mut command);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let file: Value = serde_json::from_str(&home.read(".cursor/mcp.json")).unwrap();
        let named = file["mcpServers"]["switchback"]["command"].as_str().unwrap().to_owned();
        assert_eq!(named, link, "{word}");
        assert!(ran.stdout.contains("set up in ~/.cursor/mcp.json"), "{}", ran.stdout);
        // The file itself is the same program: nothing to do.
        assert!(home.good("install cursor --yes").stderr.contains("it already starts this binary"));
        fs::remove_file(home.path(".cursor/mcp.json")).unwrap();
    }
}
