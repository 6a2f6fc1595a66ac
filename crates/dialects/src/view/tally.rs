//! How the items of a step stand, all in all: counted as each changes, so that thousands of them cost no more than one.

use super::line::State;

/// How many items are in the states that the step's own follows from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    working: usize,
    interrupted: usize,
    waiting: usize,
}

impl Tally {
    /// An item stands otherwise than before.
    pub(super) fn moved(&mut self, before: State, after: State) {
        if let Some(count) = self.of(before) {
            *count -= 1;
        }
        if let Some(count) = self.of(after) {
            *count += 1;
        }
    }

    fn of(&mut self, state: State) -> Option<&mut usize> {
        match state {
            State::Running | State::Resting => Some(&mut self.working),
            State::Interrupted => Some(&mut self.interrupted),
            State::Waiting => Some(&mut self.waiting),
            State::Pending | State::Succeeded | State::Failed => None,
            State::Crashed | State::Skipped | State::Cancelled => None,
        }
    }

    /// A step that is done for items runs while one of them does, and waits for a word once all others have ended.
    pub(super) const fn state(self) -> State {
        match self {
            Tally { working: 1.., .. } => State::Running,
            Tally { interrupted: 1.., .. } => State::Interrupted,
            Tally { waiting: 1.., .. } => State::Waiting,
            _ => State::Running,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_before_waiting_and_what_was_cut_off_before_a_question() {
        let mut tally = Tally::default();
        assert_eq!(tally.state(), State::Running);
        let mut after = |before, after| {
            tally.moved(before, after);
            tally.state()
        };
        assert_eq!(after(State::Pending, State::Waiting), State::Waiting);
        assert_eq!(after(State::Pending, State::Interrupted), State::Interrupted);
        assert_eq!(after(State::Pending, State::Resting), State::Running);
        assert_eq!(after(State::Resting, State::Failed), State::Interrupted);
        assert_eq!(after(State::Interrupted, State::Cancelled), State::Waiting);
        assert_eq!(after(State::Waiting, State::Succeeded), State::Running);
    }
}
