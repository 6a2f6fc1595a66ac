//! Keys: what an activity is called inside its run. Effects and children are named after it, so no two activities
//! of a run may share one, whatever a plan calls its steps.

/// A key in the making.
pub(crate) struct Key;

/// Where cleanup stands.
const CLEANUP: &str = "cleanup/";

impl Key {
    /// The key of a block, which runs once. Only keys of items end with a bracket.
    pub(crate) fn of_block(id: &str) -> String {
        let key = apart_from_cleanup(id);
        if id.ends_with([']', '@']) { key + "@" } else { key }
    }

    /// The key of one item of a block.
    pub(crate) fn of_item(id: &str, item: u32) -> String {
        format!("{}[{item}]", apart_from_cleanup(id))
    }

    /// The key of the state that a machine enters as its `visit`-th.
    pub(crate) fn of_state(id: &str, visit: u32) -> String {
        format!("{}@{visit}", apart_from_cleanup(id))
    }

    /// The key of a step that a lane does for the `times`-th time. The first time in the first lane is the rule, and
    /// is written as the step's name alone.
    pub(crate) fn of_lane(lane: u32, id: &str, times: u32) -> String {
        match (lane, times) {
            (0, _) if id.contains(['@', '/']) => format!("0/{id}@{times}"),
            (0, 1) => id.to_owned(),
            (0, _) => format!("{id}@{times}"),
            _ => format!("{lane}/{id}@{times}"),
        }
    }

    /// The key of the child that a step runs for an item, by the key of the step. Names of tasks have no signs of ours.
    pub(crate) fn of_child(of_lane: &str, item: u32, task: &str) -> String {
        let apart = if CLEANUP.strip_suffix('/') == Some(of_lane) { "0/cleanup@1" } else { of_lane };
        format!("{apart}/child_{}_{task}", u64::from(item) + 1)
    }

    /// The key of a step that cleans up for the `times`-th time.
    pub(crate) fn of_cleanup(id: &str, times: u32) -> String {
        match times {
            1 if !id.contains('@') => format!("{CLEANUP}{id}"),
            _ => format!("{CLEANUP}{id}@{times}"),
        }
    }
}

fn apart_from_cleanup(id: &str) -> String {
    const STEP: &str = "step/";
    if id.starts_with(CLEANUP) || id.starts_with(STEP) { format!("{STEP}{id}") } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_activities_share_a_key() {
        let ids = ["a", "a@1", "a@2", "1/a", "0/a@2", "cleanup/a", "cleanup/a@2", "step/cleanup/a", "step/a"];
        let odd = ["a[0]", "a[0]@", "a[0]@@", "a[0][1]", "cleanup/a[0]", "step/cleanup/a[0]", "a@", "]", "@"];
        let lanes =
            |id: &'static str| (0..3).flat_map(move |lane| (1..4).map(move |n| Key::of_lane(lane, id, n)));
        let cleanup = |id: &'static str| (1..4).map(move |times| Key::of_cleanup(id, times));
        let children = |id: &'static str| {
            let items = |key: String| (0..3).map(move |item| Key::of_child(&key, item, "task"));
            lanes(id).flat_map(items)
        };
        let children_like = ["cleanup", "child_1_task", "3", "a/child_1_task", "cleanup/child_2_task"];
        let ids_of_lanes = ids.iter().chain(&children_like);
        let sequence: Vec<String> =
            ids_of_lanes.flat_map(|id| lanes(id).chain(cleanup(id)).chain(children(id))).collect();
        assert_eq!(sequence.iter().collect::<BTreeSet<_>>().len(), sequence.len());
        let items = |id: &'static str| (0..2).map(move |item| Key::of_item(id, item));
        let blocks = ids.iter().chain(&odd);
        let graph: Vec<String> =
            blocks.flat_map(|id| cleanup(id).chain([Key::of_block(id)]).chain(items(id))).collect();
        assert_eq!(graph.iter().collect::<BTreeSet<_>>().len(), graph.len());
        let machine = ids.iter().zip(1..).map(|(id, visit)| Key::of_state(id, visit));
        let machine: Vec<String> = machine.chain(ids.iter().flat_map(|id| cleanup(id))).collect();
        assert_eq!(machine.iter().collect::<BTreeSet<_>>().len(), machine.len());
    }

    #[test]
    fn usual_names_stay_short() {
        assert_eq!([Key::of_block("build"), Key::of_item("build", 2)], ["build", "build[2]"]);
        assert_eq!(Key::of_state("build", 3), "build@3");
        assert_eq!(
            [Key::of_lane(0, "a", 1), Key::of_lane(0, "a", 2), Key::of_lane(2, "a", 1)],
            ["a", "a@2", "2/a@1"]
        );
        assert_eq!(Key::of_child(&Key::of_lane(0, "a", 1), 0, "t"), "a/child_1_t");
        assert_eq!(Key::of_child(&Key::of_lane(0, "cleanup", 1), 0, "t"), "0/cleanup@1/child_1_t");
        assert_eq!([Key::of_cleanup("a", 1), Key::of_cleanup("a", 2)], ["cleanup/a", "cleanup/a@2"]);
    }
}
