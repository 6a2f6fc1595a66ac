//! What came back: the end and the texts of a command, or what a server replied over MCP. Expectations name its parts.

use std::fmt;

use serde_json::{Value, json};

use crate::process::Ended;

/// A part of an answer that an expectation can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The exit code, or the name of the signal.
    Exit,
    Stdout,
    Stderr,
    /// Data: stdout as one document, a tool's structured content, what was listed, a resource that is JSON.
    Json,
    /// Whether a tool says that it failed.
    Error,
    /// The text of a tool's content or of a resource.
    Text,
    /// The content itself, block by block.
    Content,
    /// The messages of progress, in order.
    Progress,
    /// The error of a request that was not carried out at all.
    ProtocolError,
}

impl Part {
    /// Those that a command has.
    pub(crate) const OF_COMMANDS: [Self; 4] = [Self::Exit, Self::Stdout, Self::Stderr, Self::Json];
    /// Those that a request has.
    pub(crate) const OF_REQUESTS: [Self; 6] =
        [Self::Json, Self::Error, Self::Text, Self::Content, Self::Progress, Self::ProtocolError];
    /// All there are.
    pub(crate) const ALL: [Self; 9] = [
        Self::Exit,
        Self::Stdout,
        Self::Stderr,
        Self::Json,
        Self::Error,
        Self::Text,
        Self::Content,
        Self::Progress,
        Self::ProtocolError,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Json => "json",
            Self::Error => "error",
            Self::Text => "text",
            Self::Content => "content",
            Self::Progress => "progress",
            Self::ProtocolError => "protocol_error",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) enum Answer {
    Command(Ended),
    Reply(Reply),
}

/// What a server replied to one request.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) json: Option<Value>,
    pub(crate) error: bool,
    pub(crate) text: String,
    pub(crate) content: Value,
    pub(crate) progress: Vec<String>,
    pub(crate) protocol_error: Option<Value>,
}

impl Answer {
    /// Returns one part, or nothing if the answer does not have it. The error says why it cannot be read.
    pub(crate) fn part(&self, part: Part) -> Result<Option<Value>, String> {
        Ok(match (self, part) {
            (Self::Command(ended), Part::Exit) => Some(ended.end.to_json()),
            (Self::Command(ended), Part::Stdout) => Some(ended.stdout.as_str().into()),
            (Self::Command(ended), Part::Stderr) => Some(ended.stderr.as_str().into()),
            (Self::Command(ended), Part::Json) => {
                Some(serde_json::from_str(&ended.stdout).map_err(|error| error.to_string())?)
            }
            (Self::Reply(reply), Part::Json) => reply.json.clone(),
            (Self::Reply(reply), Part::Error) => Some(reply.error.into()),
            (Self::Reply(reply), Part::Text) => Some(reply.text.as_str().into()),
            (Self::Reply(reply), Part::Content) => Some(reply.content.clone()),
            (Self::Reply(reply), Part::Progress) => Some(reply.progress.clone().into()),
            (Self::Reply(reply), Part::ProtocolError) => reply.protocol_error.clone(),
            _ => None,
        })
    }

    /// Returns what must hold of the parts that a step does not name. `exit` is how a command must end.
    pub(crate) fn unsaid(&self, said: &[Part], exit: Option<&Value>) -> Vec<(Part, Value)> {
        let unsaid = |part: Part, value: Value| (!said.contains(&part)).then_some((part, value));
        match self {
            Self::Command(_) => exit.and_then(|exit| unsaid(Part::Exit, exit.clone())).into_iter().collect(),
            Self::Reply(_) if said.contains(&Part::ProtocolError) => Vec::new(),
            Self::Reply(_) => {
                [unsaid(Part::ProtocolError, json!({ "absent": true })), unsaid(Part::Error, false.into())]
                    .into_iter()
                    .flatten()
                    .collect()
            }
        }
    }

    /// Returns the line that sums it up, and its texts by their names.
    pub(crate) fn shown(&self) -> (String, Vec<(&'static str, String)>) {
        match self {
            Self::Command(ended) => (
                format!("ended with {}", ended.end.to_json()),
                vec![("stdout", ended.stdout.clone()), ("stderr", ended.stderr.clone())],
            ),
            Self::Reply(reply) => reply.shown(),
        }
    }
}

impl Reply {
    /// Reads the message that answers a request.
    pub(crate) fn read(method: &str, message: &Value, progress: Vec<String>) -> Self {
        let Some(result) = message.get("result") else {
            let error = message.get("error").cloned().unwrap_or_else(|| json!({ "message": "no result" }));
            return Self { protocol_error: Some(error), progress, ..Self::default() };
        };
        match method {
            "tools/call" => Self {
                json: result.get("structuredContent").cloned(),
                error: result.get("isError") == Some(&true.into()),
                text: texts(&result["content"]),
                content: result["content"].clone(),
                progress,
                protocol_error: None,
            },
            "resources/read" => {
                let text = texts(&result["contents"]);
                let json = serde_json::from_str(&text).ok();
                let content = result["contents"].clone();
                Self { json, text, content, progress, ..Self::default() }
            }
            _ => Self { json: Some(result.clone()), progress, ..Self::default() },
        }
    }

    /// What stands in the place of a reply that never came because the other side went away.
    pub(crate) fn gone(progress: Vec<String>) -> Self {
        let error = json!({ "message": "the connection ended" });
        Self { protocol_error: Some(error), progress, ..Self::default() }
    }

    fn shown(&self) -> (String, Vec<(&'static str, String)>) {
        if let Some(error) = &self.protocol_error {
            return (format!("was refused: {error}"), Vec::new());
        }
        let sum = if self.error { "answered with an error" } else { "answered" };
        let mut texts = Vec::new();
        match &self.json {
            Some(json) => texts.push(("json", format!("{json:#}"))),
            None => texts.push(("text", self.text.clone())),
        }
        if !self.progress.is_empty() {
            texts.push(("progress", self.progress.join("\n")));
        }
        (sum.to_owned(), texts)
    }
}

/// Returns the texts of content blocks, one after the other.
fn texts(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    blocks.filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
}
