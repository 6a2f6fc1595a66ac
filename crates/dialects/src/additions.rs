//! Our own additions, the same words in every dialect: `timeout`, `retry`, `on_interrupt`, `gate`, `on_overdue`,
//! `verify`.
//!
//! A time is a number of seconds, whole or not, or a number with its unit: `500ms`, `30s`, `5m`, `2h`, `1d`.
//! Every wait has a deadline or the written word `never`; so each dialect names a default for its steps.

mod asking;
mod evidence;

pub(crate) use asking::{gate, no_verify_at_a_gate, on_overdue};
pub(crate) use evidence::{Evidence, EvidenceKind, evidence, schema_is_written};

use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean, hinted, wrong_kind};
use crate::text::Node;
use kernel::plan::{Deadline, OnInterrupt, Retry};

/// The longest time that can be written.
const TIME_MS_MAX: u64 = 365 * 24 * 60 * 60 * 1000;

/// The most attempts that can be written.
const ATTEMPTS_MAX: u64 = 100;

/// The steepest growth of the rest between attempts.
const BACKOFF_MAX: f64 = 10.0;

/// What holds where `retry` says only how often: a second, then twice that, at most a minute.
const RETRY: Retry = Retry { attempts_max: 1, delay_ms: 1_000, growth_percent: 200, delay_ms_max: 60_000 };

const RETRY_KEYS: Shape = Shape {
    has_no: "`retry` has no key",
    keys: &["attempts", "delay", "backoff", "max_delay"],
    elsewhere: &[],
};

const TIMES: &str = "write seconds (`90`, `1.5`) or a time with its unit (`500ms`, `30s`, `5m`, `2h`)";

/// Reads a `timeout`.
pub(crate) fn timeout(mistakes: &mut Mistakes<'_>, node: &Node) -> Deadline {
    if node.as_text() == Some("never") {
        return Deadline::Never;
    }
    match time(mistakes, node, "timeout", " or `never`") {
        Some(0) => {
            let message = "a `timeout` of nothing leaves no time at all";
            let hint = format!("{TIMES} or `never`");
            mistakes.error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
            Deadline::Never
        }
        Some(ms) => Deadline::After(ms),
        None => Deadline::Never,
    }
}

/// Reads a `retry`: how often, or a mapping that says it all. The first attempt counts.
pub(crate) fn retry(mistakes: &mut Mistakes<'_>, node: &Node) -> Retry {
    if node.as_map().is_none() {
        return Retry { attempts_max: attempts(mistakes, node, "retry"), ..RETRY };
    }
    let meant = shape::check_keys(mistakes, node, &RETRY_KEYS);
    let mut retry = RETRY;
    match node.get("attempts") {
        Some(count) => retry.attempts_max = attempts(mistakes, count, "attempts"),
        None if meant.contains("attempts") => {}
        None => shape::missing(mistakes, node.place(), "`retry`", "attempts", "say how often: `attempts: 3`"),
    }
    if let Some(ms) = node.get("delay").and_then(|delay| time(mistakes, delay, "delay", "")) {
        retry.delay_ms = ms;
        retry.delay_ms_max = retry.delay_ms_max.max(ms);
    }
    if let Some(ms) = node.get("max_delay").and_then(|delay| time(mistakes, delay, "max_delay", "")) {
        retry.delay_ms_max = ms;
    }
    if let Some(backoff) = node.get("backoff") {
        retry.growth_percent = growth_percent(mistakes, backoff);
    }
    retry
}

/// Reads an `on_interrupt`.
pub(crate) fn on_interrupt(mistakes: &mut Mistakes<'_>, node: &Node) -> OnInterrupt {
    const WORDS: [(&str, OnInterrupt); 3] =
        [("retry", OnInterrupt::Retry), ("ask", OnInterrupt::Ask), ("fail", OnInterrupt::Fail)];
    let word = node.as_text().unwrap_or_default();
    if let Some((_, meaning)) = WORDS.into_iter().find(|(name, _)| *name == word) {
        return meaning;
    }
    mistakes.error(|sheet| {
        let message = "`on_interrupt` is one of `retry`, `ask` and `fail`";
        let diagnostic = sheet
            .error("bad-value", node.place(), message)
            .hint("it says what becomes of a step that was cut off and may or may not have happened");
        match nearest(word, WORDS.map(|(name, _)| name)) {
            Some(near) => diagnostic.label(did_you_mean(near)),
            None => diagnostic,
        }
    });
    OnInterrupt::default()
}

