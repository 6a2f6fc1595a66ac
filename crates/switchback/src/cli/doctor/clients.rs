//! The clients: which of them start this binary, and which start something else under our name.

use super::finding::Finding;
use crate::cli::install::{Client, File, Here, Scope, Standing, Trouble};
use serde_json::Value;

pub(super) fn look(here: &Here) -> Vec<Finding> {
    let (mut findings, mut away) = (Vec::new(), Vec::new());
    for client in Client::ALL {
        let found: Vec<Finding> = [Scope::User, Scope::Project]
            .into_iter()
            .filter_map(|scope| set_up(client, scope, here))
            .collect();
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
fn set_up(client: Client, scope: Scope, here: &Here) -> Option<Finding> {
    let (name, path) = (client.name(), client.file(here, scope)?);
    let shown = here.shown(&path);
    let file = match File::read(client, &path, here) {
        Ok(file) => file,
        Err(trouble) => return Some(broken(name, &shown, trouble)),
    };
    let project = if scope == Scope::Project { " --project" } else { "" };
    let mend = format!("mend with: switchback install {name}{project} --yes");
    Some(match &file.standing {
        Standing::Absent => return None,
        Standing::Current if is_off(file.entry.as_ref()) => {
            Finding::warn(name, format!("set up in {shown}, and switched off there"))
                .mend("switch it on in that file, or in the client")
        }
        Standing::Current => Finding::ok(name, format!("set up in {shown}")),
        Standing::Foreign(what) => {
            Finding::warn(name, format!("another server has the name `switchback` in {shown}: {what}"))
                .mend(format!("rename or remove it there, then: switchback install {name}{project} --yes"))
        }
        Standing::Outdated(line) => {
            let command = file.entry.as_ref().and_then(|entry| entry.get("command")).and_then(Value::as_str);
            let command = command.unwrap_or_default();
            match here.resolve(command) {
                None => Finding::fail(name, format!("{shown} starts {command}, which is not there")),
                Some(_) if here.is_this(command) => {
                    Finding::fail(name, format!("{shown} starts `{line}`, which serves nobody"))
                }
                Some(_) => Finding::warn(name, format!("{shown} starts another binary: {line}")),
            }
            .mend(mend)
        }
    })
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
