//! Claude Code is set up through its own program where that is found, and only after a yes.

use crate::home::{Home, binary};
use serde_json::json;

/// Notes how it was called, and writes the entry as the real one does.
const CLAUDE: &str = r#"#!/bin/sh
echo "$@" >> "$HOME/calls"
case "$2" in
  add) shift 6; printf '{"mcpServers":{"switchback":{"type":"stdio","command":"%s","args":["%s"]}}}' "$1" "$2" > "$HOME/.claude.json" ;;
  remove) printf '{"mcpServers":{}}' > "$HOME/.claude.json" ;;
  add-json) printf '{"mcpServers":{"switchback":%s}}' "$6" > "$HOME/.claude.json" ;;
esac
"#;

#[test]
fn the_program_is_called_after_a_yes() {
    let home = Home::new();
    home.program("claude", CLAUDE);
    let call = format!("claude mcp add --scope user switchback -- {} serve", binary());
    let ran = home.good("install claude-code");
    assert!(ran.stdout.contains(&format!("  $ {call}\n")), "{}", ran.stdout);
    assert!(!home.path("calls").exists() && !home.path(".claude.json").exists());
    let ran = home.good("install claude-code --yes");
    assert_eq!(format!("claude {}", home.read("calls")), format!("{call}\n"));
    assert!(ran.stderr.contains("done; ~/.claude.json has it now"), "{}", ran.stderr);
    // Now there is nothing to do, and nothing is called.
    home.good("install claude-code --yes");
    assert_eq!(home.read("calls").lines().count(), 1);
    assert!(home.backups(".claude.json").is_empty());
}

#[test]
fn an_older_entry_goes_first_and_what_was_in_it_stays() {
    let home = Home::new();
    home.program("claude", CLAUDE);
    let old = json!({ "mcpServers": { "switchback": {
        "type": "stdio", "command": "/old/switchback", "args": ["serve"], "env": { "A": "b" },
    } } });
    home.write(".claude.json", &old.to_string());
    let document = home.json("install claude-code --yes");
    assert_eq!((&document["action"], &document["done"]), (&json!("call"), &json!(true)));
    let new = home.read(".claude.json");
    assert_eq!(new, old.to_string().replace("/old/switchback", &binary()));
    let backups = home.backups(".claude.json");
    assert_eq!(home.read(&backups[0]), old.to_string());
}

#[test]
fn a_program_that_refuses_is_quoted() {
    let home = Home::new();
    home.program("claude", "#!/bin/sh\necho 'no room' >&2\nexit 7\n");
    home.write(".claude.json", "{}");
    let ran = home.run("install claude-code --yes");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("did not succeed") && ran.stderr.contains("no room"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("by hand it is:\n    claude mcp add --scope user switchback"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("~/.claude.json is as it was"), "{}", ran.stderr);
    assert!(home.read(".claude.json") == "{}" && home.backups(".claude.json").is_empty());
}

#[test]
fn an_entry_that_was_taken_away_comes_back() {
    let home = Home::new();
    home.program("claude", &CLAUDE.replace("add-json)", "add-json) exit 7; "));
    let old = json!({ "mcpServers": { "switchback": {
        "command": "/old/switchback", "args": ["serve"], "env": { "A": "b" },
    } } });
    home.write(".claude.json", &old.to_string());
    let ran = home.run("install claude-code --yes");
    assert_eq!(ran.code, 1);
    assert_eq!(home.read("calls").lines().count(), 2);
    assert!(ran.stderr.contains("the entry that was in ~/.claude.json is there again"), "{}", ran.stderr);
    assert!(ran.stderr.contains("what was there before: ~/.claude.json.switchback-"), "{}", ran.stderr);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&home.read(".claude.json")).unwrap(), old);
}

#[test]
fn a_program_that_only_says_so_is_not_believed() {
    let home = Home::new();
    home.program("claude", "#!/bin/sh\nexit 0\n");
    let ran = home.run("install claude-code --yes");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("~/.claude.json does not say so"), "{}", ran.stderr);
}

#[test]
fn the_file_of_a_project_is_written_by_us() {
    let home = Home::new();
    home.program("claude", CLAUDE);
    home.good("install claude-code --project --yes");
    assert!(!home.path("calls").exists());
    assert!(home.read("project/.mcp.json").contains(&binary()));
}

#[test]
fn an_entry_for_this_folder_alone_is_told() {
    let home = Home::new();
    let folder = home.path("project").display().to_string();
    let old = json!({ "projects": { folder: { "mcpServers": { "switchback": {
        "command": "/old/switchback", "args": ["serve"],
    } } } } });
    home.write(".claude.json", &old.to_string());
    let ran = home.good("install claude-code --yes");
    assert!(
        ran.stderr.contains("an entry of its own, which counts for more (/old/switchback serve)"),
        "{}",
        ran.stderr
    );
    let ran = home.good("doctor");
    let said =
        |line: &str| line.split_whitespace().eq(["ok", "claude-code", "set", "up", "in", "~/.claude.json"]);
    assert!(ran.stdout.lines().any(said), "{}", ran.stdout);
    assert!(ran.stdout.contains("mend with: claude mcp remove --scope local switchback\n"), "{}", ran.stdout);
}
