//! Expressions: constants, references, conditions, and questions for the evaluator. A foreign expression's source
//! is a word that says what kind of answer is hoped for; the evaluator of the world may give another.

use super::Maker;
use kernel::language::{Compare, Condition, Path, Syntax, Template};
use kernel::plan::{Expr, Foreign, Language};
use serde_json::{Value, json};

impl Maker<'_> {
    /// Some value.
    pub(super) fn value(&mut self) -> Expr {
        match self.random.below(16) {
            0..=8 => Expr::Const(json!(self.random.below(5))),
            9 => Expr::Const("x".repeat(usize::try_from(self.random.below(200)).unwrap_or(0)).into()),
            10..=11 => self.reference(),
            12 => self.text(),
            13 => {
                // Now and then many: whether they may stand together is the limits' business.
                let count = if self.random.percent(20) { self.random.between(5, 40) } else { 1 };
                let references = (0..count).map(|_| self.reference());
                Expr::List(references.chain([Expr::Const(json!(1))]).collect())
            }
            14 => Expr::Object(vec![("a".into(), self.reference()), ("b".into(), self.foreign("number"))]),
            _ => self.foreign("any"),
        }
    }

    /// Named values for a step.
    pub(super) fn values(&mut self) -> Vec<(String, Expr)> {
        let count = self.random.below(3);
        let names = ["a", "b", "c"];
        names
            .iter()
            .take(usize::try_from(count).unwrap_or(0))
            .map(|name| ((*name).to_owned(), self.value()))
            .collect()
    }

    fn path(&mut self) -> Path {
        // Now and then a name that nothing has.
        let text = if self.random.percent(1) { "nothing.here" } else { self.random.pick(&self.readable) };
        Path::parse(text, 0).expect("BUG: a path of ours cannot be read")
    }

    pub(super) fn reference(&mut self) -> Expr {
        let path = self.path().to_string();
        self.reference_to(&path)
    }

    pub(super) fn reference_to(&mut self, path: &str) -> Expr {
        let (template, _) =
            Template::parse(&format!("${{{path}}}"), Syntax::Dollar).expect("BUG: a template");
        Expr::Template(template)
    }

    fn text(&mut self) -> Expr {
        let (one, two) = (self.path(), self.path());
        let text = format!("${{{one}}} and ${{{two}}}");
        let (template, _) = Template::parse(&text, Syntax::Dollar).expect("BUG: a template");
        Expr::Template(template)
    }

    pub(super) fn foreign(&mut self, hoped: &str) -> Expr {
        if !self.asks {
            return Expr::Const(match hoped {
                "truth" => json!(self.random.percent(60)),
                "items" => self.list(),
                _ => json!(self.random.below(4)),
            });
        }
        let reads = (0..self.random.below(3)).map(|_| self.path()).collect();
        let language = *self.random.pick(&[Language::Jinja, Language::JavaScript]);
        Expr::Foreign(Foreign { language, source: hoped.to_owned(), reads, given: vec![], origin: None })
    }

    /// Something true or false.
    pub(super) fn condition(&mut self) -> Expr {
        match self.random.below(10) {
            0..=1 => Expr::Const(Value::Bool(true)),
            2 => Expr::Const(Value::Bool(false)),
            3..=5 => self.foreign("truth"),
            6 => {
                Expr::Condition(Condition::Not(Box::new(Condition::Literal(json!(self.random.percent(50))))))
            }
            _ => {
                let compare = *self.random.pick(&[Compare::Equal, Compare::Differs, Compare::AtLeast]);
                let left = Box::new(Condition::Reference(self.path()));
                let right = Box::new(Condition::Literal(json!(self.random.below(3))));
                Expr::Condition(Condition::Compare(compare, left, right))
            }
        }
    }

    /// Something that lanes disagree on.
    pub(super) fn item_is_one(&mut self) -> Expr {
        let item = Box::new(Condition::Reference(Path::of("item", &[])));
        Expr::Condition(Condition::Compare(Compare::Equal, item, Box::new(Condition::Literal(json!(1)))))
    }

    /// A list to go through.
    pub(super) fn items(&mut self) -> Expr {
        match self.random.below(8) {
            0..=3 => Expr::Const(self.list()),
            4 => Expr::Const(json!([])),
            5..=6 => self.foreign("items"),
            _ => self.reference(),
        }
    }

    pub(super) fn list(&mut self) -> Value {
        let count = self.random.below(5);
        (0..count).map(|item| json!(item)).collect()
    }
}
