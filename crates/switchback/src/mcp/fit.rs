//! Makes a document fit: first long texts lose their middle, then lists lose the entries nobody asks for first.
//!
//! ```text
//!  fits? ── texts of at most 4000, 1000, 300, 100 bytes ── fits? ── entries: failed first, then open, then the rest
//! ```
//! An answer is kept short; a resource is filled: its texts are as long as there is room for them.
//!
//! What was left out is counted in `left_out`, together with the resource that has all of it. Ids, status and what to do
//! next are said whole, unless they are as long as no sentence is.

use engine::dialects::text::shortened;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What an answer may have.
pub(super) const ANSWER_BYTES_MAX: usize = 20_000;

/// How long texts may be, one try after the other.
const TEXT_BYTES: [usize; 4] = [4_000, 1_000, 300, 100];

/// What a failed entry keeps of a text: the reason is often at its end.
const FAILED_TEXT_BYTES: usize = 1_000;

/// How much longer than that a text must be to be cut: the word on what it lost takes room itself.
const LOST_BYTES_MIN: usize = 100;

/// What is held back for the word on what was left out.
const WORD_BYTES: usize = 1_000;

/// Members up to this size are never cut into.
const SMALL_BYTES: usize = 600;

/// How much of its room a document that is filled may leave unused.
const SLACK_BYTES: usize = 1_000;

/// How many cut lists are named.
const NAMED_MAX: usize = 8;

/// Members that are said whole, up to so many bytes.
const WHOLE: [&str; 5] = ["workflow_id", "run", "status", "next", "code"];
const WHOLE_BYTES_MAX: usize = 4_000;

/// What is to be done, as it is said to whoever does it: a step that was cut is another step.
const TO_DO: [&str; 10] =
    ["action", "actions", "step", "command", "args", "instructions", "message", "tool", "prompt", "items"];

/// What that may take beside all the rest; an action is at most 64 KiB, and may stand there twice.
const TO_DO_BYTES_MAX: usize = 160 * 1024;

/// A document that fits, and whether something was left out of it.
pub(super) fn fit(document: Value, bytes_max: usize, rest: Option<&str>) -> (Value, bool) {
    if size(&document) <= bytes_max {
        return (document, false);
    }
    let Value::Object(mut document) = document else {
        return (json!({ "left_out": { "all_of_it": rest } }), true);
    };
    let to_do = without(&mut document, &TO_DO);
    let kept = size_of(&to_do);
    if !to_do.is_empty() && kept <= TO_DO_BYTES_MAX {
        let (mut value, was_cut) = fit(Value::Object(document), bytes_max, rest);
        if let Value::Object(value) = &mut value {
            value.extend(to_do);
        }
        return (value, was_cut);
    }
    document.extend(to_do);
    let tried = TEXT_BYTES.iter().find_map(|bytes| with_texts_of(&document, *bytes, bytes_max));
    let (cut, shortened) = tried.unwrap_or_else(|| with_fewer_entries(&document, bytes_max));
    (cut.told(shortened, rest), true)
}

/// Takes members out of a document that has any of them.
fn without(document: &mut Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    let taken = names.iter().filter_map(|name| Some(((*name).to_owned(), document.remove(*name)?)));
    taken.collect()
}

/// A document that is as large as it may be: texts lose no more of their middle than they must, but some bytes are
/// kept free for what is said beside it. Nothing if it fits as it is.
pub(super) fn fill(document: &Value, bytes_max: usize, bytes_free: usize) -> Option<Value> {
    if size(document) <= bytes_max {
        return None;
    }
    let Value::Object(document) = document else {
        return Some(json!({ "left_out": "all of it" }));
    };
    let bytes_max = bytes_max.saturating_sub(bytes_free);
    let (mut fits, mut over) = (TEXT_BYTES[TEXT_BYTES.len() - 1], bytes_max);
    let mut best = with_texts_of(document, fits, bytes_max);
    while best.is_some() && over - fits > SLACK_BYTES {
        let middle = fits.midpoint(over);
        match with_texts_of(document, middle, bytes_max) {
            Some(better) => (best, fits) = (Some(better), middle),
            None => over = middle,
        }
    }
    let (cut, shortened) = best.unwrap_or_else(|| with_fewer_entries(document, bytes_max));
    Some(cut.told(shortened, None))
}

