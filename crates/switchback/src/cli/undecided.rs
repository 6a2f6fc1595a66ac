//! Interrupted steps in words: which they are, and the commands that say what became of them. A step of a called run is
//! told with that run, because several may have one of the same name.

use super::look::typable;
use engine::view::{Undecided, View};

/// How many interrupted steps get commands of their own.
const NAMED_MAX: usize = 3;

/// A step as people read it beside a run: `` `push` ``, or `` `push` of run mossy-otter-41/call#1 ``.
pub(crate) fn named(view: &View, one: &Undecided) -> String {
    match one.run == view.run {
        true => format!("`{}`", one.step),
        false => format!("`{}` of run {}", one.step, one.run),
    }
}

/// Several steps as people read them.
pub(crate) fn list<'u>(view: &View, steps: impl IntoIterator<Item = &'u Undecided>) -> String {
    steps.into_iter().map(|one| named(view, one)).collect::<Vec<_>>().join(", ")
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
    let told = |of: &dyn Fn(&str) -> String| ways.map(|(flag, meaning)| (of(flag), meaning));
    let commands: Vec<(String, &str)> = if undecided.len() <= NAMED_MAX {
        undecided.iter().flat_map(|one| told(&|flag| command(one, flag))).collect()
    } else {
        // Of many, one command stands for all.
        let own = undecided.iter().all(|one| one.run == view.run);
        let run = if own { typable(view.run.as_str()) } else { "'RUN'".to_owned() };
        told(&|flag| format!("switchback resume {run} {flag} STEP")).into()
    };
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    lines.extend(commands.iter().map(|(command, meaning)| format!("  {command:<width$}  {meaning}")));
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
    fn each_step_has_commands_that_can_be_typed_until_there_are_too_many() {
        assert_eq!(advice(&view(0)), [""; 0]);
        let lines = advice(&view(NAMED_MAX));
        assert_eq!(lines.len(), 1 + 3 * NAMED_MAX);
        assert!(lines[0].starts_with("`a` of run r/c[0]#1, `a` of run r/c[1]#1, "), "{lines:?}");
        assert_eq!(lines[1], "  switchback resume 'r/c[0]#1' --retry a  do it again");
        assert_eq!(lines[9], "  switchback resume 'r/c[2]#1' --fail a   it has failed");
        let lines = advice(&view(NAMED_MAX + 1));
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[2], "  switchback resume 'RUN' --done STEP   it had happened");
    }
}
