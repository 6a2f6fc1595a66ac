//! The tools that a state may call, and what each takes. The same table gives the types of parameters, the published schema
//! and its words.

use kernel::plan::InputKind;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// What it takes.
    pub params: &'static [Param],
    /// Whether it waits for something no longer than it is told.
    pub waits: bool,
}

/// A parameter of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: InputKind,
    /// Whether it must be given.
    pub required: bool,
    /// What holds where it is not, as JSON.
    pub default: Option<&'static str>,
    /// What it is for.
    pub description: &'static str,
}

/// The tool that runs another workflow.
pub const RUN_WORKFLOW: &str = "run_workflow";

/// The parameter that names a session.
pub const SESSION_ID: &str = "session_id";

const fn needed(name: &'static str, kind: InputKind, description: &'static str) -> Param {
    Param { name, kind, required: true, default: None, description }
}

const fn usual(
    name: &'static str,
    kind: InputKind,
    default: &'static str,
    description: &'static str,
) -> Param {
    Param { name, kind, required: false, default: Some(default), description }
}

const fn free(name: &'static str, kind: InputKind, description: &'static str) -> Param {
    Param { name, kind, required: false, default: None, description }
}

const SESSION: Param = needed(SESSION_ID, InputKind::String, "the session");

/// The tools of terminals, in the order in which a session uses them.
pub const TERMINAL: [Tool; 6] = [
    Tool {
        name: "open_terminal",
        description: "Opens a terminal session with a shell.",
        params: &[
            usual("shell", InputKind::String, "\"bash\"", "the shell, or another program with its arguments"),
            free("arguments", InputKind::List, "arguments of the program; `shell` is then the program alone"),
            free(
                "working_directory",
                InputKind::String,
                "the folder to begin in; without it, that of the project",
            ),
            free("environment", InputKind::Object, "variables beside those that the server passes on"),
            free("columns", InputKind::Integer, "the width"),
            free("rows", InputKind::Integer, "the height"),
            free("settle_ms", InputKind::Integer, "how long nothing must come before it is answered"),
        ],
        waits: false,
    },
    Tool {
        name: "send_input",
        description: "Types text into a session; a line break at its end is Enter.",
        params: &[
            SESSION,
            needed("input_text", InputKind::String, "what is typed, as it is"),
            free("keys", InputKind::Boolean, "names of keys in the text (`<Enter>`, `<C-c>`) stand for keys"),
            free("settle_ms", InputKind::Integer, "how long nothing must come before it is answered"),
        ],
        waits: false,
    },
    Tool {
        name: "await_output",
        description: "Waits until a regular expression appears in the output that came after the last input.",
        params: &[
            SESSION,
            needed("pattern", InputKind::String, "the regular expression"),
            usual("timeout", InputKind::Number, "10.0", "how many seconds to wait"),
        ],
        waits: true,
    },
    Tool {
        name: "get_screen_content",
        description: "Reads what a session shows.",
        params: &[
            SESSION,
            usual(
                "content_mode",
                InputKind::String,
                "\"screen\"",
                "`screen`, `tail`, `history` or `since_input`",
            ),
            usual("line_count", InputKind::Integer, "30", "how many lines `tail` gives"),
        ],
        waits: false,
    },
    Tool {
        name: "list_terminal_sessions",
        description: "Counts the sessions that live.",
        params: &[],
        waits: false,
    },
    Tool { name: "exit_terminal", description: "Ends a session.", params: &[SESSION], waits: false },
];

/// What a state gives to a workflow that it runs.
pub const NESTED: Tool = Tool {
    name: RUN_WORKFLOW,
    description: "Runs another workflow and waits for its end.",
    params: &[
        free("workflow_name", InputKind::String, "the name of a saved workflow"),
        free("workflow_definition", InputKind::Object, "the workflow itself, instead of a name"),
        usual("initial_variables", InputKind::Object, "{}", "its first variables"),
        usual("max_states", InputKind::Integer, "100", "how many states it may enter"),
        usual("execution_timeout", InputKind::Number, "1800.0", "how many seconds it may take"),
        usual(
            "save_on_success",
            InputKind::Boolean,
            "true",
            "whether a definition that is given is kept after success; a saved one is already",
        ),
        free(SESSION_ID, InputKind::String, "the session it runs in, where it has a contract"),
    ],
    waits: false,
};

/// The tool of a name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TERMINAL.iter().chain([&NESTED]).find(|tool| tool.name == name)
}

impl Tool {
    /// The parameter of a name.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.name == name)
    }
}
