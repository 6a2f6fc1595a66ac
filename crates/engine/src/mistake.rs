//! Mistakes of our own. What panics is a mistake in this program; whoever waits for it is told so, and nobody waits for ever.

use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Something of ours panicked. What it was stands in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistake;

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Switchback made a mistake here; what it was stands in its log")
    }
}

/// Does some work to its end, or up to a mistake. What the work has locked or half changed must bear that.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Mistake> {
    let mut work = pin!(work);
    poll_fn(|context| match caught_here(|| work.as_mut().poll(context)) {
        Ok(polled) => polled.map(Ok),
        Err(mistake) => Poll::Ready(Err(mistake)),
    })
    .await
}

/// The same on this thread.
pub fn caught_here<T>(work: impl FnOnce() -> T) -> Result<T, Mistake> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Mistake)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_mistake_is_told_also_after_a_wait() {
        let late = async {
            tokio::task::yield_now().await;
            panic!("on purpose");
        };
        assert_eq!(caught::<()>(late).await, Err(Mistake));
        assert_eq!(caught(async { 7 }).await, Ok(7));
    }
}
