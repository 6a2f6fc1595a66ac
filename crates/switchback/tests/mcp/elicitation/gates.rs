//! Gates in a form: all of a gate is seen there, or it is not asked in one.

use super::*;

#[test]
fn at_a_gate_a_decline_is_a_no_and_a_closed_window_is_none() {
    for era in Era::ALL {
        let world = world("gate", GATE);
        let mut client = world.asking(era);
        let asked = ask(&mut client, era, json!({ "workflow": "gate" }));
        let (no, _) = answer(&mut client, asked, json!({ "action": "decline" }));
        assert_eq!(no["status"], "failure", "{no:#}");
        let asked = ask(&mut client, era, json!({ "workflow": "gate" }));
        let (open, _) = answer(&mut client, asked, json!({ "action": "cancel" }));
        assert_eq!((&open["status"], &open["questions"][0]["prompt"]), (&json!("paused"), &json!("Really?")));
        let asked = ask(&mut client, era, json!({ "workflow": "gate" }));
        let accept = json!({ "action": "accept", "content": { "response": true } });
        let (yes, _) = answer(&mut client, asked, accept);
        assert_eq!((&yes["status"], &yes["outputs"]["said"]), (&json!("success"), &json!(true)), "{yes:#}");
    }
}

/// A gate whose details have this many lines.
fn long_gate(lines: usize) -> String {
    let details: Vec<String> = (1..=lines).map(|line| format!("echo {line}")).collect();
    format!("gate: ask, inputs: {{prompt: Run this?, details: {}}}", json!(details.join("\n")))
}

#[test]
fn a_gate_is_asked_in_a_form_only_if_all_of_it_is_seen_there() {
    for era in Era::ALL {
        // With what is said of so many in two rows, the question, the run and the rows between: forty.
        let world = world("fits", &long_gate(33));
        world.define("long", &asker("long", &long_gate(34)));
        let mut client = world.asking(era);
        let asked = ask(&mut client, era, json!({ "workflow": "fits" }));
        let message = asked.form["message"].as_str().unwrap();
        assert!(message.contains("echo 33\n"), "{message}");
        let told = "(39 lines. If you do not see the last one, close this: switchback answer ";
        assert!(message.starts_with(told), "{message}");
        let accept = json!({ "action": "accept", "content": { "response": true } });
        let (done, _) = answer(&mut client, asked, accept);
        assert_eq!(done["status"], "success", "{done:#}");
        let paused = client.good("execute_workflow", json!({ "workflow": "long" }));
        assert!(!client.is_asked());
        assert_eq!((&paused["status"], &paused["resultType"]), (&json!("paused"), &Value::Null));
        let next = paused["next"].as_str().unwrap();
        let answer_it = format!("`switchback answer {}`", paused["workflow_id"].as_str().unwrap());
        assert!(next.contains("more than a form holds") && next.contains(&answer_it), "{next}");
        // Whoever waits for it waits, and is asked nothing either.
        let began = Instant::now();
        let given = json!({ "workflow_id": paused["workflow_id"], "wait_seconds": 1 });
        let status = client.good("get_workflow_status", given);
        assert!(began.elapsed() >= Duration::from_secs(1) && !client.is_asked());
        assert_eq!(
            (&status["status"], &status["questions"][0]["prompt"]),
            (&json!("waiting"), &json!("Run this?"))
        );
    }
}

#[test]
fn a_gate_whose_choices_deceive_is_not_asked_in_a_form() {
    for era in Era::ALL {
        let world = World::new();
        for (name, choices) in
            [("hidden", json!(["staging", "stag\u{200b}ing"])), ("turned", json!(["a", "prod\u{202e}x"]))]
        {
            let question = format!("gate: ask, inputs: {{prompt: Where?, choices: {choices}}}");
            world.define(name, &asker(name, &question));
            let mut client = world.asking(era);
            let paused = client.good("execute_workflow", json!({ "workflow": name }));
            assert!(!client.is_asked());
            assert_eq!((&paused["status"], &paused["resultType"]), (&json!("paused"), &Value::Null));
            let next = paused["next"].as_str().unwrap();
            let answer_it = format!("`switchback answer {}`", paused["workflow_id"].as_str().unwrap());
            assert!(next.contains("a form cannot show its choices") && next.contains(&answer_it), "{next}");
            assert!(client.close().success());
        }
    }
}

#[test]
fn a_gate_that_no_form_holds_keeps_no_other_question_back() {
    for era in Era::ALL {
        let world = World::with(&[(
            "both",
            &format!(
                "name: both\nblocks:\n  - {{id: gate, type: Prompt, {}}}\n  - {{id: plain, type: Prompt, {CONFIRM}}}\n",
                long_gate(400)
            ),
        )]);
        let mut client = world.asking(era);
        let asked = ask(&mut client, era, json!({ "workflow": "both" }));
        assert!(asked.form["message"].as_str().unwrap().starts_with("Deploy?"), "{}", asked.form);
        let accept = json!({ "action": "accept", "content": { "response": true } });
        let (paused, _) = answer(&mut client, asked, accept);
        assert_eq!(paused["status"], "paused", "{paused:#}");
        assert_eq!(paused["questions"].as_array().map(Vec::len), Some(1), "{paused:#}");
        assert_eq!(paused["questions"][0]["step"], "gate");
    }
}
