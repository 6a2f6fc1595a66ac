//! Turns the nodes of a case file into a [`Case`], and refuses what is not in the format.

use std::time::Duration;

use regex::Regex;

use crate::case::{Action, Ask, Case, Check, KillAt, SignalName, Source, Step, Target};
use crate::fields::{Fields, hint, number, pairs, text, texts};
use crate::names::Names;
use crate::pattern::{Pattern, not_a_regex};
use crate::yaml::{self, Flaw, Kind, Node};

const COVERS_MAX: usize = 6;
const LIMIT_DEFAULT: Duration = Duration::from_secs(60);
const KINDS: [&str; 6] = ["run", "shell", "write", "await", "signal", "for_each_kill_point"];

/// Reads one file. `known_id` says whether a requirement exists.
pub(crate) fn case(source: &str, known_id: &dyn Fn(&str) -> bool) -> Result<Case, Flaw> {
    let mut fields = Fields::open(yaml::read(source)?, "a case")?;
    let about = text(&fields.need("about")?, "`about`")?;
    covers(&fields.need("covers")?, known_id)?;
    let files = fields.take("files").map_or(Ok(Vec::new()), |node| pairs(&node, "`files`"))?;
    let env = fields.take("env").map_or(Ok(Vec::new()), |node| pairs(&node, "`env`"))?;
    let conversation = steps(fields.need("conversation")?)?;
    fields.close()?;
    refuse_stray_loops(&conversation)?;
    Ok(Case { about, files, env, conversation })
}

fn covers(node: &Node, known_id: &dyn Fn(&str) -> bool) -> Result<(), Flaw> {
    let ids = texts(node, "`covers`")?;
    if ids.len() > COVERS_MAX {
        let message = format!(
            "`covers` names {} requirements, at most {COVERS_MAX} are allowed: such a case shows nothing in particular",
            ids.len()
        );
        return Err(Flaw::new(node.line, message));
    }
    match ids.iter().find(|id| !known_id(id)) {
        Some(id) => Err(Flaw::new(node.line, format!("no table in docs/requirements has `{id}`"))),
        None => Ok(()),
    }
}

fn steps(node: Node) -> Result<Vec<Step>, Flaw> {
    match node.kind {
        Kind::List(items) if !items.is_empty() => items.into_iter().map(step).collect(),
        _ => Err(Flaw::new(node.line, "a conversation must be a list of steps")),
    }
}

fn refuse_stray_loops(steps: &[Step]) -> Result<(), Flaw> {
    let each = |step: &&Step| matches!(&step.action, Action::Ask(Ask { kill_at: Some(KillAt::Each), .. }));
    if let Some(step) = steps.iter().find(each) {
        return Err(Flaw::new(step.line, "`kill_at: each` belongs into a `for_each_kill_point`"));
    }
    let mut loops = steps.iter().filter(|step| matches!(step.action, Action::ForEachKillPoint { .. }));
    match (loops.next(), loops.next()) {
        (_, Some(second)) => Err(Flaw::new(second.line, "a case has one `for_each_kill_point` at most")),
        _ => Ok(()),
    }
}

fn step(node: Node) -> Result<Step, Flaw> {
    let mut fields = Fields::open(node, "a step")?;
    let line = fields.line();
    let Some(kind) = KINDS.into_iter().find(|kind| fields.has(kind)) else {
        return Err(Flaw::new(line, format!("a step is one of: {}", KINDS.join(", "))));
    };
    let subject = fields.need(kind)?;
    let action = match kind {
        "run" => Action::Ask(ask(Target::Run(texts(&subject, "`run`")?), &mut fields)?),
        "shell" => Action::Ask(ask(Target::Shell(text(&subject, "`shell`")?), &mut fields)?),
        "write" => Action::Write(pairs(&subject, "`write`")?),
        "await" => Action::Await {
            name: text(&subject, "`await`")?,
            limit: limit(&mut fields)?,
            check: check(&mut fields)?,
        },
        "signal" => signal(subject)?,
        _ => for_each_kill_point(subject)?,
    };
    fields.close()?;
    Ok(Step { line, action })
}

fn ask(target: Target, fields: &mut Fields) -> Result<Ask, Flaw> {
    let env = fields.take("env").map_or(Ok(Vec::new()), |node| pairs(&node, "`env`"))?;
    let kill_at = match (&target, fields.take("kill_at")) {
        (_, None) => None,
        (Target::Shell(_), Some(node)) => {
            return Err(Flaw::new(node.line, "only `run` has kill points"));
        }
        (Target::Run(_), Some(node)) if text(&node, "`kill_at`")? == "each" => Some(KillAt::Each),
        (Target::Run(_), Some(node)) => Some(KillAt::Number(number(&node, "`kill_at`")?)),
    };
    let limit = limit(fields)?;
    let background = fields.take("background").map(|node| text(&node, "`background`")).transpose()?;
    let line = fields.line();
    if background.is_some() && (fields.has("expect") || fields.has("remember") || kill_at.is_some()) {
        return Err(Flaw::new(line, "what a background command answers is said at its `await`"));
    }
    Ok(Ask { target, env, kill_at, limit, background, check: check(fields)? })
}

