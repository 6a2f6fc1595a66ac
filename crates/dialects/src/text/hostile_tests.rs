//! Texts made to hurt: each ends with a diagnostic, quickly, and each limit holds exactly at its edge.

use super::limits::{DEPTH_MAX, FILE_BYTES_MAX, KEY_CHARS_MAX, MISTAKES_MAX, NODES_MAX, REPEATED_BYTES_MAX};
use super::*;

fn code(text: String) -> Option<&'static str> {
    load(&Source::new("a.yaml", text)).err().map(|found| found[found.len() - 1].code)
}

#[test]
fn the_size_of_a_file_is_limited() {
    let text = |bytes: usize| format!("a: {}", "x".repeat(bytes - 3));
    assert_eq!(code(text(FILE_BYTES_MAX)), None);
    assert_eq!(code(text(FILE_BYTES_MAX + 1)), Some("too-large"));
}

#[test]
fn depth_is_limited_in_lists_and_mappings_and_by_aliases() {
    let flow = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(code(flow(DEPTH_MAX)), None);
    assert_eq!(code(flow(DEPTH_MAX + 1)), Some("too-deep"));

    let block =
        |depth: usize| (0..depth).map(|level| format!("{}k:\n", " ".repeat(level))).collect::<String>();
    assert_eq!(code(block(DEPTH_MAX)), None);
    assert_eq!(code(block(DEPTH_MAX + 1)), Some("too-deep"));

    let alias = |depth: usize| format!("a: &a [[[1]]]\nb: {}*a{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(code(alias(DEPTH_MAX - 4)), None);
    assert_eq!(code(alias(DEPTH_MAX - 3)), Some("too-deep"));
}

#[test]
fn nodes_are_limited_and_aliases_count_in_full() {
    let list = |items: usize| format!("[{}]", "1,".repeat(items));
    assert_eq!(code(list(NODES_MAX - 1)), None);
    assert_eq!(code(list(NODES_MAX)), Some("too-many-nodes"));

    // The root, two lists, and one hundred nodes in the first: kept once more, and repeated.
    let anchor = format!("&a [{}]", "1,".repeat(99));
    let aliases = |count: usize| format!("[{anchor}, [{}]]", "*a,".repeat(count));
    let fitting = (NODES_MAX - 2 - 200) / 100;
    assert_eq!(code(aliases(fitting)), None);
    assert_eq!(code(aliases(fitting + 1)), Some("too-many-nodes"));
}

#[test]
fn repeated_bytes_are_limited() {
    let text = |bytes: usize| format!("[&a {}, *a, *a, *a]", "x".repeat(bytes));
    assert_eq!(code(text(REPEATED_BYTES_MAX / 4)), None);
    assert_eq!(code(text(REPEATED_BYTES_MAX / 4 + 1)), Some("too-much-repeated"));
}

#[test]
fn keys_are_limited() {
    let text = |characters: usize| format!("{}: 1", "é".repeat(characters));
    assert_eq!(code(text(KEY_CHARS_MAX)), None);
    assert_eq!(code(text(KEY_CHARS_MAX + 1)), Some("bad-yaml"));
}

#[test]
fn mistakes_are_limited() {
    let text = |mistakes: usize| Source::new("a.yaml", "- {{ x }}\n".repeat(mistakes));
    let count = |mistakes: usize| load(&text(mistakes)).err().map(|found| found.len());
    assert_eq!(count(MISTAKES_MAX - 1), Some(MISTAKES_MAX - 1));
    assert_eq!(count(MISTAKES_MAX + 1), Some(MISTAKES_MAX));
}

#[test]
fn bombs_do_not_go_off() {
    let laughs: String = (1..30)
        .map(|level| format!("l{level}: &l{level} [{}]\n", format!("*l{},", level - 1).repeat(9)))
        .collect();
    assert_eq!(code(format!("l0: &l0 lol\n{laughs}")), Some("too-many-nodes"));
    assert_eq!(code("[".repeat(100_000)), Some("too-deep"));
    assert_eq!(code("{a: ".repeat(100_000)), Some("too-deep"));
    assert_eq!(code("- ".repeat(50_000)), Some("too-deep"));
    assert_eq!(code("? ".repeat(50_000)), Some("too-deep"));
    assert_eq!(code("&a ".repeat(50_000)), Some("bad-yaml"));
    let scalar = format!("a: &a {}\nb: [{}]", "x".repeat(100_000), "*a,".repeat(50_000));
    assert_eq!(code(scalar), Some("too-much-repeated"));
    let anchors = format!("{}{}{}", "&a [".repeat(60), "1,".repeat(50_000), "]".repeat(60));
    assert_eq!(code(anchors), Some("too-many-nodes"));
}

#[test]
fn odd_bytes_are_read_or_refused_without_panic() {
    for text in [
        "\u{feff}",
        "\0",
        "a: \0",
        "\u{feff}\u{feff}a: 1",
        "é: *",
        "{{",
        "{%",
        "{{ é",
        "&",
        "!",
        "*",
        "|",
        ">",
        "%YAML 9.9\n---\na",
    ] {
        drop(load(&Source::new("a.yaml", text)));
    }
}
