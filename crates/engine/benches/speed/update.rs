//! One raw field of a waiting run is changed, with all that follows from it, through evaluator and journal: in a plan where three
//! fields follow among two hundred, and in one that has only those three.

use crate::asking::evaluator;
use crate::world::World;
use engine::answers::{Answers, Called, Nobody, Patience};
use engine::evaluator::Evaluator;
use engine::turn::Home;
use kernel::command::Caller;
use kernel::{Answer, Command, Data, Digest, Plan, Question, RunId};
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;

/// How many fields follow from the one that is changed.
const FOLLOWING: u32 = 3;

/// An evaluator, and no library.
struct Asked(Evaluator);

impl Answers for Asked {
    fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        self.0.answer(run, questions, patience)
    }

    fn plan(&self, home: &Home, workflow: &str, plan: Option<Digest>) -> Result<Called, String> {
        Nobody.plan(home, workflow, plan)
    }
}

/// A run that waits, and is changed.
pub(crate) struct Update {
    world: Arc<World>,
    run: RunId,
    next: i64,
}

impl Update {
    /// Two runs in one world: one with so many computed fields, and one with those alone that follow.
    pub(crate) fn pair(fields: u32) -> (Self, Self) {
        let world = Arc::new(World::answered_by(Arc::new(Asked(evaluator()))));
        let make = |fields| {
            let run = world.run(&Arc::new(plan(fields)), 1).remove(0);
            Update { world: Arc::clone(&world), run, next: 0 }
        };
        (make(fields), make(FOLLOWING))
    }

    /// Changes the one field.
    pub(crate) fn once(&mut self) {
        self.next += 1;
        let values = [("raw.hot".to_owned(), Data::Inline(json!(self.next)))].into_iter().collect();
        let command = Command::Update { values, changes: Vec::new(), by: Caller::Server, key: None };
        self.world.submit(&self.run, command);
    }
}

fn plan(fields: u32) -> Plan {
    let mut text = String::from(
        "name: update\nversion: 1.0.0\ndefault_state: {raw: {hot: 0, cold: [1, 2, 3]}}\nstate_schema:\n  computed:\n",
    );
    for number in 0..fields {
        let rule = match number {
            0 => "{from: raw.hot, transform: 'input + 1'}".to_owned(),
            _ if number < FOLLOWING => format!("{{from: computed.f{}, transform: 'input * 2'}}", number - 1),
            _ => format!("{{from: raw.cold, transform: 'input.map(n => n + {number})'}}"),
        };
        writeln!(text, "    f{number}: {rule}").expect("BUG: a text that cannot be written");
    }
    text.push_str("steps:\n  - {id: wait, type: user_message, message: waiting}\n");
    let source = dialects::text::Source::new("update.yaml", text);
    dialects::read(&source).expect("BUG: a bad definition").plan
}
