//! Why a question is not open any more: whoever has it in front of them is told when it is taken back.

use super::Asked;
use crate::store::Reader;
use crate::turn::{LoadError, replay};
use crate::view::whole;
use kernel::{Fact, FailureKind, News, Outcome, RunId};

/// Why a question was closed, in words.
pub fn why_closed(reader: &Reader, asked: &Asked) -> Result<&'static str, LoadError> {
    let own = look(reader, &asked.run, asked)?;
    if own.is_some() || asked.run == asked.root {
        return Ok(own.unwrap_or(SILENCE));
    }
    // A called run may still have to hear that the one above it has ended.
    Ok(look(reader, &asked.root, asked)?.unwrap_or(SILENCE))
}

const SILENCE: &str = "nobody answered in time";

fn look(reader: &Reader, run: &RunId, asked: &Asked) -> Result<Option<&'static str>, LoadError> {
    let Some((loaded, _)) = whole(reader, run)? else { return Ok(None) };
    let is_own = *run == asked.run;
    // An attempt is named by its step and a number.
    let step = asked.effect.as_str().rsplit_once('#').map_or("", |(step, _)| step);
    let mut why = None;
    replay(reader, &loaded, |seen| {
        let is_answer = match &seen.body.event.fact {
            Fact::Submitted { effect, .. } | Fact::Answered { effect, .. } => {
                is_own && *effect == asked.effect
            }
            _ => false,
        };
        let end = seen.turn.news.iter().find_map(|news| match news {
            News::Ended { key, failure, .. } if is_own && key == step => {
                let is_stopped =
                    failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Cancelled);
                (!is_stopped).then_some(SILENCE)
            }
            News::Closing { outcome: Outcome::Cancelled { .. } } => Some("the run was cancelled"),
            News::Closing { .. } => Some("the run has ended"),
            _ => None,
        });
        why = why.or(is_answer.then_some("the question was answered elsewhere")).or(end);
    })?;
    Ok(why)
}