fn limit(fields: &mut Fields) -> Result<Duration, Flaw> {
    match fields.take("limit_s") {
        None => Ok(LIMIT_DEFAULT),
        Some(node) => Ok(Duration::from_secs(number(&node, "`limit_s`")?)),
    }
}

fn check(fields: &mut Fields) -> Result<Check, Flaw> {
    let mut check = Check::default();
    if let Some(node) = fields.take("expect") {
        let mut expect = Fields::open(node, "`expect`")?;
        check.exit = expect.take("exit").map(pattern).transpose()?;
        check.stdout = expect.take("stdout").map(pattern).transpose()?;
        check.stderr = expect.take("stderr").map(pattern).transpose()?;
        check.json = expect.take("json").map(pattern).transpose()?;
        if let Some(Node { line, kind }) = expect.take("files") {
            let Kind::Map(files) = kind else {
                return Err(Flaw::new(line, "`files` must be a map"));
            };
            for (path, node) in files {
                check.files.push((path.text, pattern(node)?));
            }
        }
        expect.close()?;
    }
    if let Some(node) = fields.take("remember") {
        check.remember = remember(node)?;
    }
    Ok(check)
}

/// Keeps an expectation as data, once it is known to be one.
fn pattern(node: Node) -> Result<serde_json::Value, Flaw> {
    let value = node.to_json();
    match Pattern::read(&value, &Names::unknown()) {
        Ok(_) => Ok(value),
        Err(message) => Err(Flaw::new(node.line, message)),
    }
}

fn remember(node: Node) -> Result<Vec<(String, Source)>, Flaw> {
    let Kind::Map(names) = node.kind else {
        return Err(Flaw::new(node.line, "`remember` must be a map"));
    };
    names.into_iter().map(|(name, node)| Ok((name.text, source(node)?))).collect()
}

fn source(node: Node) -> Result<Source, Flaw> {
    let mut fields = Fields::open(node, "what is remembered")?;
    let line = fields.line();
    let found = [fields.take("json"), fields.take("stdout"), fields.take("stderr")];
    fields.close()?;
    let regex = |node: &Node| {
        let text = text(node, "a regular expression")?;
        match Regex::new(&text) {
            Ok(_) => Ok(text),
            Err(error) => Err(Flaw::new(node.line, not_a_regex(&text, &error))),
        }
    };
    match found {
        [Some(node), None, None] => Ok(Source::Json(text(&node, "a JSON pointer")?)),
        [None, Some(node), None] => Ok(Source::Stdout(regex(&node)?)),
        [None, None, Some(node)] => Ok(Source::Stderr(regex(&node)?)),
        _ => Err(Flaw::new(line, "say one of `json`, `stdout` and `stderr`")),
    }
}

fn signal(node: Node) -> Result<Action, Flaw> {
    let mut fields = Fields::open(node, "`signal`")?;
    let name = text(&fields.need("name")?, "`name`")?;
    let word = fields.need("signal")?;
    fields.close()?;
    let signal = match text(&word, "`signal`")?.as_str() {
        "INT" => SignalName::Int,
        "TERM" => SignalName::Term,
        "KILL" => SignalName::Kill,
        other => {
            let hint = hint(other, &["INT", "TERM", "KILL"]);
            return Err(Flaw::new(word.line, format!("no signal is called `{other}`{hint}")));
        }
    };
    Ok(Action::Signal { name, signal })
}

fn for_each_kill_point(node: Node) -> Result<Action, Flaw> {
    let mut fields = Fields::open(node, "`for_each_kill_point`")?;
    let of = step(fields.need("of")?)?;
    let steps = steps(fields.need("steps")?)?;
    fields.close()?;
    let inner = steps.iter().find(|step| matches!(step.action, Action::ForEachKillPoint { .. }));
    if let Some(inner) = inner {
        return Err(Flaw::new(inner.line, "`for_each_kill_point` cannot be nested"));
    }
    match &of.action {
        Action::Ask(Ask { target: Target::Run(_), kill_at: None, background: None, .. }) => {
            Ok(Action::ForEachKillPoint { of: Box::new(of), steps })
        }
        _ => Err(Flaw::new(of.line, "`of` must be a `run` that ends by itself")),
    }
}
