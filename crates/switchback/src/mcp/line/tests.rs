//! Lines as clients send them, and what becomes of each.

use super::*;

fn refused(line: &str) -> (Value, i32, String) {
    match read(line.as_bytes(), &ids::inward(line.as_bytes())) {
        Err(refused) => (serde_json::from_str(&refused.ids[0]).unwrap(), refused.code.0, refused.why),
        Ok(message) => panic!("it was read: {line:.100} as {message:?}"),
    }
}

#[test]
fn every_mistake_is_answered_with_the_id_that_came() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"x","params":{}1{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for (line, id, code, why) in [
        ("not json", json!(null), -32700, "not JSON"),
        (r#"{"id":1,"method":"x","params":{"a":"\ud800x"}}"#, json!(1), -32700, "not JSON"),
        (r#"{"id":"two","method":"x","params":{"a":1e400}}"#, json!("two"), -32700, "not JSON"),
        (&deep, json!(3), -32700, "not JSON"),
        ("{\"id\":61,\"method\":\"x\",\"params\":{\"a\":\"x\ty\",\"id\":7}}", json!(61), -32700, "not JSON"),
        ("{\"params\":{\"a\":\"x\u{1}y\"},\"id\":\"l\"}", json!("l"), -32700, "not JSON"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, json!(1), -32600, "a line of its own"),
        ("7", json!(null), -32600, "an object, not 7"),
        ("[2]", json!(null), -32600, "a line of its own"),
        ("[[7,8]]", json!(null), -32600, "a line of its own"),
        (r#"["2.0",7,{"action":"accept"}]"#, json!(null), -32600, "a line of its own"),
        (r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#, json!(null), -32600, "a line of its own"),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":["x",{"a":1}]}"#,
            json!(8),
            -32602,
            "must be an object, not a list",
        ),
        ("{}", json!(null), -32600, "needs `jsonrpc`"),
        (r#"{"jsonrpc":"1.0","id":"l","method":"ping"}"#, json!("l"), -32600, r#"must be "2.0", not "1.0""#),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, json!(1), -32600, "not 2.0"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600, "not 1.5"),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, json!({"a": 1}), -32600, "not an object"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, json!([1]), -32600, "not a list"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, json!(true), -32600, "not true"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null), -32600, "not null"),
        (r#"{"jsonrpc":"2.0","id":15e-1,"method":"ping"}"#, json!(1.5), -32600, "not 15e-1"),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"x","arguments":{"a":[12345678901234567890123]}}}"#,
            json!(8),
            -32602,
            "the number 12345678901234567890123 in line 1 cannot be kept as it is: write it as text",
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x","arguments":{"a":1,"a":2}}}"#,
            json!(9),
            -32602,
            "the key `a` stands there twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x","inputResponses":{"q":{"action":"decline","action":"accept"}}}}"#,
            json!(9),
            -32602,
            "`inputResponses` cannot be taken as they stand there: the key `action` stands there twice",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, json!(1), -32600, "`method` must be a text, not 7"),
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600, "needs `method`"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, json!(1), -32600, "no message"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, json!(2), -32600, "no message"),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}"#, json!(4), -32602, "not a list"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"x","params":"x"}"#, json!(5), -32602, "not \"x\""),
        (r#"{"jsonrpc":"2.0","id":6,"method":"ping","params":{"_meta":"x"}}"#, json!(6), -32602, "`_meta`"),
        (r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#, json!(null), -32600, "not \"1.0\""),
    ] {
        let said = refused(line);
        assert_eq!((&said.0, said.1), (&id, code), "{line}: {said:?}");
        assert!(said.2.contains(why), "{line}: {said:?}");
    }
}

#[test]
fn an_id_that_nobody_can_hold_comes_back_as_it_was_written() {
    for id in ["123456789012345678901234", "-9223372036854775809", "1.0", "1E2", "-0", r#""switchback/id:1""#]
    {
        for (line, why) in [
            (r#"{"jsonrpc":"2.0","id":ID,"method":null}"#, "`method` must be a text, not null"),
            (r#"{"jsonrpc":"2.0","id":ID,"method":7}"#, "`method` must be a text, not 7"),
            (r#"{"jsonrpc":"2.0","id":ID}"#, "a request needs `method`"),
            (r#"{"jsonrpc":"1.0","id":ID,"method":"ping"}"#, "must be \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":5}"#, "`params` must be an object"),
            (
                r#"{"jsonrpc":"2.0","id":ID,"method":"ping","method":"ping"}"#,
                "the key `method` stands there twice",
            ),
            (r#"{"jsonrpc":"2.0","id":ID,"method":"ping""#, "not JSON"),
            (r#"{"jsonrpc":"2.0","id":ID,"method":"ping"} x"#, "not JSON"),
            (r#"{"jsonrpc":"2.0","i\u0064":ID,"method":7}"#, "`method` must be a text, not 7"),
        ] {
            let line = line.replace("ID", id);
            let Err(refused) = read(line.as_bytes(), &ids::inward(line.as_bytes())) else { panic!("{line}") };
            assert_eq!(refused.ids, [id], "{line}");
            assert!(refused.why.contains(why), "{line}: {}", refused.why);
        }
    }
}

#[test]
fn an_answer_is_never_answered_and_a_garbled_one_says_so() {
    for line in [
        r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":"x"}}"#,
        r#"{"jsonrpc":"1.0","id":7,"result":{}}"#,
        r#"{"id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"action":"decline","action":"accept"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"a":false,"a":true}}}"#,
    ] {
        let Ok(Some(ClientJsonRpcMessage::Error(error))) = read(line.as_bytes(), line.as_bytes()) else {
            panic!("{line}")
        };
        assert_eq!(error.id, Some(RequestId::Number(7)), "{line}");
        assert!(error.error.message.contains("has not the form of one"), "{line}: {error:?}");
    }
    for line in [r#"{"jsonrpc":"2.0","error":"no"}"#, r#"{"jsonrpc":"2.0","id":[],"error":"no"}"#] {
        assert!(matches!(read(line.as_bytes(), line.as_bytes()), Ok(None)), "{line}");
    }
}

#[test]
fn each_request_of_a_batch_is_answered() {
    let answer =
        |line: &[u8]| serde_json::from_slice::<Value>(&read(line, line).unwrap_err().answer()).unwrap();
    let both =
        answer(br#"[{"id":1,"method":"x"},{"method":"y"},{"id":"b","method":"z"},{"id":3,"result":{}}]"#);
    let ids: Vec<&Value> = both.as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!("b")]);
    assert_eq!(answer(b"[]")["id"], Value::Null);
}

#[test]
fn what_the_server_takes_is_not_refused() {
    for line in [
        r#"{"jsonrpc":"2.0","id":9223372036854775807,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":-9223372036854775808,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":18446744073709551615}}}"#,
        r#"{"jsonrpc":"2.0","id":"","method":"x","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":null}}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/other","params":{}}"#,
    ] {
        let (came, line) = (line.as_bytes(), ids::inward(line.as_bytes()));
        assert!(matches!(read(came, &line), Ok(Some(_))), "{:?}", read(came, &line));
    }
}

#[test]
fn a_plain_call_is_one_that_is_read_as_a_whole_with_the_same_id() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let call = |id: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    let whole = r#"{"name":"x","arguments":{"a":[1]},"_meta":{"progressToken":1}}"#;
    for (id, params) in [
        ("7", r#"{"name":"x"}"#.to_owned()),
        (r#""a b""#, whole.to_owned()),
        ("-1", r#"{"name":"x","arguments":null,"_meta":null}"#.to_owned()),
        ("8", format!(r#"{{"name":"x","arguments":{{"a":{}}}}}"#, nested(61))),
    ] {
        let line = call(id, &params);
        let Ok(Some(ClientJsonRpcMessage::Request(request))) = read(line.as_bytes(), line.as_bytes()) else {
            panic!("{line}")
        };
        assert_eq!(plain_call(line.as_bytes()), Some(request.id), "{line}");
    }
    for line in [
        call("1.0", whole),
        call("null", whole),
        call(r#""switchback/id:1""#, whole),
        call("1", r#"{"name":"x","task":{}}"#),
        call("1", r#"{"name":"x\n"}"#),
        call("1", r#"{"name":"x","arguments":[]}"#),
        call("1", r#"{"name":"x","arguments":{"a":1,"a":2}}"#),
        call("1", r#"{"name":"x","arguments":{"a":1e400}}"#),
        call("1", r#"{"name":"x","arguments":{"a":"\ud800"}}"#),
        call("1", r#"{"name":"x","_meta":{"a":"\ud800"}}"#),
        call("1", r#"{"name":"x","_meta":[]}"#),
        call("1", r#"{"arguments":{}}"#),
        call("1", r#"["x"]"#),
        r#"["2.0",1,"tools/call",{"name":"x"}]"#.to_owned(),
        call("1", &format!(r#"{{"name":"x","arguments":{{"a":{}}}}}"#, nested(62))),
        call("1", &format!(r#"{{"name":"{}"}}"#, "x".repeat(64 << 10))),
        call("1", whole).replace("2.0", "1.0"),
        call("1", whole).replace("tools/call", "tools/list"),
        call("1", whole).replace(r#","id":1"#, ""),
        call("1", whole) + "x",
    ] {
        assert_eq!(plain_call(line.as_bytes()), None, "{line:.200}");
    }
}

#[test]
fn a_notification_is_never_answered() {
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":"x"}"#,
    ] {
        assert!(matches!(read(line.as_bytes(), line.as_bytes()), Ok(None)), "{line}");
    }
}

#[test]
fn a_line_has_a_bound() {
    let line = |length: usize| {
        let frame = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":""}}"#.len();
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":"{}"}}}}"#,
            "x".repeat(length - frame)
        )
    };
    assert!(matches!(read(line(LINE_BYTES_MAX).as_bytes(), line(LINE_BYTES_MAX).as_bytes()), Ok(Some(_))));
    let (id, code, why) = refused(&line(LINE_BYTES_MAX + 1));
    assert_eq!((id, code), (json!(1), -32600));
    assert!(why.contains("at most 16777216 bytes, and this one has 16777217"), "{why}");
}

#[test]
fn marks_and_blanks_around_a_message_do_not_count() {
    assert_eq!(bare(b"\xEF\xBB\xBF{}\r"), b"{}");
    assert_eq!(bare(b" \r"), b"");
}
