//! Files of every shape, made from a number: whatever a person wrote, our entry comes in and nothing else goes.

use super::jsonc::read;
use super::{json_edit, toml_form};
use serde_json::{Map, Value, json};

/// A sequence of numbers that follows from its first.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.roll(choices.len() as u64)).unwrap()]
    }

    /// White space and comments, as odd as they may be.
    fn space(&mut self) -> String {
        let pieces = ["", "", "", " ", "\n", "\n  ", "\r\n\t", "/* } , { */", " // \" }\n", "/**/ "];
        (0..self.roll(3)).map(|_| self.one_of(&pieces)).collect()
    }

    fn value(&mut self, depth: u64) -> String {
        match self.roll(if depth > 3 { 4 } else { 6 }) {
            0 => self.one_of(&["1", "-2.5e3", "true", "null"]).to_owned(),
            1 => self.one_of(&["\"\"", "\"a\\\"}\"", "\"// x\"", "\"é\\u00e9\"", "\"/* \""]).to_owned(),
            2 => "{}".to_owned(),
            3 => format!("{{{}}}", self.space()),
            4 => {
                let items: Vec<String> = (0..self.roll(3)).map(|_| self.value(depth + 1)).collect();
                format!("[{}{}]", self.space(), items.join(&format!("{},", self.space())))
            }
            _ => {
                let members: Vec<String> =
                    (0..self.roll(4)).map(|number| self.member(&format!("k{number}"), depth + 1)).collect();
                self.object(&members)
            }
        }
    }

    fn member(&mut self, key: &str, depth: u64) -> String {
        let value = self.value(depth);
        format!("{}\"{key}\"{}:{}{value}{}", self.space(), self.space(), self.space(), self.space())
    }

    fn object(&mut self, members: &[String]) -> String {
        let last = if !members.is_empty() && self.roll(3) == 0 { "," } else { "" };
        format!("{{{}{last}{}}}", members.join(","), self.space())
    }

    /// A whole file, with or without the key of the servers.
    fn file(&mut self) -> String {
        let mut members: Vec<String> =
            (0..self.roll(3)).map(|number| self.member(&format!("top{number}"), 0)).collect();
        if self.roll(3) > 0 {
            let servers: Vec<String> =
                (0..self.roll(3)).map(|number| self.member(&format!("s{number}"), 1)).collect();
            let servers = self.object(&servers);
            let at = usize::try_from(self.roll(members.len() as u64 + 1)).unwrap();
            members.insert(at, format!("{}\"mcpServers\":{}{servers}", self.space(), self.space()));
        }
        format!("{}{}{}", self.space(), self.object(&members), self.space())
    }
}

fn entry() -> Map<String, Value> {
    json!({ "command": "/b/switchback", "args": ["serve"] }).as_object().unwrap().clone()
}

/// Whether one text comes out of another by taking letters away; white space does not count.
fn is_within(text: &str, other: &str) -> bool {
    let mut rest = other.chars();
    text.chars().filter(|letter| !letter.is_whitespace()).all(|letter| rest.any(|found| found == letter))
}

#[test]
fn whatever_a_file_looks_like_only_our_entry_comes_in() {
    for seed in 0..3_000 {
        let old = Dice(seed).file();
        let before =
            read(&old).unwrap_or_else(|mistake| panic!("{seed}: {mistake:?}\n{old}")).unwrap().value();
        let new = json_edit::set(&old, "mcpServers", "switchback", &entry()).unwrap();
        let after = read(&new)
            .unwrap_or_else(|mistake| panic!("{seed}: {mistake:?}\n{old}\n--\n{new}"))
            .unwrap()
            .value();
        let mut meant = before.clone();
        meant.as_object_mut().unwrap().entry("mcpServers").or_insert_with(|| json!({}))["switchback"] =
            entry().into();
        assert_eq!(after, meant, "{seed}:\n{old}\n--\n{new}");
        assert!(is_within(&old, &new), "{seed}:\n{old}\n--\n{new}");
        assert_eq!(json_edit::set(&new, "mcpServers", "switchback", &entry()).unwrap(), new, "{seed}");
        let moved = new.replace("/b/switchback", "/old/switchback");
        assert_eq!(json_edit::set(&moved, "mcpServers", "switchback", &entry()).unwrap(), new, "{seed}");
    }
}

#[test]
fn strict_readers_read_what_they_could_read_before() {
    for seed in 0..3_000 {
        let old = Dice(seed).file();
        if serde_json::from_str::<Value>(&old).is_ok() {
            let new = json_edit::set(&old, "mcpServers", "switchback", &entry()).unwrap();
            assert!(serde_json::from_str::<Value>(&new).is_ok(), "{seed}:\n{old}\n--\n{new}");
        }
    }
}

#[test]
fn tables_of_every_layout_take_our_entry() {
    let files = [
        "",
        "# only this",
        "a = 1",
        "[mcp_servers]\n",
        "[mcp_servers]\ndocs = { command = \"x\" }\n",
        "mcp_servers = {}\n",
        "mcp_servers.docs = { command = \"x\" } # why\n[other]\nb = 2",
        "[mcp_servers.docs]\ncommand = \"x\"\n[mcp_servers.docs.env]\nA = \"b\"\n\n# the end\n",
        "[[list]]\na = 1\n[[list]]\na = 2\n[mcp_servers.docs]\ncommand = \"x\"\n[z]\n",
        "when = 2026-11-15T10:00:00Z\n[\"mcp_servers\".\"odd name\"]\ncommand = 'x'\n",
    ];
    for old in files {
        let new = toml_form::set(old, "mcp_servers", "switchback", &entry()).unwrap();
        let mut meant = toml_form::read(old).unwrap();
        meant.as_object_mut().unwrap().entry("mcp_servers").or_insert_with(|| json!({}))["switchback"] =
            entry().into();
        assert_eq!(toml_form::read(&new).unwrap(), meant, "{old}\n--\n{new}");
        assert!(is_within(old, &new), "{old}\n--\n{new}");
    }
}
