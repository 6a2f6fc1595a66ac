//! Ids of requests, exactly as they came. The library below holds whole numbers of 64 bits and texts; any other form of a
//! number (`1.0`, `1e2`, one of 80 bits) would come back as another text, and a client that compares texts would wait for ever. So
//! such an id goes in as a text of ours with the number in it, and comes out as the number. Pure: lines in, lines out.

use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What a text of ours begins with. An id of a client that begins with it becomes one as well.
const MARK: &str = "switchback/id:";

const CANCELLED: &str = r#""notifications/cancelled""#;

/// A line of a client with an id that can be held.
pub(crate) fn inward(line: &[u8]) -> Cow<'_, [u8]> {
    #[derive(Deserialize)]
    struct Head<'l> {
        #[serde(borrow)]
        id: Option<&'l RawValue>,
        #[serde(borrow)]
        method: Option<&'l RawValue>,
        #[serde(borrow)]
        params: Option<&'l RawValue>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Cancelled<'l> {
        #[serde(borrow, rename = "requestId")]
        id: &'l RawValue,
    }
    let Ok(Head { id, method, params, result, error }) = serde_json::from_slice(line) else {
        return Cow::Borrowed(line);
    };
    let Some(method) = method else {
        let id = id.filter(|_| result.is_some() || error.is_some()).map(RawValue::get);
        return match id.and_then(|id| Some((id, whole(id)?))) {
            Some((id, number)) => Cow::Owned(with(line, id, &number.to_string())),
            None => Cow::Borrowed(line),
        };
    };
    let cancelled = || {
        let params = params.filter(|_| method.get() == CANCELLED)?;
        serde_json::from_str::<Cancelled<'_>>(params.get()).ok().map(|cancelled| cancelled.id)
    };
    match id.or_else(cancelled).map(RawValue::get).filter(|id| is_odd(id)) {
        Some(id) => Cow::Owned(with(line, id, &Value::from(format!("{MARK}{id}")).to_string())),
        None => Cow::Borrowed(line),
    }
}

/// A line for a client with the id that it gave.
pub(crate) fn outward(line: &[u8]) -> Cow<'_, [u8]> {
    #[derive(Deserialize)]
    struct Head<'l> {
        #[serde(borrow)]
        id: Option<&'l RawValue>,
    }
    let is_ours = line.windows(MARK.len()).any(|part| part == MARK.as_bytes());
    let head = is_ours.then(|| serde_json::from_slice::<Head<'_>>(line).ok()).flatten();
    let Some(id) = head.and_then(|head| head.id).map(RawValue::get) else { return Cow::Borrowed(line) };
    match serde_json::from_str::<String>(id).ok().as_deref().and_then(|id| id.strip_prefix(MARK)) {
        Some(came) => Cow::Owned(with(line, id, came)),
        None => Cow::Borrowed(line),
    }
}

/// An id as the client wrote it.
pub(crate) fn written(id: &Value) -> String {
    match id.as_str().and_then(|id| id.strip_prefix(MARK)) {
        Some(came) => came.to_owned(),
        None => id.to_string(),
    }
}

/// The number that an id is and should not be, because something stands behind its point.
pub(super) fn broken(id: &RequestId) -> Option<&str> {
    let RequestId::String(id) = id else { return None };
    id.strip_prefix(MARK).filter(|came| !is_id(came))
}

/// Whether it may be an id, as it is written: a text, or a whole number.
pub(super) fn is_id(written: &str) -> bool {
    let is_whole = || {
        !written.contains(['.', 'e', 'E'])
            || written.parse::<f64>().is_ok_and(|number| number.is_finite() && number.fract() == 0.0)
    };
    match written.as_bytes() {
        [b'"', ..] => true,
        [b'-' | b'0'..=b'9', ..] => is_whole(),
        _ => false,
    }
}

