//! The exact text a person sees, and the exact values a program gets.

use super::*;
use crate::text::load;

const DEPLOY: &str = "\
name: deploy
description: Builds, tests and ships
blocks:
  - id: build
    type: Shell
  - id: run_tests
    type: Shell
    inputs:
      command: cargo test
  - id: deploy
    type: Shell
    # both must have ended
    # before anything leaves
    depends_on: [run_test]

    inputs:
      command: \"./ship.sh ${blocks.build.outputs.tag}\"
      workdir: app
";

fn source(text: &str) -> Source {
    Source::new("deploy.yaml", text)
}

fn at(source: &Source, word: &str) -> Span {
    let start = source.text.find(word).expect("the word is in the text");
    Span::new(start, start + word.len())
}

fn deploy() -> (Source, Diagnostics) {
    let source = source(DEPLOY);
    load(&source).expect("it is valid YAML");
    let unknown_key =
        Diagnostic::error("unknown-key", &source, at(&source, "workdir"), "Shell has no input `workdir`")
            .label("did you mean `working_dir`?");
    let not_a_dependency = Diagnostic::error(
        "not-a-dependency",
        &source,
        at(&source, "blocks.build"),
        "`deploy` reads the output of `build` but does not wait for it",
    )
    .label("`build` may not have run by then")
    .hint("add `build` to depends_on of `deploy` (line 14)");
    let start = DEPLOY.find("[run_test]").expect("it is there") + 1;
    let unknown_block = Diagnostic::error(
        "unknown-block",
        &source,
        Span::new(start, start + 8),
        "no block is called `run_test`",
    )
    .label("did you mean `run_tests` (line 6)?");
    let all = [unknown_key, not_a_dependency, unknown_block.clone(), unknown_block].into_iter().collect();
    (source, all)
}

#[test]
fn all_mistakes_are_shown_at_once_in_order() {
    let (source, all) = deploy();
    insta::assert_snapshot!(all.render(&[source], Look::default()));
}

#[test]
fn colour_adds_colour_and_nothing_else() {
    let (source, all) = deploy();
    let plain = all.render(std::slice::from_ref(&source), Look::default());
    let coloured = all.render(&[source], Look { colour: true, ..Look::default() });
    let mut bare = String::new();
    for (number, piece) in coloured.split('\u{1b}').enumerate() {
        bare.push_str(if number == 0 { piece } else { piece.split_once('m').map_or("", |(_, rest)| rest) });
    }
    let trimmed: Vec<&str> = bare.lines().map(str::trim_end).collect();
    assert_eq!(trimmed.join("\n"), plain);
    assert_ne!(coloured, plain);
}

#[test]
fn programs_get_lines_and_columns() {
    let (source, all) = deploy();
    insta::assert_snapshot!(serde_json::to_string_pretty(&all.to_json(&[source])).unwrap());
}

#[test]
fn wide_characters_tabs_and_carriage_returns_keep_the_mark_in_place() {
    let source = source("\u{feff}first: é\r\n\t漢字: \"🙂 wrong\"\r\nlast: x\r\n");
    let all: Diagnostics = ["first", "wrong", "last"]
        .map(|word| {
            Diagnostic::error("bad", &source, at(&source, word), format!("look at `{word}`")).label("here")
        })
        .into_iter()
        .collect();
    insta::assert_snapshot!(all.render(std::slice::from_ref(&source), Look::default()));
    let columns: Vec<_> =
        all.to_json(&[source]).as_array().unwrap().iter().map(|one| one["column"].clone()).collect();
    assert_eq!(columns, [1, 9, 1]);
}

