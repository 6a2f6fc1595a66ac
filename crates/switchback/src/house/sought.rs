//! The house of a server that carries its runs itself. Where it cannot be opened (somebody else has it, the disk is full, its
//! rights are wrong) the server says why, and looks again whenever it is asked for something. So it does once its store was
//! taken away and whoever asked then has been told.

use super::House;
use crate::cli::CommandError;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Opens a house, or says why it stays closed.
pub(crate) type Opens =
    Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<House, CommandError>> + Send>> + Send + Sync>;

/// A house that is looked for.
pub(crate) struct Sought {
    opens: Opens,
    house: RwLock<Option<Arc<House>>>,
    why: Mutex<Option<CommandError>>,
    /// Held by the one who looks.
    looks: tokio::sync::Mutex<()>,
}

impl Sought {
    /// Looks for it the first time.
    pub(crate) async fn new(opens: Opens) -> Arc<Sought> {
        let (house, why, looks) = (RwLock::default(), Mutex::default(), tokio::sync::Mutex::default());
        let sought = Sought { opens, house, why, looks };
        sought.look().await;
        Arc::new(sought)
    }

    /// Looks for it, unless it was found and is not lost.
    pub(crate) async fn look(&self) {
        let is_there = || self.house().is_some_and(|house| !house.is_lost());
        if is_there() {
            return;
        }
        let _looks = self.looks.lock().await;
        if is_there() {
            return;
        }
        if let Some(lost) = self.house() {
            // What its runs have started is ended.
            lost.abandon().await;
        }
        let (house, why) = match (self.opens)().await {
            Ok(house) => (Some(Arc::new(house)), None),
            Err(error) => (None, Some(error)),
        };
        *self.house.write().unwrap_or_else(PoisonError::into_inner) = house;
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// The house, if it was found.
    pub(crate) fn house(&self) -> Option<Arc<House>> {
        self.house.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why it was not found when it was last looked for, in one line.
    pub(crate) fn reason(&self) -> String {
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        why.as_ref().map(CommandError::in_one_line).unwrap_or_default()
    }

    /// Why it was never found.
    pub(crate) fn missed(&self) -> Option<CommandError> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
