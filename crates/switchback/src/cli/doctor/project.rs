//! The project folder: its settings, the user's settings, and the definitions that can be found from here.

use super::finding::Finding;
use crate::cli::install::Here;
use crate::cli::store::surroundings;
use crate::house::{Client, Flags};
use crate::settings::Settings;
use engine::library::{Library, PlaceKind};

pub(super) fn look(here: &Here) -> Vec<Finding> {
    let mut findings = settings(here);
    findings.extend(definitions(here));
    findings
}

fn settings(here: &Here) -> Vec<Finding> {
    let subject = "settings";
    let settings = Settings::read(&Client::here(here.workspace.clone(), Flags::default()));
    let broken = settings.broken.iter().map(|trouble| {
        Finding::fail(subject, trouble.to_string())
            .mend("until it is mended, what the file was to forbid is not known")
    });
    let doubts = settings.doubts.iter().map(|doubt| Finding::warn(subject, doubt.as_str()));
    let absent = settings.absent_roots().map(|absent| {
        Finding::warn(subject, absent)
            .mend("file blocks cannot use it until it is made: only `~` stands for something in its path")
    });
    let mut findings: Vec<Finding> = broken.chain(doubts).chain(absent).collect();
    if findings.is_empty() {
        let read_only = settings.read_only.map(|who| format!("; read-only, by {who}")).unwrap_or_default();
        findings.push(Finding::ok(subject, format!("nothing is wrong with them{read_only}")));
    }
    findings
}

fn definitions(here: &Here) -> Vec<Finding> {
    let subject = "definitions";
    let library = Library::scan(&surroundings(here.workspace.clone()));
    let own = || library.definitions().filter(|one| one.origin.kind != PlaceKind::BuiltIn);
    let (all, broken) = (own().count(), own().filter(|one| !one.runs()).count());
    let plural = if all == 1 { "" } else { "s" };
    let mut findings = vec![match (all, broken) {
        (0, _) => Finding::ok(subject, "none of your own yet; `switchback list` shows what is built in"),
        (all, 0) => Finding::ok(subject, format!("{all} file{plural}, all of them sound")),
        (all, broken) => {
            let detail = format!("{broken} of {all} file{plural} cannot be run");
            Finding::warn(subject, detail).mend("what is wrong with them: switchback check")
        }
    }];
    findings.extend(library.troubles.iter().map(|trouble| Finding::warn(subject, trouble.as_str())));
    findings
}
