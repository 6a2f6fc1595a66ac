//! Holds a contract against the shell of a session: which variables are set there.

use super::script::{self, KNOWN, Shell};
use super::{Call, failed, fields};
use crate::terminals::{Answer, Await, ContentMode, Look, Refused, Request, Row, Send};
use dialects::states::tools::SESSION_ID;
use kernel::FailureKind;
use kernel::event::Report;
use serde_json::{Map, Value, json};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// How long the shell may take to answer, in seconds.
const SECONDS_MAX: f64 = 10.0;

/// How often is looked whether a shell is still busy: nothing tells.
const LOOKS_EACH: Duration = Duration::from_millis(20);

/// How many variables one line asks for: lines of a terminal have an end.
const AT_ONCE: usize = 6;

/// How often is asked where an answer cannot be made out.
const TRIES_MAX: usize = 3;

/// A variable that is asked for.
struct Wanted {
    name: String,
    required: bool,
}

/// What the shell says of it.
struct Found {
    is_set: bool,
    is_exported: bool,
}

impl Call<'_> {
    pub(super) fn check(&self, params: &Map<String, Value>) -> Report {
        let kind = params.get("validation_type").and_then(Value::as_str).unwrap_or_default();
        let wanted = wanted(params.get("variables"));
        let session = params.get(SESSION_ID).and_then(Value::as_str).unwrap_or_default();
        let asked = self.shell(session).and_then(|shell| {
            let found = self.ask_all(session, shell, &wanted)?;
            Ok((shell, found))
        });
        match asked {
            Ok((shell, found)) => checked(kind, shell, &wanted, &found),
            Err(why) => failed(FailureKind::Operation, json!({ "error": why })),
        }
    }

    /// The shell of a session, once it can be asked: what it still does is waited for as long as an answer would be.
    fn shell(&self, session: &str) -> Result<Shell, String> {
        let until = Instant::now() + Duration::from_secs_f64(SECONDS_MAX);
        let is_time_up = || self.call_off.is_off() || Instant::now() >= until;
        loop {
            match self.shell_now(session) {
                Ok(Err(_)) if !is_time_up() => std::thread::sleep(LOOKS_EACH),
                Ok(asked) => return self.nothing_typed(session).and(asked),
                Err(why) => return Err(why),
            }
        }
    }

    /// Nobody is in the middle of a line, which the question would end.
    fn nothing_typed(&self, session: &str) -> Result<(), String> {
        match self.keeper.is_half_typed(self.visitor, session) {
            false => Ok(()),
            true => Err(format!(
                "a line is begun and not ended in session `{session}`: end it or clear it first (Ctrl-U), and run again"
            )),
        }
    }

    /// The shell of a session; inside, that it is busy.
    fn shell_now(&self, session: &str) -> Result<Result<Shell, String>, String> {
        let looked = self.ask(&look(session));
        looked.map_err(|refused| refused.error)?;
        let row = self.row(session).ok_or_else(|| format!("there is no session `{session}`"))?;
        if row.status != "running" {
            return Err(format!(
                "the session `{session}` has ended: open another one and set the variables there"
            ));
        }
        let known = Shell::of(&row.shell);
        let shell = known.ok_or_else(|| {
            format!(
                "`{}` of session `{session}` cannot be asked for its variables: a contract needs {KNOWN}",
                row.shell
            )
        })?;
        Ok(match row.foreground {
            Some(busy) => Err(format!(
                "the session `{session}` is busy with `{busy}`: its shell can be asked once that has ended"
            )),
            None => Ok(shell),
        })
    }

    fn row(&self, session: &str) -> Option<Row> {
        let Ok(Answer::Listed(listed)) = self.ask(&Request::List) else { return None };
        listed.sessions.into_iter().find(|row| row.session_id == session.trim())
    }

    fn ask_all(&self, session: &str, shell: Shell, wanted: &[Wanted]) -> Result<Vec<Found>, String> {
        let names: Vec<&str> = wanted.iter().map(|wanted| wanted.name.as_str()).collect();
        let mut found = Vec::new();
        for some in names.chunks(AT_ONCE) {
            found.extend(self.ask_some(session, shell, some)?);
        }
        Ok(found)
    }

    /// Asks for some, and once more where an answer cannot be made out.
    fn ask_some(&self, session: &str, shell: Shell, names: &[&str]) -> Result<Vec<Found>, String> {
        let mut unheard = "";
        for _ in 0..TRIES_MAX {
            let heard = self.ask_once(session, shell, names).map_err(|refused| refused.error)??;
            match heard.iter().position(Option::is_none) {
                None => return Ok(heard.into_iter().flatten().collect()),
                Some(position) => unheard = names[position],
            }
        }
        Err(format!(
            "what the shell of session `{session}` says of `{unheard}` cannot be made out: something else writes there, or the shell \
             takes what is typed for something else. Look at its screen, and run again"
        ))
    }

    fn ask_once(
        &self,
        session: &str,
        shell: Shell,
        names: &[&str],
    ) -> Result<Result<Vec<Option<Found>>, String>, Refused> {
        let mark = mark();
        let session_id = session.to_owned();
        let input_text = shell.line(names, &mark);
        self.ask(&Request::Send(Send { session_id: session_id.clone(), input_text, ..Send::default() }))?;
        let waits = Await { session_id, pattern: script::end(&mark), timeout: Some(SECONDS_MAX) };
        let waited = self.ask(&Request::Await(waits))?;
        if !matches!(&waited, Answer::Awaited(awaited) if awaited.match_text.is_some()) {
            let why = format!(
                "the shell of session `{session}` did not answer within {SECONDS_MAX} s: is it at its prompt?"
            );
            return Ok(Err(why));
        }
        let Answer::Shown(shown) = self.ask(&look(session))? else { unreachable!("BUG: a look shows") };
        let said = |name: &&str| script::said(&shown.screen_content, &mark, name);
        let found = |(is_set, is_exported)| Found { is_set, is_exported };
        Ok(Ok(names.iter().map(|name| said(name).map(found)).collect()))
    }
}