#[test]
fn long_lines_are_cut_around_the_mark() {
    let source = source(&format!("a: {}wrong{}\n", "word ".repeat(80), " word".repeat(80)));
    let all: Diagnostics = [Diagnostic::error("bad", &source, at(&source, "wrong"), "look")
        .label("here")
        .hint("do this\nthen that")]
    .into_iter()
    .collect();
    let text = all.render(&[source], Look { width: 80, ..Look::default() });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn places_at_the_edges_are_shown() {
    let source = source("a:\n  b: 1\n  c: 2\nd");
    let all: Diagnostics = [
        Diagnostic::error("whole-mapping", &source, Span::new(5, 16), "more than one line"),
        Diagnostic::warning("end", &source, Span::new(18, 18), "at the end"),
        Diagnostic::warning("outside", &source, Span::new(900, 950), "outside"),
        Diagnostic::error("start", &source, Span::default(), "at the start"),
    ]
    .into_iter()
    .collect();
    insta::assert_snapshot!(all.render(&[source], Look::default()));
}

#[test]
fn related_places_are_shown_or_named() {
    let source = source(&format!("first: 1\nsecond: 2\n{}again: 3\n", "# filler\n".repeat(1000)));
    let near = Diagnostic::error("near", &source, at(&source, "second"), "look")
        .related(at(&source, "first"), "first");
    let far = Diagnostic::error("far", &source, at(&source, "again"), "look")
        .label("again")
        .related(at(&source, "first"), "first written");
    let all: Diagnostics = [near, far].into_iter().collect();
    insta::assert_snapshot!(all.render(&[source], Look::default()));
}

#[test]
fn the_last_line_counts() {
    let (one, two) = (Source::new("one.yaml", "a: 1"), Source::new("two.yaml", "a: 1"));
    let error = |source: &Source| Diagnostic::error("bad", source, Span::new(0, 1), "bad");
    let warning = |source: &Source| Diagnostic::warning("odd", source, Span::new(0, 1), "odd");
    let summary = |list: Vec<Diagnostic>| Diagnostics::from(list).summary();
    assert_eq!(summary(vec![]), "No mistakes found.");
    assert_eq!(summary(vec![error(&one)]), "1 error in one.yaml. Nothing was run.");
    assert_eq!(summary(vec![warning(&one)]), "1 warning in one.yaml.");
    assert_eq!(
        summary(vec![error(&one), warning(&one)]),
        "1 error and 1 warning in one.yaml. Nothing was run."
    );
    assert_eq!(summary(vec![error(&two), error(&one)]), "2 errors in 2 files. Nothing was run.");
}

#[test]
fn a_source_that_is_missing_still_gives_a_message() {
    let (_, all) = deploy();
    insta::assert_snapshot!(all.render(&[], Look::default()).lines().take(5).collect::<Vec<_>>().join("\n"));
}

#[test]
fn text_from_files_cannot_steer_the_terminal() {
    let source = Source::new("a\u{1b}[2J.yaml", "a: \u{1b}[31mred\n");
    let all: Diagnostics =
        [Diagnostic::error("bad", &source, Span::new(0, 1), "no `\u{1b}]0;x\u{7}`").hint("\u{1b}c")]
            .into_iter()
            .collect();
    assert!(!all.render(&[source], Look::default()).contains('\u{1b}'));
}

#[test]
fn controls_beyond_ascii_do_not_reach_a_terminal_and_move_no_mark() {
    let source = Source::new("a\u{9b}2J.yaml", "k: \u{9b}31m\u{85} bad\n");
    let all: Diagnostics = [Diagnostic::error("bad", &source, at(&source, "bad"), "no `\u{9b}`")
        .label("\u{90}")
        .hint("\u{9d}c")]
    .into_iter()
    .collect();
    let shown = all.render(&[source], Look::default());
    assert!(!shown.contains(|letter: char| letter != '\n' && letter.is_control()), "{shown:?}");
    assert!(shown.contains("yaml:1:10\n"), "{shown}");
    assert!(shown.contains("1 | k: \u{fffd}31m\u{fffd} bad\n  |          ^^^ \u{fffd}"), "{shown}");
}

#[test]
fn many_mistakes_in_one_long_line_are_rendered_in_time() {
    let source = source(&format!("[{}]", "x,".repeat(500_000)));
    let place = |n: usize| Span::new(10_000 * n + 1, 10_000 * n + 2);
    let all: Diagnostics = (0..100)
        .map(|n| Diagnostic::error("bad", &source, place(n), "bad").related(place(0), "first"))
        .collect();
    let text = all.render(&[source], Look { width: 40, ..Look::default() });
    assert_eq!(text.matches("error[bad]").count(), 100);
    insta::assert_snapshot!(text.lines().skip(6).take(6).collect::<Vec<_>>().join("\n"));
}
