//! Runs and what is told of them, through the kernel itself.

use super::{Answer, Log, Seen, failed};
use crate::states::Entry;
use crate::text::{Source, load};
use kernel::event::Report;
use kernel::{Command, Data, EffectId, Failure, FailureKind, Fields, Plan, Run, RunId};
use serde_json::{Value, json};
use std::sync::Arc;

fn plan(text: &str) -> Arc<Plan> {
    let source = Source::new("some.yaml", text);
    let root = load(&source).unwrap();
    Arc::new(crate::states::read(&source, &root, Entry::Any).unwrap().plan)
}

fn fields(value: Value) -> Fields {
    let Value::Object(map) = value else { panic!("fields are an object") };
    map.into_iter().map(|(name, value)| (name, Data::Inline(value))).collect()
}

struct Story {
    plan: Arc<Plan>,
    run: Run,
    inputs: Fields,
    log: Log,
    at: u64,
}

impl Story {
    fn begin(text: &str, inputs: Value) -> Story {
        let plan = plan(text);
        let run = Run::new(Arc::clone(&plan), RunId::new("run"), None, 0);
        let inputs = fields(inputs);
        let mut story = Story { plan, run, inputs: inputs.clone(), log: Log::default(), at: 1_000 };
        story.give(Command::Start { inputs });
        story
    }

    fn give(&mut self, command: Command) {
        let event = self.run.admit(command, self.at).unwrap_or_else(|refusal| panic!("{refusal}"));
        let turn = self.run.apply(event);
        assert!(turn.questions.is_empty(), "{:?}", turn.questions);
        self.log.turn(self.at, &turn.news);
        self.at += 500;
    }

    fn done(mut self, effect: &str, outputs: Value) -> Story {
        let report = Report::Done { outputs: fields(outputs) };
        self.give(Command::Report { effect: EffectId::new(effect), report });
        self
    }

    fn fails(mut self, effect: &str, kind: FailureKind, outputs: Value) -> Story {
        let message = outputs["error"].as_str().unwrap_or("it broke").to_owned();
        let failure = Failure::new(kind, message);
        let report = Report::Failed { failure, outputs: fields(outputs) };
        self.give(Command::Report { effect: EffectId::new(effect), report });
        self
    }

    fn told(&self, with: Answer) -> Value {
        let value = |data: &Data| data.inline().cloned().unwrap_or(Value::Null);
        Seen { plan: &self.plan, inputs: &self.inputs, log: &self.log, value: &value }.answer(with)
    }
}

const SIMPLE: &str = "name: simple\ninitial_state: open\nstates:\n  open:\n    action: {tool: open_terminal, params: {shell: bash}}\n    \
    transitions: [{condition: {success: true}, next_state: close}]\n  close:\n    action: {tool: exit_terminal, params: {session_id: \"{session_id}\"}}\n";

const CONTRACT: &str = "name: build\ndescription: Builds\narguments: {ROOT: the folder}\nreturn_values: {STATUS: how it went}\n\
    initial_state: start\nstates:\n  start:\n    action: {tool: send_input, params: {input_text: x}}\n    \
    transitions: [{condition: {description: it was typed}, next_state: look}]\n  look:\n    action: {tool: list_terminal_sessions}\n";

// covers: T-27, T-35, T-36, T-37, T-38, T-39
#[test]
fn a_log_tells_what_was_really_given() {
    let story = Story::begin(SIMPLE, json!({"initial_variables": {"custom_var": "v", "n": 3}}))
        .done("open@1#1", json!({"success": true, "session_id": "t1", "_private": 1, "error": null}))
        .done("close@2#1", json!({"success": true, "message": "ended", "error": null}))
        .done("@keep@2#1", json!({"success": true, "workflow_saved": false}));
    let with = Answer { available: vec!["other".into()], ..Answer::default() };
    insta::assert_snapshot!(serde_json::to_string_pretty(&story.told(with)).unwrap());
}

