//! Our Jinja beside Python's: every expression of the source that speaks it, and hundreds more, given to both. Where they
//! differ, `oracle/differences.txt` says so and why, and nothing stands there that does not differ.
//!
//! ```text
//!  source.txt, more.txt ──┬── the evaluator, in its process ──┬── equal, or written down
//!                         └── ask.py: Jinja2, as pip has it ──┘
//! ```

use crate::Test;
use crate::jinja2::{Told, jinja2};
use crate::world::{question, real, run};
use dialects::jinja::faults;
use engine::answers::Patience;
use kernel::Answer;
use serde_json::{Map, Value, json};
use std::fmt;

pub(crate) const ALL: &[Test] = &[
    ("what_is_asked_is_read_as_it_is_written", reads),
    ("python_makes_the_same_of_it", equal_to_python),
    ("what_is_evaluated_is_taken_when_a_file_is_read", taken),
];

/// The moment that all expressions read as `now`: 2025-08-19 14:30:05.
pub(crate) const NOW: i64 = 1_755_613_805;

/// Most questions that go to the evaluator at once.
const AT_ONCE: usize = 64;

/// What is asked of both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) source: String,
    /// Whether its value is asked for, not its text.
    pub(crate) native: bool,
    pub(crate) scope: Map<String, Value>,
}

/// A difference as it is found, or as it is written down.
#[derive(Debug, PartialEq)]
struct Difference {
    source: String,
    theirs: String,
    ours: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  theirs: {}\n  ours: {}", self.source, self.theirs, self.ours)
    }
}

/// The lines of a file, with the names that stand above them.
pub(crate) fn sources(file: &str) -> Vec<(String, Map<String, Value>)> {
    let (mut all, mut scope) = (Vec::new(), Map::new());
    for line in file.lines() {
        match line.strip_prefix("@ ") {
            Some(names) => scope = serde_json::from_str(names).unwrap(),
            None if line.is_empty() || line.starts_with('#') => {}
            None => all.push((line.replace('⏎', "\n"), scope.clone())),
        }
    }
    all
}

/// The lines of a file, each as value and as text if it is one whole expression.
fn asked(file: &str) -> Vec<Asked> {
    let mut all = Vec::new();
    for (source, scope) in sources(file) {
        let inside = source.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        if inside.is_some_and(|inside| !inside.contains("{{") && !inside.contains("}}")) {
            all.push(Asked { source: source.clone(), native: true, scope: scope.clone() });
            all.push(Asked { source: format!("<{source}>"), native: false, scope });
        } else {
            all.push(Asked { source, native: false, scope });
        }
    }
    all
}

/// What is written down, and the reason of each.
fn written(file: &str) -> Vec<(Difference, String)> {
    let part = |line: Option<&str>, name: &str| {
        let line = line.unwrap_or_else(|| panic!("{name} is missing at the end of the differences"));
        line.trim_start().strip_prefix(name).unwrap_or_else(|| panic!("no {name} in `{line}`")).to_owned()
    };
    let mut lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut all = Vec::new();
    while let Some(source) = lines.next() {
        let theirs = part(lines.next(), "theirs: ");
        let ours = part(lines.next(), "ours: ");
        let why = part(lines.next(), "why: ");
        all.push((Difference { source: source.to_owned(), theirs, ours }, why));
    }
    all
}

fn all_asked() -> Vec<Asked> {
    let files = [include_str!("oracle/source.txt"), include_str!("oracle/more.txt")];
    files.into_iter().flat_map(asked).collect()
}

/// What the evaluator says, in the order of the questions. Fields travel whole, as the kernel sends them.
fn ours(asked: &[Asked]) -> Vec<Told> {
    let evaluator = real();
    let mut told = Vec::new();
    for some in asked.chunks(AT_ONCE) {
        let questions: Vec<_> = some
            .iter()
            .map(|asked| {
                let mut scope = vec![("now".to_owned(), json!(NOW))];
                for (root, value) in &asked.scope {
                    match value {
                        Value::Object(fields) if root == "state" || root == "inputs" => scope.extend(
                            fields.iter().map(|(field, value)| (format!("{root}.{field}"), value.clone())),
                        ),
                        value => scope.push((root.clone(), value.clone())),
                    }
                }
                let scope: Vec<(&str, Value)> =
                    scope.iter().map(|(path, value)| (path.as_str(), value.clone())).collect();
                question(&[&asked.source], &scope)
            })
            .collect();
        told.extend(evaluator.answer(&run(), &questions, &Patience::default()).into_iter().map(|answer| {
            match answer {
                Answer::Evaluated(mut values) => values.remove(0).map(|data| data.inline().unwrap().clone()),
                other => panic!("{other:?}"),
            }
        }));
    }
    told
}

