//! Which states can be reached. One that cannot is no mistake, and most likely a slip.

use super::state::States;
use crate::mistakes::Mistakes;
use kernel::plan::State;

/// Warns of states that nothing leads to.
pub(super) fn report(mistakes: &mut Mistakes<'_>, states: &States<'_>, initial: u32, ways: &[State]) {
    let (mut seen, mut open) = (vec![false; ways.len()], vec![initial]);
    while let Some(position) = open.pop() {
        let Some(state) = ways.get(position as usize) else { continue };
        if !std::mem::replace(&mut seen[position as usize], true) {
            open.extend(state.transitions.iter().map(|way| way.to).chain(state.on_timeout));
        }
    }
    let missed: Vec<usize> = (0..seen.len()).filter(|position| !seen[*position]).collect();
    let Some(first) = missed.first() else { return };
    let names: Vec<&str> = missed.iter().map(|position| states[*position].0).collect();
    mistakes.warn(|sheet| {
        let message = format!("Warning: Unreachable states detected: {}", names.join(", "));
        sheet
            .warning("unreachable-state", states[*first].1.place(), message)
            .hint("let a transition or `on_timeout` lead there, or take it out")
    });
}
