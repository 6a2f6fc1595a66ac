//! Interrupted steps in words: which they are, and the commands that say what became of them. A step of a called run is
//! told with that run, because several may have one of the same name.

use super::look::typable;
use engine::view::{Undecided, View};

/// How many interrupted steps are named, and get commands of their own; of the others there is a count.
pub(crate) const NAMED_MAX: usize = 10;

/// A step as people read it beside a run: `` `push` ``, or `` `push` of run mossy-otter-41/call#1 ``.
pub(crate) fn named(view: &View, one: &Undecided) -> String {
    match one.run == view.run {
        true => format!("`{}`", one.step),
        false => format!("`{}` of run {}", one.step, one.run),
    }
}

/// Several steps as people read them.
pub(crate) fn list<'u>(view: &View, steps: impl IntoIterator<Item = &'u Undecided>) -> String {
    let mut steps = steps.into_iter();
    let mut named: Vec<String> = steps.by_ref().take(NAMED_MAX).map(|one| named(view, one)).collect();
    named.extend(more(steps.count()));
    named.join(", ")
}

/// How many there are beside those that are named.
pub(crate) fn more(count: usize) -> Option<String> {
    (count > 0).then(|| format!("and {count} more"))
}

/// The command that says what became of a step: `--retry`, `--done` or `--fail`.
pub(crate) fn command(one: &Undecided, flag: &str) -> String {
    format!("switchback resume {} {flag} {}", typable(one.run.as_str()), typable(&one.step))
}

/// What to do about the interrupted steps of a run and of those below it; nothing if there are none.
pub(crate) fn advice(view: &View) -> Vec<String> {
    let undecided: Vec<Undecided> = view.all_undecided().collect();
    if undecided.is_empty() {
        return Vec::new();
    }
    let mut lines =
        vec![format!("{} may or may not have happened. Look, then say which:", list(view, &undecided))];
    let ways = [("--retry", "do it again"), ("--done", "it had happened"), ("--fail", "it has failed")];
    let of = |one: &Undecided| ways.map(|(flag, meaning)| (command(one, flag), meaning));
    let commands: Vec<(String, &str)> = undecided.iter().take(NAMED_MAX).flat_map(of).collect();
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    lines.extend(commands.iter().map(|(command, meaning)| format!("  {command:<width$}  {meaning}")));
    lines.extend(more(undecided.len().saturating_sub(NAMED_MAX)).map(|more| {
        let run = typable(view.run.as_str());
        format!("  {more}; without a step it is said of all: switchback resume {run} --retry")
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::kernel::plan::{Dialect, Flow, Graph};
    use engine::kernel::{Plan, RunId};

    fn view(below: usize) -> View {
        let plan = Plan::new("p", Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1)));
        let mut view = View::new(RunId::new("r"), plan.into(), "/w".to_owned(), 0);
        let of = |at| Undecided { run: RunId::new(format!("r/c[{at}]#1")), step: "a".to_owned() };
        view.below = (0..below).map(of).collect();
        view
    }

    #[test]
    fn each_step_has_commands_that_can_be_typed_and_what_is_too_many_is_counted() {
        assert_eq!(advice(&view(0)), [""; 0]);
        let lines = advice(&view(NAMED_MAX));
        assert_eq!(lines.len(), 1 + 3 * NAMED_MAX);
        assert!(lines[0].starts_with("`a` of run r/c[0]#1, `a` of run r/c[1]#1, "), "{lines:?}");
        assert!(lines[0].contains("`a` of run r/c[9]#1 may or may not have happened"), "{lines:?}");
        assert_eq!(lines[1], "  switchback resume 'r/c[0]#1' --retry a  do it again");
        assert_eq!(lines[30], "  switchback resume 'r/c[9]#1' --fail a   it has failed");
        let lines = advice(&view(NAMED_MAX + 2));
        assert_eq!(lines.len(), 1 + 3 * NAMED_MAX + 1);
        assert!(lines[0].contains("`a` of run r/c[9]#1, and 2 more may or may not"), "{lines:?}");
        assert_eq!(lines[31], "  and 2 more; without a step it is said of all: switchback resume r --retry");
    }
}