/// Nothing if both say the same; both refusing is the same, in whatever words.
fn difference(asked: &Asked, theirs: &Told, ours: &Told) -> Option<Difference> {
    let shown = |told: &Told| match told {
        Ok(value) => value.to_string(),
        Err(words) => format!("refused: {}", words.replace('\n', "⏎")),
    };
    let is_equal = match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => theirs == ours,
        (theirs, ours) => theirs.is_err() && ours.is_err(),
    };
    let source = asked.source.replace('\n', "⏎");
    (!is_equal).then(|| Difference { source, theirs: shown(theirs), ours: shown(ours) })
}

/// What has a value passes when a file is read; what is no Jinja, and what names no filter or test, does not.
fn taken() {
    let (asked, mut wrong) = (all_asked(), Vec::new());
    for (asked, told) in asked.iter().zip(ours(&asked)) {
        let (source, faults) = (&asked.source, faults(&asked.source));
        match told {
            Ok(_) => wrong.extend(faults.first().map(|fault| format!("{source}: {fault}"))),
            Err(words) => {
                let is_misfit = ["syntax error", "there is no filter", "there is no test"]
                    .iter()
                    .any(|begin| words.contains(begin));
                wrong.extend((is_misfit && faults.is_empty()).then(|| format!("{source} passes: {words}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// covers: A-100
fn equal_to_python() {
    let asked = all_asked();
    let Some(theirs) = jinja2(&asked, NOW) else { return };
    compare(&asked, &theirs, &ours(&asked), include_str!("oracle/differences.txt"));
}

/// Where they differ must be written down, and nothing else.
pub(crate) fn compare(asked: &[Asked], theirs: &[Told], ours: &[Told], differences: &str) {
    let mut found: Vec<Difference> = Vec::new();
    for ((asked, theirs), ours) in asked.iter().zip(theirs).zip(ours) {
        found.extend(difference(asked, theirs, ours).filter(|one| !found.contains(one)));
    }
    let written = written(differences);
    let is_written = |one: &Difference| written.iter().any(|(known, _)| known == one);
    let new: Vec<_> = found.iter().filter(|one| !is_written(one)).map(ToString::to_string).collect();
    let gone: Vec<_> = written.iter().filter(|(known, _)| !found.contains(known)).collect();
    println!("  {} asked, {} differ", asked.len(), found.len());
    assert!(new.is_empty(), "{} differ and are not written down:\n\n{}", new.len(), new.join("\n\n"));
    let gone: Vec<_> = gone.iter().map(|(known, _)| known.to_string()).collect();
    assert!(
        gone.is_empty(),
        "{} are written down and do not differ so:\n\n{}",
        gone.len(),
        gone.join("\n\n")
    );
}

fn reads() {
    let file = "# remark\n@ {\"a\": 1}\n{{ a }}\n\nx⏎{{ a }}\n@ {}\n{{ 1 }}{{ 2 }}";
    let told: Vec<_> =
        asked(file).into_iter().map(|asked| (asked.source, asked.native, asked.scope.len())).collect();
    let one = |source: &str, native: bool, names: usize| (source.to_owned(), native, names);
    let all = [
        one("{{ a }}", true, 1),
        one("<{{ a }}>", false, 1),
        one("x\n{{ a }}", false, 1),
        one("{{ 1 }}{{ 2 }}", false, 0),
    ];
    assert_eq!(told, all);
    let lines = |name: &str| asked(name).len();
    assert!(lines(include_str!("oracle/source.txt")) >= 89 + 60);
    assert!(lines(include_str!("oracle/more.txt")) >= 300);
    let reasons: Vec<_> =
        written(include_str!("oracle/differences.txt")).into_iter().map(|it| it.1).collect();
    assert!(reasons.iter().all(|why| why.len() > 10), "{reasons:?}");
}
