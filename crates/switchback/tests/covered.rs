//! Which requirements some case or test names. A dialect that is built is covered to its last row; the others count as
//! they come.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The dialects that are built.
const BUILT: [&str; 5] = ["blocks", "steps", "reactive", "states", "contracts"];

/// More ids at one place show nothing in particular.
const IDS_MAX: usize = 6;

// covers: D-107, D-108
#[test]
fn every_row_of_what_is_built_is_named_by_a_case_or_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut named = BTreeSet::new();
    for folder in ["cases", "crates"] {
        files(&root.join(folder), &mut |path| {
            let text = std::fs::read_to_string(path).unwrap();
            let places = text.lines().filter(|line| line.contains("covers:")).map(ids);
            named.extend(places.filter(|ids| ids.len() <= IDS_MAX).flatten());
        });
    }
    for dialect in BUILT {
        let page = std::fs::read_to_string(root.join(format!("docs/requirements/{dialect}.md"))).unwrap();
        let rows: Vec<String> =
            page.lines().filter(|line| line.starts_with("| ")).filter_map(first_id).collect();
        let missing: Vec<&String> = rows.iter().filter(|id| !named.contains(*id)).collect();
        println!("{dialect}: {} of {} rows are covered", rows.len() - missing.len(), rows.len());
        assert!(rows.len() > 100 && missing.is_empty(), "no case or test names {missing:?}");
    }
}

// covers: T-150
#[test]
fn what_is_delivered_was_formatted_linted_and_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = std::fs::read_to_string(root.join(".ci/run")).unwrap();
    for step in ["cargo fmt --all --check", "cargo lint", "cargo test --workspace"] {
        assert!(run.lines().any(|line| line == format!("step {step}")), "{step}");
    }
    // Types, dead code and lints are all warnings or errors of one command, and none is let through.
    let config = std::fs::read_to_string(root.join(".cargo/config.toml")).unwrap();
    assert!(config.contains(r#"lint = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]"#));
}

/// Every case and every Rust file below a folder.
fn files(folder: &Path, see: &mut dyn FnMut(&Path)) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().unwrap_or_default();
        if path.is_dir() {
            files(&path, see);
        } else if ending == "rs" || ending == "yaml" {
            see(&path);
        }
    }
}

fn first_id(line: &str) -> Option<String> {
    ids(line.split('|').nth(1)?).into_iter().next()
}

/// The ids in a line: a letter, a dash, two or three digits.
fn ids(line: &str) -> Vec<String> {
    let words = line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    let is_id = |word: &&str| {
        let Some((letter, number)) = word.split_once('-') else { return false };
        ["A", "C", "D", "R", "T"].contains(&letter)
            && matches!(number.len(), 2 | 3)
            && number.bytes().all(|digit| digit.is_ascii_digit())
    };
    words.filter(is_id).map(str::to_owned).collect()
}
