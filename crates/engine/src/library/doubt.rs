//! Broken files that were passed over. One hides nothing, so that another definition of the same name runs in its place; but
//! whoever runs that one is told that it is not what they wrote.

use super::definition::{Definition, Reading};
use super::find::Library;
use dialects::text::Lines;
use kernel::Plan;
use std::collections::BTreeSet;

/// Longest mistake in such a sentence.
const MISTAKE_CHARS_MAX: usize = 200;

impl Library {
    /// The broken files that a name would have meant before the definition that it means, one sentence each.
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
        self.definitions[..before].iter().filter(broken).map(sentence).collect()
    }

    /// What was passed over for the name of a definition, and for the names of all that it calls.
    pub fn doubts(&self, name: &str, reading: &Reading) -> Vec<String> {
        let mut doubts = self.passed_over(name);
        doubts.extend(self.doubts_below(reading));
        doubts
    }

    /// What was passed over for the names of all that a definition calls, each once.
    pub fn doubts_below(&self, reading: &Reading) -> Vec<String> {
        let plans = reading.plan.iter().chain(reading.pinned.iter().map(AsRef::as_ref));
        let called: BTreeSet<&String> = plans.flat_map(|plan: &Plan| plan.pinned.keys()).collect();
        let links = self.links.as_ref();
        called.into_iter().filter_map(|name| Some(links?.passed_over(name))).flatten().collect()
    }

    /// The same of a plan that runs, as long as its name still means it.
    pub fn doubts_of(&self, plan: &Plan) -> Vec<String> {
        if self.definitions.iter().all(Definition::runs) {
            return Vec::new();
        }
        let found = self.find(&plan.name).ok().map(|found| &found.reading);
        let is_it = |now: &Plan| now.digest() == plan.digest();
        match found.filter(|reading| reading.plan.as_ref().is_some_and(is_it)) {
            Some(reading) => self.doubts(&plan.name, reading),
            None => Vec::new(),
        }
    }
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
