//! `switchback secret`: puts values away, and says which there are. A value comes from stdin or from a prompt that does not
//! show it, never from the command line, and none is ever printed. The file of the data directory is where values go unless the
//! keyring is asked for: it works with nobody at a desk.

use super::arguments::{SecretArguments, SecretVerb};
use super::error::CommandError;
use super::exit::Exit;
use super::hidden::prompt;
use super::keyring::keyring;
use super::look::{Look, print, print_json, talk};
use super::store::{directory, workspace};
use super::table::table;
use crate::ends::Input;
use crate::house::{Client, Flags};
use crate::settings::Settings;
use engine::secrets::{BYTES_MAX, File, FileError, Names, Secret, Trouble, is_name};
use serde_json::json;
use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// After how long it is said that the keyring is waited for.
const SAID_AFTER: Duration = Duration::from_secs(2);

/// Carries the command out.
pub(crate) fn secret(arguments: &SecretArguments) -> Result<Exit, CommandError> {
    match &arguments.verb {
        SecretVerb::Set { name, keyring } => set(name, *keyring),
        SecretVerb::List { json } => list(*json),
        SecretVerb::Remove { name } => remove(name),
    }
}

fn set(name: &str, in_keyring: bool) -> Result<Exit, CommandError> {
    if !is_name(name) {
        let message = format!("`{name}` cannot be the name of a secret");
        let hint = "a name begins with a letter and goes on with letters, digits, `_` and `-`, up to 64";
        return Err(CommandError::usage("bad-name", message).hint(hint));
    }
    let text = match io::stdin().is_terminal() {
        true => match prompt(&format!("value of {name}")).map_err(|error| unread(&error))? {
            Ok(text) => text,
            Err(_) => {
                talk(&format!("nothing was changed: `{name}` is as it was"));
                return Ok(Exit::Interrupted);
            }
        },
        false => piped()?,
    };
    let secret = Secret::new(&text)
        .map_err(|unfit| CommandError::usage("bad-secret", format!("the value of `{name}` {unfit}")))?;
    if in_keyring {
        patiently(|| keyring().set(name, &secret)).map_err(|trouble| not_in_keyring(name, &trouble))?;
        talk(&format!("`{name}` is kept in the keyring"));
        return Ok(Exit::Succeeded);
    }
    let dir = super::desk::place(&directory()?)?.dir;
    let file = File::of(&dir);
    let replaced = file.set(name, secret).map_err(unusable)?;
    let done = if replaced { "replaced" } else { "kept" };
    talk(&format!("`{name}` is {done} in {}", file.path().display()));
    if known().names.iter().any(|known| known == name) {
        talk(&format!("the keyring has a `{name}` too, and is looked at first"));
    }
    Ok(Exit::Succeeded)
}

fn not_in_keyring(name: &str, trouble: &Trouble) -> CommandError {
    CommandError::usage("keyring", format!("`{name}` cannot be kept in the keyring: {trouble}"))
        .hint(format!("keep it in the file of the data directory: switchback secret set {name}"))
}

/// Waits for the keyring, and says so where that takes a while.
fn patiently<T>(work: impl FnOnce() -> T) -> T {
    let (done, over) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if over.recv_timeout(SAID_AFTER) == Err(RecvTimeoutError::Timeout) {
                talk("waiting for the keyring, up to a minute: it may ask to be unlocked; Ctrl-C gives up");
            }
        });
        let came = work();
        drop(done);
        came
    })
}

/// What the keyring holds; nothing where there is none, and what else is wrong with it is said.
fn known() -> Names {
    match keyring().names() {
        Ok(names) => return names,
        Err(Trouble::Unasked | Trouble::NotInstalled(_) | Trouble::NoBus) => {}
        Err(trouble) => talk(&format!("keyring: {trouble}")),
    }
    Names::default()
}

fn remove(name: &str) -> Result<Exit, CommandError> {
    let file = File::of(&directory()?);
    let in_file = file.read().map_err(unusable)?.contains_key(name);
    let removed = patiently(|| keyring().remove(name));
    if let Ok(true) = removed {
        talk(&format!("`{name}` is removed from the keyring"));
    }
    if in_file {
        file.remove(name).map_err(unusable)?;
        talk(&format!("`{name}` is removed from {}", file.path().display()));
    }
    match removed {
        Ok(false) | Err(Trouble::Unasked | Trouble::NotInstalled(_) | Trouble::NoBus) if !in_file => {
            let message = format!("there is no secret `{name}` in {} or the keyring", file.path().display());
            Err(CommandError::usage("unknown-secret", message)
                .hint("which there are: switchback secret list"))
        }
        Ok(_) | Err(Trouble::Unasked | Trouble::NotInstalled(_) | Trouble::NoBus) => Ok(Exit::Succeeded),
        Err(trouble) => {
            let message = format!("whether the keyring has `{name}` is not known: {trouble}");
            Err(CommandError::usage("keyring", message).hint("unlock it, and try again"))
        }
    }
}

fn list(json: bool) -> Result<Exit, CommandError> {
    let file = File::of(&directory()?);
    let kept = file.read().map_err(unusable)?;
    let from_file = kept.keys().map(|name| (name.clone(), file.path().display().to_string()));
    let settings = Settings::read(&Client::here(workspace()?, Flags::default()));
    let named = settings.lends.iter().map(|name| {
        let is_set = std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let from = if is_set { "environment" } else { "environment (not set here)" };
        (name.clone(), from.to_owned())
    });
    let held = known();
    let from = if held.locked { "keyring (locked)" } else { "keyring" };
    let from_keyring = held.names.into_iter().map(|name| (name, from.to_owned()));
    let all: Vec<(String, String)> = from_keyring.chain(from_file).chain(named).collect();
    if json {
        let all: Vec<_> = all.iter().map(|(name, from)| json!({ "name": name, "from": from })).collect();
        print_json(&json!({ "secrets": all }))?;
        return Ok(Exit::Succeeded);
    }
    if all.is_empty() {
        talk("there are no secrets; put one away: switchback secret set NAME");
        return Ok(Exit::Succeeded);
    }
    let rows: Vec<Vec<String>> = all.into_iter().map(|(name, from)| vec![name, from]).collect();
    print(&table(Look::of_stdout(), &["SECRET", "FROM"], &rows))?;
    Ok(Exit::Succeeded)
}

/// All of stdin, without the line break at its end.
fn piped() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let room = BYTES_MAX as u64 + 3;
    Input.take(room).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::usage("bad-secret", "the value on stdin is not UTF-8 text"))?;
    let text = text.strip_suffix('\n').map_or(text.as_str(), |text| text.strip_suffix('\r').unwrap_or(text));
    Ok(text.to_owned())
}

fn unread(error: &io::Error) -> CommandError {
    CommandError::internal("not-read", format!("failed to read the value: {error}"))
}

fn unusable(error: FileError) -> CommandError {
    CommandError::usage("secrets-file", error.to_string())
}
