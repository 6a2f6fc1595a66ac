//! The command `/workflow`: what the words behind it mean, as a text that tells the agent which tools to call, with the data
//! where there is some.
//!
//! ```text
//!  list
//!  NAME info         info NAME
//!  NAME start ...    start NAME ...    --input key=value
//!  resume ID
//!  status ID
//! ```
//! A workflow that is called like one of these words is named first: `start info` describes the workflow `start`.

use super::problem::{Problem, said};
use super::prompts::line;
use super::runs::{self, Sight};
use super::visit::Visit;
use super::workflows::{self, listed};
use engine::dialects::reactive::view::prompts;
use engine::kernel::Plan;
use engine::kernel::plan::InputKind;
use engine::library::{Definition, Library, Order};
use engine::store::Reader;
use engine::view::Held;
use serde_json::{Map, Value};

/// How the command is used.
pub(super) const USAGE: &str =
    "list | NAME info | NAME start [--input key=value ...] | resume WORKFLOW_ID | status WORKFLOW_ID";

/// How many workflows a list has.
const LISTED_MAX: usize = 100;

/// The most of a state that is told.
const STATE_BYTES_MAX: usize = 8_000;

/// What a command means.
#[derive(Debug, PartialEq)]
enum Meant<'w> {
    List,
    Info(&'w str),
    Start(&'w str, Vec<(String, String)>),
    Resume(&'w str),
    Status(&'w str),
}

/// The text of a command.
pub(super) fn text(visit: &Visit, reader: &Reader, command: &str) -> Result<String, Problem> {
    let words = words(command).map_err(|why| wrong(command, why))?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let library = visit.library_of(Order::Reactive)?;
    match meant(&words).map_err(|why| wrong(command, why))? {
        Meant::List => Ok(list(&library)),
        Meant::Info(name) => found(&library, name).map(|(definition, plan)| info(definition, plan)),
        Meant::Start(name, given) => {
            let (definition, plan) = found(&library, name)?;
            start(definition, plan, &given)
        }
        Meant::Resume(id) => {
            let row = runs::find(reader, id, &Sight::of(visit, false))?;
            Ok(resume(row.id.as_str(), &row.workflow))
        }
        Meant::Status(id) => status(visit, reader, id),
    }
}

fn wrong(command: &str, why: String) -> Problem {
    let error = format!("`/workflow {}`: {why}", said(command));
    Problem::new("wrong-command", error).help(format!("/workflow {USAGE}"))
}

/// The words of a command; quotes keep blanks together.
fn words(command: &str) -> Result<Vec<String>, String> {
    let command = command.trim().strip_prefix("/workflow").unwrap_or(command.trim());
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    if quote.is_some() { Err("a quote is not closed".to_owned()) } else { Ok(words) }
}

fn meant<'w>(words: &[&'w str]) -> Result<Meant<'w>, String> {
    match words {
        [] | ["list"] => Ok(Meant::List),
        [name, "info"] => Ok(Meant::Info(name)),
        [name, "start", rest @ ..] => Ok(Meant::Start(name, inputs(rest)?)),
        ["start", name, rest @ ..] => Ok(Meant::Start(name, inputs(rest)?)),
        ["info", name] => Ok(Meant::Info(name)),
        ["resume", id] => Ok(Meant::Resume(id)),
        ["status", id] => Ok(Meant::Status(id)),
        [word @ ("info" | "start"), ..] => Err(format!("`{word}` needs the name of a workflow")),
        [word @ ("resume" | "status"), ..] => {
            Err(format!("`{word}` needs the id of a run, and nothing else"))
        }
        [word] => Err(format!("`{word}` is no command; a workflow takes `{word} info` or `{word} start`")),
        [_, word, ..] => Err(format!("`{word}` is no command")),
    }
}

fn inputs(words: &[&str]) -> Result<Vec<(String, String)>, String> {
    let (mut given, mut rest) = (Vec::new(), words);
    while let [first, after @ ..] = rest {
        let (pair, after) = match (first.strip_prefix("--input="), *first, after) {
            (Some(pair), ..) => (pair, after),
            (None, "--input", [pair, after @ ..]) => (*pair, after),
            _ => return Err(format!("`{first}` is not understood; inputs are given by --input key=value")),
        };
        let (key, value) =
            pair.split_once('=').ok_or_else(|| format!("`{pair}` is not of the form key=value"))?;
        given.push((key.to_owned(), value.to_owned()));
        rest = after;
    }
    Ok(given)
}

fn found<'l>(library: &'l Library, name: &str) -> Result<(&'l Definition, &'l Plan), Problem> {
    let definition = workflows::find_in(library, Order::Reactive, name)?;
    Ok((definition, workflows::plan(definition)?))
}

fn list(library: &Library) -> String {
    let mut rows: Vec<String> = listed(library)
        .filter_map(|one| Some((one, one.reading.plan.as_ref()?)))
        .map(|(one, plan)| format!("- {} ({}): {}\n", one.name, one.origin.shown, plan.description.trim()))
        .collect();
    rows.sort();
    let more = rows.len().saturating_sub(LISTED_MAX);
    rows.truncate(LISTED_MAX);
    let more = if more > 0 { format!("and {more} more: workflow_list()\n") } else { String::new() };
    format!(
        "These workflows can be started here. Show them to me.\n\n{}{more}\n\
         /workflow NAME info shows what one takes; /workflow NAME start starts it.\n",
        rows.concat()
    )
}

