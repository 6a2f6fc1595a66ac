//! Machines: states, transitions that may or may not hold, ends and dead ends.

use super::Maker;
use kernel::language::{Condition, Path};
use kernel::plan::{Dialect, Expr, Flow, Machine, State, Transition};

impl Maker<'_> {
    pub(super) fn machine(&mut self) {
        self.plan.dialect = Dialect::States;
        self.state();
        let count = self.random.between(2, 5);
        for _ in 0..count {
            self.step();
        }
        self.readable.push("result.n".to_owned());
        let states = (0..count).map(|_| self.state_of(count)).collect();
        self.readable.pop();
        self.plan.flow = Flow::Machine(Machine { states, ..Machine::default() });
    }

    fn state_of(&mut self, count: u64) -> State {
        let ways = self.random.below(4);
        let transitions = (0..ways).map(|_| Transition::when(self.when(), self.random.below(count) as u32));
        let transitions = transitions.collect();
        let on_timeout = self.random.percent(30).then(|| self.random.below(count) as u32);
        let on_failure = self.random.percent(20).then(|| self.random.below(count) as u32);
        State { writes: self.writes(), transitions, on_timeout, on_failure, own: false }
    }

    fn when(&mut self) -> Expr {
        match self.random.below(4) {
            0 => Expr::Condition(Condition::Reference(Path::of("result", &["ok"]))),
            1 => Expr::Condition(Condition::Reference(Path::of("result", &["timed_out"]))),
            _ => self.condition(),
        }
    }
}
