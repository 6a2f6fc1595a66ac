//! Plans as they are stored: one of which many runs are made is written out once.

use crate::store::Write;
use kernel::{Digest, Plan};
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// How many plans are remembered, and how large one may be for that.
const PLANS_MAX: usize = 64;
const BYTES_MAX: usize = 64 << 10;

/// The plans that were written out lately, the last one first.
#[derive(Default)]
pub(super) struct Plans(VecDeque<Written>);

/// A plan cannot change once it is shared, and its place is not given to another as long as somebody knows it.
struct Written {
    plan: Weak<Plan>,
    digest: Digest,
    body: Arc<[u8]>,
}

impl Plans {
    /// The digest of a plan, and what keeps it in the store.
    pub(super) fn write(&mut self, plan: &Arc<Plan>) -> (Digest, Write) {
        let known = self.0.iter().find(|known| std::ptr::eq(known.plan.as_ptr(), Arc::as_ptr(plan)));
        if let Some(Written { digest, body, .. }) = known {
            return (*digest, Write::Plan { digest: *digest, body: Arc::clone(body) });
        }
        let body = serde_json::to_vec(plan).expect("BUG: a plan has no JSON form");
        let (digest, body): (Digest, Arc<[u8]>) = (Digest::of(&body), body.into());
        if body.len() <= BYTES_MAX {
            self.0.truncate(PLANS_MAX - 1);
            self.0.push_front(Written { plan: Arc::downgrade(plan), digest, body: Arc::clone(&body) });
        }
        (digest, Write::Plan { digest, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::plan::{Dialect, Flow, Graph};

    fn plan(name: &str) -> Arc<Plan> {
        Arc::new(Plan::new(name, Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1))))
    }

    fn body(write: &Write) -> &Arc<[u8]> {
        let Write::Plan { body, .. } = write else { panic!("{write:?}") };
        body
    }

    #[test]
    fn a_plan_is_written_out_once_and_another_one_is_another() {
        let (mut plans, one) = (Plans::default(), plan("one"));
        let (digest, first) = plans.write(&one);
        assert_eq!(digest, one.digest());
        assert_eq!(Digest::of(body(&first)), digest);
        assert!(Arc::ptr_eq(body(&plans.write(&one).1), body(&first)));
        let (same, other) = (plan("one"), plan("other"));
        assert_eq!(plans.write(&same).0, digest);
        assert_eq!(plans.write(&other).0, other.digest());
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let mut plans = Plans::default();
        let all: Vec<_> = (0..=PLANS_MAX).map(|number| plan(&number.to_string())).collect();
        all.iter().for_each(|plan| drop(plans.write(plan)));
        assert_eq!(plans.0.len(), PLANS_MAX);
        assert_eq!(plans.write(&all[0]).0, all[0].digest());
        plans.write(&plan(&"x".repeat(BYTES_MAX)));
        assert!(plans.0.iter().all(|known| known.body.len() <= BYTES_MAX));
    }
}