fn info(definition: &Definition, plan: &Plan) -> String {
    let version = plan.version.as_deref().unwrap_or("none");
    let mut text = format!(
        "Tell me what the workflow `{}` is for and what it takes.\n\nDescription: {}\nVersion: {version}\nFile: {}\n",
        definition.name,
        plan.description.trim(),
        definition.origin.shown
    );
    text.push_str(if plan.inputs.is_empty() { "It takes no inputs.\n" } else { "Inputs:\n" });
    plan.inputs.iter().for_each(|input| text.push_str(&line(input)));
    text.push_str(&format!("\n/workflow {} start starts it.\n", definition.name));
    text
}

fn start(definition: &Definition, plan: &Plan, given: &[(String, String)]) -> Result<String, Problem> {
    let mut inputs = Map::new();
    for (key, value) in given {
        let Some(input) = plan.inputs.iter().find(|input| input.name == *key) else {
            let error = format!("`{}` has no input `{}`", plan.name, said(key));
            let known: Vec<&str> = plan.inputs.iter().map(|input| input.name.as_str()).collect();
            return Err(Problem::new("unknown-input", error)
                .options(known)
                .near(key)
                .help("Call it again without it"));
        };
        inputs.insert(key.clone(), typed(input.kind, value));
    }
    let inputs = Value::Object(inputs);
    let name = &definition.name;
    Ok(format!(
        "{}\nBegin with workflow_start(workflow=\"{name}\", inputs={inputs}), then call \
         workflow_get_next_step(workflow_id) again and again.\n",
        prompts::orchestrator(name)
    ))
}

/// A value that was typed, as what its input takes.
fn typed(kind: InputKind, text: &str) -> Value {
    let read = serde_json::from_str::<Value>(text).ok().filter(|value| kind.accepts(value));
    match kind {
        InputKind::String => text.into(),
        _ => read.unwrap_or_else(|| text.into()),
    }
}

fn resume(run: &str, workflow: &str) -> String {
    format!(
        "{}\nThe run `{run}` is there already: do not start another one. Begin with workflow_resume(workflow_id=\"{run}\"), which \
         tells its state and what is due, then go on with workflow_get_next_step(workflow_id=\"{run}\").\n",
        prompts::orchestrator(workflow)
    )
}

fn status(visit: &Visit, reader: &Reader, id: &str) -> Result<String, Problem> {
    let row = runs::find(reader, id, &Sight::of(visit, false))?;
    let view = runs::view_of(visit, reader, &row.id)?;
    let held = Held::load(reader, &row.id).map_err(runs::not_loaded)?;
    let state = held.map(|held| Value::Object(held.flat()).to_string()).unwrap_or_default();
    let cut = state.floor_char_boundary(STATE_BYTES_MAX);
    let dots = if cut < state.len() { " ... (workflow_state_read shows all of it)" } else { "" };
    let waiting = view.waiting_for();
    let mut text = format!("Tell me how the run `{}` of the workflow `{}` stands.\n\n", row.id, row.workflow);
    text.push_str(&format!("Status: {}\n", view.word()));
    if let Some(error) = view.error() {
        text.push_str(&format!("Error: {error}\n"));
    }
    waiting.iter().for_each(|one| text.push_str(&format!("Waiting for: {one}\n")));
    for asked in &view.asked {
        text.push_str(&format!("Due: {}\n", engine::dialects::reactive::view::atomic::id(asked)));
    }
    for line in view.lines().iter().filter(|line| line.started_at.is_some()) {
        text.push_str(&format!("Step {}: {}\n", line.id, view.state(line).status()));
    }
    text.push_str(&format!("State: {}{dots}\n", &state[..cut]));
    text.push_str(&format!("\n/workflow resume {} goes on with it.\n", row.id));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_order_of_the_words_means_the_same() {
        let of = |command: &str| {
            let words = words(command).unwrap();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            format!("{:?}", meant(&words))
        };
        assert_eq!(of("standards:fix start --input a=1"), of("/workflow start standards:fix --input=a=1"));
        assert_eq!(of("x info"), "Ok(Info(\"x\"))");
        assert_eq!(of("start info"), "Ok(Info(\"start\"))");
        assert_eq!(of("start start"), "Ok(Start(\"start\", []))");
        assert_eq!(of("list start"), "Ok(Start(\"list\", []))");
        assert_eq!(of("x start --input 'a=b c'"), "Ok(Start(\"x\", [(\"a\", \"b c\")]))");
        assert_eq!((of("list"), of("")), ("Ok(List)".to_owned(), "Ok(List)".to_owned()));
        for bad in ["dance", "resume", "status a b", "x start a=1", "x start --input a", "start", "x dance"] {
            assert!(of(bad).starts_with("Err("), "{bad}");
        }
        assert!(words("x start --input 'a").is_err());
    }
}
