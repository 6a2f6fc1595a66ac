//! Plans of this dialect in the kernel's hands: a workflow and its children, with a template engine that stands in for the
//! evaluator and somebody who answers every action.

use super::good;
use crate::read::Read;
use kernel::command::{Caller, Command};
use kernel::effect::Action;
use kernel::event::Claim;
use kernel::plan::Audience;
use kernel::question::Piece;
use kernel::{Answer, Data, Effect, Fields, Outcome, Plan, Question, Run, RunId, Status, Turn};
use minijinja::{Environment, Value as Jinja};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A workflow, its children, and what was asked of whoever follows them, in order.
struct World<'w> {
    plans: BTreeMap<kernel::Digest, Arc<Plan>>,
    runs: BTreeMap<RunId, Run>,
    commands: VecDeque<(RunId, Command)>,
    asked: Vec<(String, Value)>,
    /// What somebody says; nothing where they are silent.
    answer: &'w dyn Fn(&str, &Value) -> Value,
    timers: BTreeMap<(u64, kernel::EffectId), RunId>,
    now: u64,
}

/// Plays a definition to its end: how it ended, and all actions with what they show.
fn play(
    read: Read,
    inputs: &Value,
    answer: &dyn Fn(&str, &Value) -> Value,
) -> (Outcome, Vec<(String, Value)>) {
    let root = RunId::new("r");
    let plans = read.tasks.iter().map(|plan| (plan.digest(), Arc::clone(plan))).collect();
    let run = Run::new(Arc::new(read.plan), root.clone(), None, 0);
    let mut world = World {
        plans,
        runs: BTreeMap::from([(root.clone(), run)]),
        commands: VecDeque::from([(root.clone(), Command::Start { inputs: fields(inputs) })]),
        asked: Vec::new(),
        answer,
        timers: BTreeMap::new(),
        now: 0,
    };
    while let Some((run, command)) = world.commands.pop_front().or_else(|| world.wait(&root)) {
        world.give(&run, command);
    }
    match world.runs[&root].status() {
        Status::Ended(outcome) => (outcome, world.asked),
        other => panic!("{other:?} after {:?}", world.asked),
    }
}

fn fields(value: &Value) -> Fields {
    let map = value.as_object().cloned().unwrap_or_default();
    map.into_iter().map(|(name, value)| (name, Data::Inline(value))).collect()
}

fn inline(data: &Data) -> Value {
    data.inline().cloned().expect("nothing here is large")
}

impl World<'_> {
    fn give(&mut self, id: &RunId, command: Command) {
        self.now += 1_000;
        let run = self.runs.get_mut(id).unwrap();
        let event = run.admit(command, self.now).unwrap_or_else(|refusal| panic!("{id}: {refusal:?}"));
        let mut turn: Turn = run.apply(event);
        while !turn.questions.is_empty() {
            turn = run.answer(turn.questions.iter().map(told).collect());
        }
        for effect in turn.effects {
            self.carry_out(id, effect);
        }
    }

    fn carry_out(&mut self, id: &RunId, effect: Effect) {
        match effect {
            Effect::Offer(action) => self.submit(id, &action),
            Effect::StartChild { id: effect, child, plan, inputs, depth, .. } => {
                let plan = Arc::clone(&self.plans[&plan.expect("tasks are pinned")]);
                self.runs
                    .insert(child.clone(), Run::new(plan, child.clone(), Some((id.clone(), effect)), depth));
                self.commands.push_back((child, Command::Start { inputs }));
            }
            Effect::TellParent { parent, effect, outcome } => {
                let child = id.clone();
                self.commands.push_back((parent, Command::EndChild { effect, child, outcome }));
            }
            Effect::StartTimer { id: timer, due } => drop(self.timers.insert((due, timer), id.clone())),
            Effect::Withdraw { id } => self.timers.retain(|(_, timer), _| *timer != id),
            other => panic!("{other:?}"),
        }
    }

    /// Where nobody says anything, time passes.
    fn wait(&mut self, root: &RunId) -> Option<(RunId, Command)> {
        if matches!(self.runs[root].status(), Status::Ended(_)) {
            return None;
        }
        let ((due, timer), run) = self.timers.pop_first()?;
        self.now = self.now.max(due);
        Some((run, Command::Fire { timer }))
    }

    fn submit(&mut self, id: &RunId, action: &Action) {
        let shown: Map<String, Value> =
            action.inputs.iter().map(|(name, data)| (name.clone(), inline(data))).collect();
        let shown = Value::Object(shown);
        let said = (self.answer)(&action.step, &shown);
        self.asked.push((action.step.clone(), shown));
        if said.is_null() {
            return;
        }
        let result = Fields::from([("result".to_owned(), Data::Inline(said))]);
        let by = match action.audience {
            Audience::Agent => Caller::Agent("a".to_owned()),
            Audience::Human => Caller::Human { door: "console".to_owned(), proven: false },
        };
        let submit = Command::Submit { effect: action.id.clone(), result, by, claim: Claim::default() };
        self.commands.push_back((id.clone(), submit));
    }
}

