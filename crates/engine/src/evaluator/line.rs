//! Whose turn it is: each run with all that it calls waits in a line of its own, so that one with many questions holds up itself
//! and nobody else.
//!
//! | who is next | |
//! |---|---|
//! | among runs | the one with the fewest seats; of several the one whose seat was given back longest ago |
//! | within a run | who asked first |
//!
//! A run that took all the time of a question leaves one seat to the others, as long as it sits or waits.
//! Invariant: where a seat is free, nobody waits who may take it.

use crossbeam_channel::{Receiver, Sender};
use kernel::RunId;
use std::collections::VecDeque;

/// All lines, the one whose seat was given back longest ago first.
#[derive(Debug)]
pub(super) struct Lines<T>(Vec<Line<T>>);

/// One run with all that it calls.
#[derive(Debug)]
struct Line<T> {
    /// The run that nobody called.
    head: String,
    seats: usize,
    waiting: VecDeque<Sender<T>>,
    was_late: bool,
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Lines(Vec::new())
    }
}

impl<T> Lines<T> {
    /// Takes a free seat, if the run may have another one.
    pub(super) fn sit(&mut self, run: &RunId, max: usize) -> bool {
        let line = self.of(run);
        let may = line.may_sit(max);
        line.seats += usize::from(may);
        may
    }

    /// Waits for what the one before leaves.
    pub(super) fn wait(&mut self, run: &RunId) -> Receiver<T> {
        let (sender, turn) = crossbeam_channel::bounded(1);
        self.of(run).waiting.push_back(sender);
        turn
    }

    /// A seat is given back: the next one gets it with what lies on it, which comes back if there is none.
    pub(super) fn next(&mut self, run: &RunId, max: usize, mut left: T) -> Result<(), T> {
        if let Some(at) = self.position(run) {
            let mut line = self.0.remove(at);
            line.seats -= 1;
            self.0.push(line);
        }
        let given = loop {
            let waits = self.0.iter_mut().filter(|line| !line.waiting.is_empty() && line.may_sit(max));
            let Some(line) = waits.min_by_key(|line| line.seats) else { break Err(left) };
            let waiter = line.waiting.pop_front().expect("BUG: somebody waits");
            match waiter.send(left) {
                Ok(()) => {
                    line.seats += 1;
                    break Ok(());
                }
                Err(gone) => left = gone.into_inner(),
            }
        };
        self.0.retain(|line| line.seats > 0 || !line.waiting.is_empty());
        given
    }

    /// The run took all the time of a question.
    pub(super) fn was_late(&mut self, run: &RunId) {
        self.of(run).was_late = true;
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.0.iter().map(|line| line.waiting.len()).sum()
    }

    fn position(&self, run: &RunId) -> Option<usize> {
        self.0.iter().position(|line| line.head == head(run))
    }

    fn of(&mut self, run: &RunId) -> &mut Line<T> {
        let at = self.position(run).unwrap_or_else(|| {
            let head = head(run).to_owned();
            self.0.push(Line { head, seats: 0, waiting: VecDeque::new(), was_late: false });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

impl<T> Line<T> {
    fn may_sit(&self, max: usize) -> bool {
        let max = if self.was_late { max.saturating_sub(1).max(1) } else { max };
        self.seats < max
    }
}

/// The run that nobody called.
fn head(run: &RunId) -> &str {
    run.as_str().split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str) -> RunId {
        RunId::new(name)
    }

    /// Gives seats back, each time the one that this run has, and tells who was next.
    fn order(
        lines: &mut Lines<u32>,
        waiting: &[(&str, Receiver<u32>)],
        first: &[&str],
        max: usize,
    ) -> Vec<String> {
        let mut sits: VecDeque<String> = first.iter().map(|name| (*name).to_owned()).collect();
        let mut order = Vec::new();
        while let Some(done) = sits.pop_front() {
            if lines.next(&run(&done), max, 7).is_ok() {
                let next = waiting.iter().find(|(_, turn)| turn.try_recv().is_ok()).unwrap().0.to_owned();
                order.push(next.clone());
                sits.push_back(next);
            }
        }
        order
    }

    #[test]
    fn one_run_with_many_questions_holds_up_no_other() {
        let mut lines = Lines::default();
        assert!(lines.sit(&run("a"), 2) && lines.sit(&run("a/x#1"), 2) && !lines.sit(&run("a"), 2));
        let names = ["a", "a/x#1", "a/y#1", "a", "b", "c/z#1"];
        let waiting: Vec<_> = names.map(|name| (name, lines.wait(&run(name)))).into();
        assert_eq!(lines.waiting(), 6);
        let order = order(&mut lines, &waiting, &["a", "a"], 2);
        assert_eq!(order, ["b", "c/z#1", "a", "a/x#1", "a/y#1", "a"]);
        assert!(lines.0.is_empty(), "{lines:?}");
    }

    #[test]
    fn in_turns_where_all_have_many() {
        let mut lines = Lines::default();
        assert!(lines.sit(&run("a"), 1));
        let names = ["a", "a", "b", "b", "c", "c"];
        let waiting: Vec<_> = names.map(|name| (name, lines.wait(&run(name)))).into();
        assert_eq!(order(&mut lines, &waiting, &["a"], 1), ["b", "c", "a", "b", "c", "a"]);
    }

    #[test]
    fn one_that_was_late_leaves_a_seat() {
        let mut lines = Lines::<u32>::default();
        assert!(lines.sit(&run("a"), 2) && lines.sit(&run("a"), 2));
        lines.was_late(&run("a"));
        let turn = lines.wait(&run("a"));
        assert_eq!(lines.next(&run("a"), 2, 1), Err(1));
        assert!(lines.sit(&run("b"), 2), "the seat is free for others");
        assert_eq!(lines.next(&run("a"), 2, 2), Ok(()));
        assert_eq!(turn.try_recv(), Ok(2));
        // Where there is one seat only, it is everybody's; and what is over is forgotten.
        assert_eq!((lines.next(&run("b"), 2, 3), lines.next(&run("a"), 2, 4)), (Err(3), Err(4)));
        lines.was_late(&run("a"));
        assert!(lines.sit(&run("a"), 1) && !lines.sit(&run("a"), 2));
        assert_eq!(lines.next(&run("a"), 1, 5), Err(5));
        assert!(lines.sit(&run("a"), 2) && lines.sit(&run("a"), 2));
    }

    #[test]
    fn who_is_gone_is_passed_over() {
        let mut lines = Lines::default();
        assert!(lines.sit(&run("a"), 1));
        drop(lines.wait(&run("b")));
        let turn = lines.wait(&run("b"));
        assert_eq!(lines.next(&run("a"), 1, 1), Ok(()));
        assert_eq!(turn.try_recv(), Ok(1));
    }
}
