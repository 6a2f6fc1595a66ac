//! Blocks that wait for each other in a circle: named whole, one shortest circle for each knot of blocks.

use super::components::components;
use super::dependencies::Dependencies;
use crate::blocks::reader::Reader;
use crate::text::Span;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The blocks of a circle that are named; of a longer one the middle is counted.
const NAMED_MAX: usize = 24;

/// The places of a circle that are shown.
const SHOWN_MAX: usize = 8;

/// Reports every knot of blocks that wait for each other.
pub(in crate::blocks) fn report_circles(reader: &mut Reader<'_, '_>, dependencies: &Dependencies) {
    let edges: Vec<Vec<usize>> =
        dependencies.known.iter().map(|list| list.iter().map(|(block, _)| *block).collect()).collect();
    for knot in components(&edges) {
        if knot.len() > 1 {
            let circle = circle(&edges, &knot.into_iter().collect());
            report(reader, dependencies, &circle);
        }
    }
}

/// A shortest circle through the first block of a knot, each block before the one it waits for.
fn circle(edges: &[Vec<usize>], knot: &BTreeSet<usize>) -> Vec<usize> {
    let Some(start) = knot.first().copied() else { return Vec::new() };
    let mut from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(block) = queue.pop_front() {
        for next in edges[block].iter().copied().filter(|next| knot.contains(next)) {
            if next == start {
                return way_back(&from, block, start);
            }
            if let Entry::Vacant(unseen) = from.entry(next) {
                unseen.insert(block);
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

fn way_back(from: &BTreeMap<usize, usize>, last: usize, start: usize) -> Vec<usize> {
    let mut way = vec![last];
    while let Some(before) = way.last().filter(|block| **block != start).and_then(|block| from.get(block)) {
        way.push(*before);
    }
    way.reverse();
    way
}

fn report(reader: &mut Reader<'_, '_>, dependencies: &Dependencies, circle: &[usize]) {
    let name = |block: usize| &reader.world.blocks[block].name;
    let steps: Vec<(Span, String)> = circle
        .iter()
        .zip(circle.iter().cycle().skip(1))
        .take(SHOWN_MAX)
        .map(|(block, next)| {
            let words = format!("{} waits for {}", name(*block), name(*next));
            (place(dependencies, *block, *next), words)
        })
        .collect();
    let names: Vec<&str> = circle.iter().map(|block| name(*block).as_str()).collect();
    let Some(((span, label), related)) = steps.split_first() else { return };
    reader.mistakes.error(|sheet| {
        let message = format!("blocks wait for each other in a circle: {}", arrows(&names));
        let diagnostic = sheet.error("dependency-cycle", *span, message).label(label);
        let diagnostic = diagnostic.hint("take one of these dependencies away");
        related.iter().fold(diagnostic, |diagnostic, (span, words)| diagnostic.related(*span, words))
    });
}

fn place(dependencies: &Dependencies, block: usize, next: usize) -> Span {
    let list = &dependencies.known[block];
    list.iter().find(|(to, _)| *to == next).map_or_else(Span::default, |(_, place)| *place)
}

/// `a -> b -> a`; a long way is cut in its middle.
fn arrows(names: &[&str]) -> String {
    let all = names.iter().chain(names.first()).copied();
    if names.len() <= NAMED_MAX {
        return all.collect::<Vec<_>>().join(" -> ");
    }
    let half = NAMED_MAX / 2;
    let first = names[..half].join(" -> ");
    let last = all.skip(names.len() - half).collect::<Vec<_>>().join(" -> ");
    format!("{first} -> ({} more) -> {last}", names.len() - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_is_a_shortest_one() {
        let edges = [vec![1], vec![2, 3], vec![3], vec![0]];
        assert_eq!(circle(&edges, &BTreeSet::from([0, 1, 2, 3])), [0, 1, 3]);
        assert_eq!(circle(&[vec![1], vec![0]], &BTreeSet::from([0, 1])), [0, 1]);
    }

    #[test]
    fn long_ways_are_cut() {
        assert_eq!(arrows(&["a", "b"]), "a -> b -> a");
        let names = vec!["x"; 30];
        assert!(arrows(&names).contains("(6 more)"));
        assert_eq!(arrows(&names).matches("x").count(), 25);
    }
}
