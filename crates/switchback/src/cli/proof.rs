//! `switchback proof`: the passphrase that passes gates of level `proof`. It is typed at a terminal, never given by an argument, a
//! pipe or the environment, and whoever changes it knows the one before.

use super::arguments::{ProofArguments, ProofVerb};
use super::desk::{self, find, place, remote};
use super::error::CommandError;
use super::exit::Exit;
use super::hidden::{Broken, prompt};
use super::look::talk;
use super::store::directory;
use crate::daemon::{self, Passphrase};
use crate::house::{CHARS_MIN, Proof, Unproven};
use std::io::{self, IsTerminal};

/// Carries the command out.
pub(crate) fn proof(arguments: &ProofArguments) -> Result<Exit, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CommandError::usage("not-a-terminal", "a passphrase is typed at a terminal, by a human"));
    }
    let dir = place(&directory()?)?.dir;
    desk::block_on(only_a_human(&dir))??;
    let proof = Proof::of(&dir);
    let is_set = proof.is_set().map_err(|why| unusable(&why))?;
    if is_set && let Err(broken) = is_known(&proof)? {
        return Ok(unchanged(broken));
    }
    match arguments.verb {
        ProofVerb::Set => set(&proof),
        ProofVerb::Remove if is_set => {
            proof.remove().map_err(|error| CommandError::internal("proof", error.to_string()))?;
            talk("the passphrase is removed; nobody passes a gate of level `proof` until there is another");
            Ok(Exit::Succeeded)
        }
        ProofVerb::Remove => Err(unusable(&Unproven::NoneSet)),
    }
}

fn set(proof: &Proof) -> Result<Exit, CommandError> {
    let new = match passphrase("new passphrase")? {
        Ok(Passphrase(new)) => new,
        Err(broken) => return Ok(unchanged(broken)),
    };
    if new.chars().count() < CHARS_MIN {
        let message = format!("a passphrase has at least {CHARS_MIN} characters");
        return Err(CommandError::usage("short-passphrase", message));
    }
    let again = match passphrase("the same once more")? {
        Ok(Passphrase(again)) => again,
        Err(broken) => return Ok(unchanged(broken)),
    };
    if new != again {
        return Err(CommandError::usage(
            "not-the-same",
            "these were two different ones; nothing was changed",
        ));
    }
    proof.set(&new).map_err(|error| CommandError::internal("proof", error.to_string()))?;
    talk("the passphrase is set; only its hash is kept. `gate: proof` asks for it");
    Ok(Exit::Succeeded)
}

/// Whether whoever types knows the passphrase that holds, unless they change their mind.
fn is_known(proof: &Proof) -> Result<Result<(), Broken>, CommandError> {
    match passphrase("the passphrase that holds now")? {
        Ok(Passphrase(said)) => proof.check(&said).map(Ok).map_err(|why| unusable(&why)),
        Err(broken) => Ok(Err(broken)),
    }
}

/// Says that nothing came of it.
fn unchanged(_: Broken) -> Exit {
    talk("nothing was changed");
    Exit::Interrupted
}

/// Whoever an agent has started sets no passphrase.
async fn only_a_human(dir: &std::path::Path) -> Result<(), CommandError> {
    if let Some(reached) = find(dir)? {
        return Ok(remote(reached)?.is_human().await?);
    }
    match daemon::is_below_our_own() {
        true => Err(daemon::not_a_human("the command was started by a workflow").into()),
        false => Ok(()),
    }
}

/// Asks for a passphrase, unless whoever is asked changes their mind.
pub(super) fn passphrase(what: &str) -> Result<Result<Passphrase, Broken>, CommandError> {
    let typed = prompt(what).map_err(|error| {
        CommandError::internal("not-read", format!("failed to read the passphrase: {error}"))
    })?;
    Ok(typed.map(Passphrase))
}

fn unusable(why: &Unproven) -> CommandError {
    CommandError::usage(daemon::UNPROVEN, why.to_string())
}