// covers: C-75, C-86, C-87, C-88, C-89, C-91
#[test]
fn a_contract_is_told_in_phases() {
    let checked = |kind: &str, valid: bool| json!({"success": valid, "valid": valid, "missing_vars": [], "validation_log": [], "validation_type": kind});
    let begin = || Story::begin(CONTRACT, json!({"session_id": "t1"}));
    let with = || Answer { in_session: true, ..Answer::default() };
    let story = begin()
        .done("@arguments@0#1", checked("arguments", true))
        .done("start@1#1", json!({"success": true}))
        .done("look@2#1", json!({"success": true, "total_sessions": 1}))
        .done("@return_values@2#1", checked("return_values", true))
        .done("@keep@2#1", json!({"success": true, "workflow_saved": false}));
    insta::assert_snapshot!(serde_json::to_string_pretty(&story.told(with())).unwrap());
    let missing = json!({"success": false, "valid": false, "missing_vars": ["ROOT"], "error": "Missing"});
    let story = begin()
        .fails("@arguments@0#1", FailureKind::Operation, missing)
        .done("cleanup/@close@1#1", json!({}));
    let told = story.told(with());
    assert_eq!(told["final_state"], "validation_failed");
    assert_eq!((&told["states_executed"], &told["error"]), (&json!(0), &json!("Missing")));
    assert_eq!(told["execution_log"].as_array().unwrap().len(), 1);
    let gone = json!({"success": false, "error": "there is no session `t1`"});
    let story =
        begin().fails("@arguments@0#1", FailureKind::Operation, gone).done("cleanup/@close@1#1", json!({}));
    let told = story.told(with());
    assert_eq!(
        (&told["final_state"], &told["execution_log"][0]["phase"]),
        (&json!("error"), &json!("error"))
    );
}

// covers: C-34, C-90
#[test]
fn words_of_a_contract_that_was_not_kept() {
    let story = Story::begin(CONTRACT, json!({"session_id": "t1"}))
        .done("@arguments@0#1", json!({"success": true, "valid": true}))
        .fails("start@1#1", FailureKind::Operation, json!({"success": false, "error": "no"}))
        .fails(
            "@return_values@1#1",
            FailureKind::Operation,
            json!({"success": false, "valid": false, "missing_vars": ["STATUS"], "error": "not set"}),
        )
        .done("cleanup/@close@1#1", json!({}));
    let told = story.told(Answer { in_session: true, ..Answer::default() });
    assert_eq!(
        (&told["final_state"], &told["last_state"]),
        (&json!("return_validation_failed"), &json!("start"))
    );
    let phases: Vec<&str> =
        told["execution_log"].as_array().unwrap().iter().map(|one| one["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["pre_execution_validation", "execution", "transition", "post_execution_validation"]);
}

// covers: T-74, T-112
#[test]
fn a_failure_keeps_what_was_done() {
    let story = Story::begin(SIMPLE, json!({}))
        .done("open@1#1", json!({"success": true, "session_id": "t1"}))
        .fails("close@2#1", FailureKind::Operation, json!({"success": false, "error": "busy"}))
        .done("cleanup/@close@1#1", json!({}));
    let told = story.told(Answer::default());
    assert_eq!(
        (&told["success"], &told["final_state"], &told["error"]),
        (&json!(false), &json!("close"), &json!("busy"))
    );
    assert_eq!((told["execution_log"].as_array().unwrap().len(), &told["session_id"]), (2, &json!("t1")));
}

// covers: T-30, T-31, T-112
#[test]
fn what_became_of_keeping_a_definition_is_told() {
    let kept = |result: Value| {
        let story = Story::begin(SIMPLE, json!({})).done("open@1#1", json!({"success": false}));
        story.done("@keep@1#1", result).told(Answer::default())
    };
    let told = kept(json!({"workflow_saved": true, "saved_workflow_name": "x"}));
    assert_eq!((&told["workflow_saved"], &told["saved_workflow_name"]), (&json!(true), &json!("x")));
    assert_eq!((&told["final_state"], &told["states_executed"]), (&json!("open"), &json!(1)));
    let told = kept(json!({"workflow_saved": false, "warning": "there is one"}));
    assert_eq!((&told["workflow_saved"], &told["warnings"]), (&json!(false), &json!(["there is one"])));
    let error = "Workflow succeeded but saving failed: x";
    let told = kept(json!({"workflow_saved": false, "saving_error": error}));
    assert_eq!((&told["success"], &told["error"]), (&json!(true), &json!(error)));
    let story = Story::begin(SIMPLE, json!({})).done("open@1#1", json!({"success": false}));
    let told = story.fails("@keep@1#1", FailureKind::Crashed, json!({"error": "x"})).told(Answer::default());
    assert_eq!((&told["success"], &told["error"]), (&json!(true), &json!(error)));
}

// covers: C-35
#[test]
fn where_nothing_could_run_every_field_is_there() {
    let all = Story::begin(SIMPLE, json!({})).told(Answer::default());
    for state in ["error", "workflow_not_found"] {
        let none = failed("x", state, "no", vec!["a".into()], 0);
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&none), names(&all));
    }
    assert_eq!(failed("x", "execution_error", "no", vec![], 0)["execution_log"][0]["phase"], "error");
}
