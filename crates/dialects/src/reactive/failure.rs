//! What a failure does: the rule of a step, that of the workflow, and the fields in which account of them is kept.

use super::reader::Reader;
use super::update::Update;
use crate::additions;
use crate::shape::{self, Shape};
use crate::text::Node as Text;
use kernel::language::{Compare, Condition, Path};
use kernel::plan::{
    Audience, Body, Books, Expr, Node, OnFailure, Place, Retry, Step, Work, Write, WriteKind,
};
use serde_json::Value;

/// How often a workflow is begun again.
pub const WORKFLOW_RETRIES_MAX: u32 = 3;

/// The field that counts how often a workflow was begun again.
const RETRIED: &str = "workflow_retries";

/// How often a run is resumed after a failure.
const RESUMES_MAX: u32 = 1_000;

/// What a failed run waits for until somebody resumes it: the name of the step, and its kind.
pub const RESUME: &str = "on_resume";

/// The retries of a step where the definition does not say.
const RETRIES: u32 = 3;

/// The rest between two attempts where the definition does not say.
const DELAY_MS: u64 = 1_000;

const KEYS: Shape = Shape {
    has_no: "`error_handling` has no key",
    keys: &["on_error", "error_collection", "on_failure"],
    elsewhere: &[
        ("cleanup_on_error", "it belongs to the `error_handling` of a task"),
        ("return_on_error", "it belongs to the `error_handling` of a task"),
    ],
};

const COLLECTION: Shape = Shape {
    has_no: "`error_collection` has no key",
    keys: &["enabled", "state_path", "include_stack_traces"],
    elsewhere: &[],
};

/// What a failure of a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Fail,
    Continue,
    Retry,
}

const RULES: [(&str, Rule); 3] = [("fail", Rule::Fail), ("continue", Rule::Continue), ("retry", Rule::Retry)];

/// What an unhandled failure does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Unhandled {
    #[default]
    Fail,
    Continue,
    Again,
}

const UNHANDLED: [(&str, Unhandled); 3] = [
    ("checkpoint_and_fail", Unhandled::Fail),
    ("continue", Unhandled::Continue),
    ("retry_workflow", Unhandled::Again),
];

/// How a failed run is resumed.
struct Resumed {
    /// Whether what is done stays done.
    skips: bool,
    /// Whether failures are forgotten.
    resets: bool,
}

/// What becomes of a step that fails.
pub(super) struct Failing {
    pub(super) retry: Option<Retry>,
    pub(super) on_failure: OnFailure,
    pub(super) otherwise: Vec<Write>,
}

