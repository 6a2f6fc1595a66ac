//! Turns the nodes of a case file into a [`Case`], and refuses what is not in the format.

use serde_json::json;

use crate::case::{
    Action, Ask, Case, Connect, FIRST_CLIENT, KillAt, KillPoints, Request, SignalName, Step, Target, Who,
};
use crate::doors::{Door, Era};
use crate::fields::{Fields, hint, number, pairs, text, texts};
use crate::read_check::{Asked, check, limit};
use crate::suite;
use crate::verdict::CaseFile;
use crate::yaml::{self, Flaw, Kind, Node};

const COVERS_MAX: usize = 6;
const KINDS: [&str; 13] = [
    "run",
    "shell",
    "call",
    "list",
    "read",
    "request",
    "write",
    "await",
    "signal",
    "connect",
    "disconnect",
    "cancel_call",
    "for_each_kill_point",
];

/// Reads the case of a file. The error is the whole report.
pub(crate) fn file(file: &CaseFile, known_id: &dyn Fn(&str) -> bool) -> Result<Case, String> {
    let source =
        std::fs::read_to_string(&file.path).map_err(|error| format!("  {}: {error}\n", file.shown))?;
    case(&source, known_id).map_err(|flaw| format!("  {}:{}: {}\n", file.shown, flaw.line, flaw.message))
}

/// Reads one text. `known_id` says whether a requirement exists.
fn case(source: &str, known_id: &dyn Fn(&str) -> bool) -> Result<Case, Flaw> {
    let mut fields = Fields::open(yaml::read(source)?, "a case")?;
    let about = text(&fields.need("about")?, "`about`")?;
    covers(&fields.need("covers")?, known_id)?;
    let only = fields.take("only").map(only).transpose()?;
    let mut files = fields.take("files").map_or(Ok(Vec::new()), |node| pairs(&node, "`files`"))?;
    files.extend(fields.take("examples").map_or(Ok(Vec::new()), examples)?);
    let env = fields.take("env").map_or(Ok(Vec::new()), |node| pairs(&node, "`env`"))?;
    let conversation = steps(fields.need("conversation")?)?;
    fields.close()?;
    refuse_stray_loops(&conversation)?;
    Ok(Case { about, files, env, only, conversation })
}

/// Examples of the project, as files of the folder in which their dialect looks first.
fn examples(node: Node) -> Result<Vec<(String, String)>, Flaw> {
    let read = |path: String| {
        let place = match path.split_once('/') {
            // Names of this dialect have folders in them, and imports name files by their folder.
            Some(("reactive", below)) => format!(".aromcp/workflows/{below}"),
            Some(("states", below)) => format!(".terminal_control_workflows/examples/{below}"),
            _ => format!("workflows/{}", path.rsplit('/').next().unwrap_or(&path)),
        };
        let content = std::fs::read_to_string(suite::project().join("examples").join(&path));
        let content = content.map_err(|error| Flaw::new(node.line, format!("example `{path}`: {error}")))?;
        Ok((place, content))
    };
    texts(&node, "`examples`")?.into_iter().map(read).collect()
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

fn only(node: Node) -> Result<Vec<Door>, Flaw> {
    let word = text(&node, "`only`")?;
    let known = Door::WORDS.map(|(word, _)| word);
    let found = Door::WORDS.iter().find(|(known, _)| *known == word);
    found
        .map(|(_, doors)| doors.to_vec())
        .ok_or_else(|| Flaw::new(node.line, format!("no door is called `{word}`{}", hint(&word, &known))))
}

fn steps(node: Node) -> Result<Vec<Step>, Flaw> {
    match node.kind {
        Kind::List(items) if !items.is_empty() => items.into_iter().map(step).collect(),
        _ => Err(Flaw::new(node.line, "a conversation must be a list of steps")),
    }
}

fn refuse_stray_loops(steps: &[Step]) -> Result<(), Flaw> {
    let each = |step: &&Step| {
        let kill_at = match &step.action {
            Action::Ask(ask) => ask.kill_at,
            Action::Connect(connect) => connect.kill_at,
            _ => None,
        };
        matches!(kill_at, Some(KillAt::Each))
    };
    if let Some(step) = steps.iter().find(each) {
        return Err(Flaw::new(step.line, "`kill_at: each` belongs into a `for_each_kill_point`"));
    }
    let mut loops = steps.iter().filter(|step| matches!(step.action, Action::ForEachKillPoint(_)));
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
        "call" | "list" | "read" | "request" => {
            Action::Ask(ask(Target::Request(request(kind, &subject, &mut fields)?), &mut fields)?)
        }
        "write" => Action::Write(pairs(&subject, "`write`")?),
        "await" => Action::Await {
            name: text(&subject, "`await`")?,
            limit: limit(&mut fields)?,
            check: check(&mut fields, Asked::Either)?,
        },
        "signal" => signal(subject)?,
        "connect" => Action::Connect(connect(text(&subject, "`connect`")?, &mut fields)?),
        "disconnect" => Action::Disconnect(text(&subject, "`disconnect`")?),
        "cancel_call" => Action::CancelCall(text(&subject, "`cancel_call`")?),
        _ => for_each_kill_point(subject)?,
    };
    fields.close()?;
    Ok(Step { line, action })
}

