//! What is refused is left untouched, and the message says where and what next.

use crate::home::{Home, ran};
use serde_json::Value;

fn refused(client: &str, file: &str, text: &str) -> String {
    let home = Home::new();
    home.write(file, text);
    let before = home.all();
    for flag in ["", " --yes"] {
        let ran = home.run(&format!("install {client}{flag}"));
        assert_eq!((ran.code, home.all()), (2, before.clone()), "{client}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{}", ran.stdout);
        assert!(ran.stderr.contains("nothing was changed"), "{}", ran.stderr);
    }
    home.run(&format!("install {client} --yes")).stderr
}

#[test]
fn a_broken_file_is_named_with_its_place() {
    let broken = "{\n  \"mcpServers\": {\n    \"a\": 1\n    \"b\": 2\n  }\n}\n";
    let said = refused("cursor", ".cursor/mcp.json", broken);
    assert!(
        said.contains("error: ~/.cursor/mcp.json:4:5 cannot be understood: expected `,` or `}`, found `\"`"),
        "{said}"
    );
    let said = refused("codex", ".codex/config.toml", "model = \"x\"\nbroken = = 1\n");
    assert!(said.contains("error: ~/.codex/config.toml:2:10 cannot be understood: "), "{said}");
}

#[test]
fn what_is_no_object_is_named_with_its_place() {
    let said = refused("gemini", ".gemini/settings.json", "[]\n");
    assert!(
        said.contains(".gemini/settings.json:1:1 cannot be understood: the document is no object"),
        "{said}"
    );
    let said = refused("gemini", ".gemini/settings.json", "{\n  \"mcpServers\": null\n}\n");
    assert!(
        said.contains(".gemini/settings.json:2:17 cannot be understood: `mcpServers` is no object"),
        "{said}"
    );
    let said = refused("codex", ".codex/config.toml", "mcp_servers = 1\n");
    assert!(said.contains("`mcp_servers` is no table"), "{said}");
}

#[test]
fn somebody_elses_server_of_our_name_is_not_taken_over() {
    let other = "{\"mcpServers\": {\"switchback\": {\"command\": \"npx\", \"args\": [\"-y\", \"rails\"]}}}";
    let said = refused("cursor", ".cursor/mcp.json", other);
    assert!(
        said.contains("Cursor already has another server called `switchback`: it starts npx -y rails"),
        "{said}"
    );
    let remote = "[mcp_servers.switchback]\nurl = \"http://127.0.0.1:1/mcp\"\n";
    let said = refused("codex", ".codex/config.toml", remote);
    assert!(said.contains("it speaks to http://127.0.0.1:1/mcp"), "{said}");
}

#[test]
fn without_a_home_nothing_can_be_said() {
    let home = Home::new();
    for line in ["install cursor --yes", "doctor"] {
        let ran = ran(home.command(line).env_remove("HOME"));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("HOME does not say where your own folder is"), "{}", ran.stderr);
    }
    let ran = ran(home.command("install cursor --json").env_remove("HOME"));
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["error"]["code"], "no-home");
}

#[test]
fn an_unknown_client_is_answered_with_all_there_are() {
    let ran = Home::new().run("install emacs");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("claude-code, codex, gemini, cursor, vscode, claude-desktop"),
        "{}",
        ran.stderr
    );
}
