//! Definitions of this dialect, and the exact plan or diagnostics they give.

mod bad;
mod examples;
mod good;
mod pages;
mod source;

use crate::diagnostic::{Diagnostics, Look};
use crate::known::{Callee, Import, Known};
use crate::read::{Read, ReadOptions, read, read_with};
use crate::text::Source;
use std::collections::BTreeMap;

/// Reads what must be good.
fn good(text: &str) -> Read {
    let source = Source::new("good.yaml", text);
    read(&source).unwrap_or_else(|found| panic!("{}", found.render(&[source], Look::default())))
}

/// What a person sees of a definition, be it bad or doubtful.
fn told(text: &str) -> String {
    let source = Source::new("some.yaml", text);
    let found = read(&source).map_or_else(|found| found, |read| read.warnings);
    found.render(&[source], Look::default())
}

/// The codes of what is wrong or doubtful, in the order of the places.
fn codes(text: &str) -> Vec<&'static str> {
    match read(&Source::new("some.yaml", text)) {
        Ok(read) => read.warnings.iter().map(|one| one.code).collect(),
        Err(found) => found.iter().map(|one| one.code).collect(),
    }
}

/// A workflow of one step after another, each given by what stands in its braces.
fn steps(steps: &[&str]) -> String {
    let lines: Vec<String> = steps.iter().map(|step| format!("  - {{{step}}}\n")).collect();
    format!(
        "name: test\nkind: reactive\ninputs: {{x: {{type: string, default: a}}}}\n\
         default_state: {{raw: {{count: 0, files: [], results: {{}}}}}}\n\
         state_schema:\n  computed:\n    total: {{from: raw.files, transform: input.length}}\nsteps:\n{}",
        lines.concat()
    )
}

/// Files by their paths.
struct Folder(BTreeMap<&'static str, &'static str>);

impl Known for Folder {
    fn workflow(&self, _name: &str) -> Callee {
        Callee::Absent { near: Vec::new() }
    }

    fn import(&self, _from: Option<&str>, path: &str) -> Import {
        match self.0.get(path) {
            Some(text) => Import::Found { id: path.to_owned(), source: Source::new(path, *text) },
            None => Import::Absent { looked: vec![format!("flows/{path}")], near: Vec::new() },
        }
    }
}

/// Reads the file `main.yaml` of a folder.
fn in_folder(files: &[(&'static str, &'static str)]) -> Result<Read, Diagnostics> {
    let folder = Folder(files.iter().copied().collect());
    let source = Source::new("main.yaml", folder.0["main.yaml"]);
    read_with(&source, &folder, ReadOptions::default())
}
