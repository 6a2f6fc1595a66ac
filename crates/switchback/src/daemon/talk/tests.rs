//! Lines in, lines out.

use super::*;

fn take(talk: &mut Talk, message: Value) -> Value {
    match talk.take(message.to_string().as_bytes()) {
        Taken::Pass(line) => serde_json::from_slice(&line).unwrap(),
        Taken::Answer(line) => panic!("{}", String::from_utf8_lossy(&line)),
        Taken::Late => panic!("nobody gets it: {message}"),
    }
}

fn refused(talk: &mut Talk, line: &str) -> Value {
    match talk.take(line.as_bytes()) {
        Taken::Answer(line) => serde_json::from_slice(&line).unwrap(),
        Taken::Pass(_) | Taken::Late => panic!("it was not answered: {line:.100}"),
    }
}

fn give(talk: &mut Talk, id: u64) -> bool {
    talk.give(json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string().as_bytes()).is_some()
}

fn again(talk: &mut Talk) -> Vec<String> {
    let shown = |line: &Vec<u8>| {
        let message: Value = serde_json::from_slice(line).unwrap();
        format!("{} {}", message["method"].as_str().unwrap(), message["id"])
    };
    talk.again().iter().map(shown).collect()
}

fn opened() -> Talk {
    let mut talk = Talk::default();
    take(&mut talk, json!({ "id": 0, "method": "initialize", "params": {} }));
    assert!(give(&mut talk, 0));
    take(&mut talk, json!({ "method": "notifications/initialized" }));
    talk
}

#[test]
fn a_new_daemon_is_told_the_opening_and_what_has_no_answer() {
    let mut talk = opened();
    for id in 1..=3 {
        take(&mut talk, json!({ "id": id, "method": "tools/call", "params": { "name": "x" } }));
    }
    assert!(give(&mut talk, 2));
    take(&mut talk, json!({ "method": "notifications/cancelled", "params": { "requestId": 3 } }));
    assert_eq!(again(&mut talk), ["initialize 0", "notifications/initialized null", "tools/call 1"]);
    assert!(!give(&mut talk, 0), "the second answer to the opening is not passed on");
    assert!(give(&mut talk, 1));
}

