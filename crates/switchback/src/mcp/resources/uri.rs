//! Addresses of resources. Ids of child runs contain slashes, so that every part is written percent-encoded.

use engine::kernel::RunId;

/// All workflows.
pub(in crate::mcp) const WORKFLOWS: &str = "workflow://list";

/// The runs that are open or ended last.
pub(in crate::mcp) const RUNS: &str = "switchback://runs";

/// What an address means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// All workflows.
    Workflows,
    /// The text of a definition.
    Definition(String),
    /// The runs that are open or ended last.
    Runs,
    /// A run.
    Run(String),
    /// The journal of a run.
    Journal(String),
    /// The state of a run, now or after one of its entries.
    State(String, Option<u64>),
    /// What a run computed, all fields or one.
    Traces(String, Option<String>),
    /// A step of a run.
    Step(String, String),
    /// One value of a step, from some byte on.
    Piece { run: String, step: String, side: Side, name: String, from: usize },
}

/// The two sides of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// What it was given.
    Inputs,
    /// What it gave.
    Outputs,
}

impl Side {
    /// Its word in an address and in a document.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Side::Inputs => "inputs",
            Side::Outputs => "outputs",
        }
    }

    fn named(word: &str) -> Option<Side> {
        [Side::Inputs, Side::Outputs].into_iter().find(|side| side.as_str() == word)
    }
}

/// The address of a definition.
pub(in crate::mcp) fn definition(name: &str) -> String {
    format!("workflow://definition/{}", encoded(name))
}

/// The address of a run.
pub(in crate::mcp) fn run(run: &RunId) -> String {
    format!("switchback://run/{}", encoded(run.as_str()))
}

/// The address of the state of a run.
pub(in crate::mcp) fn state(run: &RunId) -> String {
    format!("{}/state", self::run(run))
}

/// The address of the state of a run as it was after one of its entries.
pub(in crate::mcp) fn state_at(run: &RunId, seq: u64) -> String {
    format!("{}/{seq}", state(run))
}

/// The address of what a run computed, of all fields or of one.
pub(in crate::mcp) fn traces(run: &RunId, field: Option<&str>) -> String {
    let all = format!("{}/transformations", self::run(run));
    field.map_or(all.clone(), |field| format!("{all}/{}", encoded(field)))
}

/// The address of a step of a run.
pub(in crate::mcp) fn step(run: &RunId, step: &str) -> String {
    format!("{}/step/{}", self::run(run), encoded(step))
}

/// The address of one value of a step, from some byte on.
pub(super) fn piece(run: &RunId, step: &str, side: Side, name: &str, from: usize) -> String {
    format!("{}/{}/{}/{from}", self::step(run, step), side.as_str(), encoded(name))
}

/// Reads an address.
pub(super) fn parse(uri: &str) -> Option<Address> {
    let (scheme, path) = uri.split_once("://")?;
    let parts: Vec<String> = path.split('/').map(decoded).collect::<Option<_>>()?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Some(match (scheme, parts.as_slice()) {
        ("workflow", ["list"]) => Address::Workflows,
        ("workflow", ["definition", name]) => Address::Definition((*name).to_owned()),
        ("switchback", ["runs"]) => Address::Runs,
        ("switchback", ["run", id]) => Address::Run((*id).to_owned()),
        ("switchback", ["run", id, "journal"]) => Address::Journal((*id).to_owned()),
        ("switchback", ["run", id, "state"]) => Address::State((*id).to_owned(), None),
        ("switchback", ["run", id, "state", seq]) => {
            Address::State((*id).to_owned(), Some(seq.parse().ok()?))
        }
        ("switchback", ["run", id, "transformations"]) => Address::Traces((*id).to_owned(), None),
        ("switchback", ["run", id, "transformations", field]) => {
            Address::Traces((*id).to_owned(), Some((*field).to_owned()))
        }
        ("switchback", ["run", id, "step", step]) => Address::Step((*id).to_owned(), (*step).to_owned()),
        ("switchback", ["run", run, "step", step, side, name, from]) => Address::Piece {
            run: (*run).to_owned(),
            step: (*step).to_owned(),
            side: Side::named(side)?,
            name: (*name).to_owned(),
            from: from.parse().ok()?,
        },
        _ => return None,
    })
}

fn encoded(part: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b':');
    part.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits)
            .ok()
            .filter(|digits| digits.bytes().all(|one| one.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        let child = RunId::new("mossy-otter-41/call#1 ä%");
        assert_eq!(parse(&run(&child)), Some(Address::Run(child.to_string())));
        assert_eq!(parse(&definition("test:env")), Some(Address::Definition("test:env".to_owned())));
        assert_eq!(parse(&step(&child, "b/c")), Some(Address::Step(child.to_string(), "b/c".to_owned())));
        assert_eq!(parse("switchback://run/a/step/b%2Fc"), Some(Address::Step("a".into(), "b/c".into())));
        assert_eq!(parse("switchback://run/a/journal"), Some(Address::Journal("a".into())));
        assert_eq!(parse(&state(&child)), Some(Address::State(child.to_string(), None)));
        assert_eq!(parse(&state_at(&child, 7)), Some(Address::State(child.to_string(), Some(7))));
        assert_eq!(parse(&traces(&child, None)), Some(Address::Traces(child.to_string(), None)));
        let of_field = Some(Address::Traces(child.to_string(), Some("computed.a".into())));
        assert_eq!(parse(&traces(&child, Some("computed.a"))), of_field);
        for bad in [
            "",
            "workflow://",
            "workflow://definition",
            "run/a",
            "switchback://run/a/b",
            "switchback://run/%2",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        let from = |from| Address::Piece {
            run: child.to_string(),
            step: "b/c".to_owned(),
            side: Side::Outputs,
            name: "x/y".to_owned(),
            from,
        };
        assert_eq!(parse(&piece(&child, "b/c", Side::Outputs, "x/y", 9)), Some(from(9)));
        let wrong = ["switchback://run/a/step/b/outputs/x/-1", "switchback://run/a/step/b/output/x/1"];
        assert!(wrong.iter().all(|bad| parse(bad).is_none()));
        for bad in ["switchback://run/%+1", "switchback://run/%ff", "switchback://run/a/step/b/c"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
