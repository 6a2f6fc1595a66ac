//! `verify`: what must hold before a result that somebody hands in is believed. Of three kinds one is written: a command that
//! must succeed, a file that must be there, a schema that the result must fit. How a command and a way to a file are read is
//! the affair of the dialect.

use super::{attempts, timeout};
use crate::mistakes::Mistakes;
use crate::schema;
use crate::shape::{self, Shape, listed};
use crate::text::{Kind, Node};
use kernel::plan::Deadline;

/// How often a result may be handed in where the definition does not say.
const ATTEMPTS: u32 = 3;

/// The two words for how often.
const COUNTS: [&str; 2] = ["attempts", "max_attempts"];

const KINDS: [&str; 3] = ["command", "file", "schema"];

const KEYS: Shape = Shape {
    has_no: "`verify` has no key",
    keys: &["command", "file", "schema", "working_dir", "timeout", "attempts", "max_attempts"],
    elsewhere: &[],
};

const HINT: &str =
    "write `verify: cargo test`, or `verify: {file: report.md}`, or `verify: {schema: {type: object}}`";

/// What a `verify` says.
pub(crate) struct Evidence<'n> {
    /// What must hold; nothing where that could not be read.
    pub(crate) kind: Option<EvidenceKind<'n>>,
    /// Most results, the first one included.
    pub(crate) attempts_max: u32,
    /// How long one look may take.
    pub(crate) timeout: Deadline,
}

/// The kinds of evidence.
pub(crate) enum EvidenceKind<'n> {
    /// A command that succeeds, and what says where.
    Command(&'n Node, Option<&'n Node>),
    /// A file that is there.
    File(&'n Node),
    /// A schema that the result fits.
    Schema(&'n Node),
}

/// Reads a `verify`. A look may take as long as is given here, where it does not say.
pub(crate) fn evidence<'n>(
    mistakes: &mut Mistakes<'_>,
    node: &'n Node,
    timeout_ms: u64,
) -> Option<Evidence<'n>> {
    let default = Deadline::After(timeout_ms);
    if node.as_map().is_none() {
        if node.as_scalar().is_none() || node.is_null() {
            shape::wrong_kind(mistakes, node, "`verify`", "a command, or a mapping", HINT);
            return None;
        }
        let kind = Some(EvidenceKind::Command(node, None));
        return Some(Evidence { kind, attempts_max: ATTEMPTS, timeout: default });
    }
    let meant = shape::check_keys(mistakes, node, &KEYS);
    let is_told = KINDS.iter().any(|kind| meant.contains(kind));
    Some(Evidence {
        kind: kind(mistakes, node, is_told),
        attempts_max: attempts_max(mistakes, node),
        timeout: node.get("timeout").map_or(default, |time| timeout(mistakes, time)),
    })
}

fn kind<'n>(mistakes: &mut Mistakes<'_>, node: &'n Node, is_told: bool) -> Option<EvidenceKind<'n>> {
    let mut given = KINDS.into_iter().filter_map(|name| Some((name, node.get(name)?)));
    let Some((name, value)) = given.next() else {
        if !is_told {
            shape::missing(mistakes, node.place(), "`verify`", "command", HINT);
        }
        return None;
    };
    if let Some((other, again)) = given.next() {
        let message = format!("`verify` looks at one of {}, and this is a second", listed(KINDS));
        mistakes.error(|sheet| {
            let diagnostic = sheet.error("bad-value", again.place(), message);
            match (name, other) {
                ("command", "file") => diagnostic.hint("let the command look at the file as well"),
                _ => diagnostic,
            }
        });
        return None;
    }
    let folder = node.entry("working_dir");
    if let Some((key, _)) = folder.filter(|_| name != "command") {
        mistakes.error(|sheet| {
            let diagnostic = sheet.error("bad-value", key.place(), "`working_dir` belongs to a command");
            if name == "file" {
                diagnostic.hint("write the way to the file under `file`")
            } else {
                diagnostic
            }
        });
    }
    match name {
        "command" => Some(EvidenceKind::Command(value, folder.map(|(_, folder)| folder))),
        "file" => Some(EvidenceKind::File(value)),
        _ => {
            const HINT: &str = "write `schema: {type: object, required: [summary]}`";
            schema_is_written(mistakes, value, "`schema`", HINT).then_some(EvidenceKind::Schema(value))
        }
    }
}

fn attempts_max(mistakes: &mut Mistakes<'_>, node: &Node) -> u32 {
    let mut given = COUNTS.into_iter().filter_map(|name| Some((name, node.get(name)?)));
    let Some((name, count)) = given.next() else { return ATTEMPTS };
    if let Some((_, again)) = given.next() {
        mistakes.error(|sheet| {
            let message = format!("{} mean the same, and both are given", listed(COUNTS));
            sheet.error("duplicate-key", again.place(), message).related(count.place(), "it is here as well")
        });
    }
    attempts(mistakes, count, name)
}

/// Whether a value is a schema; what is wrong with it is reported.
pub(crate) fn schema_is_written(mistakes: &mut Mistakes<'_>, node: &Node, what: &str, hint: &str) -> bool {
    if node.as_map().is_none() {
        shape::wrong_kind(mistakes, node, what, "a mapping", hint);
        return false;
    }
    let Err(schema::Mistake { at, message, hint }) = schema::Schema::new(&node.to_value()) else {
        return true;
    };
    mistakes.error(|sheet| shape::hinted(sheet.error("bad-schema", part(node, &at).place(), message), &hint));
    false
}

/// The part of a value that a JSON pointer names, or the nearest above it.
fn part<'n>(node: &'n Node, pointer: &str) -> &'n Node {
    let mut part = node;
    for name in pointer.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        let below = match &part.kind {
            Kind::List(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            // Of a key that is written twice the last counts, as in JSON.
            Kind::Map(_) => part.entries().filter(|(key, ..)| *key == name).last().map(|(_, _, value)| value),
            Kind::Scalar(_) => None,
        };
        let Some(below) = below else { break };
        part = below;
    }
    part
}
