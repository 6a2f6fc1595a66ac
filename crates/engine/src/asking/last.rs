//! What was answered last in a run and in those below it. Whoever repeats an answer without naming its question is
//! recognised by it.

use crate::store::Reader;
use crate::turn::{LoadError, replay};
use crate::view::whole;
use kernel::command::Caller;
use kernel::{EffectId, Fact, Fields, RunId};

/// An answer that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Last {
    /// The run that asked.
    pub run: RunId,
    /// The question inside its run.
    pub effect: EffectId,
    /// What was said.
    pub result: Fields,
    /// Who said it.
    pub by: Caller,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// The answer that was taken last in a run or below it.
pub fn last(reader: &Reader, run: &RunId) -> Result<Option<Last>, LoadError> {
    let (mut found, mut places): (Option<Last>, _) = (None, vec![run.clone()]);
    while let Some(run) = places.pop() {
        places.extend(reader.children(&run)?.into_iter().map(|row| row.id));
        let Some((loaded, _)) = whole(reader, &run)? else { continue };
        replay(reader, &loaded, |seen| {
            let event = &seen.body.event;
            let (effect, result, by) = match &event.fact {
                Fact::Submitted { effect, result, by, .. } | Fact::Answered { effect, result, by, .. } => {
                    (effect, result, by)
                }
                _ => return,
            };
            if found.as_ref().is_none_or(|known| known.at <= event.at) {
                let (effect, result, by) = (effect.clone(), result.clone(), by.clone());
                found = Some(Last { run: run.clone(), effect, result, by, at: event.at });
            }
        })?;
    }
    Ok(found)
}
