//! Where secrets are found: which of the places can be used. Names and counts only.

use super::finding::Finding;
use crate::cli::install::Here;
use crate::cli::keyring;
use crate::house::{Client, Flags, Lent};
use engine::secrets::{File, Trouble};
use std::path::Path;

pub(super) fn look(dir: &Path, here: &Here) -> Vec<Finding> {
    vec![keyring(), file(dir, here), lent(here)]
}

fn keyring() -> Finding {
    let subject = "secrets: keyring";
    match keyring::keyring().names() {
        Ok(held) if held.locked => {
            let detail = format!("{} in it, and it is locked; the other places are used", held.names.len());
            Finding::warn(subject, detail)
                .mend("unlock it: log in at the desk, or open your password manager")
        }
        Ok(held) if held.names.is_empty() => {
            Finding::ok(subject, "none yet; `switchback secret set NAME --keyring` puts one into it")
        }
        Ok(held) => Finding::ok(subject, format!("{} in it: {}", held.names.len(), held.names.join(", "))),
        Err(why @ (Trouble::Silent | Trouble::Locked | Trouble::Failed(_))) => {
            Finding::warn(subject, format!("{why}; the other places are used"))
        }
        Err(Trouble::Unable(why)) => Finding::ok(subject, why),
        Err(why) => Finding::ok(subject, format!("{why}; the other places are used")),
    }
}

fn file(dir: &Path, here: &Here) -> Finding {
    let file = File::of(dir);
    let shown = here.shown(file.path());
    match file.read() {
        Ok(secrets) if secrets.is_empty() => {
            Finding::ok("secrets: file", "none yet; `switchback secret set NAME` puts one away")
        }
        Ok(secrets) => {
            Finding::ok("secrets: file", format!("{} in {shown}, which only you may read", secrets.len()))
        }
        Err(error) => Finding::fail("secrets: file", error.to_string())
            .mend("no run that uses a secret starts until this is mended"),
    }
}

fn lent(here: &Here) -> Finding {
    let client = Client::here(here.workspace.clone(), Flags::default());
    let names: Vec<String> = crate::settings::Settings::read(&client).lends.into_iter().collect();
    let (_, doubts) = Lent::here(&client);
    if let [first, ..] = doubts.as_slice() {
        return Finding::warn("secrets: environment", first.as_str());
    }
    match names.as_slice() {
        [] => Finding::ok(
            "secrets: environment",
            "no variable is named; `[secrets] env = [\"NAME\"]` names some",
        ),
        names => {
            let is_set = |name: &&String| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let set = names.iter().filter(is_set).count();
            Finding::ok(
                "secrets: environment",
                format!("{} named, {set} set here: {}", names.len(), names.join(", ")),
            )
        }
    }
}