#[test]
fn an_opening_without_an_answer_is_said_once_more_and_its_answer_is_heard() {
    let mut talk = Talk::default();
    take(&mut talk, json!({ "id": "a", "method": "initialize", "params": {} }));
    assert_eq!(again(&mut talk), ["initialize \"a\""]);
    assert!(talk.give(br#"{"id":"a","result":{}}"#).is_some());
    assert!(talk.give(br#"{"id":"a","result":{}}"#).is_none());
}

#[test]
fn each_call_has_a_key_and_keeps_it() {
    let mut talk = Talk::default();
    let call = json!({ "id": 1, "method": "tools/call", "params": { "name": "x", "_meta": { "progressToken": 7 } } });
    let first = take(&mut talk, call.clone());
    let key = first["params"]["_meta"][KEY].as_str().unwrap().to_owned();
    assert_eq!(first["params"]["_meta"]["progressToken"], 7);
    let mut other = call;
    other["id"] = json!(2);
    assert_ne!(take(&mut talk, other)["params"]["_meta"][KEY], key.as_str());
    let said: Value = serde_json::from_slice(&talk.again()[0]).unwrap();
    assert_eq!(said["params"]["_meta"][KEY], key.as_str());
}

#[test]
fn what_is_open_when_the_daemon_is_stopped_is_answered_and_listening_goes_on() {
    let mut talk = Talk::default();
    take(&mut talk, json!({ "id": 1, "method": "subscriptions/listen", "params": {} }));
    take(&mut talk, json!({ "id": 2, "method": "tools/call", "params": { "name": "x" } }));
    take(&mut talk, json!({ "id": 3, "method": "tools/list", "params": {} }));
    let answers: Vec<Value> =
        talk.unanswered("stopped").iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!(answers[0]["result"]["isError"], true);
    assert_eq!(answers[1]["error"]["code"], -32603);
    assert_eq!(again(&mut talk), ["subscriptions/listen 1"]);
    talk.hang_up();
    assert!(talk.is_over());
}

#[test]
fn what_the_server_could_not_read_is_answered_here() {
    let mut talk = Talk::default();
    let deep = format!(r#"{{"id":3,"method":"x","params":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    for (line, id) in [
        ("not json", Value::Null),
        (r#"{"id":1,"method":"x","params":{"a":"\ud800x"}}"#, json!(1)),
        (r#"{"id":"two","method":"x","params":{"a":1e400}}"#, json!("two")),
        (&deep, json!(3)),
    ] {
        let answer = refused(&mut talk, line);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(PARSE_ERROR), &id), "{answer}");
    }
    assert!(talk.again().is_empty());
    assert!(talk.give(b"not json").is_some(), "what the daemon says is passed on");
}

#[test]
fn a_line_may_be_as_long_as_the_server_reads_and_no_longer() {
    let line = |length: usize| {
        let frame = r#"{"id":1,"method":"x","params":""}"#.len();
        format!(r#"{{"id":1,"method":"x","params":"{}"}}"#, "x".repeat(length - frame))
    };
    assert!(matches!(Talk::default().take(line(LINE_BYTES_MAX).as_bytes()), Taken::Pass(_)));
    let answer = refused(&mut Talk::default(), &line(LINE_BYTES_MAX + 1));
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(INVALID_REQUEST), &json!(1)));
}

#[test]
fn an_id_that_is_under_way_is_not_used_again() {
    let mut talk = Talk::default();
    let call = json!({ "id": 5, "method": "tools/call", "params": { "name": "x" } });
    take(&mut talk, call.clone());
    assert_eq!(refused(&mut talk, &call.to_string())["error"]["code"], INVALID_REQUEST);
    assert!(give(&mut talk, 5));
    take(&mut talk, call);
}

fn given(talk: &mut Talk, message: Value) -> Value {
    serde_json::from_slice(&talk.give(message.to_string().as_bytes()).unwrap()).unwrap()
}

#[test]
fn an_answer_goes_to_the_daemon_that_asked_and_to_no_other() {
    let mut talk = opened();
    talk.again();
    let ask = json!({ "id": 0, "method": "elicitation/create", "params": { "message": "first" } });
    let first = given(&mut talk, ask.clone());
    assert_eq!(first["params"]["message"], "first");
    let gone = talk.unlink();
    let cancelled: Value = serde_json::from_slice(&gone[0]).unwrap();
    assert_eq!(cancelled["params"]["requestId"], first["id"]);
    talk.again();
    // The next daemon counts from nought as well.
    let second = given(&mut talk, ask);
    assert_ne!(first["id"], second["id"]);
    let answer = |id: &Value| json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept" } });
    assert_eq!(talk.take(answer(&first["id"]).to_string().as_bytes()), Taken::Late);
    assert_eq!(take(&mut talk, answer(&second["id"])), answer(&json!(0)));
    assert_eq!(talk.take(answer(&second["id"]).to_string().as_bytes()), Taken::Late);
}

#[test]
fn a_request_that_is_taken_back_is_called_as_the_client_knows_it() {
    let mut talk = opened();
    talk.again();
    for _ in 0..2 {
        given(&mut talk, json!({ "id": 0, "method": "elicitation/create", "params": {} }));
        let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": 0 } });
        given(&mut talk, cancel);
    }
    let third = given(&mut talk, json!({ "id": 5, "method": "elicitation/create", "params": {} }));
    let back = given(&mut talk, json!({ "method": "notifications/cancelled", "params": { "requestId": 5 } }));
    assert_eq!((&third["id"], &back["params"]["requestId"]), (&json!(2), &json!(2)));
}

#[test]
fn a_call_that_a_daemon_may_have_got_says_so_when_it_is_sent_again() {
    let mut talk = opened();
    let call = |id: u64| json!({ "id": id, "method": "tools/call", "params": { "name": "x" } });
    let marks = |lines: Vec<Vec<u8>>| -> Vec<bool> {
        let messages = lines.iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
        messages
            .filter(|one| one["method"] == "tools/call")
            .map(|one| one["params"]["_meta"][AGAIN].is_u64())
            .collect()
    };
    take(&mut talk, call(1));
    assert_eq!(marks(talk.again()), [false], "nobody had it yet");
    take(&mut talk, call(2));
    talk.unlink();
    take(&mut talk, call(3));
    assert_eq!(marks(talk.again()), [true, true, false]);
}
