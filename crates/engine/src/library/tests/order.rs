//! Which place comes first for whom, what hides what, and what a name means.

use super::*;
use kernel::Plan;
use kernel::plan::{Dialect, Flow, Graph};
use std::sync::Arc;

fn shown(order: Order) -> Vec<String> {
    around(Path::new("/r")).places(order).into_iter().map(|place| place.shown).collect()
}

#[test]
fn places_come_in_the_agreed_order_and_later_paths_win() {
    let order = [
        ".switchback/workflows",
        "~/.config/switchback/workflows",
        ".aromcp/workflows",
        "~/.aromcp/workflows",
        "workflows",
        ".terminal_control_workflows",
        "second",
        "~/first",
        "built-in",
    ];
    assert_eq!(shown(Order::Plain), order);
}

#[test]
fn the_tools_of_a_source_look_into_its_places_after_ours() {
    let own = [".switchback/workflows", "~/.config/switchback/workflows"];
    for (order, first) in [
        (Order::Blocks, ["second", "~/first", ".aromcp/workflows"].as_slice()),
        (Order::Steps, &["workflows", ".aromcp/workflows"]),
        (Order::Reactive, &[".aromcp/workflows", "~/.aromcp/workflows", "workflows"]),
        (Order::States, &[".terminal_control_workflows", ".aromcp/workflows"]),
    ] {
        let places = shown(order);
        assert_eq!(places[..2], own, "{order:?}");
        assert_eq!(places[2..2 + first.len()], *first, "{order:?}");
        assert_eq!((places.len(), places.last().map(String::as_str)), (9, Some("built-in")), "{order:?}");
        assert!(shown(Order::Plain).iter().all(|place| places.contains(place)), "{order:?}");
    }
}

#[test]
fn a_folder_that_two_name_has_the_kind_of_whoever_asks() {
    let around = Surroundings { template_paths: "workflows,~,~/x,~other".into(), ..around(Path::new("/r")) };
    let kind = |order| {
        let place = around.places(order).into_iter().find(|place| place.shown == "workflows");
        place.map(|place| place.kind.as_str())
    };
    assert_eq!((kind(Order::Blocks), kind(Order::Plain)), (Some("blocks"), Some("steps")));
    let named: Vec<PathBuf> =
        around.places(Order::Plain).into_iter().filter_map(|place| place.folder).collect();
    assert_eq!(named[6..], ["/r/work/~other", "/r/home/x", "/r/home"].map(PathBuf::from));
}

#[test]
fn surroundings_follow_from_any_environment() {
    let env = |name: &str| match name {
        "HOME" => Some("/h".to_owned()),
        "XDG_CONFIG_HOME" => Some("relative".to_owned()),
        "WORKFLOWS_TEMPLATE_PATHS" => Some("~/t".to_owned()),
        _ => None,
    };
    let around = Surroundings::of("/w".into(), env);
    assert_eq!((around.home.as_deref(), around.config.as_ref()), (Some(Path::new("/h")), None));
    assert!(around.places(Order::Blocks).iter().any(|place| place.shown == "~/t"));
    assert_eq!(Surroundings::of("/w".into(), |_| Some(String::new())).home, None);
}

#[test]
fn the_first_hides_the_others_and_a_broken_one_hides_nothing() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/b.yaml", "build");
    write(root.path(), "home/first/old.yaml", "build");
    put(root.path(), "work/.switchback/workflows/build.yaml", "name: build\nblocks: 3\n");
    put(root.path(), "work/.switchback/workflows/bad.yaml", "name: other\nblocks: 3\n");
    let library = Library::scan(&around(root.path()));
    let found = library.find("build").unwrap();
    assert_eq!((found.origin.shown.as_str(), found.origin.place.as_str()), ("workflows/b.yaml", "workflows"));
    assert_eq!((found.origin.kind, found.note.as_ref()), (PlaceKind::Source(Dialect::Steps), None));
    assert_eq!(found.hides, ["~/first/old.yaml"]);
    assert!(library.definitions[0].reading.first_error().is_some());
    assert_eq!(library.definitions[3].hidden_by.as_deref(), Some("workflows/b.yaml"));
    assert_eq!(library.find("biuld").unwrap_err().near, ["build"]);
    assert_eq!(library.find("bad").unwrap().name, "other", "known by its own name, and by that of its file");
    let broken = library.find("other").unwrap();
    assert_eq!(broken.reading.first_error().map(|error| error.code), Some("wrong-type"));
}

