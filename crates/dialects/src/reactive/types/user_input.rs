//! `user_input`: the agent asks the user, and what they answer must fit.

use super::form::{Form, Lowered};
use crate::additions;
use crate::js;
use crate::reactive::reader::Reader;
use crate::schema::Schema;
use crate::shape::{self, Shape};
use crate::text::Node as Text;
use kernel::plan::Expr;
use serde_json::{Map, Value, json};

pub(super) const FORM: Form = Form {
    name: "user_input",
    shape: Shape {
        has_no: "a user_input step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "prompt",
            "validation",
            "default",
            "state_update",
            "gate",
            "timeout",
            "on_overdue",
        ],
        elsewhere: &[
            ("message", "did you mean `prompt`?"),
            ("question", "did you mean `prompt`?"),
            ("pattern", "it belongs under `validation`"),
            ("error_message", "it belongs under `validation`"),
            ("retry", "a person is asked until what they say fits"),
        ],
    },
    lower,
};

const VALIDATION: Shape = Shape {
    has_no: "`validation` has no key",
    keys: &["pattern", "error_message"],
    elsewhere: &[("regex", "did you mean `pattern`?"), ("message", "did you mean `error_message`?")],
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let given = |key: &str| node.get(key).filter(|value| !value.is_null());
    let gate = given("gate").and_then(|gate| additions::gate(reader.sheet(), gate));
    let prompt = reader.must(node, "prompt", "say what is asked: `prompt: Which branch?`");
    let mut shown = Vec::new();
    reader.told(prompt, "prompt", &mut shown);
    if let Some(rules) = given("validation") {
        shown.extend(reader.rules(rules).map(|rules| ("validation".to_owned(), Expr::Const(rules))));
    }
    if let Some((key, default)) = node.entry("default").filter(|(_, value)| !value.is_null()) {
        if gate.is_some() {
            let message = "a gate has no `default`: who says nothing has not said yes";
            reader.sheet().error(|sheet| sheet.error("bad-value", key.place(), message).hint("take it away"));
        }
        shown.push(("default".to_owned(), reader.value(default)));
    }
    shown.extend(reader.replacements(prompt));
    reader.action(node, step, shown, gate)
}

impl<'n> Reader<'_, 'n> {
    /// The rule that an answer must fit, as it is shown and checked.
    fn rules(&mut self, node: &'n Text) -> Option<Value> {
        let hint = "write `validation: {pattern: \"^[a-z]+$\", error_message: Small letters only}`";
        if !shape::is_map(self.sheet(), node, "`validation`", hint) {
            return None;
        }
        shape::check_keys(self.sheet(), node, &VALIDATION);
        let mut rules = Map::new();
        if let Some(pattern) = node.get("pattern").filter(|pattern| !pattern.is_null()) {
            let text = shape::text(self.sheet(), pattern, "`pattern`")?;
            if let Err(mistake) = Schema::new(&json!({ "type": "string", "pattern": text })) {
                self.sheet().error(|sheet| {
                    shape::hinted(sheet.error("bad-pattern", pattern.place(), mistake.message), &mistake.hint)
                });
            }
            rules.insert("pattern".to_owned(), text.into());
        }
        if let Some(said) = node.get("error_message").filter(|said| !said.is_null()) {
            let text = shape::text(self.sheet(), said, "`error_message`")?;
            if js::is_code(text) {
                self.is_fixed(said, "`error_message`");
            }
            rules.insert("error_message".to_owned(), text.into());
        }
        (!rules.is_empty()).then_some(Value::Object(rules))
    }
}