fn told(question: &Question) -> Answer {
    match question {
        Question::Evaluate { expressions, scope, .. } => Answer::Evaluated(
            expressions.iter().map(|source| evaluated(source, scope).map(Data::Inline)).collect(),
        ),
        Question::Gather { wholes, .. } => {
            let whole = |pieces: &Vec<Piece>| {
                let json: String = pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Json(text) => text.as_str(),
                        other => panic!("{other:?}"),
                    })
                    .collect();
                Ok(Data::Inline(serde_json::from_str(&json).unwrap()))
            };
            Answer::Evaluated(wholes.iter().map(whole).collect())
        }
        Question::Compute { .. } => panic!("nothing here is computed"),
        Question::Load { .. } => panic!("nothing here is stored"),
    }
}

/// What a template engine makes of a text that reads nothing but what it is given.
fn evaluated(source: &str, scope: &[(String, Data)]) -> Result<Value, String> {
    let mut environment = Environment::new();
    environment.add_filter("milliseconds", |seconds: f64| (seconds * 1000.0) as i64);
    environment.add_filter("parse_json", |text: String| {
        Jinja::from(minijinja::value::Serde(serde_json::from_str::<Value>(&text).unwrap()))
    });
    environment.add_filter("hash", |text: String| text.len());
    let mut names: Map<String, Value> =
        ["state", "inputs"].map(|name| (name.to_owned(), json!({}))).into_iter().collect();
    for (path, data) in scope {
        match path.split_once('.') {
            Some((root, field)) => names[root][field] = inline(data),
            None => drop(names.insert(path.clone(), inline(data))),
        }
    }
    let names = Jinja::from(minijinja::value::Serde(names));
    let told = match crate::jinja::reads(source).whole {
        Some(inside) => {
            let expression =
                environment.compile_expression(&source[inside]).map_err(|error| error.to_string())?;
            expression.eval(names).map(|value| serde_json::to_value(value).unwrap())
        }
        None => environment.render_str(source, names).map(Value::String),
    };
    told.map_err(|error| error.to_string())
}

fn result(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Succeeded { outputs } => inline(&outputs["result"]),
        other => panic!("{other:?}"),
    }
}

fn steps_of(asked: &[(String, Value)]) -> Vec<&str> {
    asked.iter().map(|(step, _)| step.split('@').next().unwrap()).collect()
}

#[test]
fn a_deployment_goes_its_way() {
    let text = include_str!("inputs/deploy-service.yaml");
    for (code, expected) in [
        (0, ["build", "test", "push", "deploy", "notify"].as_slice()),
        (1, &["build", "push", "deploy", "notify"]),
    ] {
        let answer = |_: &str, _: &Value| json!({"exit_code": code, "stdout": "", "stderr": ""});
        let (outcome, asked) = play(good(text), &json!({"service_name": "api"}), &answer);
        assert_eq!(steps_of(&asked), expected);
        assert_eq!(asked[0].1, json!({"command": "docker build --tag api:latest ."}));
        let deploy = &asked[asked.len() - 2].1;
        assert_eq!(
            *deploy,
            json!({"tool": "kubernetes.apply", "args": {"manifest": "k8s/staging/api.yaml"}})
        );
        let state = result(outcome);
        assert_eq!((&state["deployed"], &state["build_output"]["exit_code"]), (&json!(false), &json!(code)));
        assert_eq!(state.get("test_results").is_some(), code == 0);
    }
}

/// Whoever answers in the planning of something.
fn planner(step: &str, shown: &Value) -> Value {
    match step.split('@').next().unwrap() {
        "get-user-request" => json!({"input": "a login"}),
        "generate-research-tasks" => json!({"response": "[\"tokens\", \"sessions\"]"}),
        "approve-plan" => json!({"confirmed": true}),
        "search-web" => json!({"urls": [1, 2, 3], "query": shown["args"]["query"]}),
        "analyze-results" => json!({"result": format!("found: {}", shown["args"]["task"])}),
        _ => json!({"response": "words"}),
    }
}

