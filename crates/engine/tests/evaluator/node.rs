//! Our JavaScript beside Node's: hundreds of expressions and function bodies, given to both. Where they differ,
//! `oracle/node_differences.txt` says so and why, and nothing stands there that does not differ. Where there is no Node of
//! the version that was compared with, the test is skipped and says so; with SWITCHBACK_REQUIRE_TOOLS=1 that is a failure.

use crate::jinja2::Told;
use crate::oracle::{Asked, compare, sources};
use crate::world::{question_in, real, run};
use crate::{Test, bounded};
use engine::answers::Patience;
use kernel::Answer;
use kernel::plan::Language;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub(crate) const ALL: &[Test] = &[("node_makes_the_same_of_it", equal_to_node)];

/// The versions that were compared with: what is newer knows more of the language.
const VERSIONS: [&str; 1] = ["v20."];

/// How long all of them may take together.
const ASK_MAX: Duration = Duration::from_secs(120);

/// The moment that all of them read: 2025-08-19 14:30:05.123.
const NOW: i64 = 1_755_613_805_123;

/// Most questions that go to the evaluator at once.
const AT_ONCE: usize = 16;

//
fn equal_to_node() {
    let asked: Vec<Asked> = sources(include_str!("oracle/javascript.txt"))
        .into_iter()
        .map(|(source, scope)| Asked { source, native: true, scope })
        .collect();
    assert!(asked.len() >= 300);
    match node(&asked) {
        Ok(theirs) => compare(&asked, &theirs, &ours(&asked), include_str!("oracle/node_differences.txt")),
        Err(reason) if std::env::var_os("SWITCHBACK_REQUIRE_TOOLS").is_some() => {
            panic!("this test must run, and {reason}")
        }
        Err(reason) => println!("  SKIPPED, {reason}"),
    }
}

/// What Node says to each.
fn node(asked: &[Asked]) -> Result<Vec<Told>, String> {
    let version = bounded::run(Command::new("node").arg("--version"), ASK_MAX)
        .map_err(|error| format!("node is not there: {error}"))?
        .stdout;
    if !VERSIONS.iter().any(|known| version.starts_with(known)) {
        return Err(format!("node is {}, and not one of {VERSIONS:?}", version.trim()));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node");
    fs::create_dir_all(&folder).unwrap();
    let (script, questions) =
        (folder.join("ask.js"), folder.join(format!("asked-{}.json", std::process::id())));
    let one = |asked: &Asked| json!({"source": asked.source, "scope": asked.scope});
    let document = json!({"now": NOW, "asked": asked.iter().map(one).collect::<Vec<_>>()});
    fs::write(&script, include_str!("oracle/ask.js")).unwrap();
    fs::write(&questions, document.to_string()).unwrap();
    let mut node = Command::new("node");
    let ended =
        bounded::run(node.arg(&script).arg(&questions).envs([("TZ", "UTC"), ("LC_ALL", "C")]), ASK_MAX);
    let ended = ended.unwrap();
    fs::remove_file(questions).unwrap();
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
    let told: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told.len(), asked.len());
    let one = |mut told: Value| match told.get_mut("value") {
        Some(value) => Ok(value.take()),
        None => Err(told["error"].as_str().unwrap().to_owned()),
    };
    Ok(told.into_iter().map(one).collect())
}

/// What the evaluator says to each.
fn ours(asked: &[Asked]) -> Vec<Told> {
    let evaluator = real();
    let mut told = Vec::new();
    for some in asked.chunks(AT_ONCE) {
        let question = |asked: &Asked| {
            let names = asked.scope.iter().map(|(name, value)| (name.as_str(), value.clone()));
            let scope: Vec<(&str, Value)> = names.chain([("now", json!(NOW))]).collect();
            question_in(Language::JavaScript, &[&asked.source], &scope)
        };
        let questions: Vec<_> = some.iter().map(question).collect();
        let answers = evaluator.answer(&run(), &questions, &Patience::default());
        told.extend(answers.into_iter().map(|answer| match answer {
            Answer::Evaluated(mut values) => values.remove(0).map(|data| data.inline().unwrap().clone()),
            other => panic!("{other:?}"),
        }));
    }
    told
}
