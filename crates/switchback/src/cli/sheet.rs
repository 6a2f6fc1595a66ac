//! A question on a terminal: what is shown, what can be typed, and what a typed line means. Pure: lines in, a command out.
//!
//! A gate is passed by typing a word of the run's name: nobody passes it by leaning on a key.

use super::look::clean;
use engine::asking::{self, Asked, AskedKind};
use engine::dialects::view::asked::label;
use engine::kernel::command::Caller;
use engine::kernel::{Command, RunId};
use serde_json::Value;

/// How much of a digest is shown.
const DIGEST_CHARS: usize = 8;

/// A question that someone is asked.
pub(crate) struct Sheet {
    pub(crate) asked: Asked,
    /// What was said at a gate, before it is confirmed by the word.
    chosen: Option<Value>,
}

/// What a typed line means.
#[derive(Debug)]
pub(crate) enum Meant {
    /// This answer.
    Say(Command),
    /// Not now.
    Later,
    /// Nothing that fits, for this reason.
    Again(String),
    /// One more line is needed.
    More,
}

/// What a terminal passes on of one line, its end not counted.
const TYPED_BYTES_MAX: usize = if cfg!(target_os = "linux") { 4_095 } else { 1_023 };

impl Sheet {
    pub(crate) fn new(asked: Asked) -> Sheet {
        Sheet { asked, chosen: None }
    }

    /// All that is shown.
    pub(crate) fn lines(&self) -> Vec<String> {
        let asked = &self.asked;
        let mut lines: Vec<String> = asked.words().lines().map(clean).collect();
        for (name, value) in asking::details(asked) {
            let text = label(value);
            let named = if name == "details" { String::new() } else { format!("{name}:") };
            lines.extend((!named.is_empty()).then_some(named));
            lines.extend(text.lines().map(clean));
        }
        lines.extend(asked.note.as_ref().map(|note| format!("asked again: {}", clean(note))));
        let is_plain = asking::are_plain(&asked.choices);
        let shown = |choice: &Value| if is_plain { label(choice) } else { choice.to_string() };
        let is_numbered = self.is_numbered();
        let mark = |number: u32| if is_numbered { format!("[{number}]") } else { "-".to_owned() };
        let choices = asked.choices.iter().zip(1..);
        lines.extend(choices.map(|(choice, number)| format!("{} {}", mark(number), clean(&shown(choice)))));
        lines.extend(asked.not_whole().map(|told| clean(&told)));
        if asked.is_gate() {
            let digest: String = asked.digest.to_string().chars().take(DIGEST_CHARS).collect();
            let count = lines.len();
            let counted = if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
            lines.push(format!(
                "(shown: {counted}, digest {digest}; the answer counts for this and nothing else)"
            ));
        }
        lines
    }

    /// Whether a choice can be named by its number: not where another one is called so.
    fn is_numbered(&self) -> bool {
        let choices = &self.asked.choices;
        let called = |at: usize| label(&choices[at]).trim().parse::<usize>().ok();
        (0..choices.len()).all(|at| {
            called(at).is_none_or(|number| number == at + 1 || number > choices.len() || number == 0)
        })
    }

    /// Whether a line names a choice as it is called.
    fn names_choice(&self, line: &str) -> bool {
        self.asked.choices.iter().any(|choice| label(choice).trim() == line.trim())
    }

    /// What was chosen at a gate, as it is called.
    fn chosen_label(&self) -> Option<String> {
        let result = asking::fit(&self.asked, self.chosen.clone()?).ok()?;
        let response = result.get("response").or_else(|| result.get("result"))?.inline()?;
        (self.asked.kind == AskedKind::Choice)
            .then(|| clean(&label(response.get("selected").unwrap_or(response))))
    }

