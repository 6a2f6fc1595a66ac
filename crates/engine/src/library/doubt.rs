//! Files that were passed over. A broken one hides nothing, so that another definition of the same name runs in its place; but
//! whoever runs that one is told that it is not what they wrote. The same where two files of one folder have one name: that one
//! place comes before another is an order, that one file does is an accident.

use super::definition::{Definition, Reading};
use super::find::Library;
use super::order::Order;
use dialects::text::Lines;
use kernel::Plan;
use kernel::plan::Dialect;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Longest mistake in such a sentence.
const MISTAKE_CHARS_MAX: usize = 200;

impl Library {
    /// The files that a name would have meant before the definition that it means, were they not broken, and those beside it that
    /// have the same name; one sentence each.
    pub fn passed_over(&self, name: &str) -> Vec<String> {
        let Some(position) = self.position(name) else { return Vec::new() };
        let used = &self.definitions[position];
        // A file that only its path calls so comes after all that call themselves so.
        let before = if used.name == name { position } else { self.definitions.len() };
        let broken = |one: &&Definition| used.runs() && !one.runs() && one.name == name;
        let sentence = |one: &Definition| {
            let (file, why) = (&one.origin.shown, mistake(&one.reading));
            format!("{file} is broken ({why}), so `{name}` means {}", used.origin.shown)
        };
        let mut told: Vec<String> = self.definitions[..before].iter().filter(broken).map(sentence).collect();
        told.extend(self.twins(used));
        told
    }

    /// Says which file of its folder a name means that several of them have, if the file is one of those.
    pub fn shared_name(&self, file: &Path) -> Option<String> {
        let file = file.canonicalize().ok()?;
        let is_it = |one: &&Definition| {
            let path = one.origin.path.as_deref().filter(|path| path.file_name() == file.file_name());
            path.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == file)
        };
        let one = self.definitions.iter().find(is_it).filter(|one| one.runs())?;
        let used = &self.definitions[self.position(&one.name)?];
        if folder(used).is_some() && folder(used) == folder(one) { self.twins(used) } else { None }
    }

    fn twins(&self, used: &Definition) -> Option<String> {
        let is_twin = |one: &&Definition| {
            one.runs() && one.name == used.name && folder(one) == folder(used) && one.origin != used.origin
        };
        folder(used)?;
        let twins: Vec<&str> =
            self.definitions.iter().filter(is_twin).map(|one| one.origin.shown.as_str()).collect();
        let (name, file) = (&used.name, &used.origin.shown);
        let beside = twins.join(", ");
        (!twins.is_empty())
            .then(|| format!("`{name}` is also the name of {beside} beside it; it means {file}"))
    }

    /// What was passed over for the name of a definition, and for the names of all that it calls.
    pub fn doubts(&self, name: &str, reading: &Reading) -> Vec<String> {
        let mut doubts = self.passed_over(name);
        doubts.extend(self.doubts_below(reading));
        doubts
    }

    /// What was passed over for the names of all that a definition calls, each once.
    pub fn doubts_below(&self, reading: &Reading) -> Vec<String> {
        let plans = reading.plan.iter().chain(&reading.pinned);
        let calls = |plan: &Arc<Plan>| {
            plan.pinned.keys().map(|name| (name.clone(), plan.dialect)).collect::<Vec<_>>()
        };
        let called: BTreeMap<String, Dialect> = plans.flat_map(calls).collect();
        let links = self.links.as_ref();
        let doubts =
            |(name, dialect): (String, Dialect)| Some(links?.passed_over(Order::of_calls(dialect), &name));
        called.into_iter().filter_map(doubts).flatten().collect()
    }

    /// The same of a plan that runs, as long as its name still means it.
    pub fn doubts_of(&self, plan: &Plan) -> Vec<String> {
        if self.definitions.iter().all(|one| one.runs() && one.hidden_by.is_none()) {
            return Vec::new();
        }
        let found = self.find(&plan.name).ok().map(|found| &found.reading);
        let is_it = |now: &Arc<Plan>| now.digest() == plan.digest();
        match found.filter(|reading| reading.plan.as_ref().is_some_and(is_it)) {
            Some(reading) => self.doubts(&plan.name, reading),
            None => Vec::new(),
        }
    }
}

fn folder(definition: &Definition) -> Option<&Path> {
    definition.origin.path.as_deref().and_then(Path::parent)
}

/// The first thing that is wrong with a definition, and where.
fn mistake(reading: &Reading) -> String {
    let Some(error) = reading.first_error() else { return "it has no plan".to_owned() };
    let line = Lines::new(&reading.source.text).position(error.span.start).line;
    let mut message: String = error.message.chars().take(MISTAKE_CHARS_MAX).collect();
    if message.len() < error.message.len() {
        message.push_str("...");
    }
    format!("line {line}: {message}")
}
