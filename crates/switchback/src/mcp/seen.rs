//! What an answer has of each question: where something is missing, the question says what and where it is whole, and `next`
//! says first that it must be read. Nobody judges a part and takes it for all.
//!
//! ```text
//!  questions, each with its resource ── fit ── missing? ── left_out, `next`, a link
//!                                                └── no: the resource is not named
//! ```

use super::fit::{ANSWER_BYTES_MAX, fit};
use engine::asking::HUMANS_ONLY;
use serde_json::{Map, Value, json};

/// What is held back for the words on questions.
const WORDS_BYTES: usize = 2_000;

/// How many questions `next` speaks of, and how many values of one are named.
const NAMED_MAX: usize = 3;
const VALUES_MAX: usize = 8;

/// What is told by itself: what it lost, and choices, which are counted.
const ASIDE: [&str; 2] = ["left_out", "choices"];

/// A document that fits, and the resources that have what is missing: the first all of it, the others one question each.
pub(super) fn seen(value: Value, rest: Option<&str>) -> (Value, Vec<String>) {
    let asked: Vec<Value> = value["questions"].as_array().cloned().unwrap_or_default();
    let words = if asked.is_empty() { 0 } else { WORDS_BYTES };
    let (mut value, was_cut) = fit(value, ANSWER_BYTES_MAX - words, rest);
    let mut links: Vec<String> = rest.filter(|_| was_cut).map(str::to_owned).into_iter().collect();
    let mut unread = Vec::new();
    let mut room = words;
    let questions = value.get_mut("questions").and_then(Value::as_array_mut);
    for question in questions.into_iter().flatten() {
        let same = asked.iter().find(|one| one["question_id"] == question["question_id"]);
        let Some(missing) = same.and_then(|whole| Missing::of(whole, question)) else { continue };
        missing.tell(question, &mut room);
        let is_read = question["for"] != HUMANS_ONLY;
        if let Some(uri) = missing.uri.filter(|_| is_read) {
            unread.push((question["step"].as_str().unwrap_or_default().to_owned(), uri));
        }
    }
    unread.truncate(NAMED_MAX);
    read_first(&mut value, &unread, room);
    links.extend(unread.into_iter().map(|(_, uri)| uri));
    (value, links)
}

/// What an answer has not of a question.
struct Missing {
    values: Vec<String>,
    uri: Option<String>,
}

impl Missing {
    /// What is missing, if something is. A question that is whole says nothing of it.
    fn of(whole: &Value, question: &mut Value) -> Option<Missing> {
        let (before, after) = (whole.as_object()?, question.as_object_mut()?);
        let named = whole["left_out"]["values"].as_array().into_iter().flatten();
        let mut values: Vec<String> = named.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        let lost = lost(before, after).into_iter().filter(|name| !values.contains(name));
        values.extend(lost.collect::<Vec<_>>());
        if values.is_empty() {
            after.remove("left_out");
            return None;
        }
        let uri = whole["left_out"]["all_of_it"].as_str().map(str::to_owned);
        Some(Missing { values, uri })
    }

    /// Says it in the question, as far as there is room.
    fn tell(&self, question: &mut Value, room: &mut usize) {
        let values: Vec<&String> = self.values.iter().take(VALUES_MAX).collect();
        let bytes = json!({ "values": values }).to_string().len();
        let mut left_out = Map::new();
        if let Some(left) = room.checked_sub(bytes) {
            *room = left;
            left_out.insert("values".to_owned(), json!(values));
        }
        left_out.extend(self.uri.as_ref().map(|uri| ("all_of_it".to_owned(), json!(uri))));
        question["left_out"] = left_out.into();
    }
}

/// The members that are not as they were, those of what is shown by their own names.
fn lost(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    for (name, value) in before.iter().filter(|(name, _)| !ASIDE.contains(&name.as_str())) {
        match (name.as_str(), value, after.get(name)) {
            (_, value, Some(kept)) if value == kept => {}
            ("shown", Value::Object(shown), Some(Value::Object(kept))) => names.extend(parts(shown, kept)),
            _ => names.push(name.clone()),
        }
    }
    names
}

/// The parts of what is shown that are not as they were, as a definition names them: `context.diff`.
fn parts(shown: &Map<String, Value>, kept: &Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    for (name, value) in shown.iter().filter(|(name, value)| kept.get(*name) != Some(*value)) {
        match (value, kept.get(name)) {
            (Value::Object(members), Some(Value::Object(kept))) => names.extend(
                members
                    .iter()
                    .filter(|(member, value)| kept.get(*member) != Some(*value))
                    .map(|(member, _)| format!("{name}.{member}")),
            ),
            _ => names.push(name.clone()),
        }
    }
    names
}

/// Says before all else that something must be read, as far as there is room.
fn read_first(value: &mut Value, unread: &[(String, String)], mut room: usize) {
    let mut words = String::new();
    for (step, uri) in unread {
        let told = format!("This answer has not all of what `{step}` shows: read the resource {uri} first. ");
        if let Some(left) = room.checked_sub(json!(told).to_string().len()) {
            room = left;
            words.push_str(&told);
        }
    }
    if let Some(next) = value["next"].as_str().filter(|_| !words.is_empty()) {
        value["next"] = format!("{words}{next}").into();
    }
}
