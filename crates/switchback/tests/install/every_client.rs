//! What holds for each of the six: from nothing, beside other servers, once more, over an older entry.

use crate::home::{Home, binary};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A client: its name, its file, its project's file, and a file of it with other servers, comments and keys we do not know.
struct Case {
    client: &'static str,
    file: &'static str,
    project: Option<&'static str>,
    busy: &'static str,
}

const JSON: &str = r#"// kept by hand
{
  "theme": "dark", /* not ours */
  "mcpServers": {
    "docs": {
      "command": "npx", // slow
      "args": ["-y", "docs"]
    }
  },
  "odd": [1, 2.50, null]
}
"#;

const CODE: &str =
    "{\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t// one\n\t\t\"docs\": { \"command\": \"npx\" },\n\t},\n}\n";

const TOML: &str = "# kept by hand\nmodel = \"x\"  # fast\n\n[mcp_servers.docs] # one\ncommand = 'npx'\n\n[profiles.a]\nmodel = \"y\"\n";

const CASES: [Case; 6] = [
    Case { client: "claude-code", file: ".claude.json", project: Some(".mcp.json"), busy: JSON },
    Case { client: "codex", file: ".codex/config.toml", project: Some(".codex/config.toml"), busy: TOML },
    Case {
        client: "gemini",
        file: ".gemini/settings.json",
        project: Some(".gemini/settings.json"),
        busy: JSON,
    },
    Case { client: "cursor", file: ".cursor/mcp.json", project: Some(".cursor/mcp.json"), busy: JSON },
    #[cfg(not(target_os = "macos"))]
    Case {
        client: "vscode",
        file: ".config/Code/User/mcp.json",
        project: Some(".vscode/mcp.json"),
        busy: CODE,
    },
    #[cfg(target_os = "macos")]
    Case {
        client: "vscode",
        file: "Library/Application Support/Code/User/mcp.json",
        project: Some(".vscode/mcp.json"),
        busy: CODE,
    },
    #[cfg(not(target_os = "macos"))]
    Case {
        client: "claude-desktop",
        file: ".config/Claude/claude_desktop_config.json",
        project: None,
        busy: JSON,
    },
    #[cfg(target_os = "macos")]
    Case {
        client: "claude-desktop",
        file: "Library/Application Support/Claude/claude_desktop_config.json",
        project: None,
        busy: JSON,
    },
];

fn says_us(text: &str) -> bool {
    text.contains(&format!("\"{}\"", binary())) && text.contains("[\"serve\"]")
}

#[test]
fn nothing_is_written_before_yes() {
    for Case { client, .. } in CASES {
        let home = Home::new();
        let ran = home.good(&format!("install {client}"));
        assert!(home.all().is_empty(), "{client}: {:?}", home.all());
        assert!(ran.stdout.contains("(a new file)") && says_us(&ran.stdout), "{client}: {}", ran.stdout);
        let hint = format!("nothing was changed; to do it: switchback install {client} --yes");
        assert!(ran.stderr.contains(&hint), "{client}: {}", ran.stderr);
        assert!(ran.stderr.contains("does not seem to be installed"), "{client}: {}", ran.stderr);
    }
}

#[test]
fn from_nothing_a_private_file_is_made() {
    for Case { client, file, .. } in CASES {
        let home = Home::new();
        let ran = home.good(&format!("install {client} --yes"));
        assert!(says_us(&home.read(file)), "{client}: {}", home.read(file));
        assert_eq!(fs::metadata(home.path(file)).unwrap().permissions().mode() & 0o777, 0o600, "{client}");
        assert_eq!(home.all().len(), 1, "{client}: {:?}", home.all());
        assert!(ran.stderr.contains("wrote ~/") && ran.stderr.contains("next: "), "{client}: {}", ran.stderr);
        once_more(&home, client, "");
    }
}

/// A second time nothing is changed, byte for byte, and that is said.
fn once_more(home: &Home, client: &str, flag: &str) {
    let before = home.all();
    let ran = home.good(&format!("install {client} --yes{flag}"));
    assert_eq!(home.all(), before, "{client}");
    assert!(
        ran.stderr.contains("already starts this binary; nothing was changed"),
        "{client}: {}",
        ran.stderr
    );
    let document = home.json(&format!("install {client}{flag}"));
    assert_eq!((&document["standing"], &document["action"]), (&json!("current"), &json!("none")), "{client}");
}

#[test]
fn what_is_there_stays_and_is_copied_first() {
    for Case { client, file, busy, .. } in CASES {
        let home = Home::new();
        home.write(file, busy);
        fs::set_permissions(home.path(file), fs::Permissions::from_mode(0o640)).unwrap();
        let ran = home.good(&format!("install {client} --yes"));
        let new = home.read(file);
        assert!(says_us(&new), "{client}: {new}");
        assert_eq!(fs::metadata(home.path(file)).unwrap().permissions().mode() & 0o777, 0o640, "{client}");
        // Taking the new lines away gives the old text again, but for the comma before them.
        let kept =
            |text: &str| text.lines().map(|line| line.trim_end_matches(',').to_owned()).collect::<Vec<_>>();
        let (old, new) = (kept(busy), kept(&new));
        let mut rest = new.iter();
        assert!(old.iter().all(|line| rest.any(|other| other == line)), "{client}: {new:#?}");
        let backups = home.backups(file);
        assert_eq!(backups.len(), 1, "{client}: {:?}", home.all());
        assert_eq!(home.read(&backups[0]), busy, "{client}");
        assert!(ran.stderr.contains("what was there before: ~/"), "{client}: {}", ran.stderr);
        once_more(&home, client, "");
    }
}

#[test]
fn an_older_entry_is_mended_and_the_rest_of_it_stays() {
    for Case { client, file, busy, .. } in CASES {
        let home = Home::new();
        home.write(file, busy);
        home.good(&format!("install {client} --yes"));
        let current = home.read(file);
        let old = current
            .replace(&binary(), "/old/place/switchback")
            .replace("[\"serve\"]", "[\"serve\", \"--read-only\"]");
        home.write(file, &old);
        let document = home.json(&format!("install {client}"));
        assert_eq!(document["was"], "/old/place/switchback serve --read-only", "{client}");
        assert_eq!(document["command"], json!([binary(), "serve", "--read-only"]), "{client}");
        assert_eq!(document["removed"].as_array().unwrap().len(), 1, "{client}: {document}");
        let ran = home.good(&format!("install {client} --yes"));
        assert!(
            ran.stderr.contains("takes the place of: /old/place/switchback serve"),
            "{client}: {}",
            ran.stderr
        );
        assert_eq!(home.read(file), old.replace("/old/place/switchback", &binary()), "{client}");
        once_more(&home, client, "");
    }
}

#[test]
fn a_project_has_its_own_file_where_the_client_has_one() {
    for Case { client, file, project, .. } in CASES {
        let home = Home::new();
        let ran = home.run(&format!("install {client} --project --yes"));
        let Some(project) = project else {
            assert_eq!(ran.code, 2, "{client}");
            assert!(ran.stderr.contains("has no file of its own for a project"), "{}", ran.stderr);
            assert!(home.all().is_empty());
            continue;
        };
        assert_eq!(ran.code, 0, "{client}: {}", ran.stderr);
        assert!(says_us(&home.read(&format!("project/{project}"))), "{client}");
        assert!(!home.path(file).exists(), "{client}");
        assert!(ran.stderr.contains("a path of this machine"), "{client}: {}", ran.stderr);
        once_more(&home, client, " --project");
    }
}
