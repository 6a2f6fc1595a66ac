//! The plan of a state machine: the states of the definition, those of the server's own around them, the inputs that a call may
//! give, and what the run gives.

use super::contract::{Contract, Variable};
use super::head::Head;
use super::state::Draft;
use super::tools::SESSION_ID;
use kernel::Plan;
use kernel::language::Path;
use kernel::plan::{
    Adapter, Deadline, Dialect, Expr, Flow, Input, InputKind, Machine, OnInterrupt, State, Step, Test,
    Transition, Variables, Work,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The inputs of an effect: the tool, what it is given and the session of the run.
pub const TOOL: &str = "tool";
/// What the tool is given.
pub const PARAMS: &str = "params";
/// The session of the run, for a tool that is given none.
pub const SESSION: &str = "session";

/// The server's own tool that holds a contract against a session.
pub const CHECK: &str = "check_variables";
/// The server's own tool that ends the sessions that a run has opened.
pub const CLOSE: &str = "close_sessions";

/// The server's own tool that keeps a definition which has succeeded, or counts its success.
pub const KEEP: &str = "keep_definition";

/// The input that holds the first variables.
pub const INITIAL_VARIABLES: &str = "initial_variables";
/// The input that says how many states a run may enter.
pub const MAX_STATES: &str = "max_states";
/// The input that says how many seconds a run may take.
pub const EXECUTION_TIMEOUT: &str = "execution_timeout";
/// The input that says that sessions stay open after a failure.
pub const KEEP_SESSIONS: &str = "keep_sessions";

/// The input that says that a definition is kept after success.
pub const SAVE_ON_SUCCESS: &str = "save_on_success";

/// How many states a run may enter, and how many it may where nothing is said.
pub const STATES: (u64, u64) = (1, 1_000);
/// How many it may enter where nothing is said.
pub const STATES_USUAL: u64 = 100;
/// How many seconds a run may take.
pub const SECONDS: (f64, f64) = (1.0, 7_200.0);
/// How many it may take where nothing is said.
pub const SECONDS_USUAL: f64 = 1_800.0;

/// How long a check or the closing of sessions may take.
const OWN_MS_MAX: u64 = 30_000;

/// The longest variable.
pub const VARIABLE_BYTES_MAX: u64 = 64 * 1024;

/// What all variables together may have.
const VARIABLES_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Fields of results, and the variables that they become.
pub(super) const STANDARD: [(&str, &str); 15] = [
    ("session_id", "session_id"),
    ("match_text", "match_text"),
    ("screen_content", "screen_content"),
    ("success", "success"),
    ("error", "error"),
    ("timestamp", "timestamp"),
    ("elapsed_time", "elapsed_time"),
    ("shell", "shell"),
    ("web_url", "web_url"),
    ("process_running", "process_running"),
    ("total_sessions", "total_sessions"),
    ("message", "message"),
    ("final_state", "workflow_final_state"),
    ("workflow_saved", "workflow_saved"),
    ("saved_workflow_name", "saved_workflow_name"),
];

/// A definition as it was written.
pub(super) struct Written {
    pub(super) definition: Value,
    /// Whether it is the file of one that is kept.
    pub(super) is_kept: bool,
}

/// Makes the plan.
pub(super) fn plan(
    head: Head,
    drafts: Vec<Draft>,
    initial: u32,
    contract: &Contract,
    written: Written,
) -> Plan {
    let nested: BTreeMap<&str, &Value> =
        drafts.iter().filter_map(|draft| Some((&*draft.step.id, &draft.nested.as_ref()?.written))).collect();
    let nested = (!nested.is_empty()).then(|| json!(nested));
    let conditions: BTreeMap<String, &Vec<Value>> =
        drafts.iter().map(|draft| (draft.step.id.clone(), &draft.written)).collect();
    let conditions = json!(conditions);
    let (steps, states) = drafts.into_iter().map(|draft| (draft.step, draft.state)).unzip();
    let machine = Machine { initial, states, variables: Some(variables()), finally: None };
    let mut plan = Plan::new(head.name, Dialect::States, Flow::Machine(machine));
    (plan.description, plan.steps) = (head.description, steps);
    plan.inputs = inputs(contract);
    plan.outputs = outputs();
    plan.limits.state_bytes_max = VARIABLES_BYTES_MAX;
    plan.notes.insert("conditions".to_owned(), conditions);
    if let Some(nested) = nested {
        plan.notes.insert("nested".to_owned(), nested);
    }
    if !contract.is_empty() {
        plan.notes.insert("contract".to_owned(), json!(contract));
    }
    agree(&mut plan, contract);
    keep(&mut plan, written);
    plan.cleanup = vec![u32::try_from(plan.steps.len()).unwrap_or(u32::MAX)];
    plan.cleanup_spares_success = true;
    plan.steps.push(own("@close", CLOSE, vec![(KEEP_SESSIONS.to_owned(), given(KEEP_SESSIONS))]));
    plan
}

fn variables() -> Variables {
    let standard = STANDARD.iter().map(|(field, name)| ((*field).to_owned(), (*name).to_owned()));
    Variables {
        initial: INITIAL_VARIABLES.to_owned(),
        standard: standard.collect(),
        without: ["execution_log", "final_variables"].map(str::to_owned).into(),
        bytes_max: VARIABLE_BYTES_MAX,
        visits: MAX_STATES.to_owned(),
        seconds: EXECUTION_TIMEOUT.to_owned(),
    }
}

fn given(name: &str) -> Expr {
    Expr::Optional(Path::of("inputs", &[name]))
}

/// What a call may give.
fn inputs(contract: &Contract) -> Vec<Input> {
    let input = |name: &str, kind: InputKind, default: Option<Value>, description: &str| Input {
        name: name.to_owned(),
        description: description.to_owned(),
        kind,
        required: false,
        default,
        rules: None,
    };
    let mut variables =
        input(INITIAL_VARIABLES, InputKind::Object, Some(json!({})), "the first variables, by name");
    variables.rules = Some(json!({"additionalProperties": {"type": ["string", "number", "boolean"]}}));
    let mut states =
        input(MAX_STATES, InputKind::Integer, Some(STATES_USUAL.into()), "how many states the run may enter");
    states.rules = Some(json!({"minimum": STATES.0, "maximum": STATES.1}));
    let mut seconds = input(
        EXECUTION_TIMEOUT,
        InputKind::Number,
        Some(SECONDS_USUAL.into()),
        "how many seconds the run may take",
    );
    seconds.rules = Some(json!({"minimum": SECONDS.0, "maximum": SECONDS.1}));
    let mut session = input(SESSION_ID, InputKind::String, None, "the terminal session to run in");
    session.required = !contract.is_empty();
    let keep =
        input(KEEP_SESSIONS, InputKind::Boolean, Some(false.into()), "leave sessions open after a failure");
    let save = input(
        SAVE_ON_SUCCESS,
        InputKind::Boolean,
        Some(false.into()),
        "keep the definition in the folder of the project once it has succeeded",
    );
    vec![variables, states, seconds, session, keep, save]
}

/// What the run gives.
fn outputs() -> Vec<(String, Expr)> {
    let of = |name: &str, root: &str, keys: &[&str]| (name.to_owned(), Expr::Optional(Path::of(root, keys)));
    vec![
        of("final_state", "machine", &["state"]),
        of("states_executed", "machine", &["visits"]),
        of("recursion_depth", "machine", &["depth"]),
        of("session_id", "state", &["session_id"]),
        of("final_variables", "state", &[]),
        of("workflow_saved", "result", &["workflow_saved"]),
        of("saved_workflow_name", "result", &["saved_workflow_name"]),
    ]
}

/// A step of the server's own.
fn own(id: &str, tool: &str, params: Vec<(String, Expr)>) -> Step {
    let inputs = vec![(TOOL.to_owned(), Expr::Const(tool.into())), (PARAMS.to_owned(), Expr::Object(params))];
    let mut step =
        Step::new(id, Work::Server { adapter: Adapter::Terminal, inputs, secrets: BTreeMap::new() });
    (step.kind, step.timeout) = (tool.to_owned(), Deadline::After(OWN_MS_MAX));
    step.on_interrupt = OnInterrupt::Retry;
    step
}

/// Puts the checks of a contract around the states: the run begins with one, and ends with the other whatever the last state
/// said, because what was agreed decides.
fn agree(plan: &mut Plan, contract: &Contract) {
    let Flow::Machine(machine) = &mut plan.flow else { return };
    let next = |states: &[State]| u32::try_from(states.len()).unwrap_or(u32::MAX);
    if !contract.return_values.is_empty() {
        let after = next(&machine.states);
        for state in &mut machine.states {
            state.transitions.push(Transition::tested(Vec::new(), after));
        }
        machine.states.push(State { own: true, ..State::default() });
        plan.steps.push(check("@return_values", "return_values", &contract.return_values));
    }
    if !contract.arguments.is_empty() {
        let holds = Test::Equals { field: "success".to_owned(), value: true.into() };
        let begin = Transition::tested(vec![holds], machine.initial);
        machine.initial = next(&machine.states);
        machine.states.push(State { own: true, transitions: vec![begin], ..State::default() });
        plan.steps.push(check("@arguments", "arguments", &contract.arguments));
    }
}

/// Lets a run that ends well go through a state that keeps its definition or counts its success, whoever waits for it.
fn keep(plan: &mut Plan, written: Written) {
    let Flow::Machine(machine) = &mut plan.flow else { return };
    machine.finally = u32::try_from(machine.states.len()).ok();
    machine.states.push(State { own: true, ..State::default() });
    let visits = Expr::Optional(Path::of("machine", &["visits"]));
    plan.steps.push(own(
        "@keep",
        KEEP,
        vec![
            ("definition".to_owned(), Expr::Const(written.definition)),
            ("is_kept".to_owned(), Expr::Const(written.is_kept.into())),
            ("saves".to_owned(), given(SAVE_ON_SUCCESS)),
            ("total_states".to_owned(), visits),
        ],
    ));
}

/// The definition of a plan, as it was written; nothing where it is none of a state machine.
pub fn definition_of(plan: &Plan) -> Option<&Value> {
    let keeps = plan.steps.iter().find(|step| step.id == "@keep")?;
    let Work::Server { inputs, .. } = &keeps.work else { return None };
    let params = inputs.iter().find_map(|(_, value)| match value {
        Expr::Object(params) => Some(params),
        _ => None,
    });
    params?.iter().find_map(|(name, value)| match value {
        Expr::Const(definition) if name == "definition" => Some(definition),
        _ => None,
    })
}

fn check(id: &str, kind: &str, variables: &[Variable]) -> Step {
    let listed =
        variables.iter().map(|variable| json!({"name": variable.name, "required": variable.required}));
    own(
        id,
        CHECK,
        vec![
            (SESSION_ID.to_owned(), given(SESSION_ID)),
            ("validation_type".to_owned(), Expr::Const(kind.into())),
            ("variables".to_owned(), Expr::Const(listed.collect())),
        ],
    )
}
