//! Definitions and the exact plan or text they give: `inputs/` holds the definitions, `snapshots/` the rest.

mod asking;
mod bad;
mod call;
mod files;
mod for_each;
mod good;
mod hostile;
mod interpreters;
mod keys;
mod render;
mod run;
mod secrets;
mod types;
mod worktree;

use crate::diagnostic::{Diagnostics, Look};
use crate::read::{Read, read};
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

/// What a person sees of a definition that is bad.
fn told(name: &str, text: &str) -> String {
    let source = source(name, text);
    read(&source).map(|read| read.plan).expect_err("it is bad").render(&[source], Look::default())
}

/// The codes of what is wrong, in the order of the places.
fn codes(text: &str) -> Vec<&'static str> {
    match read(&source("some.yaml", text)) {
        Ok(read) => read.warnings.iter().map(|one| one.code).collect(),
        Err(found) => found.iter().map(|one| one.code).collect(),
    }
}

/// A workflow of one block after another, each given by what stands in its braces.
fn blocks(blocks: &[&str]) -> String {
    let lines: Vec<String> = blocks.iter().map(|block| format!("  - {{{block}}}\n")).collect();
    format!("name: test\ninputs: {{x: {{type: string, default: a}}}}\nblocks:\n{}", lines.concat())
}
