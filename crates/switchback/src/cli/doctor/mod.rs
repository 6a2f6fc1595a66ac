//! `switchback doctor`: says what is wrong with the set-up, and how to mend it.

use super::arguments::DoctorArguments;
use super::error::CommandError;
use super::exit::Exit;

/// Carries the command out.
pub(crate) fn doctor(_arguments: &DoctorArguments) -> Result<Exit, CommandError> {
    Err(CommandError::internal("not-built", "this command is not built yet"))
}
