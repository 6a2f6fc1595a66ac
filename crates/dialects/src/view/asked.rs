//! A question of a run as people and agents see it: an action that is open, with everything it takes to answer.
//!
//! ```text
//!  run.open() ── Action ── Asked ── what a door shows
//!                            └── what was said, made to fit ── command
//! ```

use crate::blocks::LEFT_OUT;
use crate::text::shortened;
use kernel::data::weight;
use kernel::effect::Action;
use kernel::plan::{Audience, Dialect, Gate, GateLevel};
use kernel::{Data, Digest, EffectId, RunId};
use serde_json::{Map, Value, json};

/// The longest text, and the heaviest value, that stands in a document as it is.
pub const SHOWN_BYTES_MAX: usize = 16 * 1024;

/// The inputs that say what is asked or to be done.
const WORDS: [&str; 6] = ["prompt", "message", "instructions", "command", "tool", "method"];

/// A question that waits for someone.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its name, the same after every restart, unlike any other of the root run: `ci#1/approve#1`.
    pub question_id: String,
    /// The run that nobody else started.
    pub root: RunId,
    /// The run that asks: the root, or one below it.
    pub run: RunId,
    /// The steps that lead to it, from the root.
    pub path: Vec<String>,
    /// What it is called inside its run.
    pub effect: EffectId,
    /// How often it is asked, this time included.
    pub attempt: u32,
    /// Who it waits for.
    pub audience: Audience,
    /// Whether only a human may answer.
    pub gate: Option<Gate>,
    /// What kind of answer fits.
    pub kind: AskedKind,
    /// The form its definition was written in.
    pub dialect: Dialect,
    /// What its dialect calls such a step.
    pub word: String,
    /// How long the work may take.
    pub timeout_ms: Option<u64>,
    /// Whether it ends by itself, if no answer comes.
    pub ends: bool,
    /// What is asked; what is long is cut.
    pub prompt: String,
    /// What can be chosen.
    pub choices: Vec<Value>,
    /// What counts where nothing is said; at a gate nothing does.
    pub default: Option<Value>,
    /// The schema that a result must fit.
    pub output_schema: Option<Value>,
    /// What a text must be like.
    pub validation: Option<Value>,
    /// All that is given to whoever does the work, uncut; only in `steps` and `reactive`.
    pub parameters: Map<String, Value>,
    /// All that is shown, the values themselves, whole: an answer is to all of it.
    pub shown: Map<String, Value>,
    /// The texts among it whose middle was left out when they were recorded, and how many bytes.
    pub left_out: Vec<(String, u64)>,
    /// The digest of all that is shown.
    pub digest: Digest,
    /// When the step began, in milliseconds since 1970.
    pub since: u64,
    /// Whether the answer should have come by now.
    pub overdue: bool,
    /// Why it is asked again.
    pub note: Option<String>,
    /// How many answers may still be given, this one included, where each is verified.
    pub attempts_left: Option<u32>,
    /// The command that each must pass then, as it is written.
    pub check: Option<String>,
}

/// What kind of answer fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedKind {
    /// Nothing: someone is told.
    Info,
    /// Any text.
    Text,
    /// Yes or no.
    Confirm,
    /// One of several.
    Choice,
    /// The result of an agent's work.
    Agent,
}

impl AskedKind {
    /// Every kind that a definition may name.
    pub const WRITTEN: [AskedKind; 3] = [AskedKind::Text, AskedKind::Confirm, AskedKind::Choice];

    /// Every kind of a question to a person.
    const ASKED: [AskedKind; 4] = [AskedKind::Info, AskedKind::Text, AskedKind::Confirm, AskedKind::Choice];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Text => "text",
            Self::Confirm => "confirm",
            Self::Choice => "choice",
            Self::Agent => "agent",
        }
    }

    /// The kind that a definition names.
    pub fn named(word: &str) -> Option<Self> {
        Self::WRITTEN.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Where a question stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The run that nobody else started.
    pub root: RunId,
    /// The run that asks.
    pub run: RunId,
    /// The steps that lead to the asking one, from the root.
    pub above: Vec<String>,
    /// When the asking step began.
    pub since: u64,
    /// The form its definition was written in.
    pub dialect: Dialect,
    /// What that calls such a step.
    pub word: String,
    /// Whether it ends by itself.
    pub ends: bool,
    /// How many answers may still be given, where each is verified.
    pub attempts_left: Option<u32>,
    /// The command that each must pass then.
    pub check: Option<String>,
}