/// Reads a time in milliseconds; `or` are other words that would do.
fn time(mistakes: &mut Mistakes<'_>, node: &Node, key: &str, or: &str) -> Option<u64> {
    let hint = match node.as_text() {
        Some(text) if text.contains("${") => {
            "a time is fixed when the file is read, so no reference can stand here"
        }
        _ => &format!("{TIMES}{or}"),
    };
    let written = match node.as_f64() {
        Some(seconds) => Some(seconds * 1000.0),
        None => node.as_string().and_then(with_unit),
    };
    let Some(ms) = written else {
        wrong_kind_of_time(mistakes, node, key, hint);
        return None;
    };
    if (0.0..=TIME_MS_MAX as f64).contains(&ms) {
        return Some(ms.round() as u64);
    }
    let message = format!("a `{key}` lies between nothing and a year");
    mistakes.error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
    None
}

fn wrong_kind_of_time(mistakes: &mut Mistakes<'_>, node: &Node, key: &str, hint: &str) {
    let Some(text) = node.as_string() else {
        return wrong_kind(mistakes, node, &format!("`{key}`"), "a time", hint);
    };
    let message = format!("`{text}` is no time");
    let hint = &node.number_in_text().unwrap_or_else(|| hint.to_owned());
    mistakes.error(|sheet| hinted(sheet.error("bad-value", node.place(), message), hint));
}

/// `30s`, `1.5 h`: the milliseconds of a number with its unit.
fn with_unit(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let ms = match unit.trim_start() {
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * ms)
}

/// Reads a number of attempts.
pub(crate) fn attempts(mistakes: &mut Mistakes<'_>, node: &Node, key: &str) -> u32 {
    let count = node.as_u64().filter(|count| (1..=ATTEMPTS_MAX).contains(count));
    if count.is_none() {
        let message = format!("`{key}` is a whole number from 1 to {ATTEMPTS_MAX}");
        let hint =
            node.number_in_text().unwrap_or_else(|| "it counts all attempts, the first one too".to_owned());
        mistakes.error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
    }
    count.and_then(|count| u32::try_from(count).ok()).unwrap_or(1)
}

