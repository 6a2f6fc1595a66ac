//! Drives one run through commands, and checks after every turn what must always hold: the effects that left are
//! those that are open, the weight is right, an ended run holds nothing open. When the scenario is over, the same
//! events are let happen again, from the start and from every snapshot on the way, and must give the same bytes.

mod command;
mod replay;

pub(crate) use command::{cancellation, failed, human, submission, succeeded};

use crate::build::fields;
use crate::ledger::Ledger;
use crate::say;
use kernel::question::{Before, Compute, Made, Otherwise, Piece};
use kernel::table::Row;
use kernel::{
    Answer, Bounds, Command, Data, Digest, EffectId, Event, Fields, OpenKind, Plan, Question, Refusal, Run,
    RunId, Status, Turn,
};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

thread_local! {
    /// All rows that scenarios of this thread have reached.
    pub(crate) static REACHED: RefCell<BTreeSet<Row>> = const { RefCell::new(BTreeSet::new()) };
}

type Evaluate = dyn Fn(&str, &BTreeMap<String, Data>) -> Result<Value, String>;

/// One turn as it happened.
#[derive(Clone)]
struct Past {
    event: Event,
    rounds: Vec<(Vec<Question>, Vec<Answer>)>,
    turn: Turn,
    after: Vec<u8>,
}

/// One run and its world.
pub(crate) struct Drive {
    pub(crate) run: Run,
    /// The effects of the last turn, as text.
    pub(crate) effects: Vec<String>,
    /// The last turn.
    pub(crate) turn: Turn,
    /// The questions of the last turn, by round, as text.
    pub(crate) asked: Vec<Vec<String>>,
    pub(crate) now: u64,
    contents: BTreeMap<Digest, Value>,
    evaluate: Box<Evaluate>,
    silent: bool,
    bounds: Bounds,
    ledger: Ledger,
    parent: bool,
    past: Vec<Past>,
    started: bool,
}

impl Drive {
    /// A run that has not started.
    pub(crate) fn new(plan: Plan) -> Self {
        Drive::of(plan, None, 0)
    }

    /// A run that another one waits for.
    pub(crate) fn of(plan: Plan, parent: Option<(RunId, EffectId)>, depth: u32) -> Self {
        plan.check().expect("a plan that fits together");
        let stored: Plan = serde_json::from_slice(&serde_json::to_vec(&plan).expect("json")).expect("json");
        assert_eq!(stored, plan, "a plan is read as it was written");
        Drive {
            parent: parent.is_some(),
            run: Run::new(Arc::new(plan), RunId::new("run"), parent, depth),
            effects: Vec::new(),
            turn: Turn::default(),
            asked: Vec::new(),
            now: 1_000,
            contents: BTreeMap::new(),
            evaluate: Box::new(|source, _| Err(format!("nobody knows `{source}`"))),
            silent: false,
            bounds: Bounds::default(),
            ledger: Ledger::default(),
            past: Vec::new(),
            started: false,
        }
    }

    /// A run that has started without inputs.
    pub(crate) fn start(plan: Plan) -> Self {
        Drive::new(plan).started(Value::Object(serde_json::Map::new()))
    }

    /// A run that has started where there is room for so many blocks.
    pub(crate) fn within(plan: Plan, width: Option<u32>) -> Self {
        Drive::bound(plan, Bounds { width, ..Bounds::default() })
    }

    /// A run that has started within bounds.
    pub(crate) fn bound(plan: Plan, bounds: Bounds) -> Self {
        let mut drive = Drive::new(plan);
        drive.run = drive.run.clone().within(bounds);
        drive.bounds = bounds;
        drive.started(Value::Object(serde_json::Map::new()))
    }

    /// Starts with inputs.
    pub(crate) fn started(mut self, inputs: Value) -> Self {
        self.start_with(fields(inputs));
        self
    }

    pub(crate) fn start_with(&mut self, inputs: Fields) {
        self.give(Command::Start { inputs });
    }

    /// Tells what foreign expressions are.
    pub(crate) fn evaluating(
        mut self,
        evaluate: impl Fn(&str, &BTreeMap<String, Data>) -> Result<Value, String> + 'static,
    ) -> Self {
        self.evaluate = Box::new(evaluate);
        self
    }

