//! Lines in, lines out.

use super::*;

fn take(talk: &mut Talk, mut message: Value) -> Value {
    message["jsonrpc"] = "2.0".into();
    match talk.take(message.to_string().as_bytes()) {
        Taken::Pass(line) => serde_json::from_slice(&line).unwrap(),
        Taken::Answer(line) => panic!("{}", String::from_utf8_lossy(&line)),
        Taken::Dropped => panic!("nobody gets it: {message}"),
    }
}

fn refused(talk: &mut Talk, line: &str) -> Value {
    match talk.take(line.as_bytes()) {
        Taken::Answer(line) => serde_json::from_slice(&line).unwrap(),
        Taken::Pass(_) | Taken::Dropped => panic!("it was not answered: {line:.100}"),
    }
}

fn give(talk: &mut Talk, id: u64) -> bool {
    talk.give(json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string().as_bytes()).is_some()
}

fn again(talk: &mut Talk) -> Vec<String> {
    let shown = |line: &Vec<u8>| {
        let message: Value = serde_json::from_slice(line).unwrap();
        let is_own = message["id"].as_str().is_some_and(|id| id.starts_with("switchback-opening-"));
        let id = if is_own { "ours".to_owned() } else { message["id"].to_string() };
        format!("{} {id}", message["method"].as_str().unwrap())
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
    assert_eq!(again(&mut talk), ["initialize ours", "notifications/initialized null", "tools/call 1"]);
    assert!(give(&mut talk, 1));
}

#[test]
fn the_second_answer_to_the_opening_is_nobodys() {
    let mut talk = opened();
    assert!(!give(&mut talk, 0), "it was answered");
    take(&mut talk, json!({ "id": 0, "method": "tools/call", "params": { "name": "x" } }));
    let told = talk.again();
    let opening: Value = serde_json::from_slice(&told[0]).unwrap();
    let answer = json!({ "jsonrpc": "2.0", "id": opening["id"], "result": {} });
    assert!(talk.give(answer.to_string().as_bytes()).is_none());
    assert_eq!(told.len(), 3, "the call is asked again");
    assert!(give(&mut talk, 0), "its answer is the one of the call that has the same id");
    let again: Value = serde_json::from_slice(&talk.again()[0]).unwrap();
    assert_eq!(again, opening, "so it is with each daemon");
}

#[test]
fn the_id_of_a_call_that_was_cancelled_is_not_taken_again() {
    let mut talk = opened();
    let call = json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": { "name": "x" } });
    take(&mut talk, call.clone());
    take(&mut talk, json!({ "method": "notifications/cancelled", "params": { "requestId": 6 } }));
    assert!(!give(&mut talk, 6), "nobody waits for it any more");
    let answer = refused(&mut talk, &call.to_string());
    assert_eq!(answer["id"], 6);
    assert!(answer["error"]["message"].as_str().unwrap().contains("was cancelled"), "{answer}");
    assert!(!give(&mut talk, 6));
    take(&mut talk, json!({ "id": 7, "method": "tools/call", "params": { "name": "x" } }));
    assert!(give(&mut talk, 7));
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

const WHY: Reason = Reason {
    code: "daemon-stopped",
    error: std::borrow::Cow::Borrowed("It was stopped."),
    next: "Call again.",
    next_if_sent: None,
};

#[test]
fn what_is_open_when_the_daemon_is_stopped_is_answered() {
    let mut talk = Talk::default();
    take(&mut talk, json!({ "id": 1, "method": "subscriptions/listen", "params": {} }));
    take(&mut talk, json!({ "id": 2, "method": "tools/call", "params": { "name": "x" } }));
    take(&mut talk, json!({ "id": 3, "method": "tools/list", "params": {} }));
    talk.hang_up();
    assert!(!talk.is_over(), "no request is left without an answer, whatever its method");
    let answers: Vec<Value> =
        talk.unanswered(&WHY).iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    let stopped = json!({ "code": -32603, "message": "It was stopped. Call again." });
    assert_eq!((&answers[0]["error"], &answers[2]["error"]), (&stopped, &stopped));
    assert_eq!(answers[1]["result"]["isError"], true);
    assert!(again(&mut talk).is_empty() && talk.is_over());
}

#[test]
fn a_tool_without_an_answer_fails_in_the_form_of_any_other() {
    for (mut talk, result_type) in [(opened(), json!(null)), (Talk::default(), json!("complete"))] {
        take(&mut talk, json!({ "id": "a", "method": "tools/call", "params": { "name": "x" } }));
        let answer: Value = serde_json::from_slice(&talk.unanswered(&WHY)[0]).unwrap();
        let (result, value) = (&answer["result"], &answer["result"]["structuredContent"]);
        assert_eq!((&answer["id"], &result["resultType"]), (&json!("a"), &result_type), "{answer}");
        assert_eq!(value["error"], WHY.error.as_ref());
        assert_eq!((&value["code"], &value["next"]), (&json!(WHY.code), &json!(WHY.next)));
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, *value);
    }
}

#[test]
fn what_a_daemon_may_have_got_is_not_simply_asked_for_again() {
    let why = Reason { next_if_sent: Some("Look first."), ..WHY };
    for (is_sent, next) in [(false, "Call again."), (true, "Look first.")] {
        let mut talk = opened();
        talk.unlink();
        take(&mut talk, json!({ "id": 1, "method": "tools/call", "params": { "name": "x" } }));
        if is_sent {
            talk.again();
        }
        let answer: Value = serde_json::from_slice(&talk.unanswered(&why)[0]).unwrap();
        assert_eq!(answer["result"]["structuredContent"]["next"], next);
    }
}

#[test]
fn what_the_server_could_not_read_is_answered_here_and_not_waited_for() {
    let mut talk = opened();
    for (line, id, code) in [
        ("not json", json!(null), -32700),
        (r#"{"jsonrpc":"1.0","id":"l","method":"ping"}"#, json!("l"), -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#, json!(7), -32602),
    ] {
        let answer = refused(&mut talk, line);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{answer}");
    }
    let odd = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#;
    assert_eq!(talk.take(odd), Taken::Dropped);
    assert_eq!(again(&mut talk).len(), 2, "only the opening");
    talk.hang_up();
    assert!(talk.is_over());
    assert!(talk.give(b"not json").is_some(), "what the daemon says is passed on");
}

#[test]
fn an_id_is_known_in_each_of_its_forms_and_answered_in_the_one_it_came_in() {
    for (asked, answered) in [
        ("1.0", "1.0"),
        (r#""\u0061""#, r#""a""#),
        ("1e2", "1e2"),
        ("-0", "-0"),
        ("18446744073709551616", "18446744073709551616"),
    ] {
        let mut talk = Talk::default();
        let line = format!(r#"{{"jsonrpc":"2.0","id":{asked},"method":"ping"}}"#);
        let Taken::Pass(passed) = talk.take(line.as_bytes()) else { panic!("{asked}") };
        let Taken::Answer(again) = talk.take(line.as_bytes()) else { panic!("{asked}") };
        let again = String::from_utf8(again).unwrap();
        assert!(again.contains(&format!(r#""id":{answered},"#)) && again.contains("-32600"), "{again}");
        assert!(!again.contains("switchback/id"), "{again}");
        let passed: Value = serde_json::from_slice(&passed).unwrap();
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, passed["id"]);
        let wanted = format!(r#"{{"jsonrpc":"2.0","id":{answered},"result":{{}}}}"#);
        assert_eq!(talk.give(answer.as_bytes()).as_deref(), Some(wanted.as_bytes()));
        talk.hang_up();
        assert!(talk.is_over(), "{asked}");
    }
}

#[test]
fn an_id_that_is_under_way_is_not_used_again() {
    let mut talk = Talk::default();
    let call = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": { "name": "x" } });
    take(&mut talk, call.clone());
    assert_eq!(refused(&mut talk, &call.to_string())["error"]["code"], -32600);
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
    assert_eq!(talk.take(answer(&first["id"]).to_string().as_bytes()), Taken::Dropped);
    assert_eq!(take(&mut talk, answer(&second["id"])), answer(&json!(0)));
    assert_eq!(talk.take(answer(&second["id"]).to_string().as_bytes()), Taken::Dropped);
}

#[test]
fn the_number_of_a_question_may_come_as_its_text_and_as_no_other() {
    let mut talk = opened();
    talk.again();
    given(&mut talk, json!({ "id": 4, "method": "elicitation/create", "params": {} }));
    let answer = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept" } });
    for other in ["", "00", "+0", " 0", "x"] {
        assert_eq!(talk.take(answer(json!(other)).to_string().as_bytes()), Taken::Dropped, "{other:?}");
    }
    assert_eq!(take(&mut talk, answer(json!("0"))), answer(json!(4)));
}

#[test]
fn a_garbled_answer_is_passed_on_as_an_error_and_not_answered() {
    let mut talk = opened();
    talk.again();
    given(&mut talk, json!({ "id": 4, "method": "elicitation/create", "params": {} }));
    let garbled = br#"{"jsonrpc":"2.0","id":0,"error":"no"}"#;
    let Taken::Pass(passed) = talk.take(garbled) else { panic!("it is not passed on") };
    let passed: Value = serde_json::from_slice(&passed).unwrap();
    assert_eq!((&passed["id"], &passed["error"]["code"]), (&json!(4), &json!(-32600)), "{passed}");
    assert_eq!(talk.take(garbled), Taken::Dropped, "it answers nothing any more");
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

#[test]
fn a_daemon_is_told_of_the_last_line_while_calls_are_under_way() {
    let mut talk = opened();
    take(&mut talk, json!({ "id": 1, "method": "ping" }));
    assert_eq!(talk.hang_up(), None, "only calls wait");
    take(&mut talk, json!({ "id": 2, "method": "tools/call", "params": { "name": "x" } }));
    let told: Value = serde_json::from_slice(&talk.hang_up().unwrap()).unwrap();
    assert_eq!(told, json!({ "jsonrpc": "2.0", "method": NOTIFICATION }));
    assert_eq!(again(&mut talk).last(), Some(&format!("{NOTIFICATION} null")), "the next one too");
    assert!(give(&mut talk, 2));
    assert!(!again(&mut talk).contains(&format!("{NOTIFICATION} null")));
}

#[test]
fn an_opening_that_is_refused_changes_nothing() {
    let refuse = |talk: &mut Talk, id: u64| {
        let error = json!({ "code": -32601, "message": "no" });
        talk.give(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().as_bytes()).is_some()
    };
    let mut talk = opened();
    take(&mut talk, json!({ "id": 1, "method": "initialize", "params": {} }));
    assert!(refuse(&mut talk, 1));
    assert_eq!(again(&mut talk), ["initialize ours", "notifications/initialized null"]);
    // In the newer era, and where the first one was no opening.
    let mut talk = Talk::default();
    take(&mut talk, json!({ "id": 1, "method": "initialize", "params": {} }));
    assert!(refuse(&mut talk, 1));
    take(&mut talk, json!({ "method": "notifications/initialized" }));
    assert!(again(&mut talk).is_empty());
    take(&mut talk, json!({ "id": 2, "method": "initialize", "params": {} }));
    assert!(give(&mut talk, 2));
    assert_eq!(again(&mut talk), ["initialize ours"]);
}

#[test]
fn a_daemon_that_says_nothing_is_not_waited_for_for_ever() {
    let mut talk = opened();
    let begun = Instant::now();
    assert_eq!(talk.patience_ends(begun), None, "nobody waits");
    take(&mut talk, json!({ "id": 1, "method": "subscriptions/listen", "params": {} }));
    assert_eq!(talk.patience_ends(begun), None, "who listens waits for nothing in particular");
    take(&mut talk, json!({ "id": 2, "method": "tools/call", "params": { "name": "x" } }));
    take(&mut talk, json!({ "id": 3, "method": "ping" }));
    assert!(talk.patience_ends(begun).unwrap() >= begun + SILENCE_MAX);
    let heard = begun + Duration::from_secs(10_000);
    assert_eq!(talk.patience_ends(heard), Some(heard + SILENCE_MAX), "each line it says counts");

    let told = talk.silence(&crate::daemon::reasons::silent(Some(7)));
    let told: Vec<Value> = told.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!(told.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [2, 3]);
    assert!(told[0]["result"].to_string().contains("process 7"), "{}", told[0]);
    assert!(told[1]["error"]["message"].as_str().unwrap().contains("said nothing for 60 s"), "{}", told[1]);
    assert_eq!(talk.patience_ends(heard), None);
    assert!(!give(&mut talk, 2) && !give(&mut talk, 3), "what comes late is heard by nobody");
    assert!(give(&mut talk, 1), "who listens still does");
}

#[test]
fn every_call_gets_a_key_however_it_is_written() {
    let old = r#"{"switchback/request_key":"theirs"}"#;
    for (params, others) in [
        (r#"{"name":"x"}"#.to_owned(), json!({})),
        (r#" { } "#.to_owned(), json!({})),
        (r#"{"name":"x","_meta":{}}"#.to_owned(), json!({})),
        (r#"{"_meta": { "a" : {"b":[1]} } , "name":"x"}"#.to_owned(), json!({"a": {"b": [1]}})),
        (r#"{"name":"x","_meta":null}"#.to_owned(), json!({})),
        (r#"{"name":"x","\u005fmeta":null}"#.to_owned(), json!({})),
        (r#"{"name":"x","\u005fmeta" : { } }"#.to_owned(), json!({})),
        (r#"{"name":"_meta"}"#.to_owned(), json!({})),
        (format!(r#"{{"name":"x","_meta":{old}}}"#), json!({})),
        (r#"{"name":"x","_met\u0061":{"a":1}}"#.to_owned(), json!({"a": 1})),
    ] {
        let mut talk = Talk::default();
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let Taken::Pass(passed) = talk.take(line.as_bytes()) else { panic!("{line}") };
        assert!(matches!(line::read(&passed, &passed), Ok(Some(ClientJsonRpcMessage::Request(_)))), "{line}");
        let passed: Value = serde_json::from_slice(&passed).unwrap();
        let mut meta = passed["params"]["_meta"].clone();
        let key = meta.as_object_mut().unwrap().remove(KEY);
        let key = key.as_ref().and_then(Value::as_str).unwrap_or_default();
        assert!(key.ends_with("-1") && key.len() > 20, "{line} {key}");
        assert_eq!(meta, others, "{line}");
    }
}

#[test]
fn whatever_is_passed_on_can_be_read_and_has_one_key() {
    let names = [r#""name":"x""#, r#""n\u0061me":"x\n""#, r#" "name" : "_meta" "#];
    let arguments = [
        "",
        r#""arguments":{}"#,
        r#""arguments":null"#,
        r#""\u0061rguments" : { "_meta" : null , "a":"}" } "#,
        r#""arguments":{"a":[{"_meta":{}}]}"#,
    ];
    let metas = [
        "",
        r#""_meta":{}"#,
        r#""_meta":null"#,
        r#""\u005fmeta":null"#,
        r#""\u005f\u006deta": {"progressToken":"}" }"#,
        r#""_meta":{"switchback/request_key":"theirs","a":{"_meta":null}}"#,
        r#""_meta":{"switchback\/request_key":"theirs"}"#,
    ];
    let others = ["", r#""requestState":"_meta""#, r#""x":{"_meta":1}"#];
    for (order, parts) in (0..).zip(combinations([&names, &arguments, &metas, &others])) {
        let mut parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let turn = order % parts.len();
        parts.rotate_left(turn);
        let params = format!("{{{}}}", parts.join(","));
        let line = format!(r#"{{"method":"tools/call","params":{params},"id":5,"jsonrpc":"2.0"}}"#);
        let mut talk = Talk::default();
        let Taken::Pass(passed) = talk.take(line.as_bytes()) else { panic!("{line}") };
        let Ok(Some(ClientJsonRpcMessage::Request(request))) = line::read(&passed, &passed) else {
            panic!("{line}: {}", String::from_utf8_lossy(&passed))
        };
        assert_eq!(request.id, RequestId::Number(5), "{line}");
        let passed: Value = serde_json::from_slice(&passed).unwrap();
        let key = passed["params"]["_meta"][KEY].as_str().unwrap_or_default();
        assert!(key.ends_with("-1") && key != "theirs", "{line}: {passed}");
    }
}

/// Each way to take one of each.
fn combinations<'p>(all: [&[&'p str]; 4]) -> Vec<Vec<&'p str>> {
    all.iter().fold(vec![Vec::new()], |ways, parts| {
        let with = |way: &Vec<&'p str>, part: &&'p str| way.iter().copied().chain([*part]).collect();
        ways.iter().flat_map(|way| parts.iter().map(move |part| with(way, part))).collect()
    })
}
