//! Agent, human and outsiders: they answer what is due, and also what is not; they repeat themselves, name old
//! attempts, show the wrong digest, change the state, ask where things stand, and cancel.

use super::World;
use super::queue::Happening;
use crate::random::Random;
use engine::backend::Start;
use engine::driver::Letter;
use engine::turn::Home;
use kernel::command::Caller;
use kernel::effect::Action;
use kernel::event::{Change, Claim, Resolution};
use kernel::plan::WriteKind;
use kernel::{Command, Data, Digest, Effect, EffectId, Fields, Open, OpenKind, RunId};
use serde_json::json;
use std::sync::Arc;

impl World<'_> {
    fn root(&self, number: u64) -> RunId {
        RunId::new(format!("w{}-{number}", self.seed))
    }

    pub(super) fn start_root(&mut self, number: u64) {
        let plan = Arc::clone(&self.library.roots[usize::try_from(number).unwrap_or(0)]);
        let mut inputs = Fields::new();
        if self.random.percent(40) {
            let size = usize::try_from(self.random.below(300)).unwrap_or(0);
            inputs.insert("text".to_owned(), Data::Inline("i".repeat(size).into()));
        }
        let home = Home { folder: self.folder().into(), ..Home::default() };
        let request_key = self.random.percent(40).then(|| format!("key{number}"));
        let pinned = self.library.pinned(&plan);
        let start =
            Start { id: self.root(number), plan, inputs, home, request_key, pinned, is_brought: false };
        self.note(|| format!("start {}", start.id));
        let times = self.random.weighted(&[(8, 1), (1, 2)]);
        for _ in 0..times {
            let reply = self.replies.expect();
            self.take(Letter::Start { start: Box::new(start.clone()), reply });
        }
        // Whoever asked and was not answered asks again.
        if !self.kind && self.random.percent(30) {
            let after = self.random.below(300);
            self.queue.plan(self.clock + after, None, Happening::Start { number });
        }
    }

    pub(super) fn cancel_root(&mut self, number: u64) {
        self.cancel(&self.root(number));
    }

    fn cancel(&mut self, run: &RunId) {
        self.note(|| format!("cancel {run}"));
        let by = Caller::Human { door: "console".into(), proven: false };
        let command = Command::Cancel { reason: "enough".into(), by };
        self.echo(run, &command, None);
        self.command(run, command);
    }

    pub(super) fn cancel_all(&mut self) {
        let roots: Vec<RunId> =
            self.watch.runs.keys().filter(|run| !run.as_str().contains('/')).cloned().collect();
        roots.iter().for_each(|run| self.cancel(run));
    }

    /// Somebody does something.
    pub(super) fn people_act(&mut self) {
        if self.kind {
            return;
        }
        let after = self.random.between(5, 120);
        self.queue.plan(self.clock + after, None, Happening::People);
        if self.watch.runs.is_empty() {
            return;
        }
        let position = usize::try_from(self.random.below(self.watch.runs.len() as u64)).unwrap_or(0);
        let run = self.watch.runs.keys().nth(position).expect("BUG: it is among them").clone();
        if let Some(open) = self.due(&run).first().filter(|_| self.random.clone().percent(75)).cloned() {
            return self.answer(&run, &open);
        }
        match self.random.below(12) {
            0..=3 => self.repeat_somebody(),
            4..=5 => {
                let by = Caller::Agent("outsider".into());
                let names =
                    ["note", "count", "double", "state.note", "state.count", "raw.new", "computed.double"];
                let name = *self.random.pick(&names);
                let mut values = Fields::from([(name.to_owned(), Data::Inline(json!(self.random.below(5))))]);
                let changes = self.changes();
                if !changes.is_empty() && self.random.percent(50) {
                    values.clear();
                }
                self.command(&run, Command::Update { values, by, changes, key: None });
            }
            6..=7 => self.take(Letter::Query { run, reply: Box::new(drop) }),
            8 => {
                let reply = self.replies.expect();
                self.take(Letter::Recover { run, reply });
            }
            9 => {
                let timer = EffectId::new("s0#1/due");
                self.command(&run, Command::Fire { timer });
            }
            10 => {
                let effect = EffectId::new(*self.random.pick(&["s0#1", "nonsense", "s1#7"]));
                let result = self.fields();
                self.command(
                    &run,
                    Command::Submit {
                        effect,
                        result,
                        by: Caller::Agent("confused".into()),
                        claim: Claim::default(),
                    },
                );
            }
            _ if self.random.percent(50) => {
                let by = Caller::Agent("outsider".into());
                self.command(&run, Command::Mark { step: None, reason: "a point".into(), by });
            }
            _ if self.random.percent(15) => {
                let by = Caller::Agent("outsider".into());
                self.command(&run, Command::GiveUp { reason: "no use".into(), by });
            }
            _ => {
                if self.random.percent(15) {
                    self.cancel(&run);
                }
            }
        }
    }

    /// Changes of what is in the state, most of which fit.
    fn changes(&mut self) -> Vec<Change> {
        let count = self.random.below(3);
        let one = |random: &mut Random| {
            let (field, kind) = *random.pick(&[
                ("state.count", WriteKind::Increment),
                ("state.list", WriteKind::Append),
                ("state.map", WriteKind::Merge),
                ("count", WriteKind::Increment),
                ("computed.double", WriteKind::Set),
            ]);
            let value = if kind == WriteKind::Merge { json!({ "k": 1 }) } else { json!(random.below(5)) };
            Change { path: vec![field.to_owned()], kind, value: Data::Inline(value) }
        };
        (0..count).map(|_| one(&mut self.random)).collect()
    }

    /// What waits for people in a run.
    fn due(&self, run: &RunId) -> Vec<Open> {
        let open = self.watch.run(run).map(kernel::Run::open).unwrap_or_default();
        open.into_iter()
            .filter(|open| matches!(open.kind, OpenKind::Action | OpenKind::Interrupted))
            .collect()
    }

    /// The kind world: everyone answers what is due.
    pub(super) fn everyone_answers(&mut self) {
        let runs: Vec<RunId> = self.watch.runs.keys().cloned().collect();
        let mut any = false;
        for run in runs {
            for open in self.due(&run) {
                self.answer(&run, &open);
                any = true;
            }
        }
        // A round must follow, to take it all to the store; more of them at this very moment would let no time pass.
        if any {
            self.queue.plan(self.clock, None, Happening::People);
        }
    }

    fn answer(&mut self, run: &RunId, open: &Open) {
        let command = match &open.effect {
            Effect::Offer(action) => self.answer_action(action),
            _ => self.resolve(&open.id),
        };
        self.note(|| format!("{run} hears {command:?}"));
        self.echo(run, &command, None);
        self.said.push((run.clone(), command.clone()));
        self.command(run, command);
    }

    fn resolve(&mut self, effect: &EffectId) -> Command {
        let resolution = match self.random.below(3) {
            0 => Resolution::Retry,
            1 => Resolution::Done { outputs: self.fields() },
            _ => Resolution::Fail,
        };
        let by = Caller::Human { door: "cli".into(), proven: false };
        Command::Resolve { effect: effect.clone(), resolution, by }
    }

    fn answer_action(&mut self, action: &Action) -> Command {
        let (mut effect, result) = (action.id.clone(), self.fields());
        let wrong = !self.kind && self.random.percent(20);
        if wrong && self.random.percent(50) {
            effect = older(&effect);
        }
        let as_gate = action.gate.is_some() != (wrong && self.random.percent(30));
        if !as_gate {
            let (by, claim) = (Caller::Agent("agent".into()), self.claim());
            return Command::Submit { effect, result, by, claim };
        }
        let shown =
            if wrong && self.random.percent(50) { Digest::of(b"something else") } else { action.shown };
        let by = match wrong && self.random.percent(30) {
            true => Caller::Agent("agent".into()),
            false => Caller::Human { door: "console".into(), proven: !wrong || self.random.percent(50) },
        };
        Command::Answer { effect, approved: self.random.percent(75), result, shown, by }
    }

    /// Mostly nothing is said beside a result.
    fn claim(&mut self) -> Claim {
        let took_ms = self.random.percent(20).then(|| self.random.below(1_500));
        let error = self.random.percent(12).then(|| "it cannot be done".to_owned());
        Claim { took_ms, error, written: self.random.percent(10) }
    }

    /// The same again, or another result for the same thing.
    fn repeat_somebody(&mut self) {
        if self.said.is_empty() {
            return;
        }
        let (run, mut command) = self.random.pick(&self.said).clone();
        if self.random.percent(40)
            && let Command::Submit { result, .. } | Command::Answer { result, .. } = &mut command
        {
            *result = self.fields();
        }
        self.note(|| format!("{run} hears again {command:?}"));
        self.command(&run, command);
    }
}

/// The attempt before, if there is one.
fn older(id: &EffectId) -> EffectId {
    let (key, attempt) = id.as_str().rsplit_once('#').unwrap_or((id.as_str(), "1"));
    let attempt: u32 = attempt.parse().unwrap_or(1);
    EffectId::new(format!("{key}#{}", attempt.saturating_sub(1)))
}
