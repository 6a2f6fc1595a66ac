//! Steps that somebody carries out: what they are shown, and where what they hand in goes.

use super::code::As;
use super::failure::Failing;
use super::reader::{Gives, Reader};
use super::types::Lowered;
use super::update::Update;
use crate::js::{self, Part};
use crate::text::Node as Text;
use kernel::language::Path;
use kernel::plan::{Audience, Deadline, Expr, Foreign, Gate, Language, Node, Work};

impl Update {
    /// The expression that its value is made by, for whoever wants to know where it comes from.
    pub(super) fn original(&self) -> Option<(String, Expr)> {
        let expression = self.expression.clone().filter(|expression| expression != super::names::RESULT)?;
        Some(("original_expression".to_owned(), Expr::Const(expression.into())))
    }
}

/// What a step shows, in order.
pub(super) type Shown = Vec<(String, Expr)>;

impl<'n> Reader<'_, 'n> {
    /// A step for the agent; what comes of it goes to its `state_update`.
    pub(super) fn action(
        &mut self,
        node: &'n Text,
        step: u32,
        mut shown: Shown,
        gate: Option<Gate>,
    ) -> Lowered {
        let update = self.own_update(node);
        let Failing { retry, on_failure, otherwise } = self.failing(node, update.as_ref());
        if let Some(update) = &update {
            shown.push(("state_update".to_owned(), update.shown.clone()));
            shown.extend(update.original());
        }
        let writes = update.map(|update| update.write).into_iter().collect();
        let made = Node::Do { step, writes, on_failure, otherwise };
        let audience = if gate.is_some() { Audience::Human } else { Audience::Agent };
        let work = Work::Action { audience, inputs: shown, gate, ends: None };
        Lowered { work, node: made, timeout: Deadline::Never, retry }
    }

    /// The change that a step makes of what it gave.
    pub(super) fn own_update(&mut self, node: &'n Text) -> Option<Update> {
        let applies = node.get("type").and_then(Text::as_text) == Some("apply_hints");
        let change = |site: &mut super::reader::Site| {
            site.gives = Gives::Result;
            site.applies = applies;
        };
        let otherwise = if applies { super::names::APPLIED } else { super::names::RESULT };
        self.at(change, |reader| reader.update(node, "state_update", otherwise))
    }

    /// How many hints an agent says it applied: a number, or an object that has it.
    pub(super) fn applied(&mut self) -> Expr {
        let source =
            "result !== null && typeof result === 'object' ? result.applied_count : result".to_owned();
        let given = vec![("result".to_owned(), Expr::Optional(Path::of("result", &["result"])))];
        Expr::Foreign(Foreign {
            language: Language::JavaScript,
            source,
            reads: Vec::new(),
            given,
            origin: None,
        })
    }

    /// Reads a text that is shown, and which values stand in it in place of which expressions.
    pub(super) fn told(&mut self, node: Option<&'n Text>, key: &str, shown: &mut Shown) {
        let Some(node) = node else { return };
        let Some(text) = self.words(node, key) else { return };
        // A question must say something; what is only shown may come to nothing.
        let text = if key == "message" { text } else { text.words(key) };
        shown.push((key.to_owned(), text));
    }

    /// The values of the expressions in a text, by the expressions as they are written.
    pub(super) fn replacements(&mut self, node: Option<&'n Text>) -> Option<(String, Expr)> {
        let node = node.filter(|node| node.as_string().is_some_and(js::is_code))?;
        let parts = js::parts(node.as_text()?).ok()?;
        let text = node.as_text().unwrap_or_default();
        let mut fields: Vec<(String, Expr)> = Vec::new();
        for part in parts {
            let Part::Code { at, inside, script, filter } = part else { continue };
            let written = text[at].to_owned();
            if fields.iter().all(|(known, _)| *known != written) {
                fields.push((written, self.code(node, inside, &script, filter, As::Value)));
            }
        }
        Some(("variable_replacements".to_owned(), Expr::Object(fields)))
    }
}