/// A document with texts of so many bytes, if it fits then.
fn with_texts_of(
    document: &Map<String, Value>,
    bytes: usize,
    bytes_max: usize,
) -> Option<(Cut, Map<String, Value>)> {
    let mut cut = Cut::default();
    let shortened = cut.texts_of(document, bytes);
    (size_of(&shortened) + WORD_BYTES <= bytes_max).then_some((cut, shortened))
}

/// A document with the shortest texts and as many entries as fit.
fn with_fewer_entries(document: &Map<String, Value>, bytes_max: usize) -> (Cut, Map<String, Value>) {
    let mut cut = Cut::default();
    let shortened = cut.texts_of(document, TEXT_BYTES[TEXT_BYTES.len() - 1]);
    let pruned = cut.lists_of(shortened, bytes_max.saturating_sub(WORD_BYTES));
    (cut, pruned)
}

/// The bytes of a value as JSON.
pub(super) fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("BUG: a value has no JSON form");
    count.0
}

fn size_of(members: &Map<String, Value>) -> usize {
    2 + members.iter().map(|(key, value)| entry_size(key, value)).sum::<usize>()
}

/// What a member takes: its name, its value and the signs around them.
fn entry_size(key: &str, value: &Value) -> usize {
    size(&Value::from(key)) + size(value) + 2
}

/// What was cut so far.
#[derive(Default)]
struct Cut {
    texts: usize,
    lists: Vec<(String, Value)>,
}

impl Cut {
    /// Shortens the texts of a document.
    fn texts_of(&mut self, document: &Map<String, Value>, bytes: usize) -> Map<String, Value> {
        let shorten = |(key, value): (&String, &Value)| {
            let bytes = if WHOLE.contains(&key.as_str()) { WHOLE_BYTES_MAX } else { bytes };
            (key.clone(), self.texts(value, bytes))
        };
        document.iter().map(shorten).collect()
    }

    fn texts(&mut self, value: &Value, bytes: usize) -> Value {
        match value {
            Value::String(text) if text.len() >= bytes + LOST_BYTES_MIN => {
                self.texts += 1;
                shortened(text, bytes).into()
            }
            Value::Array(items) => items.iter().map(|item| self.texts(item, bytes)).collect(),
            Value::Object(members) => {
                let bytes = if is_failed(members) { bytes.max(FAILED_TEXT_BYTES) } else { bytes };
                let shorten = members.iter().map(|(key, value)| (key.clone(), self.texts(value, bytes)));
                Value::Object(shorten.collect())
            }
            other => other.clone(),
        }
    }

    /// Takes entries out of the large members of a document, so that it has so many bytes.
    fn lists_of(&mut self, mut document: Map<String, Value>, bytes: usize) -> Map<String, Value> {
        let mut sizes: Vec<(usize, String)> =
            document.iter().map(|(key, value)| (entry_size(key, value), key.clone())).collect();
        sizes.sort();
        // The small ones first: what they do not need is left to the large ones.
        let (mut room, mut left) = (bytes.saturating_sub(2), sizes.len());
        for (size, key) in sizes {
            let share = room / left.max(1);
            left -= 1;
            if size > share.max(SMALL_BYTES) && !WHOLE.contains(&key.as_str()) {
                let value = document.get_mut(&key).map(Value::take).unwrap_or_default();
                let pruned = self.prune(&key, value, share.saturating_sub(key.len() + 4));
                room = room.saturating_sub(entry_size(&key, &pruned));
                document.insert(key, pruned);
            } else {
                room = room.saturating_sub(size);
            }
        }
        document
    }

    /// A value of at most so many bytes, or nothing of it.
    fn prune(&mut self, path: &str, value: Value, bytes: usize) -> Value {
        if size(&value) <= bytes {
            return value;
        }
        match value {
            Value::Array(items) => {
                let entries = items.into_iter().map(|item| (String::new(), item)).collect();
                let kept = self.keep(path, entries, bytes);
                kept.into_iter().map(|(_, value)| value).collect()
            }
            Value::Object(members) => {
                let kept = self.keep(path, members.into_iter().collect(), bytes);
                Value::Object(kept.into_iter().collect())
            }
            Value::String(text) => {
                self.texts += 1;
                // A text may double when it becomes JSON, and control characters take six bytes.
                shortened(&text, bytes / 8).into()
            }
            other => other,
        }
    }

