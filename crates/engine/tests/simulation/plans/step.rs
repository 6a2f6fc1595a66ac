//! Steps of every kind, with our own additions: time-outs, retries, interruption, checks, gates.

use super::Maker;
use kernel::plan::{
    Access, Adapter, Audience, Deadline, Ends, Expr, Gate, GateLevel, OnInterrupt, OnOverdue, Retry, Step,
    Verify, Work, Workflow,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of work.
#[derive(Clone, Copy)]
enum Kind {
    Server,
    Agent,
    Human,
    Gate,
    Child,
    Wait,
    Make,
}

impl Maker<'_> {
    /// Adds a step to the plan and gives its position.
    pub(super) fn step(&mut self) -> u32 {
        let work = self.work();
        self.step_of(work)
    }

    /// Adds a step whose work is a child, and gives its position.
    pub(super) fn child_step(&mut self) -> u32 {
        let work = self.child();
        self.step_of(work)
    }

    fn step_of(&mut self, work: Work) -> u32 {
        let position = u32::try_from(self.plan.steps.len()).unwrap_or(u32::MAX);
        let mut step = Step::new(format!("s{position}"), work);
        if self.random.percent(30) {
            step.timeout = Deadline::After(self.random.between(20, 1_500));
        }
        if self.random.percent(35) {
            step.retry = self.retry();
        }
        let (retry, ask, fail) = (OnInterrupt::Retry, OnInterrupt::Ask, OnInterrupt::Fail);
        step.on_interrupt = self.random.weighted(&[(6, retry), (3, ask), (2, fail)]);
        step.on_overdue = self.random.weighted(&[(2, OnOverdue::Offer), (1, OnOverdue::Fail)]);
        if matches!(step.work, Work::Action { gate: None, .. }) && self.random.percent(40) {
            step.verify = Some(self.verify());
        }
        if self.random.percent(6) {
            step.access = Access::Fields(BTreeSet::from(["count".to_owned()]));
        }
        let keeps = self.random.weighted(&[(5, "outputs"), (3, "outputs.n"), (1, "inputs"), (1, "")]);
        step.keeps = BTreeSet::from([keeps.to_owned()]);
        self.plan.steps.push(step);
        position
    }

    fn work(&mut self) -> Work {
        let calls = if self.library.names().is_empty() { 0 } else { 14 };
        let kinds = [
            (50, Kind::Server),
            (10, Kind::Agent),
            (4, Kind::Human),
            (8, Kind::Gate),
            (calls, Kind::Child),
            (9, Kind::Wait),
            (8, Kind::Make),
        ];
        let action = |audience, gate, inputs| Work::Action { audience, inputs, gate, ends: None };
        match self.random.weighted(&kinds) {
            Kind::Server => self.server(),
            Kind::Agent if self.random.percent(25) => self.ending(),
            Kind::Agent => action(Audience::Agent, None, self.values()),
            Kind::Human => action(Audience::Human, None, self.values()),
            Kind::Gate => {
                let level = *self.random.pick(&[GateLevel::Ask, GateLevel::Proof]);
                action(Audience::Human, Some(Gate { level }), self.values())
            }
            Kind::Child => self.child(),
            Kind::Make => self.make(),
            Kind::Wait => Work::Wait { ms: Expr::Const(json!(self.random.below(600))) },
        }
    }

    fn server(&mut self) -> Work {
        Work::Server { adapter: Adapter::Noop, inputs: self.values(), secrets: BTreeMap::new() }
    }

    /// Something for the agent that ends by itself.
    fn ending(&mut self) -> Work {
        let ms = Expr::Const(json!(self.random.below(900)));
        let ends = Some(Ends { ms, gives: vec![("n".to_owned(), self.value())] });
        Work::Action { audience: Audience::Agent, inputs: self.values(), gate: None, ends }
    }

    /// What it gives may read what it was given.
    fn make(&mut self) -> Work {
        let inputs = self.values();
        self.readable.extend(inputs.iter().map(|(name, _)| format!("result.{name}")));
        let outputs = vec![("n".to_owned(), self.value())];
        self.readable.truncate(self.readable.len() - inputs.len());
        Work::Make { inputs, outputs }
    }

    fn child(&mut self) -> Work {
        let library = self.library;
        let called = self.random.pick(&library.names()).to_owned();
        let workflow = match self.random.below(20) {
            0 => Workflow::Named(Expr::Const("nowhere".into())),
            1..=6 => Workflow::Named(Expr::Const(called.name.clone().into())),
            _ => {
                let plan = called.digest();
                self.plan.pinned.insert(called.name.clone(), plan);
                Workflow::Pinned { name: called.name.clone(), plan }
            }
        };
        let given: &[&str] = self.random.weighted(&[(4, &[][..]), (4, &["text"][..]), (1, &["unknown"][..])]);
        let inputs = given.iter().map(|name| ((*name).to_owned(), self.value())).collect();
        Work::Child { workflow, inputs }
    }

    fn retry(&mut self) -> Retry {
        Retry {
            attempts_max: u32::try_from(self.random.between(2, 3)).unwrap_or(2),
            delay_ms: self.random.below(200),
            growth_percent: 200,
            delay_ms_max: 300,
        }
    }

    fn verify(&mut self) -> Verify {
        let attempts_max = u32::try_from(self.random.between(1, 3)).unwrap_or(1);
        self.readable.push("result.n".to_owned());
        let inputs = self.values();
        self.readable.pop();
        Verify { adapter: Adapter::Noop, inputs, attempts_max, timeout: Deadline::Never }
    }
}
