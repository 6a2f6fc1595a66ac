//! Values that are made of others: what a run asks to have put together, it gets back as one piece of data.

use super::Content;
use super::content::stored;
use kernel::{Answer, Data, Digest, Fields, Question};
use serde_json::Value;

/// Largest value that is put together, in bytes of its JSON form.
pub const GATHERED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Puts every part in its place. What is large is answered by reference, and comes along.
pub fn gathered(question: &Question, load: impl Fn(&Digest) -> Answer) -> (Answer, Option<Content>) {
    let Question::Gather { frame, parts, flat, inline_bytes_max } = question else {
        return (none("there is nothing to put together".to_owned()), None);
    };
    let mut frame = frame.clone();
    let mut left = GATHERED_BYTES_MAX;
    for (pointer, data) in parts {
        let value = match data {
            Data::Inline(value) => value.clone(),
            Data::Stored(reference) => {
                let size = usize::try_from(reference.size).unwrap_or(usize::MAX);
                let Some(rest) = left.checked_sub(size) else { return (too_large(), None) };
                left = rest;
                match load(&reference.digest) {
                    Answer::Loaded { value, .. } => value,
                    unknown => return (unknown, None),
                }
            }
        };
        let Some(place) = frame.pointer_mut(pointer) else {
            return (none(format!("there is no place `{pointer}` for a part")), None);
        };
        *place = value;
    }
    let whole = Data::Inline(if *flat { flattened(frame) } else { frame });
    let (mut fields, mut contents) = stored(Fields::from([(String::new(), whole)]), *inline_bytes_max);
    if contents.iter().any(|content| content.body.len() > GATHERED_BYTES_MAX) {
        return (too_large(), None);
    }
    let data = fields.remove("").expect("BUG: one went in");
    (Answer::Evaluated(vec![Ok(data)]), contents.pop())
}

/// One list of the items of many.
fn flattened(lists: Value) -> Value {
    let Value::Array(lists) = lists else { return lists };
    let items = lists.into_iter().flat_map(|list| match list {
        Value::Array(items) => items,
        other => vec![other],
    });
    items.collect()
}

fn too_large() -> Answer {
    let mib = GATHERED_BYTES_MAX / 1024 / 1024;
    none(format!("it would have more than {mib} MiB; let each item write a file and give its name"))
}

fn none(reason: String) -> Answer {
    Answer::Evaluated(vec![Err(reason)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reference(value: &Value) -> (Data, Answer) {
        let (mut fields, mut contents) = stored(Fields::from([(String::new(), value.clone().into())]), 0);
        let digest = contents.pop().unwrap().digest;
        (fields.remove("").unwrap(), Answer::Loaded { digest, value: value.clone() })
    }

    fn put(value: &Value, inline_bytes_max: u64) -> (Answer, Option<Content>) {
        let (data, loaded) = reference(value);
        let parts = vec![("/0/a~1b".to_owned(), data), ("/1".to_owned(), Data::Inline(json!(2)))];
        let frame = json!([{"a/b": null}, null]);
        gathered(&Question::Gather { frame, parts, flat: false, inline_bytes_max }, |_| loaded.clone())
    }

    #[test]
    fn parts_come_to_their_places() {
        let (answer, content) = put(&json!("text"), 100);
        let whole = json!([{"a/b": "text"}, 2]);
        assert_eq!((answer, content), (Answer::Evaluated(vec![Ok(whole.clone().into())]), None));
        let (answer, content) = put(&json!("text"), 10);
        assert_eq!(Content::value("json", &content.unwrap().body).unwrap(), whole);
        assert!(matches!(answer, Answer::Evaluated(values) if values[0] == Ok(reference(&whole).0)));
    }

    #[test]
    fn lists_become_one() {
        let (data, loaded) = reference(&json!([2, [3]]));
        let (frame, parts) = (json!([[0, 1], null, [4]]), vec![("/1".to_owned(), data)]);
        let question = Question::Gather { frame, parts, flat: true, inline_bytes_max: 100 };
        let (answer, _) = gathered(&question, |_| loaded.clone());
        assert_eq!(answer, Answer::Evaluated(vec![Ok(json!([0, 1, 2, [3], 4]).into())]));
    }

    #[test]
    fn what_is_put_together_has_an_edge() {
        let around = json!([{"a/b": ""}, 2]).to_string().len();
        let text = |bytes: usize| Value::String("x".repeat(bytes));
        let (_, content) = put(&text(GATHERED_BYTES_MAX - around), 10);
        assert_eq!(content.unwrap().body.len(), GATHERED_BYTES_MAX);
        for over in [1, around, around + 1] {
            let (answer, content) = put(&text(GATHERED_BYTES_MAX - around + over), 10);
            assert_eq!((answer, content), (too_large(), None));
        }
    }

    #[test]
    fn content_that_is_gone_is_told() {
        let (data, _) = reference(&json!("text"));
        let gone = Answer::Unanswered("it is gone".to_owned());
        let asked = |frame: Value, data: Data| {
            let parts = vec![("/0".to_owned(), data)];
            gathered(&Question::Gather { frame, parts, flat: false, inline_bytes_max: 10 }, |_| gone.clone())
        };
        assert_eq!(asked(json!([null]), data).0, gone);
        let (answer, _) = asked(json!([]), json!(1).into());
        assert!(matches!(answer, Answer::Evaluated(values) if values[0].is_err()));
    }
}
