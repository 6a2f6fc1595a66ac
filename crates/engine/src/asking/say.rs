//! What was said, as the command that says it to the run.

use super::{Asked, AskedKind};
use kernel::command::Caller;
use kernel::event::Claim;
use kernel::plan::Dialect;
use kernel::{Command, Data, Fields, Refusal};
use serde_json::{Value, json};

/// The command that gives a result which fits. At a gate it is bound to what was shown, and `false` is a no.
pub fn answer(asked: &Asked, result: Fields, by: Caller) -> Command {
    let effect = asked.effect.clone();
    if !asked.is_gate() {
        let given = result.get("result").and_then(Data::inline);
        let took_ms = given.and_then(|given| dialects::steps::fit::took_ms(&asked.word, given));
        return Command::Submit { effect, result, by, claim: Claim { took_ms, ..Claim::default() } };
    }
    let said = result.get("response").and_then(Data::inline);
    let confirmed = || result.get("result").and_then(Data::inline)?.get("confirmed");
    let approved = said.or_else(confirmed) != Some(&Value::Bool(false));
    Command::Answer { effect, approved, result, shown: asked.digest, by }
}

/// The command that says no at a gate, whatever kind of answer it waits for. Elsewhere there is no such word: silence and a
/// closed window fail nothing.
pub fn decline(asked: &Asked, by: Caller) -> Option<Command> {
    let (effect, mut result) = (asked.effect.clone(), Fields::new());
    if asked.dialect == Dialect::Steps {
        let said = match asked.kind {
            AskedKind::Confirm => json!({ "confirmed": false }),
            _ => json!({ "declined": true }),
        };
        result.insert("result".to_owned(), Data::Inline(said));
    }
    asked.is_gate().then(|| Command::Answer { effect, approved: false, result, shown: asked.digest, by })
}

/// Whether a refusal means that this very answer was taken before, so that whoever gives it again is told the same.
pub fn is_taken(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Repeated { .. })
}
