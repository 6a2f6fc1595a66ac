//! `foreach`: steps once for each item, one after the other.

use super::form::{Form, Lowered};
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::{Expr, Node};

pub(super) const FORM: Form = Form {
    name: "foreach",
    shape: Shape {
        has_no: "a foreach step has no key",
        keys: &["id", "type", "description", "items", "steps"],
        elsewhere: &[
            ("body", "did you mean `steps`?"),
            ("do", "did you mean `steps`?"),
            ("list", "did you mean `items`?"),
            ("in", "did you mean `items`?"),
            ("task", "a task of sub-agents is for a `parallel_foreach`"),
            ("sub_agent_task", "a task of sub-agents is for a `parallel_foreach`"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, _: u32) -> Lowered {
    let items = reader.items(node);
    let inside = |site: &mut crate::reactive::reader::Site| {
        site.is_looped = true;
        site.variables.extend(["item", "index"].map(str::to_owned));
    };
    let body = reader.at(inside, |reader| reader.must_below(node, "steps"));
    Lowered::flow(Node::Foreach { items, variable: "item".to_owned(), body })
}

impl<'n> Reader<'_, 'n> {
    /// The items of a loop.
    pub(super) fn items(&mut self, node: &'n Text) -> Expr {
        const HINT: &str = "name a list: `items: \"{{ changed_files }}\"`";
        let Some(items) = self.must(node, "items", HINT) else { return Expr::Const(Vec::<u8>::new().into()) };
        if items.as_list().is_none() && items.as_string().is_none() {
            crate::shape::wrong_kind(
                self.sheet(),
                items,
                "`items`",
                "a list, or an expression that gives one",
                HINT,
            );
            return Expr::Const(Vec::<u8>::new().into());
        }
        self.whole(items, "items", "a list", HINT)
    }
}
