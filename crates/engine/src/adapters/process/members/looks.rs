//! Pictures that several share: when hundreds of trees end at once, one look serves all who asked before it began.
//!
//! Nobody gets a picture that was begun before they asked, so that none misses what was born until then.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

/// The last picture, and how many had asked when it was begun.
pub(super) struct Looks<T> {
    asked: AtomicU64,
    last: Mutex<Option<(u64, Arc<T>)>>,
}

impl<T> Looks<T> {
    pub(super) const fn new() -> Self {
        Looks { asked: AtomicU64::new(0), last: Mutex::const_new(None) }
    }

    /// Gives a picture that was begun after this was called.
    pub(super) async fn look(&self, take: impl FnOnce() -> T) -> Arc<T> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut last = self.last.lock().await;
        if let Some((_, picture)) = last.as_ref().filter(|(served, _)| *served >= number) {
            return Arc::clone(picture);
        }
        let served = self.asked.load(Ordering::SeqCst);
        let picture = Arc::new(take());
        *last = Some((served, Arc::clone(&picture)));
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::{JoinSet, yield_now};

    #[tokio::test]
    async fn hundreds_who_wait_share_one_look() {
        let looks: Arc<(Looks<u64>, AtomicU64)> = Arc::new((Looks::new(), AtomicU64::new(0)));
        let held = looks.0.last.lock().await;
        let mut waiting = JoinSet::new();
        for _ in 0..577 {
            let looks = Arc::clone(&looks);
            waiting.spawn(async move { *looks.0.look(|| looks.1.fetch_add(1, Ordering::SeqCst)).await });
        }
        while looks.0.asked.load(Ordering::SeqCst) < 577 {
            yield_now().await;
        }
        drop(held);
        assert_eq!(waiting.join_all().await, [0; 577]);
        assert_eq!(looks.1.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn who_asks_after_a_look_began_gets_another() {
        let looks = Looks::new();
        let first = looks.look(|| 0);
        assert_eq!((*first.await, *looks.look(|| 1).await), (0, 1));
        let (early, late) = (looks.look(|| 2), looks.look(|| 3));
        // It has asked only once it is awaited.
        assert_eq!((*late.await, *early.await), (3, 2));
    }
}