fn growth_percent(mistakes: &mut Mistakes<'_>, node: &Node) -> u32 {
    let factor = node.as_f64().filter(|factor| (1.0..=BACKOFF_MAX).contains(factor));
    if factor.is_none() {
        let message = format!("`backoff` is a number from 1 to {BACKOFF_MAX}");
        let hint = "each rest is that many times as long as the one before; 1 keeps it the same";
        let hint = node.number_in_text().unwrap_or_else(|| hint.to_owned());
        mistakes.error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
    }
    (factor.unwrap_or(1.0) * 100.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, load};

    /// Reads `a: ...` and returns the value with the messages of what is wrong.
    fn read<T>(value: &str, reader: fn(&mut Mistakes<'_>, &Node) -> T) -> (T, Vec<String>) {
        let source = Source::new("a.yaml", format!("a: {value}\n"));
        let root = load(&source).unwrap();
        let mut mistakes = Mistakes::new(&source);
        let read = reader(&mut mistakes, root.get("a").unwrap());
        let messages = mistakes.finish().iter().map(|one| format!("{}: {}", one.code, one.message)).collect();
        (read, messages)
    }

    #[test]
    fn times_have_many_forms() {
        for (text, ms) in [
            ("1", 1_000),
            ("0.25", 250),
            ("90s", 90_000),
            ("500ms", 500),
            ("\"5m\"", 300_000),
            ("1.5 h", 5_400_000),
            ("365d", TIME_MS_MAX),
        ] {
            assert_eq!(read(text, timeout), (Deadline::After(ms), vec![]), "{text}");
        }
        assert_eq!(read("never", timeout), (Deadline::Never, vec![]));
    }

    #[test]
    fn what_is_no_time_is_said() {
        for (text, message) in [
            ("0", "bad-value: a `timeout` of nothing leaves no time at all"),
            ("0.0001", "bad-value: a `timeout` of nothing leaves no time at all"),
            ("-1", "bad-value: a `timeout` lies between nothing and a year"),
            ("366d", "bad-value: a `timeout` lies between nothing and a year"),
            ("1e300", "bad-value: a `timeout` lies between nothing and a year"),
            ("soon", "bad-value: `soon` is no time"),
            ("\"30\"", "bad-value: `30` is no time"),
            ("5 parsecs", "bad-value: `5 parsecs` is no time"),
            ("1.2.3s", "bad-value: `1.2.3s` is no time"),
            ("\"${inputs.t}\"", "bad-value: `${inputs.t}` is no time"),
            ("", "wrong-type: `timeout` is a time, and this is nothing"),
            ("[1]", "wrong-type: `timeout` is a time, and this is a list"),
            ("true", "wrong-type: `timeout` is a time, and this is true or false"),
        ] {
            assert_eq!(read(text, timeout).1, [message], "{text}");
        }
    }

    #[test]
    fn retry_is_a_number_or_says_it_all() {
        assert_eq!(read("3", retry), (Retry { attempts_max: 3, ..RETRY }, vec![]));
        let all = Retry { attempts_max: 5, delay_ms: 100, growth_percent: 150, delay_ms_max: 2_000 };
        let text = "{attempts: 5, delay: 100ms, backoff: 1.5, max_delay: 2}";
        assert_eq!(read(text, retry), (all, vec![]));
        assert_eq!(read("{attempts: 2, delay: 5m}", retry).0.rest_ms(1), 300_000);
        for text in
            ["0", "101", "often", "{attempts: 1.5}", "{}", "{attempts: 2, backoff: 0}", "{attempt: 2}"]
        {
            assert_eq!(read(text, retry).1.len(), 1, "{text}");
        }
    }

    #[test]
    fn a_number_that_is_read_as_text_says_so() {
        let hints = |text: &str, read: fn(&mut Mistakes<'_>, &Node)| {
            let source = Source::new("a.yaml", format!("a: {text}\n"));
            let root = load(&source).unwrap();
            let mut mistakes = Mistakes::new(&source);
            read(&mut mistakes, root.get("a").unwrap());
            mistakes.finish().iter().flat_map(|one| one.hint.clone()).collect::<Vec<_>>()
        };
        let zero = ["with a zero in front it is read as text; write 10"];
        let quoted = ["in quotes it is text; write 3"];
        for (text, said) in [("010", zero), ("\"3\"", quoted)] {
            assert_eq!(hints(text, |mistakes, node| _ = retry(mistakes, node)), said);
            assert_eq!(hints(text, |mistakes, node| _ = timeout(mistakes, node)), said);
            let backoff = format!("{{attempts: 2, backoff: {text}}}");
            assert_eq!(hints(&backoff, |mistakes, node| _ = retry(mistakes, node)), said);
        }
        let counted = ["it counts all attempts, the first one too"];
        for other in ["101", "\"many\"", "\"\"", "000000000000000000000x"] {
            assert_eq!(hints(other, |mistakes, node| _ = retry(mistakes, node)), counted, "{other}");
        }
    }

    #[test]
    fn a_gate_has_two_levels() {
        let ask = Some(kernel::plan::Gate { level: kernel::plan::GateLevel::Ask });
        assert_eq!(read("ask", gate), (ask.clone(), vec![]));
        assert_eq!(read("{level: ask}", gate), (ask, vec![]));
        let proof = Some(kernel::plan::Gate { level: kernel::plan::GateLevel::Proof });
        assert_eq!(read("proof", gate), (proof.clone(), vec![]));
        assert_eq!(read("{level: proof}", gate), (proof, vec![]));
        for (text, message) in [
            ("true", "bad-value: the level of a `gate` is `ask` or `proof`"),
            ("{}", "missing-key: `gate` has no `level`"),
            ("{lever: ask}", "unknown-key: `gate` has no key `lever`"),
            ("[ask]", "bad-value: the level of a `gate` is `ask` or `proof`"),
        ] {
            assert_eq!(read(text, gate), (None, vec![message.to_owned()]), "{text}");
        }
    }

    #[test]
    fn on_overdue_is_one_of_two_words() {
        assert_eq!(read("fail", on_overdue), (kernel::plan::OnOverdue::Fail, vec![]));
        assert_eq!(read("offer", on_overdue), (kernel::plan::OnOverdue::Offer, vec![]));
        for text in ["fails", "", "[offer]", "true"] {
            assert_eq!(read(text, on_overdue).1.len(), 1, "{text}");
        }
    }

    #[test]
    fn on_interrupt_is_one_of_three_words() {
        assert_eq!(read("fail", on_interrupt), (OnInterrupt::Fail, vec![]));
        for text in ["again", "", "[ask]", "true"] {
            assert_eq!(read(text, on_interrupt).1.len(), 1, "{text}");
        }
    }
}
