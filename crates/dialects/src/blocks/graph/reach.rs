//! Whether a block waits, directly or through others, for the blocks that it reads.
//!
//! A set of blocks for every block would cost the square of their number. Only blocks that something reads
//! count, and of these 64 are looked at together, one bit each, in one pass along the graph.

use super::components::components;
use super::dependencies::Dependencies;
use crate::blocks::reader::{Reader, Use};
use crate::blocks::reference::{Space, part_range};
use crate::mistakes::Place;
use std::collections::{BTreeMap, BTreeSet};

/// Which block reads which.
type Pair = (usize, usize);

/// Reports every block that reads another without waiting for it, once for each two blocks.
pub(in crate::blocks) fn report_unreached(reader: &mut Reader<'_, '_>, dependencies: &Dependencies) {
    let mut first: BTreeMap<Pair, &Use<'_>> = BTreeMap::new();
    for use_ in &reader.uses {
        let Some(block) = use_.by.block() else { continue };
        let known = &mut first.entry((block, use_.touched.block)).or_insert(use_);
        if order(use_) < order(known) {
            **known = use_;
        }
    }
    let edges = dependencies.guessed();
    let pairs: Vec<Pair> = first.keys().copied().collect();
    let unreached = unreached(&edges, &dependencies.is_unsure, &pairs);
    let backward: Vec<Pair> = unreached.iter().map(|(by, of)| (*of, *by)).collect();
    let no_way_back = self::unreached(&edges, &vec![false; edges.len()], &backward);
    let found: Vec<(Finding<'_>, bool)> = unreached
        .into_iter()
        .map(|pair| (Finding::new(first[&pair]), !no_way_back.contains(&(pair.1, pair.0))))
        .collect();
    found.into_iter().for_each(|(finding, waits)| finding.report(reader, waits));
}

fn order(use_: &Use<'_>) -> (usize, usize) {
    (use_.place.node.place().start, use_.place.range.start)
}

/// The pairs of which the first does not wait for the second.
fn unreached(edges: &[Vec<usize>], is_unsure: &[bool], pairs: &[Pair]) -> BTreeSet<Pair> {
    let mut left: BTreeSet<Pair> = pairs.iter().copied().collect();
    if left.is_empty() {
        return left;
    }
    let order = components(edges);
    let targets: Vec<usize> = left.iter().map(|(_, of)| *of).collect::<BTreeSet<_>>().into_iter().collect();
    for some in targets.chunks(64) {
        let reached = reached(edges, is_unsure, &order, some);
        let bit = |of: &usize| some.binary_search(of).map_or(0, |bit| 1_u64 << bit);
        left.retain(|(by, of)| reached[*by] & bit(of) == 0);
    }
    left
}

/// For each block which of the targets it waits for. A block that waits for who knows what waits for all.
fn reached(edges: &[Vec<usize>], is_unsure: &[bool], order: &[Vec<usize>], targets: &[usize]) -> Vec<u64> {
    let mut own = vec![0_u64; edges.len()];
    targets.iter().zip(0..).for_each(|(target, bit)| own[*target] = 1 << bit);
    let mut reached = vec![0_u64; edges.len()];
    for component in order {
        let mut mask = 0;
        for block in component {
            let others = edges[*block].iter().map(|to| own[*to] | reached[*to]);
            mask |= others.fold(if is_unsure[*block] { u64::MAX } else { 0 }, |all, one| all | one);
        }
        component.iter().for_each(|block| reached[*block] = mask);
    }
    reached
}

/// A block that reads another without waiting for it.
struct Finding<'n> {
    block: usize,
    target: usize,
    space: Space,
    place: Place<'n>,
}

impl<'n> Finding<'n> {
    fn new(use_: &Use<'n>) -> Self {
        let (block, target) = (use_.by.block().unwrap_or_default(), use_.touched.block);
        Self { block, target, space: use_.touched.space, place: use_.place.clone() }
    }

    /// `target_waits`: the target waits for the reader, so that a dependency would close a circle.
    fn report(&self, reader: &mut Reader<'_, '_>, target_waits: bool) {
        let blocks = &reader.world.blocks;
        let (block, target) = (&blocks[self.block], &blocks[self.target]);
        let (name, other) = (&block.name, &target.name);
        reader.mistakes.error(|sheet| {
            let diagnostic =
                sheet.error("not-a-dependency", sheet.locate(&self.named()), self.message(name, other));
            if self.block == self.target {
                let diagnostic = diagnostic.label("it has not ended by then");
                return diagnostic.hint("read an input of the workflow, or a block that it waits for");
            }
            if target_waits {
                return diagnostic
                    .label(format!("{other} waits for {name} and runs after it"))
                    .related(target.place, format!("{other} is here"))
                    .hint(format!("take away this reference, or what makes {other} wait for {name}"));
            }
            let depends_on = block.node.entry("depends_on").map_or(block.place, |(key, _)| key.place());
            diagnostic
                .label(format!("{other} may not have run by then"))
                .hint(format!("add {other} to depends_on of {name} (line {})", sheet.line(depends_on)))
        });
    }

    fn message(&self, name: &str, other: &str) -> String {
        let what = match self.space {
            Space::Outputs => "the output",
            Space::Inputs => "the inputs",
            Space::Metadata => "the state",
        };
        if self.block == self.target {
            return format!("{name} reads {what} of itself");
        }
        format!("{name} reads {what} of {other} but does not wait for it")
    }

    /// The part of the path that names the block: `blocks.build`.
    fn named(&self) -> Place<'n> {
        let range = self.place.range.clone();
        let text = self.place.node.as_text().and_then(|text| text.get(range.clone())).unwrap_or_default();
        let end = part_range(text, 1).end;
        Place { node: self.place.node, range: range.start..range.start + end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_goes_through_others() {
        let edges = [vec![], vec![0], vec![1], vec![], vec![2, 3]];
        let sure = [false; 5];
        let pairs = [(2, 0), (4, 0), (1, 2), (3, 0), (0, 0)];
        assert_eq!(unreached(&edges, &sure, &pairs), BTreeSet::from([(0, 0), (1, 2), (3, 0)]));
        let unsure = [false, false, false, true, false];
        assert_eq!(unreached(&edges, &unsure, &pairs), BTreeSet::from([(0, 0), (1, 2)]));
    }

    #[test]
    fn in_a_circle_all_wait_for_all() {
        let edges = [vec![1], vec![2], vec![0], vec![1]];
        assert!(unreached(&edges, &[false; 4], &[(0, 0), (0, 2), (2, 0), (3, 0)]).is_empty());
    }

    #[test]
    fn more_than_a_word_of_targets() {
        let edges: Vec<Vec<usize>> =
            (0..300).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
        let pairs: Vec<Pair> = (0..300).flat_map(|by| (0..300).map(move |of| (by, of))).collect();
        let left = unreached(&edges, &[false; 300], &pairs);
        assert!(left.iter().all(|(by, of)| by <= of));
        assert_eq!(left.len(), 300 * 301 / 2);
    }
}