    /// What can be typed now.
    pub(crate) fn choice(&self) -> String {
        let otherwise = |text: &str| match &self.asked.default {
            Some(default) => format!("{text}  [return] {}", clean(&label(default))),
            None => text.to_owned(),
        };
        match self.asked.kind {
            _ if self.wants_the_word() => {
                let chosen = self.chosen_label().map(|label| format!(" `{label}`")).unwrap_or_default();
                format!(
                    "Type  {}  to approve{chosen}, l for later, or anything else to decline:",
                    word(&self.asked.root)
                )
            }
            AskedKind::Info => "any key and [return] to go on, or [return] for later:".to_owned(),
            AskedKind::Confirm => otherwise("[y] yes  [n] no  [l] later"),
            AskedKind::Choice if self.is_numbered() => otherwise("a number, or [l] later"),
            AskedKind::Choice => otherwise("one of these, as it is written, or [l] later"),
            AskedKind::Text if self.asked.default.is_some() => otherwise("your answer:"),
            AskedKind::Text | AskedKind::Agent => "your answer, or [return] for later:".to_owned(),
        }
    }

    /// What a line means that was typed, if it is text.
    pub(crate) fn typed(&mut self, line: &[u8]) -> Meant {
        // A terminal shows what is beyond it, and passes none of that on.
        if line.strip_suffix(b"\n").unwrap_or(line).len() >= TYPED_BYTES_MAX {
            let run = &self.asked.root;
            return Meant::Again(format!(
                "that line has more than a terminal passes on ({TYPED_BYTES_MAX} bytes), and was cut: type less, or give it by a pipe: \
                 switchback answer {run} - < FILE"
            ));
        }
        match str::from_utf8(line) {
            Ok(line) => self.read(line),
            Err(_) => Meant::Again(
                "what was typed is not UTF-8 text, and cannot be taken: type it again".to_owned(),
            ),
        }
    }

    /// What a line means.
    fn read(&mut self, line: &str) -> Meant {
        let line = line.trim_end_matches(['\n', '\r']);
        let is_later = matches!(line.trim(), "l" | "L" | "later");
        if self.wants_the_word() {
            return self.word(line.trim(), is_later);
        }
        let is_free = matches!(self.asked.kind, AskedKind::Text | AskedKind::Agent);
        if is_later && !is_free || line.trim().is_empty() && self.asked.default.is_none() {
            return Meant::Later;
        }
        let is_unnumbered = self.asked.kind == AskedKind::Choice && !self.is_numbered();
        if is_unnumbered && !line.trim().is_empty() && !self.names_choice(line) {
            return Meant::Again(format!("`{}` is none of the choices", clean(line.trim())));
        }
        self.say(Value::String(line.to_owned()))
    }

    /// What an answer means that was given as a whole.
    pub(crate) fn say(&mut self, said: Value) -> Meant {
        match asking::fit(&self.asked, said.clone()) {
            Err(misfit) => Meant::Again(misfit.to_string()),
            Ok(result) if !self.asked.is_gate() => Meant::Say(asking::answer(&self.asked, result, human())),
            Ok(result) => match asking::answer(&self.asked, result, human()) {
                no @ Command::Answer { approved: false, .. } => Meant::Say(no),
                _ => {
                    self.chosen = Some(said);
                    Meant::More
                }
            },
        }
    }

    /// Whether the next line is the word that passes the gate.
    fn wants_the_word(&self) -> bool {
        self.asked.is_gate() && (self.asked.kind == AskedKind::Confirm || self.chosen.is_some())
    }

    fn word(&mut self, typed: &str, is_later: bool) -> Meant {
        let no = || asking::decline(&self.asked, human()).map_or(Meant::Later, Meant::Say);
        match typed {
            _ if is_later => Meant::Later,
            // To press return decides nothing.
            "" => Meant::Again("nothing was typed".to_owned()),
            typed if typed == word(&self.asked.root) => {
                let said = self.chosen.clone().unwrap_or(Value::Bool(true));
                match asking::fit(&self.asked, said) {
                    Ok(result) => Meant::Say(asking::answer(&self.asked, result, human())),
                    Err(misfit) => Meant::Again(misfit.to_string()),
                }
            }
            _ => no(),
        }
    }
}