impl Asked {
    /// The question that an action is; `load` gives the values of data that is stored.
    pub fn of<E>(
        origin: Origin,
        action: &Action,
        mut load: impl FnMut(&Data) -> Result<Value, E>,
    ) -> Result<Asked, E> {
        let Origin { root, run, above: mut path, since, dialect, word, ends, attempts_left, check } = origin;
        path.push(step(&action.id).to_owned());
        let mut inputs = Map::new();
        for (name, data) in &action.inputs {
            inputs.insert(name.clone(), load(data)?);
        }
        let is_ours = dialect == Dialect::Blocks;
        let left_out = is_ours.then(|| inputs.remove(LEFT_OUT)).flatten().map_or_else(Vec::new, parts);
        let choices = ["choices", "options"].into_iter().find_map(|name| inputs.get(name)?.as_array());
        let choices = choices.cloned().unwrap_or_default();
        let prompt = WORDS.into_iter().find_map(|name| inputs.get(name));
        Ok(Asked {
            question_id: question_id(&root, &run, &action.id),
            root,
            run,
            prompt: prompt.map_or_else(|| step(&action.id).to_owned(), |words| label(&cut(words.clone()))),
            path,
            effect: action.id.clone(),
            attempt: action.attempt,
            audience: action.audience,
            gate: action.gate.clone(),
            kind: kind((dialect, &word), action, &inputs),
            dialect,
            word,
            timeout_ms: action.timeout_ms,
            ends,
            validation: inputs.get("validation").cloned(),
            parameters: match dialect {
                Dialect::Steps | Dialect::Reactive => inputs.clone(),
                Dialect::Blocks | Dialect::States => Map::new(),
            },
            choices,
            default: inputs
                .get("default")
                .filter(|default| !default.is_null() && action.gate.is_none())
                .cloned(),
            output_schema: inputs.get("output_schema").cloned(),
            shown: grouped(inputs),
            left_out,
            digest: action.shown,
            since,
            overdue: action.overdue,
            note: match &action.note {
                Some(note) => Some(label(&load(note)?)),
                None => None,
            },
            attempts_left,
            check,
        })
    }

    /// The steps that lead to it, for people: `ci / approve`.
    pub fn step(&self) -> String {
        self.path.join(" / ")
    }

    /// What is asked, all of it.
    pub fn words(&self) -> String {
        let words = WORDS.into_iter().find_map(|name| self.shown.get(name));
        words.map_or_else(|| self.prompt.clone(), label)
    }

    /// What is not whole of what is shown, in one line, if something is not.
    pub fn not_whole(&self) -> Option<String> {
        let texts =
            self.left_out.iter().map(|(name, bytes)| format!("{bytes} bytes of the middle of `{name}`"));
        let texts = texts.collect::<Vec<_>>().join(" and ");
        (!texts.is_empty()).then(|| format!("This is not whole: {texts} were left out."))
    }

    /// Whether a yes needs a passphrase.
    pub fn wants_proof(&self) -> bool {
        self.gate.as_ref().is_some_and(|gate| gate.level == GateLevel::Proof)
    }

    /// Whether nobody but a human may answer, through a door that no agent holds.
    pub fn is_gate(&self) -> bool {
        self.gate.is_some()
    }
}

/// The texts of which something was left out.
fn parts(left_out: Value) -> Vec<(String, u64)> {
    let Value::Object(texts) = left_out else { return Vec::new() };
    let texts = texts.into_iter().filter_map(|(name, bytes)| Some((format!("${{{name}}}"), bytes.as_u64()?)));
    texts.collect()
}

/// What an effect is called in the root run: the way down to it.
pub fn question_id(root: &RunId, run: &RunId, effect: &EffectId) -> String {
    let below = run.as_str().strip_prefix(root.as_str()).unwrap_or(run.as_str()).trim_start_matches('/');
    if below.is_empty() { effect.to_string() } else { format!("{below}/{effect}") }
}

/// The step that an effect belongs to, as its run calls it.
pub fn step(effect: &EffectId) -> &str {
    effect.as_str().rsplit_once('#').map_or(effect.as_str(), |(step, _)| step)
}

fn kind((dialect, word): (Dialect, &str), action: &Action, inputs: &Map<String, Value>) -> AskedKind {
    match (dialect, word) {
        (Dialect::Reactive, "user_input") if action.gate.is_none() => return AskedKind::Text,
        (Dialect::Reactive, "user_message") if action.gate.is_none() => return AskedKind::Info,
        _ => {}
    }
    let written = ["kind", "type"].into_iter().find_map(|name| inputs.get(name)?.as_str());
    let written = AskedKind::ASKED.into_iter().find(|kind| Some(kind.as_str()) == written);
    match action.audience {
        Audience::Agent => AskedKind::Agent,
        Audience::Human => {
            written.unwrap_or(if action.gate.is_some() { AskedKind::Confirm } else { AskedKind::Text })
        }
    }
}

/// A value as one text: text as it is, everything else as JSON.
pub fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What is shown, as it was written: `context.a` and `context.b` are two values of one name.
fn grouped(inputs: Map<String, Value>) -> Map<String, Value> {
    let mut shown = Map::new();
    for (name, value) in inputs {
        match name.split_once('.') {
            Some((group, name)) => {
                shown.entry(group).or_insert_with(|| json!({}))[name] = value;
            }
            None => drop(shown.insert(name, value)),
        }
    }
    shown
}

/// A value as a document has it: what is too long loses its middle, and says so.
pub fn cut(value: Value) -> Value {
    match value {
        value if !is_long(&value) => value,
        Value::String(text) => shortened(&text, SHOWN_BYTES_MAX).into(),
        value => shortened(&value.to_string(), SHOWN_BYTES_MAX).into(),
    }
}

/// Whether a value is too long for a document.
pub fn is_long(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > SHOWN_BYTES_MAX,
        Value::Array(_) | Value::Object(_) => weight(value) > SHOWN_BYTES_MAX as u64,
        _ => false,
    }
}
