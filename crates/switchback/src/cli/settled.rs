//! The settings of the folder that a command works in. What is wrong with their files is told before anything is done; what
//! changes something is not done at all.

use super::error::CommandError;
use super::store::workspace;
use super::target::warn;
use crate::house::{Client, Flags};
use crate::settings::Settings;

/// Says what is wrong with the files that hold here, and gives what they say.
pub(crate) fn tell() -> Result<Settings, CommandError> {
    let settings = Settings::read(&Client::here(workspace()?, Flags::default()));
    settings.broken.iter().for_each(|trouble| warn(&trouble.to_string()));
    Ok(settings)
}

/// The settings of a client that is about to change something.
pub(crate) fn sound(client: &Client) -> Result<Settings, CommandError> {
    let settings = Settings::read(client);
    let Some(why) = settings.refuse() else { return Ok(settings) };
    let error = CommandError::usage("broken-settings", why);
    let error = settings.broken.iter().skip(1).fold(error, |error, more| error.hint(more.to_string()));
    Err(error.hint("mend the file; until then what it was to forbid is not known, and nothing is run"))
}