fn look(session: &str) -> Request {
    let content_mode = Some(ContentMode::SinceInput);
    Request::Look(Look { session_id: session.to_owned(), content_mode, line_count: None })
}

/// Letters that nobody can know before.
fn mark() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

fn wanted(variables: Option<&Value>) -> Vec<Wanted> {
    let listed = variables.and_then(Value::as_array).into_iter().flatten();
    let named = listed.filter_map(|one| {
        let name = one.get("name")?.as_str()?.to_owned();
        Some(Wanted { name, required: one.get("required").and_then(Value::as_bool).unwrap_or(true) })
    });
    named.collect()
}

/// What a check says.
fn checked(kind: &str, shell: Shell, wanted: &[Wanted], found: &[Found]) -> Report {
    let both = || wanted.iter().zip(found);
    let log: Vec<Value> = both()
        .map(|(wanted, found)| {
            let status = if found.is_set { "present" } else { "missing" };
            json!({
                "variable": wanted.name,
                "status": status,
                "required": wanted.required,
                "exported": found.is_exported,
            })
        })
        .collect();
    let missing = both().filter(|(wanted, found)| wanted.required && !found.is_set);
    let missing: Vec<&str> = missing.map(|(wanted, _)| wanted.name.as_str()).collect();
    let document = json!({
        "success": true,
        "valid": missing.is_empty(),
        "missing_vars": missing,
        "validation_log": log,
        "validation_type": kind,
        "error": null,
    });
    if missing.is_empty() {
        return Report::Done { outputs: fields(document) };
    }
    let mut document = document;
    document["error"] = sentence(kind, shell, &missing, wanted).into();
    failed(FailureKind::Operation, document)
}

fn sentence(kind: &str, shell: Shell, missing: &[&str], wanted: &[Wanted]) -> String {
    let listed = missing.join(", ");
    if kind == "arguments" {
        let set: Vec<String> = missing.iter().map(|name| shell.setting(name)).collect();
        return format!(
            "Missing required environment variables: {listed}. Set them with: {}",
            set.join(", ")
        );
    }
    let all: Vec<&str> = wanted.iter().map(|wanted| wanted.name.as_str()).collect();
    format!("Workflow failed to set required return values: {listed}. Expected variables: {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Wanted> {
        [("A", true), ("B", false), ("C", true)]
            .map(|(name, required)| Wanted { name: name.to_owned(), required })
            .into()
    }

    fn told(kind: &str, shell: Shell, set: [bool; 3]) -> (bool, Value) {
        let found: Vec<Found> = set.map(|is_set| Found { is_set, is_exported: is_set }).into();
        match checked(kind, shell, &some(), &found) {
            Report::Done { outputs } => (true, json!(outputs)),
            Report::Failed { failure, .. } => (false, json!(failure.message)),
        }
    }

    #[test]
    fn sentences_are_exact() {
        let missing =
            "Missing required environment variables: A, C. Set them with: export A=value, export C=value";
        assert_eq!(told("arguments", Shell::Posix, [false; 3]), (false, json!(missing)));
        let fish = "Missing required environment variables: C. Set them with: set -gx C value";
        assert_eq!(told("arguments", Shell::Fish, [true, true, false]), (false, json!(fish)));
        let returned = "Workflow failed to set required return values: A. Expected variables: A, B, C";
        assert_eq!(told("return_values", Shell::Posix, [false, false, true]), (false, json!(returned)));
    }

    #[test]
    fn what_is_not_required_may_be_missing() {
        let (is_good, outputs) = told("arguments", Shell::Posix, [true, false, true]);
        assert!(is_good);
        let log = &outputs["validation_log"]["inline"][1];
        assert_eq!(log, &json!({"variable": "B", "status": "missing", "required": false, "exported": false}));
    }
}