    /// The evaluator is dead.
    pub(crate) fn silent(mut self) -> Self {
        self.silent = true;
        self
    }

    /// Stores content and gives the reference to it.
    pub(crate) fn store(&mut self, value: Value) -> Data {
        let (data, digest) = say::stored(&value);
        self.contents.insert(digest, value);
        data
    }

    /// The value of data, loaded if it is stored.
    pub(crate) fn value(&self, data: &Data) -> Value {
        match data {
            Data::Inline(value) => value.clone(),
            Data::Stored(reference) => self.contents[&reference.digest].clone(),
        }
    }

    /// Gives a command that must be admitted.
    pub(crate) fn give(&mut self, command: Command) -> &mut Self {
        let event = match self.run.admit(command.clone(), self.now) {
            Ok(event) => event,
            Err(refusal) => panic!("{command:?} was refused: {refusal}"),
        };
        if self.started {
            self.ledger.came(&command);
        }
        self.started = true;
        self.happen(event);
        self
    }

    /// Gives a command that must be refused, and leave no trace.
    pub(crate) fn refuse(&mut self, command: Command) -> Refusal {
        let before = bytes(&self.run);
        match self.run.admit(command.clone(), self.now) {
            Ok(_) => panic!("{command:?} was admitted"),
            Err(refusal) => {
                assert_eq!(bytes(&self.run), before, "a refusal moved the run");
                refusal
            }
        }
    }

    /// Gives a command that may be refused; then it must leave no trace.
    pub(crate) fn try_give(&mut self, command: Command) {
        if self.run.admit(command.clone(), self.now).is_ok() {
            self.give(command);
        } else {
            self.refuse(command);
        }
    }

    /// Ends the scenario now: cancels, waits for nobody, and lets everything happen again.
    pub(crate) fn finish(mut self) {
        if matches!(self.run.status(), Status::Running | Status::Waiting(_)) {
            self.cancel();
        }
        if self.run.status() == Status::Closing {
            self.fire("run/close");
        }
        assert!(matches!(self.run.status(), Status::Ended(_)), "{:?}", self.run.status());
    }

    fn happen(&mut self, event: Event) {
        let stored: Event = serde_json::from_slice(&serde_json::to_vec(&event).expect("json")).expect("json");
        assert_eq!(stored, event, "an event is read as it was written");
        let mut turn = self.run.apply(event.clone());
        let mut rounds = Vec::new();
        while !turn.questions.is_empty() {
            assert!(self.run.is_turning() && turn.effects.is_empty());
            let answers: Vec<Answer> =
                turn.questions.iter().map(|question| self.answer_to(question)).collect();
            rounds.push((turn.questions, answers.clone()));
            turn = self.run.answer(answers);
        }
        assert!(!self.run.is_turning());
        REACHED.with_borrow_mut(|reached| reached.extend(turn.rows.iter().copied()));
        self.asked =
            rounds.iter().map(|(questions, _)| questions.iter().map(say::question).collect()).collect();
        self.effects = turn.effects.iter().map(say::effect).collect();
        self.ledger.leave(&turn.effects);
        self.past.push(Past { event, rounds, turn: turn.clone(), after: bytes(&self.run) });
        self.turn = turn;
        self.check();
    }

    fn answer_to(&mut self, question: &Question) -> Answer {
        match question {
            Question::Load { digest } => match self.contents.get(digest) {
                Some(value) => Answer::Loaded { digest: *digest, value: value.clone().into() },
                None => Answer::Unanswered("the content is gone".into()),
            },
            Question::Gather { wholes, inline_bytes_max, .. } => Answer::Evaluated(
                wholes.iter().map(|pieces| self.gather(pieces, *inline_bytes_max)).collect(),
            ),
            Question::Evaluate { .. } | Question::Compute { .. } if self.silent => {
                Answer::Unanswered("the evaluator died".into())
            }
            Question::Compute { fields, scope, .. } => Answer::Computed(self.compute(fields, scope)),
            Question::Evaluate { expressions, scope, .. } => {
                let scope = scope.iter().cloned().collect();
                let told = expressions.iter().map(|source| (self.evaluate)(source, &scope).map(Data::Inline));
                Answer::Evaluated(told.collect())
            }
        }
    }

