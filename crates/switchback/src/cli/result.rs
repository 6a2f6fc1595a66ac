//! What came of a run: the last line on stderr, the result on stdout, and the exit code.

use super::answer;
use super::error::CommandError;
use super::exit::Exit;
use super::follow::{End, Followed};
use super::lines;
use super::look::{Look, clean, print, print_json, talk, typable};
use super::{time, undecided};
use engine::asking::{self, Asked};
use engine::kernel::plan::{Audience, Flow};
use engine::kernel::{FailureKind, Outcome, Status};
use engine::view::{Detail, Line, State, Values, View};
use serde_json::Value;
use std::io::IsTerminal;

/// Longest JSON value that is written on one line.
const LINE_CHARS_MAX: usize = 80;

/// Says what came of a run that was followed.
pub(crate) fn finish(followed: Followed, json: bool) -> Result<Exit, CommandError> {
    let Followed { view, reader, end, answered } = followed;
    let interrupted = end == End::Interrupted && view.outcome().is_none();
    let run = &view.run;
    match end {
        End::Left => {
            talk(&format!("{run} goes on without you; look on again with: switchback resume {run}"));
        }
        End::Unheard => talk(&format!(
            "{run} was told to stop, and has not yet said that it has; how it stands: switchback show {run}"
        )),
        End::Settled | End::Interrupted => {
            talk(&format!("{}{}", last_line(&view), counted(answered)));
            advice(&view).iter().for_each(|line| talk(line));
        }
    }
    match json {
        true => print_json(&document(&view, Values(&reader), Detail::Brief)?)?,
        false => print_outputs(&view.outputs(Values(&reader))?)?,
    }
    let is_left = matches!(end, End::Left | End::Unheard);
    Ok(if interrupted || is_left { Exit::Interrupted } else { exit(&view) })
}

/// A run as one JSON document, with what it asks.
pub(crate) fn document(view: &View, values: Values<'_>, detail: Detail) -> Result<Value, CommandError> {
    let mut document = view.to_json(values, detail)?;
    if !view.asked.is_empty() {
        document["questions"] = view.asked.iter().map(asking::document).collect();
    }
    Ok(document)
}

fn counted(answered: usize) -> String {
    match answered {
        0 => String::new(),
        1 => ", 1 question answered".to_owned(),
        count => format!(", {count} questions answered"),
    }
}

fn print_outputs(outputs: &[(String, Value)]) -> Result<(), CommandError> {
    let both_seen = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    if both_seen && !outputs.is_empty() {
        talk("");
    }
    outputs.iter().try_for_each(|(name, value)| print(&output(name, value)))
}

/// The exit code that a run's status stands for.
pub(crate) fn exit(view: &View) -> Exit {
    match &view.status {
        Status::Ended(Outcome::Succeeded { .. }) => Exit::Succeeded,
        Status::Ended(Outcome::Failed { failure }) if failure.kind == FailureKind::TimedOut => Exit::TimedOut,
        Status::Ended(_) => Exit::Failed,
        _ if view.waits_for_someone() => Exit::Waiting,
        _ => Exit::Interrupted,
    }
}

fn last_line(view: &View) -> String {
    let look = Look::of_stderr();
    let until = if view.outcome().is_some() { view.at } else { time::now() };
    let took = time::took(until.saturating_sub(view.since));
    let word = view.word();
    let word = lines::paint(look, word, word);
    match &view.status {
        Status::Ended(Outcome::Succeeded { .. }) => format!("{word} in {took}{}", handled(view)),
        Status::Ended(Outcome::Failed { .. }) => format!("{word} in {took}: {}", why(view)),
        Status::Ended(Outcome::Cancelled { reason }) => format!("{word} after {took}: {}", clean(reason)),
        _ => format!("{word} after {took}"),
    }
}

/// Failures that stand above a success are there on purpose.
fn handled(view: &View) -> String {
    match view.lines().iter().filter(|line| line.state == State::Failed).count() {
        0 => String::new(),
        1 => ", 1 failure handled".to_owned(),
        count => format!(", {count} failures handled"),
    }
}

/// Why a run failed, in one line: what its steps said stands beside them.
pub(crate) fn why(view: &View) -> String {
    let handled = |position: usize| match &view.plan.flow {
        Flow::Graph(graph) => graph.blocks.get(position).is_some_and(|block| block.watched),
        _ => false,
    };
    let is_broken = |(position, line): &(usize, &Line)| match line.state {
        State::Crashed => true,
        State::Failed => !handled(*position),
        _ => false,
    };
    let broken: Vec<&Line> =
        view.lines().iter().enumerate().filter(is_broken).map(|(_, line)| line).collect();
    let error = view.error().unwrap_or_default();
    // What ended the run need not be what failed before, such as its time that was up.
    let is_theirs = broken.iter().any(|line| error.contains(&format!("`{}`", line.id)));
    let mut told: Vec<String> = (!is_theirs).then(|| clean(error)).into_iter().collect();
    told.extend(broken.iter().map(|line| format!("`{}` {}", line.id, lines::reason(line).0)));
    told.join("; ")
}