    /// The entries that fit, in their order; the interesting ones are taken first.
    fn keep(&mut self, path: &str, entries: Vec<(String, Value)>, bytes: usize) -> Vec<(String, Value)> {
        let is_large: Vec<bool> =
            entries.iter().map(|(key, value)| entry_size(key, value) > bytes / 2).collect();
        let mut order: Vec<usize> = (0..entries.len()).collect();
        // What is large leaves room to the others: of a question more is seen than its choices.
        order.sort_by_key(|position| (rank(&entries[*position].1), is_large[*position]));
        let mut room = bytes.saturating_sub(2);
        let mut slots: Vec<Option<(String, Value)>> = entries.into_iter().map(Some).collect();
        let mut kept: BTreeMap<usize, (String, Value)> = BTreeMap::new();
        for position in order {
            let Some((key, value)) = slots[position].as_ref() else { continue };
            let needed = entry_size(key, value);
            if needed <= room {
                room -= needed;
                kept.extend(slots[position].take().map(|entry| (position, entry)));
            } else if (kept.is_empty() || is_large[position]) && room > SMALL_BYTES && key.len() < room / 4 {
                // One entry that is larger than the room there is shows at least its beginning.
                let Some((key, value)) = slots[position].take() else { continue };
                let path = if key.is_empty() { path.to_owned() } else { format!("{path}.{key}") };
                let value = self.prune(&path, value, room - key.len() - 8);
                room = room.saturating_sub(entry_size(&key, &value));
                kept.insert(position, (key, value));
            }
        }
        let left: Vec<Value> = slots.into_iter().flatten().map(|(_, value)| value).collect();
        self.count(path, &left);
        kept.into_values().collect()
    }

    /// Notes what was left out of a list: how many, by their status if they have one.
    fn count(&mut self, path: &str, left: &[Value]) {
        let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
        for status in left.iter().filter_map(|value| status_of(value.as_object()?)) {
            *by_status.entry(status).or_default() += 1;
        }
        let told = if by_status.is_empty() { json!(left.len()) } else { json!(by_status) };
        if !left.is_empty() && self.lists.len() < NAMED_MAX {
            self.lists.push((path.chars().take(60).collect(), told));
        }
    }

    /// The document with a word on what is not in it.
    fn told(self, mut document: Map<String, Value>, rest: Option<&str>) -> Value {
        let mut left_out = Map::new();
        if self.texts > 0 {
            left_out.insert("texts".to_owned(), json!(format!("{} lost their middle", self.texts)));
        }
        left_out.extend(self.lists);
        if let Some(rest) = rest {
            left_out.insert("all_of_it".to_owned(), json!(rest));
            if rest.starts_with("switchback://run/") {
                left_out.insert("one_step".to_owned(), json!(format!("{rest}/step/{{step}}")));
            }
        }
        document.insert("left_out".to_owned(), Value::Object(left_out));
        Value::Object(document)
    }
}

/// The status of an entry that is a block or a step.
fn status_of(members: &Map<String, Value>) -> Option<&str> {
    let own = members.get("status").or_else(|| members.get("metadata")?.get("status"));
    own.and_then(Value::as_str)
}

fn is_failed(members: &Map<String, Value>) -> bool {
    let outcome = members.get("outcome").or_else(|| members.get("metadata")?.get("outcome"));
    let outcome = outcome.and_then(Value::as_str);
    outcome == Some("failure") || (outcome.is_some() && status_of(members) == Some("failed"))
}

/// What people ask for first.
fn rank(entry: &Value) -> u8 {
    let Some(members) = entry.as_object() else { return 2 };
    match status_of(members) {
        _ if is_failed(members) => 0,
        Some("running" | "paused" | "interrupted" | "waiting") => 1,
        Some("pending") => 3,
        Some("skipped") => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests;
