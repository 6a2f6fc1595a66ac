//! What is asked for on the command line.

use crate::faults::{self, Fault};

/// How many seeds a plain `cargo test` tries.
const SEEDS: u64 = 300;
/// Within how many seeds a planted fault must be found.
pub(crate) const FAULT_SEEDS_MAX: u64 = 5_000;

pub(crate) struct Options {
    pub(crate) from: u64,
    pub(crate) seeds: u64,
    pub(crate) threads: usize,
    pub(crate) fault: Option<(&'static str, Fault)>,
    pub(crate) faults: bool,
    pub(crate) one: Option<u64>,
    pub(crate) trace: bool,
    /// Whether the number of seeds was asked for: only then must every row be reached.
    pub(crate) asked: bool,
}

impl Options {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Options {
            from: 0,
            seeds: SEEDS,
            threads,
            fault: None,
            faults: true,
            one: None,
            trace: false,
            asked: false,
        };
        while let Some(word) = words.next() {
            let mut number = || {
                let given = words.next().and_then(|number| number.parse().ok());
                given.ok_or_else(|| format!("{word} wants a number"))
            };
            match word.as_str() {
                "--seeds" => (options.seeds, options.asked) = (number()?, true),
                "--from" => options.from = number()?,
                "--threads" => options.threads = usize::try_from(number()?).unwrap_or(1).max(1),
                "--one" => options.one = Some(number()?),
                "--trace" => options.trace = true,
                "--no-faults" => options.faults = false,
                "--fault" => options.fault = Some(named(words.next().as_deref().unwrap_or_default())?),
                // What the test runner passes to every test.
                "--nocapture" | "--quiet" | "-q" => {}
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(options)
    }
}

fn named(name: &str) -> Result<(&'static str, Fault), String> {
    faults::ALL.into_iter().find(|(known, _)| *known == name).ok_or_else(|| {
        let known = faults::ALL.map(|(known, _)| known).join(", ");
        format!("there is no fault `{name}`; there are {known}")
    })
}
