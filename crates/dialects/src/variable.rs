//! The variables that a definition gives a command: which names they may have, and which values may become code by them.

use crate::blocks::shell::{self, Doubt, Power};
use crate::mistakes::Mistakes;
use crate::shape;
use crate::text::Node;

/// The variable that the server itself gives every command.
const MARKER: &str = "SWITCHBACK_EFFECT";

/// Reports what cannot be the name of one.
pub(crate) fn check(mistakes: &mut Mistakes<'_>, name: &str, key: &Node) {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_variable = name.bytes().all(inner) && !name.starts_with(|c: char| c.is_ascii_digit());
    let hint = match (is_variable && !name.is_empty(), shell::is_variable(name)) {
        (true, false) if name == MARKER => "by it the server finds the processes of a command again",
        (true, false) => return,
        (true, true) => "`SB_1`, `SB_2`, ... carry the values of the references in the command",
        (false, _) => "a variable has letters, digits and `_`, and does not begin with a digit",
    };
    mistakes.error(|sheet| {
        let message = format!("`{name}` cannot be the name of a variable");
        sheet.error("bad-name", key.place(), message).hint(hint)
    });
}

/// Tells whether one is given a value, and reports it if not: nothing silently becomes an empty text.
pub(crate) fn has_value(mistakes: &mut Mistakes<'_>, name: &str, value: &Node) -> bool {
    let hint = "write one, `\"\"` for an empty text, or take the variable away";
    shape::has_value(mistakes, value, &format!("the variable `{name}`"), hint)
}

/// Warns of one that programs run, load, or look for others by, where its value is not fixed.
pub(crate) fn doubt(mistakes: &mut Mistakes<'_>, name: &str, key: &Node) {
    let Some(power) = shell::power(name) else { return };
    let said = |doubt: Doubt| (format!("`{name}`: {}", doubt.message()), doubt.hint());
    let (message, hint) = match power {
        Power::Code => (
            format!("programs run what `{name}` says, or load it, and the value with it"),
            "give it a fixed text, and the value by a variable of your own",
        ),
        Power::Searched => said(Doubt::Searched),
        Power::Settings => said(Doubt::Settings),
    };
    mistakes.warn(|sheet| sheet.warning("value-may-become-code", key.place(), message).hint(hint));
}
