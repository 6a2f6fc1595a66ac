//! What a client gets: what it asked for, within what the files allow.

use super::file::File;
use super::seen::Seen;
use super::{CALL_SECONDS_MAX, NAME, Settings, Toolset, Trouble};
use crate::house::Client;
use engine::dialects::ReadOptions;
use engine::secrets::is_name;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const TOOLSETS: &str = "SWITCHBACK_TOOLSETS";
const READ_ONLY: &str = "SWITCHBACK_READ_ONLY";
const CALL_SECONDS: &str = "SWITCHBACK_CALL_SECONDS";
const SECRETS: &str = "SWITCHBACK_SECRETS";

/// Puts files and client together.
pub(super) fn settings(file: File, broken: Vec<Trouble>, client: &Client) -> Settings {
    let mut doubts = Vec::new();
    let allowed = file.toolsets.map(|(toolsets, place)| (toolsets.into_iter().collect(), place));
    let toolsets = toolsets(allowed.as_ref().map(|(allowed, _)| allowed), client, &mut doubts);
    let read_only = file
        .read_only
        .map(|place| format!("read_only = true in {place}"))
        .or_else(|| client.flags.read_only.then(|| "the flag --read-only".to_owned()))
        .or_else(|| read_only(client, &mut doubts));
    let call_seconds = file.call_seconds.unwrap_or(CALL_SECONDS_MAX).min(call_seconds(client, &mut doubts));
    let name = file.name.unwrap_or_else(|| NAME.to_owned());
    let roots: Vec<PathBuf> =
        file.roots.unwrap_or_default().iter().map(|root| folder(root, client)).collect();
    doubts.extend(roots.iter().filter(|root| is_wide(root, client)).map(|root| {
        let shown = root.display();
        format!("roots under [files]: {shown} holds all files of its user; name the folders that are needed")
    }));
    let lends = lends(file.lends.unwrap_or_default(), client, &mut doubts);
    let terminals = file.terminal.policy(read_only.clone());
    Settings {
        name,
        terminals,
        roots,
        width: file.tables.width,
        overdue_ms: file.tables.overdue_ms,
        pending_max: file.tables.pending_max,
        definitions: file.tables.definitions.as_deref().map(|path| folder(path, client)),
        reading: ReadOptions {
            infer_needs_state: file.tables.infer_needs_state.unwrap_or(false),
            server_shell: file.tables.server_shell.unwrap_or(false),
            hand_out: file.tables.hand_out.unwrap_or_default(),
            ..ReadOptions::default()
        },
        call_seconds,
        read_only,
        toolsets,
        lends,
        allowed,
        broken,
        doubts,
        seen: Seen::default(),
    }
}

/// A folder as a file names it: from the project folder, or from the home of its user.
fn folder(root: &str, client: &Client) -> PathBuf {
    let below = if root == "~" { Some("") } else { root.strip_prefix("~/") };
    match (below, client.env.get("HOME")) {
        (Some(below), Some(home)) => PathBuf::from(home).join(below),
        _ => client.workspace.join(root),
    }
}

/// Whether a folder holds the home of its user.
fn is_wide(root: &Path, client: &Client) -> bool {
    let home = client.env.get("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(&home).starts_with(real(root))
}

/// The variables that a client lends: those that a file names, and those that it names itself.
fn lends(named: Vec<String>, client: &Client, doubts: &mut Vec<String>) -> BTreeSet<String> {
    let said = said(client, SECRETS).unwrap_or_default().split(',').map(str::trim);
    let (good, bad): (Vec<&str>, Vec<&str>) =
        said.filter(|name| !name.is_empty()).partition(|name| is_name(name));
    doubts
        .extend(bad.iter().map(|name| format!("{SECRETS}: `{}` cannot be the name of a secret", cut(name))));
    named.into_iter().chain(good.into_iter().map(str::to_owned)).collect()
}

/// The groups that are on. A client that asks for nothing gets what the files name, or else the usual ones.
fn toolsets(
    allowed: Option<&BTreeSet<Toolset>>,
    client: &Client,
    doubts: &mut Vec<String>,
) -> BTreeSet<Toolset> {
    let mut named = |from: &str, names: &mut dyn Iterator<Item = &str>| {
        let (found, unknown) = Toolset::named(names);
        doubts.extend(unknown.into_iter().map(|sentence| format!("{from}: {sentence}")));
        found.into_iter().collect::<BTreeSet<_>>()
    };
    let wanted = match (&client.flags.toolsets, said(client, TOOLSETS)) {
        (Some(names), _) => Some(named("--toolsets", &mut names.iter().map(String::as_str))),
        (None, Some(text)) => Some(named(TOOLSETS, &mut text.split(','))),
        (None, None) => None,
    };
    match (wanted, allowed) {
        (Some(wanted), Some(allowed)) => wanted.intersection(allowed).copied().collect(),
        (Some(wanted), None) => wanted,
        (None, Some(allowed)) => allowed.clone(),
        (None, None) => Toolset::DEFAULT.into(),
    }
}

fn read_only(client: &Client, doubts: &mut Vec<String>) -> Option<String> {
    match said(client, READ_ONLY)? {
        "0" | "false" | "no" => return None,
        "1" | "true" | "yes" => {}
        // Whoever says something about it does not want to be surprised.
        other => {
            doubts.push(format!("{READ_ONLY}: `{}` is neither true nor false; taken as true", cut(other)))
        }
    }
    Some(format!("{READ_ONLY} in the environment"))
}

fn call_seconds(client: &Client, doubts: &mut Vec<String>) -> u64 {
    let Some(text) = said(client, CALL_SECONDS) else { return CALL_SECONDS_MAX };
    match text.parse() {
        Ok(seconds @ 1..=CALL_SECONDS_MAX) => seconds,
        _ => {
            let text = cut(text);
            doubts.push(format!("{CALL_SECONDS}: `{text}` is no whole number from 1 to {CALL_SECONDS_MAX}"));
            CALL_SECONDS_MAX
        }
    }
}

fn said<'c>(client: &'c Client, name: &str) -> Option<&'c str> {
    client.env.get(name).map(|text| text.trim()).filter(|text| !text.is_empty())
}

pub(super) fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}
