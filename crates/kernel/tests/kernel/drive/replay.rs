//! The scenario is over: the same events are let happen again, from the start and from every snapshot on the way.

use super::{Drive, bytes};
use kernel::{Run, Snapshot};
use std::sync::Arc;

impl Drop for Drive {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.replay(0, None);
            let snapshots: Vec<Vec<u8>> = self.past.iter().map(|past| past.after.clone()).collect();
            let stride = 1 + snapshots.len() / 64;
            for (position, snapshot) in snapshots.iter().enumerate().step_by(stride) {
                self.replay(position + 1, Some(snapshot));
            }
        }
    }
}

impl Drive {
    /// Lets all turns from a position on happen again and compares them, byte for byte.
    fn replay(&self, from: usize, snapshot: Option<&[u8]>) {
        let plan = Arc::clone(self.run.plan());
        let mut run = match snapshot {
            Some(bytes) => Run::restore(plan, serde_json::from_slice::<Snapshot>(bytes).expect("a snapshot")),
            None => {
                let (id, parent) = (self.run.id().clone(), self.run.parent().cloned());
                Run::new(plan, id, parent, self.run.depth()).within(self.bounds)
            }
        };
        if let Some(snapshot) = snapshot {
            assert_eq!(bytes(&run), snapshot, "a snapshot is read as it was written");
        }
        for past in &self.past[from..] {
            let mut turn = run.apply(past.event.clone());
            let mut asked = Vec::new();
            for (questions, answers) in &past.rounds {
                assert_eq!(&turn.questions, questions);
                asked.extend(questions.iter().cloned());
                turn = run.answer(answers.clone());
            }
            assert_eq!(turn.digest(&asked), past.turn.digest(&asked));
            assert_eq!(turn, past.turn);
            assert_eq!(bytes(&run), past.after, "the same events give the same bytes");
        }
    }
}
