//! `switchback install`: sets a client up to use this server.

use super::arguments::InstallArguments;
use super::error::CommandError;
use super::exit::Exit;

/// Carries the command out.
pub(crate) fn install(_arguments: &InstallArguments) -> Result<Exit, CommandError> {
    Err(CommandError::internal("not-built", "this command is not built yet"))
}
