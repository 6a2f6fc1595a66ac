//! Additions of what asks someone: `gate`, `on_overdue`.

use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean};
use crate::text::Node;
use kernel::plan::{Gate, GateLevel, OnOverdue};

const GATE_KEYS: Shape = Shape { has_no: "`gate` has no key", keys: &["level"], elsewhere: &[] };

const GATE: &str = "write `gate: ask`: only a human may answer, through a door that the agent does not hold; `proof` wants a passphrase too";

/// Reads a `gate`: a level, or a mapping that names it.
pub(crate) fn gate(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<Gate> {
    if node.as_map().is_none() {
        return level(mistakes, node);
    }
    let meant = shape::check_keys(mistakes, node, &GATE_KEYS);
    match node.get("level") {
        Some(word) => level(mistakes, word),
        None => {
            if !meant.contains("level") {
                shape::missing(mistakes, node.place(), "`gate`", "level", GATE);
            }
            None
        }
    }
}

fn level(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<Gate> {
    let word = node.as_text().unwrap_or_default();
    let level = match word {
        "ask" => GateLevel::Ask,
        "proof" => GateLevel::Proof,
        _ => {
            mistakes.error(|sheet| {
                sheet.error("bad-value", node.place(), "the level of a `gate` is `ask` or `proof`").hint(GATE)
            });
            return None;
        }
    };
    Some(Gate { level })
}

/// Reports a `verify` where a person decides and nothing looks after them.
pub(crate) fn no_verify_at_a_gate(mistakes: &mut Mistakes<'_>, key: &Node) {
    mistakes.error(|sheet| {
        let message = "a gate has no `verify`: what a person decides is not looked at again";
        let hint = "let a step before it check what can be checked, and show what it found";
        sheet.error("bad-value", key.place(), message).hint(hint)
    });
}

/// Reads an `on_overdue`.
pub(crate) fn on_overdue(mistakes: &mut Mistakes<'_>, node: &Node) -> OnOverdue {
    const WORDS: [(&str, OnOverdue); 2] = [("offer", OnOverdue::Offer), ("fail", OnOverdue::Fail)];
    let word = node.as_text().unwrap_or_default();
    if let Some((_, meaning)) = WORDS.into_iter().find(|(name, _)| *name == word) {
        return meaning;
    }
    mistakes.error(|sheet| {
        let message = "`on_overdue` is one of `offer` and `fail`";
        let diagnostic = sheet
            .error("bad-value", node.place(), message)
            .hint("it says what becomes of a question that nobody answers within its `timeout`");
        match nearest(word, WORDS.map(|(name, _)| name)) {
            Some(near) => diagnostic.label(did_you_mean(near)),
            None => diagnostic,
        }
    });
    OnOverdue::default()
}
