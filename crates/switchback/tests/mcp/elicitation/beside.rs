//! Several calls and one question: one asks, and the others wait beside it.

use super::*;

fn beside(client: &mut Client, workflow: &str, seconds: u64) -> (Asked, u64, Value) {
    let asked = ask(client, Era::Handshake, json!({ "workflow": workflow }));
    let id = client.good("get_workflow_status", json!({}))["runs"][0]["workflow_id"].clone();
    let wanted = json!({ "workflow_id": id, "wait_seconds": seconds });
    let call = client.begin("get_workflow_status", wanted, Value::Null);
    (asked, call, id)
}

#[test]
fn nobody_is_asked_twice_at_once_and_whoever_waits_beside_hears_the_answer() {
    for question in [CONFIRM, GATE] {
        let world = world("deploy", question);
        let mut client = world.asking(Era::Handshake);
        let (asked, call, _) = beside(&mut client, "deploy", 45);
        client.listen(Duration::from_secs(1));
        assert!(!client.is_asked() && !client.has_answer(call), "{question}");
        client.reply(&asked.raw, json!({ "action": "accept", "content": { "response": true } }));
        assert_eq!(client.called(asked.call).0["status"], "success");
        assert_eq!(client.called(call).0["status"], "succeeded");
        assert!(!client.is_asked());
    }
}

#[test]
fn whoever_waits_beside_a_form_waits_as_long_as_it_said() {
    for question in [CONFIRM, GATE] {
        let world = world("deploy", question);
        let mut client = world.asking(Era::Handshake);
        let began = Instant::now();
        let (asked, call, _) = beside(&mut client, "deploy", 1);
        let (status, _) = client.called(call);
        assert!((900..20_000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        assert_eq!(status["status"], "waiting");
        assert!(status["note"].as_str().unwrap().contains("asked already"), "{status:#}");
        assert!(!client.is_asked());
        client.reply(&asked.raw, json!({ "action": "accept", "content": { "response": true } }));
        assert_eq!(client.called(asked.call).0["status"], "success");
    }
}

#[test]
fn whoever_waits_beside_a_form_that_is_closed_asks_nothing_more() {
    for question in [CONFIRM, GATE] {
        let world = world("deploy", question);
        let mut client = world.asking(Era::Handshake);
        let (asked, call, _) = beside(&mut client, "deploy", 45);
        client.listen(Duration::from_millis(500));
        client.reply(&asked.raw, json!({ "action": "cancel" }));
        assert_eq!(client.called(asked.call).0["status"], "paused");
        let (status, _) = client.called(call);
        assert_eq!(status["status"], "waiting");
        assert!(status["note"].as_str().unwrap().contains("gave no answer"), "{status:#}");
        assert!(!client.is_asked());
    }
}

#[test]
fn a_form_whose_call_is_given_up_is_taken_over_by_whoever_waits_beside() {
    let world = world("deploy", GATE);
    let mut client = world.asking(Era::Handshake);
    let (asked, call, _) = beside(&mut client, "deploy", 45);
    client.listen(Duration::from_millis(500));
    client.notify("notifications/cancelled", json!({ "requestId": asked.call }));
    let again = client.asked();
    client.reply(&again, json!({ "action": "accept", "content": { "response": true } }));
    assert_eq!(client.called(call).0["status"], "succeeded");
}

#[test]
fn whoever_waits_beside_a_form_hears_of_what_happens_elsewhere() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Handshake);
    let (_asked, call, id) = beside(&mut client, "deploy", 45);
    client.listen(Duration::from_millis(500));
    client.good("cancel_workflow", json!({ "workflow_id": id }));
    assert_eq!(client.called(call).0["status"], "cancelled");
}
