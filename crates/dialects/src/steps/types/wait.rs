//! `wait`: the flow rests for so long, and goes on by itself.

use super::form::{Form, Lowered};
use crate::jinja;
use crate::shape::{self, Shape};
use crate::steps::output::{RESULT, whole};
use crate::steps::reader::{At, Reader};
use crate::text::Node;
use kernel::language::Path;
use kernel::plan::{Audience, Ends, Expr, Foreign, Work};
use serde_json::Value;

/// The longest rest that can be written: a year.
const SECONDS_MAX: f64 = 365.0 * 24.0 * 60.0 * 60.0;

const HINT: &str = "say how many seconds: `duration_seconds: 30`";

pub(super) const FORM: Form = Form {
    name: "wait",
    shape: Shape {
        has_no: "a wait step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "duration_seconds",
            "message",
        ],
        elsewhere: &[
            ("duration", "did you mean `duration_seconds`?"),
            ("seconds", "did you mean `duration_seconds`?"),
            ("timeout", "did you mean `duration_seconds`?"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let time = reader.must(at, "duration_seconds", HINT).and_then(|time| reader.seconds(time, at));
    let (seconds, ms) = time.unwrap_or((Expr::Const(Value::Null), Expr::Const(Value::Null)));
    let message = reader.node(at).get("message").filter(|message| !message.is_null());
    let message = message.and_then(|message| reader.remark(message, "message", at));
    let shown = [("duration", seconds)].into_iter().chain(message.map(|message| ("message", message)));
    let mut lowered = reader.action(at, Audience::Agent, shown.collect(), None);
    let resumed = vec![
        ("resumed".to_owned(), Expr::Const(true.into())),
        ("duration".to_owned(), whole(Path::of(RESULT, &["duration"]))),
    ];
    if let Work::Action { ends, .. } = &mut lowered.work {
        *ends = Some(Ends { ms, gives: vec![(RESULT.to_owned(), Expr::Object(resumed))] });
    }
    lowered
}

impl<'n> Reader<'_, 'n> {
    /// A number of seconds, and the same in milliseconds.
    fn seconds(&mut self, node: &'n Node, at: At) -> Option<(Expr, Expr)> {
        if let Some(seconds) = node.as_f64() {
            if !(0.0..=SECONDS_MAX).contains(&seconds) {
                self.mistakes.error(|sheet| {
                    let message = "`duration_seconds` lies between nothing and a year";
                    sheet.error("bad-value", node.place(), message).hint(HINT)
                });
            }
            let ms = (seconds * 1000.0).round() as u64;
            return Some((Expr::Const(node.to_value()), Expr::Const(ms.into())));
        }
        let Some(inside) = node.as_string().and_then(|text| Some(&text[jinja::reads(text).whole?])) else {
            shape::wrong_kind(&mut self.mistakes, node, "`duration_seconds`", "a number", HINT);
            return None;
        };
        let source = format!("{{{{ ({inside}) | milliseconds }}}}");
        match self.text(node, at) {
            Expr::Foreign(foreign) => {
                let ms = Expr::Foreign(Foreign { source, ..foreign.clone() });
                Some((Expr::Foreign(foreign), ms))
            }
            _ => None,
        }
    }
}
