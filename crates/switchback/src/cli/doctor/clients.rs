//! The clients: which of them start this binary, and which start something else under our name.

use super::finding::Finding;
use crate::cli::install::{Client, File, Here, Scope, Standing, Trouble};
use serde_json::Value;

pub(super) fn look(here: &Here) -> Vec<Finding> {
    let (mut findings, mut away) = (Vec::new(), Vec::new());
    for client in Client::ALL {
        let found: Vec<Finding> =
            [Scope::User, Scope::Project].into_iter().flat_map(|scope| set_up(client, scope, here)).collect();
        match (found.is_empty(), client.is_there(here)) {
            (false, _) => findings.extend(found),
            (true, true) => {
                let mend = format!("set up with: switchback install {} --yes", client.name());
                findings.push(Finding::ok(client.name(), "there, and not set up for switchback").mend(mend));
            }
            (true, false) => away.push(client.name()),
        }
    }
    if !away.is_empty() {
        findings.push(Finding::ok("other clients", format!("not on this machine: {}", away.join(", "))));
    }
    findings
}

/// How one file of a client stands; nothing if it does not speak of us.
fn set_up(client: Client, scope: Scope, here: &Here) -> Vec<Finding> {
    let Some(path) = client.file(here, scope) else { return Vec::new() };
    if scope == Scope::Project && client.file(here, Scope::User).as_ref() == Some(&path) {
        // In one's own folder both are one file.
        return Vec::new();
    }
    let (name, shown) = (client.name(), here.shown(&path));
    let file = match File::read(client, &path, here) {
        Ok(file) => file,
        Err(trouble) => return vec![broken(name, &shown, trouble)],
    };
    let nearer = match &file.nearer {
        Standing::Outdated(what) | Standing::Foreign(what) => {
            let detail = format!("{shown} has an entry for this folder alone, which counts for more: {what}");
            Some(Finding::warn(name, detail).mend("mend with: claude mcp remove --scope local switchback"))
        }
        Standing::Current => Some(Finding::ok(name, format!("set up in {shown}, for this folder"))),
        Standing::Absent => None,
    };
    standing(client, scope, &file, here).into_iter().chain(nearer).collect()
}

fn standing(client: Client, scope: Scope, file: &File, here: &Here) -> Option<Finding> {
    let (name, shown) = (client.name(), here.shown(&file.path));
    let project = if scope == Scope::Project { " --project" } else { "" };
    let again = format!("switchback install {name}{project} --yes");
    Some(match &file.standing {
        Standing::Absent => return None,
        Standing::Current if is_off(file.entry.as_ref()) => {
            Finding::warn(name, format!("set up in {shown}, and switched off there"))
                .mend("switch it on in that file, or in the client")
        }
        Standing::Current => Finding::ok(name, format!("set up in {shown}")),
        Standing::Foreign(what) => {
            Finding::warn(name, format!("another server has the name `switchback` in {shown}: {what}"))
                .mend(format!("rename or remove it there, then: {again}"))
        }
        Standing::Outdated(line) => {
            let command = file.entry.as_ref().and_then(|entry| entry.get("command")).and_then(Value::as_str);
            let command = command.unwrap_or_default();
            let detail = match here.resolve(command) {
                None => {
                    return Some(
                        Finding::fail(name, gone(&shown, command)).mend(format!("mend with: {again}")),
                    );
                }
                Some(_) if here.is_this(command) => format!("{shown} starts `{line}`, which does not serve"),
                Some(_) => format!("{shown} starts another binary: {line}"),
            };
            Finding::warn(name, detail).mend(format!("mend with: {again}"))
        }
    })
}

fn gone(shown: &str, command: &str) -> String {
    format!("{shown} starts {command}, which is not there")
}

fn broken(name: &str, shown: &str, trouble: Trouble) -> Finding {
    match trouble {
        Trouble::Io(error) => Finding::warn(name, format!("failed to read {shown}: {error}")),
        Trouble::NotText => Finding::fail(name, format!("{shown} is not text")).mend("mend the file by hand"),
        Trouble::Mistake { line, column, message } => {
            Finding::fail(name, format!("{shown}:{line}:{column} cannot be understood: {message}"))
                .mend("mend the file there by hand")
        }
        Trouble::Unsafe => Finding::warn(name, format!("{shown} cannot be judged")),
    }
}

/// Whether a client was told not to use it.
fn is_off(entry: Option<&Value>) -> bool {
    let said = |key: &str| entry.and_then(|entry| entry.get(key)).and_then(Value::as_bool);
    said("enabled") == Some(false) || said("disabled") == Some(true)
}