impl<'n> Reader<'_, 'n> {
    /// Reads what the failure of a step does. `kept` is where its result would have gone.
    pub(super) fn failing(&mut self, step: &'n Text, kept: Option<&Update>) -> Failing {
        let said = |key: &str| step.get(key).filter(|node| !node.is_null());
        let rule = said("on_error").and_then(|word| self.word(word, "on_error", &RULES));
        let retry = self.retries(step, rule);
        let mut otherwise = Vec::new();
        let fallback = step.entry("fallback_value");
        if let Some((key, value)) = fallback {
            let value = self.value(value);
            match kept {
                Some(Update { write, .. }) => {
                    otherwise.push(Write { value, kind: WriteKind::Set, ..write.clone() });
                }
                None => self.sheet().error(|sheet| {
                    let message = "`fallback_value` is kept where the result would have gone, and there is no `state_update`";
                    sheet.error("no-effect", key.place(), message).hint("add `state_update: {path: raw.name}`")
                }),
            }
        }
        let marker = self.at(
            |site| site.has_error = true,
            |reader| reader.update(step, "error_state_update", "error.message"),
        );
        otherwise.extend(marker.map(|update| update.write));
        let goes_on = match rule {
            Some(Rule::Continue) => true,
            Some(Rule::Fail) => false,
            // After its last attempt a failure is one that no step handles.
            Some(Rule::Retry) | None => fallback.is_some() || self.unhandled == Unhandled::Continue,
        };
        let on_failure = if goes_on { OnFailure::Continue } else { OnFailure::Fail };
        Failing { retry, on_failure, otherwise }
    }

    /// How often a step is tried again: `on_error: retry` with `retry_count` and `retry_delay`, or our own `retry`.
    fn retries(&mut self, step: &'n Text, rule: Option<Rule>) -> Option<Retry> {
        let said = |key: &str| step.get(key).filter(|node| !node.is_null());
        if let (Some(own), Some((key, _))) = (said("retry"), step.entry("retry_count")) {
            let place = own.place();
            self.sheet().error(|sheet| {
                let message = "how often it is tried is said twice, by `retry` and by `retry_count`";
                sheet.error("duplicate-key", key.place(), message).related(place, "it is here as well")
            });
        }
        if let Some(own) = said("retry") {
            return Some(additions::retry(self.sheet(), own));
        }
        if rule != Some(Rule::Retry) {
            for key in ["retry_count", "retry_delay"].into_iter().filter_map(|key| step.entry(key)) {
                self.sheet().warn(|sheet| {
                    let message = format!(
                        "`{}` has no effect without `on_error: retry`",
                        key.0.as_text().unwrap_or_default()
                    );
                    sheet
                        .warning("no-effect", key.0.place(), message)
                        .label("take it away, or change `on_error`")
                });
            }
            return None;
        }
        let count = said("retry_count").map_or(Some(RETRIES), |node| self.count(node, "retry_count", 0, 99));
        let delay = said("retry_delay")
            .map_or(Some(DELAY_MS), |node| super::timing::delay_ms(self.sheet(), node, "retry_delay"));
        let delay_ms = delay.unwrap_or(DELAY_MS);
        let attempts_max = count.unwrap_or(RETRIES) + 1;
        Some(Retry { attempts_max, delay_ms, growth_percent: 100, delay_ms_max: delay_ms.max(60_000) })
    }

    /// Reads which rule holds for failures that no step handles.
    pub(super) fn read_unhandled(&mut self, body: &'n Text) {
        let Some(rules) = body.get("error_handling").filter(|rules| !rules.is_null()) else { return };
        let hint = "write `error_handling: {on_error: checkpoint_and_fail, on_failure: [...]}`";
        if !shape::is_map(self.sheet(), rules, "`error_handling`", hint) {
            return;
        }
        shape::check_keys(self.sheet(), rules, &KEYS);
        if let Some(word) = rules.get("on_error").filter(|word| !word.is_null()) {
            self.unhandled = self.word(word, "on_error", &UNHANDLED).unwrap_or_default();
        }
    }

    /// Puts the rule of the workflow around its steps: the body where the run starts, and the fields in which account is kept.
    pub(super) fn with_rule(&mut self, body: &'n Text, main: Body) -> (Body, Option<Books>) {
        let handlers = body.get("error_handling").and_then(|rules| rules.get("on_failure"));
        let handlers = handlers.filter(|handlers| !handlers.is_null());
        let mut after = handlers.map_or_else(Body::new, |list| {
            self.at(|site| site.has_error = true, |reader| reader.list(list, "on_failure"))
        });
        let (resumed, books) = (self.resumed(body), self.books(body));
        if after.is_empty() && self.unhandled != Unhandled::Again && resumed.is_none() {
            return (main, books);
        }
        match &resumed {
            Some(resumed) => after.extend(self.held(books.as_ref(), resumed)),
            None => after.push(Node::Raise),
        }
        let catch = match self.unhandled {
            Unhandled::Again => self.again(after),
            _ => after,
        };
        let (tried, caught) = (self.open_body(), self.open_body());
        self.bodies[tried as usize] = main;
        self.bodies[caught as usize] = catch;
        let tried = match resumed {
            Some(_) => Node::Again { body: tried, catch: caught, times_max: RESUMES_MAX },
            None => Node::Try { body: tried, catch: Some(caught) },
        };
        (vec![tried], books)
    }

    /// What a workflow says of failures that somebody may resume, if it says that they are tried again.
    fn resumed(&self, body: &'n Text) -> Option<Resumed> {
        let said = body.get("on_resume").filter(|node| !node.is_null())?;
        let is = |key: &str, usual: bool| said.get(key).and_then(Text::as_bool).unwrap_or(usual);
        is("retry_failed_steps", false).then(|| Resumed {
            skips: is("skip_completed_steps", true),
            resets: is("reset_error_counts", false),
        })
    }

    /// What holds a failed run until somebody resumes it. Then what failed is done again where it stands, or everything is.
    fn held(&mut self, books: Option<&Books>, resumed: &Resumed) -> Body {
        let step = u32::try_from(self.steps.len()).expect("BUG: more steps than nodes");
        let error = |part: &str| (part.to_owned(), Expr::Optional(Path::of("error", &[part])));
        let inputs = vec![error("message"), error("step")];
        let work = Work::Action { audience: Audience::Agent, inputs, gate: None, ends: None };
        let mut id = RESUME.to_owned();
        while self.steps.iter().any(|step| step.id == id) {
            id.push('_');
        }
        self.steps.push(Step { kind: RESUME.to_owned(), ..Step::new(id, work) });
        let (writes, on_failure) = (Vec::new(), OnFailure::Fail);
        let mut held = vec![Node::Do { step, writes, on_failure, otherwise: Vec::new() }];
        let counts = books.filter(|_| resumed.resets).map_or_else(Vec::new, forgotten);
        if !counts.is_empty() {
            held.push(Node::Set { writes: counts });
        }
        if !resumed.skips {
            held.push(Node::Goto { to: Place { body: 0, position: 0 }, iterations_max: RESUMES_MAX });
        }
        held
    }

    /// What begins the workflow again, and after so many times gives up.
    fn again(&mut self, given_up: Body) -> Body {
        let (start, end) = (self.open_body(), self.open_body());
        let to = Place { body: 0, position: 0 };
        self.bodies[start as usize] = vec![Node::Goto { to, iterations_max: WORKFLOW_RETRIES_MAX }];
        self.bodies[end as usize] = given_up;
        let path = vec![format!("state.{RETRIED}")];
        let count =
            Write { path, keys: Vec::new(), kind: WriteKind::Increment, value: Expr::Const(1.into()) };
        let counted = Condition::Reference(Path::of("state", &[RETRIED]));
        let most = Condition::Literal(WORKFLOW_RETRIES_MAX.into());
        let may = Condition::Compare(Compare::AtMost, Box::new(counted), Box::new(most));
        vec![
            Node::Set { writes: vec![count] },
            Node::Branch { arms: vec![(Expr::Condition(may), start)], otherwise: Some(end) },
        ]
    }

    /// The first value of the field that counts how often the workflow was begun again.
    pub(super) fn retried(&self) -> Option<(String, Expr)> {
        (self.unhandled == Unhandled::Again)
            .then(|| (format!("state.{RETRIED}"), Expr::Const(Value::from(0))))
    }

    /// The fields in which the server keeps account of steps: those that the definition declares.
    pub(super) fn books(&mut self, body: &'n Text) -> Option<Books> {
        let has = |name: &str| self.world.has("raw", name).then(|| vec![format!("raw.{name}")]);
        let mut books = Books {
            completed: has("steps_completed"),
            failed: has("steps_failed"),
            retries: has("retry_counts"),
            last_error: has("last_error"),
            errors: has("workflow_errors"),
            stacks: false,
        };
        let collection = body.get("error_handling").and_then(|rules| rules.get("error_collection"));
        if let Some(collection) = collection.filter(|collection| !collection.is_null()) {
            self.collection(collection, &mut books);
        }
        (books != Books::default()).then_some(books)
    }

    fn collection(&mut self, node: &'n Text, books: &mut Books) {
        if !shape::is_map(
            self.sheet(),
            node,
            "`error_collection`",
            "write `error_collection: {enabled: true}`",
        ) {
            return;
        }
        shape::check_keys(self.sheet(), node, &COLLECTION);
        let said = |key: &str| node.get(key).filter(|node| !node.is_null());
        let enabled = said("enabled").is_none_or(|node| self.flag(node, "enabled"));
        books.stacks =
            said("include_stack_traces").is_some_and(|node| self.flag(node, "include_stack_traces"));
        let path = said("state_path").and_then(|path| self.fixed_target(path, "state_path"));
        books.errors = enabled.then(|| path.unwrap_or_else(|| vec!["raw.workflow_errors".to_owned()]));
        books.stacks &= enabled;
    }
}

/// What forgets the failures that the books have.
fn forgotten(books: &Books) -> Vec<Write> {
    let fields = [
        (&books.failed, Value::Array(Vec::new())),
        (&books.retries, Value::Object(serde_json::Map::new())),
        (&books.last_error, Value::Null),
        (&books.errors, Value::Array(Vec::new())),
    ];
    let forget = |(path, value): (&Option<Vec<String>>, Value)| {
        let (path, value) = (path.clone()?, Expr::Const(value));
        Some(Write { path, keys: Vec::new(), kind: WriteKind::Set, value })
    };
    fields.into_iter().filter_map(forget).collect()
}
