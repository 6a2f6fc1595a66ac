//! The definitions on the pages of the documentation are read, and nothing is doubtful about them.

use super::told;

/// The definitions of a page: what stands between fences of YAML.
fn definitions(page: &str) -> impl Iterator<Item = &str> {
    page.split("```yaml\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(text, _)| text))
}

#[test]
fn what_the_pages_show_is_true() {
    let pages =
        [include_str!("../../../../../docs/reactive.md"), include_str!("../../../../../docs/transforms.md")];
    let all: Vec<&str> = pages.into_iter().flat_map(definitions).collect();
    assert_eq!(all.len(), 4);
    for text in all {
        assert_eq!(told(text), "No mistakes found.", "{text}");
    }
}