#[test]
fn planning_goes_its_way() {
    let text = super::source::declared().replace("{{ now().isoformat() }}", "then");
    let (outcome, asked) = play(good(&text), &json!({}), &planner);
    let child = ["search-web", "analyze-results", "save-research"];
    let expected: Vec<&str> = ["get-user-request", "generate-research-tasks"]
        .into_iter()
        .chain(child)
        .chain(child)
        .chain(["generate-initial-plan", "review-plan", "finalize-plan", "approve-plan", "save-plan"])
        .collect();
    assert_eq!(steps_of(&asked), expected);
    let state = result(outcome);
    assert_eq!(state["research_tasks"], json!(["tokens", "sessions"]));
    assert_eq!((&state["task_count"], &state["approved"]), (&json!(2), &json!(true)));
    assert_eq!(state["status"], "Plan approved and saved");
    assert_eq!(state["research_results"][1]["task"], "sessions");
    assert_eq!(state["research_results"][1]["sources_count"], 3);
    // A child knows what it was given, and nothing else.
    assert_eq!(asked[2].1["args"]["query"], "tokens");
}

#[test]
fn what_a_sub_agent_may_not_is_a_failure_of_its_own() {
    let text = "\
name: a
version: 1.0.0
steps:
  - {id: each, type: foreach, items: [1, 2], task: t, agent: \"@task\", continue_on_error: true, output_to: r}
tasks:
  t:
    initial_state: {n: 1}
    steps:
      - {id: note, type: set_state, needs_state: [n], updates: {n: \"{{ state.n + item }}\", m: \"{{ n * 10 }}\"}, output_to: all}
      - id: odd
        type: condition
        needs_state: [n]
        if: \"{{ state.n == 3 }}\"
        then: [{id: sure, type: confirm, message: Sure?}]
      - {id: done, type: return, needs_state: [m, all], value: {m: \"{{ state.m }}\", all: \"{{ state.all }}\"}}
";
    let (outcome, asked) = play(good(text), &json!({}), &|_, _| json!({"acknowledged": true}));
    assert_eq!(steps_of(&asked), ["note", "note"]);
    assert_eq!(asked[0].1, json!({"message": "State updated internally"}));
    let state = result(outcome);
    assert_eq!(state["r"][0], json!({"m": 20, "all": {"n": 2, "m": 20}}));
    assert_eq!((&state["r"][1]["success"], &state["r"][1]["item"]), (&json!(false), &json!(2)));
    let error = state["r"][1]["error"].as_str().unwrap();
    assert!(error.contains("a prompt asks a person, and a sub-agent has none"), "{error}");
}

#[test]
fn a_wait_goes_on_by_itself_or_when_it_is_told() {
    let text = "\
name: a
version: 1.0.0
inputs: {n: {type: number, default: 2}}
steps:
  - {id: short, type: wait, duration_seconds: \"{{ inputs.n }}\", message: Wait., output_to: s}
  - {id: long, type: wait, duration_seconds: 3600, output_to: l}
";
    let answer = |step: &str, _: &Value| if step == "long" { json!({"resumed": false}) } else { json!(null) };
    let (outcome, asked) = play(good(text), &json!({}), &answer);
    assert_eq!(asked[0].1, json!({"duration": 2, "message": "Wait."}));
    assert_eq!(result(outcome), json!({"s": {"resumed": true, "duration": 2}, "l": {"resumed": false}}));
}

#[test]
fn a_goto_leads_back_so_often_and_no_further() {
    let text = "\
name: a
version: 1.0.0
initial_state: {n: 0}
steps:
  - {id: improve, type: shell, needs_state: [n], command: \"try {{ state.n }}\"}
  - {id: count, type: set_state, needs_state: [n], updates: {n: \"{{ state.n + 1 }}\"}}
  - id: check
    type: condition
    needs_state: [n]
    if: \"{{ state.n < LAST }}\"
    then: [{id: retry, type: goto, target: improve, max_iterations: 2}]
  - {id: end, type: return, needs_state: [n], value: \"{{ state.n }}\"}
";
    let done = |_: &str, _: &Value| json!({"exit_code": 0});
    let (outcome, asked) = play(good(&text.replace("LAST", "3")), &json!({}), &done);
    assert_eq!(result(outcome), json!(3));
    assert_eq!(asked[2].1, json!({"command": "try 2"}));
    let (outcome, asked) = play(good(&text.replace("LAST", "4")), &json!({}), &done);
    assert_eq!(asked.len(), 3);
    let Outcome::Failed { failure } = outcome else { panic!("{outcome:?}") };
    assert!(failure.message.contains("retry"), "{failure}");
}
