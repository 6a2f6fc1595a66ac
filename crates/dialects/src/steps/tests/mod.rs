//! Definitions and the exact plan or text they give: `inputs/` holds the definitions, `snapshots/` the rest.

mod bad;
mod evidence;
mod good;
mod hostile;
mod run;
mod source;
mod told;
mod types;

use crate::diagnostic::{Diagnostics, Look};
use crate::known::Nobody;
use crate::read::{Read, ReadOptions, read, read_with};
use crate::text::Source;

fn source(name: &str, text: &str) -> Source {
    Source::new(name, text)
}

/// Reads what must be good.
fn good(text: &str) -> Read {
    let source = source("good.yaml", text);
    read(&source).unwrap_or_else(|found| panic!("{}", found.render(&[source], Look::default())))
}

/// Reads what must be bad.
fn bad(text: &str) -> Diagnostics {
    read(&source("bad.yaml", text)).map(|read| read.plan).expect_err("it is bad")
}

/// What a person sees of a definition, be it bad or doubtful.
fn told(name: &str, text: &str) -> String {
    let source = source(name, text);
    let found = read(&source).map_or_else(|found| found, |read| read.warnings);
    found.render(&[source], Look::default())
}

/// Reads with `infer_needs_state`.
fn inferred(text: &str) -> Result<Read, Diagnostics> {
    read_with(
        &source("some.yaml", text),
        &Nobody,
        ReadOptions { infer_needs_state: true, ..ReadOptions::default() },
    )
}

/// The codes of what is wrong or doubtful, in the order of the places.
fn codes(text: &str) -> Vec<&'static str> {
    match read(&source("some.yaml", text)) {
        Ok(read) => read.warnings.iter().map(|one| one.code).collect(),
        Err(found) => found.iter().map(|one| one.code).collect(),
    }
}

/// A workflow of one step after another, each given by what stands in its braces.
fn steps(steps: &[&str]) -> String {
    let lines: Vec<String> = steps.iter().map(|step| format!("  - {{{step}}}\n")).collect();
    format!(
        "name: test\nversion: 1.0.0\nkind: steps\ninputs: {{x: {{type: string, default: a}}}}\ninitial_state: {{a: 1, b: 2}}\nsteps:\n{}",
        lines.concat()
    )
}