/// What to do next, if someone must do something.
pub(crate) fn advice(view: &View) -> Vec<String> {
    let mut lines = undecided::advice(view);
    if !lines.is_empty() {
        // What is asked beside that takes an answer all the same.
        let asked = view.asked.iter().filter(|_| !view.left);
        lines.extend(asked.map(|one| answer::one(one, view.asked.len() > 1)));
        return lines;
    }
    if view.left {
        lines.push(format!("go on with: switchback resume {}", typable(view.run.as_str())));
    } else if let [only] = view.asked.as_slice()
        && only.audience == Audience::Human
    {
        lines.push(format!("waiting for you: switchback answer {}", only.root));
    } else if !view.asked.is_empty() {
        lines.extend(view.asked.iter().map(|one| answer::one(one, view.asked.len() > 1)));
    } else {
        lines.extend(view.waiting_for().iter().map(|waiting| format!("waiting for {}", clean(waiting))));
    }
    lines.extend(view.asked.iter().filter(|_| !view.left).filter_map(|asked| asked_again(view, asked)));
    lines
}

/// Why a question is asked again, if it is: what was answered before did not hold.
fn asked_again(view: &View, asked: &Asked) -> Option<String> {
    let note = asked.note.as_deref()?;
    let planned = view.planned(asked.path.last()?).filter(|_| asked.run == view.run);
    let most = planned.and_then(|(step, _)| step.verify.as_ref()).map(|verify| verify.attempts_max);
    // A look that was interrupted has its number too, and is none of those that count.
    let which = match (most, asked.attempts_left) {
        (Some(most), Some(left)) => format!("attempt {} of {most}", most.saturating_sub(left) + 1),
        (None, Some(1)) => "the last attempt".to_owned(),
        (None, Some(left)) => format!("{left} attempts left"),
        (_, None) => format!("attempt {}", asked.attempt),
    };
    Some(format!("`{}` is asked again, {which}: {}", clean(&asked.step()), clean(note)))
}

/// An output as people read it: `name: value`, long values on lines of their own.
pub(crate) fn output(name: &str, value: &Value) -> String {
    let shown = match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) if value.to_string().chars().count() > LINE_CHARS_MAX => {
            format!("{value:#}\n")
        }
        other => other.to_string(),
    };
    let shown = if std::io::stdout().is_terminal() { clean(&shown) } else { shown };
    let body = shown.strip_suffix('\n').unwrap_or(&shown);
    if body.contains('\n') {
        let lines: Vec<String> = body
            .lines()
            .map(|line| if line.is_empty() { String::new() } else { format!("  {line}") })
            .collect();
        return format!("{name}: |\n{}\n", lines.join("\n"));
    }
    if body.is_empty() { format!("{name}:\n") } else { format!("{name}: {body}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::kernel::plan::{Dialect, Graph};
    use engine::kernel::{Failure, Fields, Plan, RunId, Waiting};
    use serde_json::json;

    fn view(status: Status) -> View {
        let plan = Plan::new("p", Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1)));
        let mut view = View::new(RunId::new("r"), plan.into(), "/w".to_owned(), 0);
        view.status = status;
        view
    }

    #[test]
    fn exit_codes_say_how_it_ended() {
        let failed = |kind| Status::Ended(Outcome::Failed { failure: Failure::new(kind, "no") });
        let cancelled = Status::Ended(Outcome::Cancelled { reason: "no".into() });
        for (status, code) in [
            (Status::Ended(Outcome::Succeeded { outputs: Fields::new() }), Exit::Succeeded),
            (failed(FailureKind::Operation), Exit::Failed),
            (failed(FailureKind::TimedOut), Exit::TimedOut),
            (cancelled, Exit::Failed),
            (Status::Waiting(vec![Waiting::Decision("push".into())]), Exit::Waiting),
            (Status::Running, Exit::Interrupted),
        ] {
            assert_eq!(exit(&view(status)), code);
        }
    }

    #[test]
    fn outputs_can_be_read() {
        assert_eq!(output("a", &json!("x")), "a: x\n");
        assert_eq!(output("a", &json!("x\n")), "a: x\n");
        assert_eq!(output("a", &json!("")), "a:\n");
        assert_eq!(output("a", &json!(null)), "a: null\n");
        assert_eq!(output("a", &json!("x\n\ny\n")), "a: |\n  x\n\n  y\n");
        assert_eq!(output("a", &json!([1, {"b": 2}])), "a: [1,{\"b\":2}]\n");
        let long = json!(["x".repeat(50), "y".repeat(50)]);
        assert!(output("a", &long).starts_with("a: |\n  [\n    \"xxx"));
    }
}