fn ask(target: Target, fields: &mut Fields) -> Result<Ask, Flaw> {
    let is_request = matches!(target, Target::Request(_));
    let env = match is_request {
        true => Vec::new(),
        false => fields.take("env").map_or(Ok(Vec::new()), |node| pairs(&node, "`env`"))?,
    };
    let kill_at = match (&target, fields.take("kill_at")) {
        (_, None) => None,
        (Target::Run(_), Some(node)) => Some(kill_at(&node)?),
        (_, Some(node)) => return Err(Flaw::new(node.line, "only `run` and `connect` have kill points")),
    };
    let limit = limit(fields)?;
    let background = fields.take("background").map(|node| text(&node, "`background`")).transpose()?;
    let line = fields.line();
    if background.is_some() && (fields.has("expect") || fields.has("remember") || kill_at.is_some()) {
        return Err(Flaw::new(line, "what a background command answers is said at its `await`"));
    }
    let asked = if is_request { Asked::Request } else { Asked::Command };
    Ok(Ask { target, env, kill_at, limit, background, check: check(fields, asked)? })
}

fn kill_at(node: &Node) -> Result<KillAt, Flaw> {
    match text(node, "`kill_at`")?.as_str() {
        "each" => Ok(KillAt::Each),
        _ => Ok(KillAt::Number(number(node, "`kill_at`")?)),
    }
}

fn request(kind: &str, subject: &Node, fields: &mut Fields) -> Result<Request, Flaw> {
    let client = fields.take("client").map(|node| text(&node, "`client`")).transpose()?;
    let client = client.unwrap_or_else(|| FIRST_CLIENT.to_owned());
    let word = text(subject, "what is asked for")?;
    let with = match kind {
        "call" | "request" => fields.take("with"),
        _ => None,
    };
    let with = with.map_or_else(|| json!({}), |node| node.to_json());
    if !with.is_object() {
        return Err(Flaw::new(subject.line, "`with` must be a map"));
    }
    let (method, params) = match kind {
        "call" => ("tools/call".to_owned(), json!({ "name": word, "arguments": with })),
        "list" => (list_of(subject, &word)?, json!({})),
        "read" => ("resources/read".to_owned(), json!({ "uri": word })),
        _ => (word, with),
    };
    Ok(Request { client, method, params, progress: kind == "call" })
}

fn list_of(node: &Node, word: &str) -> Result<String, Flaw> {
    match word {
        "tools" | "resources" | "prompts" => Ok(format!("{word}/list")),
        "templates" => Ok("resources/templates/list".to_owned()),
        _ => {
            let hint = hint(word, &["tools", "resources", "templates", "prompts"]);
            Err(Flaw::new(node.line, format!("no list is called `{word}`{hint}")))
        }
    }
}

fn connect(name: String, fields: &mut Fields) -> Result<Connect, Flaw> {
    let plain = Connect::plain(&name);
    Ok(Connect {
        folder: fields.take("folder").map(|node| text(&node, "`folder`")).transpose()?,
        args: fields.take("args").map_or(Ok(Vec::new()), |node| texts(&node, "`args`"))?,
        env: fields.take("env").map_or(Ok(Vec::new()), |node| pairs(&node, "`env`"))?,
        era: fields.take("era").map(|node| era(&node)).transpose()?,
        answers: fields.take("answers").map(|node| answers(&node)).transpose()?,
        kill_at: fields.take("kill_at").map(|node| kill_at(&node)).transpose()?,
        limit: limit(fields)?,
        check: check(fields, Asked::Request)?,
        ..plain
    })
}

/// What someone says: the result of a form, or `silence`.
fn answers(node: &Node) -> Result<Vec<serde_json::Value>, Flaw> {
    match node.to_json() {
        serde_json::Value::Array(answers) => Ok(answers),
        _ => Err(Flaw::new(node.line, "`answers` must be a list".to_owned())),
    }
}

fn era(node: &Node) -> Result<Era, Flaw> {
    let word = text(node, "`era`")?;
    let found = Era::ALL.into_iter().find(|era| era.revision() == word);
    let known = Era::ALL.map(Era::revision);
    found.ok_or_else(|| Flaw::new(node.line, format!("no era is called `{word}`{}", hint(&word, &known))))
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
    let who = fields.take("who").map_or(Ok(Who::Command), |node| who(&node))?;
    let of = fields.need("of")?;
    let of = match of.kind {
        Kind::List(_) => steps(of)?,
        _ => vec![step(of)?],
    };
    let steps = steps(fields.need("steps")?)?;
    fields.close()?;
    let nested = |step: &&Step| matches!(step.action, Action::ForEachKillPoint(_));
    if let Some(inner) = of.iter().chain(&steps).find(nested) {
        return Err(Flaw::new(inner.line, "`for_each_kill_point` cannot be nested"));
    }
    if let Some(step) = of.iter().find(|step| !ends_by_itself(step)) {
        return Err(Flaw::new(step.line, "`of` is what ends by itself and is not killed"));
    }
    let counted = |step: &Step| match &step.action {
        Action::Ask(ask) => matches!(ask.target, Target::Run(_)),
        Action::Connect(_) => true,
        _ => false,
    };
    match of.first() {
        Some(first) if !of.iter().any(counted) => {
            Err(Flaw::new(first.line, "`of` has a `run` or a `connect`: what it starts is counted"))
        }
        _ => Ok(Action::ForEachKillPoint(KillPoints { who, of, steps })),
    }
}

fn ends_by_itself(step: &Step) -> bool {
    match &step.action {
        Action::Ask(ask) => ask.kill_at.is_none() && ask.background.is_none(),
        Action::Connect(connect) => connect.kill_at.is_none(),
        _ => true,
    }
}

fn who(node: &Node) -> Result<Who, Flaw> {
    let word = text(node, "`who`")?;
    let known = Who::ALL.map(Who::word);
    let found = Who::ALL.into_iter().find(|who| who.word() == word);
    found.ok_or_else(|| Flaw::new(node.line, format!("no process is called `{word}`{}", hint(&word, &known))))
}