    /// Computes fields as an evaluator does: each sees those before it, by its whole name and by its bare one.
    fn compute(&self, fields: &[Compute], scope: &[(String, Data)]) -> Vec<Made> {
        let mut scope: BTreeMap<String, Data> = scope.iter().cloned().collect();
        let mut all = Vec::new();
        let mut kept: BTreeSet<&str> = BTreeSet::new();
        for field in fields {
            let is_as_it_was = |before: &Before| {
                let now = scope.get(&before.name).map(|data| self.value(data).to_string());
                kept.contains(before.name.as_str()) || before.is(now.as_deref())
            };
            if !field.only_after.is_empty() && field.only_after.iter().all(is_as_it_was) {
                kept.insert(&field.name);
                all.push(Made { value: None, error: None, input: Digest::of(b""), took_us: 0, kept: true });
                continue;
            }
            let old = scope.remove(&field.name);
            let input: Option<Vec<Value>> =
                field.inputs.iter().map(|path| scope.get(path).map(|data| self.value(data))).collect();
            let digest = Digest::of_json(&input);
            let computed = input.map(|mut input| {
                let input = if field.single { input.remove(0) } else { input.into() };
                let mut names: BTreeMap<String, Data> = field
                    .reads
                    .iter()
                    .filter_map(|path| Some((path.clone(), scope.get(path)?.clone())))
                    .collect();
                names.insert("input".to_owned(), Data::Inline(input));
                (self.evaluate)(&field.source, &names)
            });
            let (value, error) = match (computed, &field.otherwise) {
                (None, _) => (None, None),
                (Some(Ok(value)), _) => (Some(Data::Inline(value)), None),
                (Some(Err(reason)), Otherwise::Value(value)) => (Some(value.clone().into()), Some(reason)),
                (Some(Err(reason)), Otherwise::Old) => (old, Some(reason)),
                (Some(Err(reason)), Otherwise::Null) => (Some(Value::Null.into()), Some(reason)),
            };
            let bare = field.name.split_once('.').map(|(_, name)| name.to_owned());
            for name in bare.into_iter().chain([field.name.clone()]) {
                scope.extend(value.clone().map(|value| (name, value)));
            }
            all.push(Made { value, error, input: digest, took_us: 7, kept: false });
        }
        all
    }

    /// Puts a value together, and stores it if it is large.
    fn gather(&mut self, pieces: &[Piece], inline_bytes_max: u64) -> Result<Data, String> {
        let mut json = String::new();
        for piece in pieces {
            let stored = |reference: &kernel::data::Reference| {
                let value = self.contents.get(&reference.digest).ok_or("the content is gone")?;
                Ok::<String, String>(value.to_string())
            };
            match piece {
                Piece::Json(text) => json.push_str(text),
                Piece::Value(reference) => json.push_str(&stored(reference)?),
                Piece::Items(reference) => {
                    let list = stored(reference)?;
                    json.push_str(&list[1..list.len() - 1]);
                }
            }
        }
        let value: Value = serde_json::from_str(&json).expect("pieces make a value");
        let large = kernel::data::weight(&value) > inline_bytes_max;
        Ok(if large { self.store(value) } else { Data::Inline(value) })
    }

    /// What holds after every turn.
    fn check(&mut self) {
        self.ledger.agree(&self.run);
        assert_eq!(self.run.weight(), self.run.weigh(), "the weight drifted");
        let size = self.past.last().map_or(0, |past| past.after.len()) as u64;
        assert!(size <= self.run.weight(), "{size} bytes weigh {}", self.run.weight());
        let open = self.run.open();
        match self.run.status() {
            Status::Queued => panic!("a started run is not queued"),
            Status::Ended(_) => {
                assert!(open.iter().all(|open| open.kind == OpenKind::Parent && self.parent), "{open:?}");
            }
            Status::Waiting(waiting) => assert!(!waiting.is_empty()),
            Status::Running | Status::Closing => {
                let works = |open: &kernel::Open| !open.id.as_str().starts_with("run/");
                assert!(open.iter().any(works), "nothing is open: {:?}", self.run.status());
            }
        }
    }
}

/// The bytes of a run's snapshot.
pub(crate) fn bytes(run: &Run) -> Vec<u8> {
    serde_json::to_vec(&run.snapshot()).expect("a snapshot has a JSON form")
}