#[test]
fn the_order_of_the_tool_decides_which_one_runs() {
    let root = tempfile::tempdir().unwrap();
    for place in [".aromcp/workflows", "workflows", ".terminal_control_workflows", "second"] {
        write(root.path(), &format!("work/{place}/x.yaml"), "build");
    }
    let shelf = Shelf::new(around(root.path()));
    let found = |order| shelf.find(order, "build").unwrap().origin.place;
    assert_eq!(
        Order::ALL.map(found),
        [".aromcp/workflows", "second", "workflows", ".aromcp/workflows", ".terminal_control_workflows"]
    );
    write(root.path(), "work/.switchback/workflows/x.yaml", "build");
    assert_eq!(Order::ALL.map(found), [".switchback/workflows"; 5]);
}

#[test]
fn among_equal_names_the_dialect_of_the_tool_wins_and_the_list_says_so() {
    let names = [("a.yaml", Dialect::Steps), ("b.yaml", Dialect::Blocks), ("c.yaml", Dialect::Blocks)];
    let place = Place { kind: PlaceKind::Own, folder: None, shown: "own".into() };
    let definitions = names.map(|(file, dialect)| {
        let plan = Plan::new("build", dialect, Flow::Graph(Graph::new(Vec::new(), 1)));
        let reading = read_text(dialects::text::Source::new(file, ""), dialects::ReadOptions::default());
        Definition::new(&place, None, "x", Arc::new(Reading { plan: Some(Arc::new(plan)), ..reading }))
    });
    let hidden = |own| {
        let mut library = Library { definitions: definitions.to_vec(), ..Library::default() };
        library.hide(own);
        let found = library.find("build").unwrap().clone();
        (found.origin.shown, found.hides.join(" "), found.note)
    };
    let plain = |first: &str, rest: &str| (first.to_owned(), rest.to_owned(), None);
    assert_eq!(hidden(None), plain("a.yaml", "b.yaml c.yaml"));
    assert_eq!(hidden(Some(Dialect::States)), plain("a.yaml", "b.yaml c.yaml"));
    assert_eq!(hidden(Some(Dialect::Steps)), plain("a.yaml", "b.yaml c.yaml"));
    let (first, rest, note) = hidden(Some(Dialect::Blocks));
    assert_eq!((first.as_str(), rest.as_str()), ("b.yaml", "a.yaml c.yaml"));
    assert_eq!(
        note.as_deref(),
        Some("taken before a.yaml (steps), because this tool is of the dialect blocks")
    );
}

#[test]
fn what_is_built_in_can_be_run_and_hides_nothing() {
    let root = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(around(root.path()));
    for name in ["hello", "git-summary"] {
        let found = shelf.find(Order::Blocks, name).unwrap();
        assert_eq!((found.origin.kind, found.origin.place.as_str()), (PlaceKind::BuiltIn, "built-in"));
        assert_eq!((found.name.as_str(), found.origin.path), (name, None));
        assert!(found.reading.plan.as_ref().is_some_and(|plan| plan.name == name));
    }
    write(root.path(), "home/first/mine.yaml", "hello");
    let found = shelf.find(Order::States, "hello").unwrap();
    assert_eq!(
        (found.origin.shown.as_str(), found.hides),
        ("~/first/mine.yaml", vec!["built-in:examples/hello.yaml".into()])
    );
}

#[test]
fn a_folder_inside_a_place_is_a_group() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/flat.yaml", "flat");
    write(root.path(), "work/workflows/team/web/deep.yaml", "deep");
    let library = Library::scan(&around(root.path()));
    let group = |name: &str| library.find(name).unwrap().origin.group.clone();
    assert_eq!((group("flat"), group("deep")), (None, Some("team/web".to_owned())));
    assert_eq!(
        (group("hello").as_deref(), group("run-pytest").as_deref()),
        (Some("examples"), Some("python"))
    );
}

#[test]
fn a_word_with_a_slash_or_an_ending_is_a_file() {
    assert!(looks_like_a_file("./hello") && looks_like_a_file("a.yml") && !looks_like_a_file("hello"));
}
