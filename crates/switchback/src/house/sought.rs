//! The house of a server that carries its runs itself. Where it cannot be opened (somebody else has it, the disk is full, its
//! rights are wrong) the server says why, and looks again whenever it is asked for something.

use super::House;
use crate::cli::CommandError;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Opens a house, or says why it stays closed.
pub(crate) type Opens =
    Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<House, CommandError>> + Send>> + Send + Sync>;

/// A house that is looked for.
pub(crate) struct Sought {
    opens: Opens,
    house: OnceLock<Arc<House>>,
    why: Mutex<Option<CommandError>>,
    /// Held by the one who looks.
    looks: tokio::sync::Mutex<()>,
}

impl Sought {
    /// Looks for it the first time.
    pub(crate) async fn new(opens: Opens) -> Arc<Sought> {
        let (house, why, looks) = (OnceLock::new(), Mutex::default(), tokio::sync::Mutex::default());
        let sought = Sought { opens, house, why, looks };
        sought.look().await;
        Arc::new(sought)
    }

    /// Looks for it, unless it was found.
    pub(crate) async fn look(&self) {
        if self.house.get().is_some() {
            return;
        }
        let _looks = self.looks.lock().await;
        if self.house.get().is_some() {
            return;
        }
        let why = match (self.opens)().await {
            Ok(house) => {
                self.house.get_or_init(|| Arc::new(house));
                None
            }
            Err(error) => Some(error),
        };
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// The house, if it was found.
    pub(crate) fn house(&self) -> Option<&Arc<House>> {
        self.house.get()
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