/// Whether an id would come back as another text, or be taken for one of ours.
pub(super) fn is_odd(id: &str) -> bool {
    match id.as_bytes() {
        [b'"', ..] => serde_json::from_str::<String>(id).is_ok_and(|id| id.starts_with(MARK)),
        [b'-' | b'0'..=b'9', ..] => id.parse::<i64>().map_or(true, |held| held.to_string() != id),
        _ => false,
    }
}

/// The number of one of our own requests, where a client gives it back in another form: `0.0` for `0`.
fn whole(id: &str) -> Option<u32> {
    let number = id.parse::<f64>().ok().filter(|_| is_odd(id) && !id.starts_with('"'))?;
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

/// A line in which another text stands in the place of one of its parts.
fn with(line: &[u8], part: &str, text: &str) -> Vec<u8> {
    let from = part.as_ptr() as usize - line.as_ptr() as usize;
    [&line[..from], text.as_bytes(), &line[from + part.len()..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &[u8]) -> &str {
        std::str::from_utf8(line).unwrap()
    }

    #[test]
    fn every_id_comes_back_as_it_was_written() {
        for id in [
            "1",
            "-7",
            "9223372036854775807",
            "18446744073709551616",
            "-9223372036854775809",
            "1.0",
            "1e2",
            "-0",
            r#""a""#,
            r#""switchback/id:1.0""#,
            r#""switchback\/id:\"""#,
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0", "id" : {id} ,"method":"ping","params":{{"id":1.0}}}}"#);
            let inward = inward(line.as_bytes());
            let held: Value = serde_json::from_slice(&inward).unwrap();
            let held = RequestId::deserialize(&held["id"]).unwrap();
            assert_eq!(broken(&held), None, "{id}");
            let answer = serde_json::json!({"jsonrpc": "2.0", "id": held, "result": {"id": 1}}).to_string();
            let back = outward(answer.as_bytes());
            assert_eq!(
                serde_json::from_str::<String>(id).ok(),
                serde_json::from_slice::<Value>(&back).unwrap()["id"].as_str().map(str::to_owned),
            );
            if !id.starts_with('"') {
                assert!(text(&back).contains(&format!(r#""id":{id},"#)), "{id}: {}", text(&back));
            }
        }
    }

    #[test]
    fn what_is_cancelled_is_named_as_it_was_asked() {
        let line = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}"#;
        assert!(text(&inward(line)).contains(r#""requestId":"switchback/id:1.0""#));
        let other = br#"{"jsonrpc":"2.0","method":"x","params":{"requestId":1.0}}"#;
        assert_eq!(inward(other), &other[..]);
    }

    #[test]
    fn an_answer_of_the_client_is_left_as_it_is() {
        for id in ["0", r#""0""#, "0.5", "-1.0", "1e400", "null"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
            assert_eq!(text(&inward(line.as_bytes())), line);
        }
        for line in [&br#"{"jsonrpc":"2.0","id":1.0}"#[..], b"[1.0]", b"not json", b""] {
            assert_eq!(inward(line), line);
        }
    }

    #[test]
    fn an_answer_is_to_the_request_whose_number_it_gives_in_whatever_form() {
        for (id, ours) in
            [("0.0", "0"), ("-0", "0"), ("5e0", "5"), ("50e-1", "5"), ("4294967295.0", "4294967295")]
        {
            for how in [r#""result":{"id":1.0}"#, r#""error":{"code":1,"message":"no"}"#] {
                let line = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},{how}}}"#);
                assert_eq!(text(&inward(line(id).as_bytes())), line(ours));
            }
        }
    }

    #[test]
    fn what_is_no_whole_number_is_told() {
        for (id, is_broken) in
            [("1.5", true), ("1e400", true), ("1e-1", true), ("1.0", false), ("1e2", false)]
        {
            let line = format!(r#"{{"id":{id},"method":"ping"}}"#);
            let held: Value = serde_json::from_slice(&inward(line.as_bytes())).unwrap();
            let held = RequestId::deserialize(&held["id"]).unwrap();
            assert_eq!(broken(&held), is_broken.then_some(id));
        }
    }
}