/// Who answers here.
pub(crate) fn human() -> Caller {
    Caller::Human { door: "command line".to_owned(), proven: false }
}

/// The word that passes a gate of a run: `otter` for `mossy-otter-41`.
fn word(root: &RunId) -> &str {
    root.as_str().split('-').nth(1).unwrap_or(root.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::kernel::plan::{Audience, Gate, GateLevel};
    use engine::kernel::{Data, Digest, EffectId};
    use serde_json::{Map, json};

    fn asked(kind: AskedKind, gate: bool, default: Option<Value>) -> Asked {
        let root = RunId::new("mossy-otter-41");
        Asked {
            question_id: "ask#1".to_owned(),
            run: root.clone(),
            root,
            path: vec!["ask".to_owned()],
            effect: EffectId::new("ask#1"),
            attempt: 1,
            audience: Audience::Human,
            gate: gate.then_some(Gate { level: GateLevel::Ask }),
            kind,
            prompt: "Deploy\u{1b}[2J?".to_owned(),
            choices: if kind == AskedKind::Choice { vec![json!("a"), json!("l")] } else { Vec::new() },
            default,
            output_schema: None,
            dialect: engine::kernel::plan::Dialect::Blocks,
            word: String::new(),
            timeout_ms: None,
            ends: false,
            validation: None,
            parameters: Map::new(),
            shown: Map::from_iter([("details".to_owned(), json!("one\ntwo"))]),
            left_out: Vec::new(),
            digest: Digest::of(b"shown"),
            since: 0,
            overdue: false,
            note: None,
            attempts_left: None,
            check: None,
        }
    }

    fn read(kind: AskedKind, gate: bool, default: Option<Value>, lines: &[&str]) -> String {
        let mut sheet = Sheet::new(asked(kind, gate, default));
        let mut meant = Vec::new();
        for line in lines {
            meant.push(match sheet.read(&format!("{line}\n")) {
                Meant::Say(Command::Submit { result, .. }) => said(&result),
                Meant::Say(Command::Answer { approved, .. }) => format!("approved {approved}"),
                Meant::Say(other) => format!("{other:?}"),
                Meant::Later => "later".to_owned(),
                Meant::Again(_) => "again".to_owned(),
                Meant::More => "more".to_owned(),
            });
        }
        meant.join(", ")
    }

    #[test]
    fn a_line_that_the_terminal_may_have_cut_is_asked_for_again() {
        let mut sheet = Sheet::new(asked(AskedKind::Text, false, None));
        let long = |bytes: usize| format!("{}\n", "x".repeat(bytes)).into_bytes();
        assert!(matches!(sheet.typed(&long(TYPED_BYTES_MAX - 1)), Meant::Say(_)));
        let Meant::Again(why) = sheet.typed(&long(TYPED_BYTES_MAX)) else { panic!() };
        assert!(why.ends_with("switchback answer mossy-otter-41 - < FILE"), "{why}");
    }

    #[test]
    fn what_is_no_text_is_asked_for_again() {
        let mut sheet = Sheet::new(asked(AskedKind::Text, false, None));
        let Meant::Again(why) = sheet.typed(b"h\xff\xfei\n") else { panic!() };
        assert!(why.contains("not UTF-8 text"), "{why}");
        assert!(matches!(sheet.typed("hé\n".as_bytes()), Meant::Say(_)));
    }

    fn said(result: &engine::kernel::Fields) -> String {
        result.get("response").and_then(Data::inline).map(Value::to_string).unwrap_or_default()
    }

    #[test]
    fn a_line_means_what_the_question_asks_for() {
        use AskedKind::{Choice, Confirm, Text};
        for (kind, default, line, meant) in [
            (Confirm, None, "y", "true"),
            (Confirm, None, "No", "false"),
            (Confirm, None, "perhaps", "again"),
            (Confirm, None, "", "later"),
            (Confirm, Some(json!(false)), "", "false"),
            (Confirm, None, "l", "later"),
            (Choice, None, "2", "\"l\""),
            (Choice, None, "a", "\"a\""),
            (Choice, None, "3", "again"),
            (Choice, None, "l", "later"),
            (Text, None, "l", "\"l\""),
            (Text, None, "", "later"),
            (Text, Some(json!("x")), "", "\"x\""),
        ] {
            assert_eq!(read(kind, false, default.clone(), &[line]), meant, "{kind:?} {default:?} {line}");
        }
    }

    #[test]
    fn a_gate_is_passed_by_its_word_and_by_nothing_else() {
        use AskedKind::{Choice, Confirm};
        for (kind, lines, meant) in [
            (Confirm, &["otter"][..], "approved true"),
            (Confirm, &["y"][..], "approved false"),
            (Confirm, &["otters"][..], "approved false"),
            (Confirm, &["", "l"][..], "again, later"),
            (Choice, &["1", "otter"][..], "more, approved true"),
            (Choice, &["1", "yes"][..], "more, approved false"),
            (Choice, &["9", "otter"][..], "again, again"),
        ] {
            assert_eq!(read(kind, true, Some(json!(true)), lines), meant, "{kind:?} {lines:?}");
        }
    }

    #[test]
    fn a_choice_that_is_called_like_the_number_of_another_is_named() {
        let numbers = |choices: Vec<Value>| {
            let mut asked = asked(AskedKind::Choice, true, None);
            asked.choices = choices;
            Sheet::new(asked)
        };
        let mut sheet = numbers(vec![json!("2"), json!("1"), json!("x")]);
        assert_eq!(sheet.lines()[3..6], ["- 2", "- 1", "- x"]);
        assert_eq!(sheet.choice(), "one of these, as it is written, or [l] later");
        assert!(matches!(sheet.read("3"), Meant::Again(_)));
        assert!(matches!(sheet.read("1"), Meant::More));
        assert_eq!(sheet.choice(), "Type  otter  to approve `1`, l for later, or anything else to decline:");
        let sheet = numbers(vec![json!(1), json!(2), json!(30)]);
        assert_eq!(sheet.lines()[3..6], ["[1] 1", "[2] 2", "[3] 30"]);
    }

    #[test]
    fn choices_that_look_alike_are_shown_as_they_are_written() {
        let mut asked = asked(AskedKind::Choice, false, None);
        asked.choices = vec![json!("a"), json!("a  "), json!("b\n[4] c"), json!("stag\u{200b}ing"), json!(7)];
        let lines = Sheet::new(asked).lines();
        assert_eq!(
            lines[3..],
            [r#"[1] "a""#, r#"[2] "a  ""#, r#"[3] "b\n[4] c""#, r#"[4] "stag\u{200b}ing""#, "[5] 7"]
        );
    }

    #[test]
    fn what_is_not_whole_is_said_last() {
        let mut asked = asked(AskedKind::Choice, false, None);
        asked.left_out = vec![("${blocks.a.stdout}".to_owned(), 7), ("${blocks.b.stderr}".to_owned(), 8)];
        let told = "This is not whole: 7 bytes of the middle of `${blocks.a.stdout}` and 8 bytes of the middle of \
                    `${blocks.b.stderr}` were left out.";
        assert_eq!(Sheet::new(asked).lines().last().map(String::as_str), Some(told));
    }

    #[test]
    fn what_is_shown_cannot_touch_the_terminal() {
        let sheet = Sheet::new(asked(AskedKind::Choice, true, None));
        let lines = sheet.lines();
        assert_eq!(lines[..5], ["Deploy\\u{1b}[2J?", "one", "two", "[1] a", "[2] l"]);
        assert!(lines[5].starts_with("(shown: 5 lines, digest "), "{lines:?}");
        assert_eq!(sheet.choice(), "a number, or [l] later");
        let gate = Sheet::new(asked(AskedKind::Confirm, true, Some(json!(true))));
        assert_eq!(gate.choice(), "Type  otter  to approve, l for later, or anything else to decline:");
    }
}
