//! Progress notifications: one for every step that started or ended, by name, and a sign of life in between. Their number is
//! the run's age in seconds: it must grow with every word, also when a call is asked again of the next daemon.

use engine::backend::Progress;
use engine::kernel::News;
use engine::view::{Line, State, View};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many running steps a sign of life names.
const NAMED_MAX: usize = 5;

/// Longest reason of a failure in a notification.
const REASON_CHARS_MAX: usize = 200;

/// How much greater than the last a number is at least.
const NUMBER_STEP: f64 = 1e-6;

/// Tells a client that asked for it.
pub(super) struct Teller {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    /// The number that was told last.
    last: f64,
}

/// The client does not listen any more.
#[derive(Debug)]
pub(super) struct Deaf;

impl Teller {
    /// Whoever sent a progress token wants to be told.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Teller> {
        let token = context.meta.get_progress_token()?;
        Some(Teller { peer: context.peer.clone(), token, last: 0.0 })
    }

    /// Tells of a turn that is in the view already; says whether there was something to tell.
    pub(super) async fn turn(&mut self, view: &View, progress: &Progress) -> Result<bool, Deaf> {
        let mut told = false;
        for news in &progress.news {
            if let Some(message) = view.line_of(news).and_then(|line| sentence(view, news, line)) {
                self.tell(view, message).await?;
                told = true;
            }
        }
        Ok(told)
    }

    /// Tells that the run still goes on, and with what.
    pub(super) async fn alive(&mut self, view: &View) -> Result<(), Deaf> {
        self.tell(view, working(view)).await
    }

    /// Tells that someone is asked and has not answered yet.
    pub(super) async fn asked(&mut self, view: &View, step: &str) -> Result<(), Deaf> {
        self.tell(view, format!("`{step}` waits for an answer")).await
    }

    /// Tells a word about something else than a run, by how long that has been going on.
    pub(super) async fn word(&mut self, age: Duration, message: String) -> Result<(), Deaf> {
        self.last = number(age, self.last);
        let told = ProgressNotificationParam::new(self.token.clone(), self.last);
        self.peer.notify_progress(told.with_message(message)).await.map_err(|_| Deaf)
    }

    async fn tell(&mut self, view: &View, message: String) -> Result<(), Deaf> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.last = number(now.saturating_sub(Duration::from_millis(view.since)), self.last);
        let told = ProgressNotificationParam::new(self.token.clone(), self.last);
        self.peer.notify_progress(told.with_message(message)).await.map_err(|_| Deaf)
    }
}

/// The number of the next word about a run of some age.
fn number(age: Duration, last: f64) -> f64 {
    age.as_secs_f64().max(last + NUMBER_STEP)
}

fn sentence(view: &View, news: &News, line: &Line) -> Option<String> {
    let id = &line.id;
    Some(match news {
        News::Began { attempt: 1, .. } => format!("`{id}` started"),
        News::Began { attempt, .. } => format!("`{id}` started again, attempt {attempt}"),
        News::Nested { child, workflow, .. } => format!("`{id}` is the run {child} of `{workflow}`"),
        News::Offered { .. } => format!("`{id}` waits for an answer"),
        News::Checking { .. } => format!("the result of `{id}` is being checked"),
        News::Ended { failure: None, .. } => format!("`{id}` succeeded{}", count(view)),
        News::Ended { failure: Some(failure), .. } => {
            format!("`{id}` failed: {}{}", short(&failure.message), count(view))
        }
        News::Retrying { failure, .. } => {
            format!("`{id}` failed and will be tried again: {}", short(&failure.message))
        }
        News::Interrupted { .. } => format!("`{id}` was interrupted"),
        News::Unverified { failure, .. } => {
            format!("the result of `{id}` does not hold: {}", short(&failure.message))
        }
        News::Skipped { reason, .. } => format!("`{id}` is skipped: {}{}", short(reason), count(view)),
        News::Item { .. } | News::NotUpdated { .. } | News::Closing { .. } | News::Over { .. } => {
            return None;
        }
        News::Changed { .. } | News::Computed { .. } | News::Warned { .. } | News::Marked { .. } => {
            return None;
        }
        News::LaneBegan { .. } | News::LaneEnded { .. } | News::Left { .. } => return None,
    })
}

/// How far the run is.
fn count(view: &View) -> String {
    let lines = view.lines();
    let over = lines.iter().filter(|line| line.state.is_over()).count();
    format!(" ({over} of {})", lines.len())
}

fn working(view: &View) -> String {
    let running = view.lines().iter().filter(|line| matches!(line.state, State::Running | State::Resting));
    let names: Vec<String> = running.map(|line| format!("`{}`", line.id)).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let named = names[..names.len() - more].join(", ");
    match (names.is_empty(), more) {
        (true, _) => format!("{} goes on{}", view.run, count(view)),
        (false, 0) => format!("running: {named}{}", count(view)),
        (false, more) => format!("running: {named} and {more} more{}", count(view)),
    }
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(REASON_CHARS_MAX).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_whatever_the_clock_does() {
        let ages = [0, 0, 30, 20, 86_400_000, 86_400_000].map(Duration::from_millis);
        let mut told = vec![0.0];
        ages.iter().for_each(|age| told.push(number(*age, told[told.len() - 1])));
        assert!(told.is_sorted_by(|one, next| one < next), "{told:?}");
    }
}
