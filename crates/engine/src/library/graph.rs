//! Who calls whom in a library, by constant names: circles and depths are found without linking anything. What a name means
//! depends on who calls: `blocks` finds what its tools find, `reactive` what its own do.

use super::definition::Definition;
use super::find::Library;
use super::name::NotFound;
use super::order::Order;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The definitions of a library and the calls between them.
#[derive(Debug)]
pub(super) struct Calls {
    /// In the order of `blocks`: positions are in this one.
    library: Library,
    /// The same definitions in the order of `reactive`.
    reactive: Library,
    /// The positions by the reading they came from, which has its place to itself.
    positions: HashMap<usize, usize>,
    /// Which definition a name means in an order, for those that were asked for.
    names: Mutex<HashMap<(Order, String), Option<usize>>>,
}

impl Calls {
    /// The calls between the definitions of a library, which is given in the order of `blocks` and in that of `reactive`.
    pub(super) fn new(library: Library, reactive: Library) -> Self {
        let readings = library.definitions.iter().map(|one| Arc::as_ptr(&one.reading).addr());
        let positions = readings.zip(0..).collect();
        Calls { library, reactive, positions, names: Mutex::default() }
    }

    /// The definition at a position.
    pub(super) fn definition(&self, position: usize) -> &Definition {
        &self.library.definitions[position]
    }

    /// The position of the definition that a name means to whoever calls in this order.
    pub(super) fn find(&self, order: Order, name: &str) -> Result<usize, NotFound> {
        self.position(order, name).ok_or_else(|| self.seen_by(order).not_found(name))
    }

    /// The broken files that a name passes over.
    pub(super) fn passed_over(&self, order: Order, name: &str) -> Vec<String> {
        self.seen_by(order).passed_over(name)
    }

    fn seen_by(&self, order: Order) -> &Library {
        if order == Order::Reactive { &self.reactive } else { &self.library }
    }

    fn position(&self, order: Order, name: &str) -> Option<usize> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (order, name.to_owned());
        if let Some(known) = names.get(&key) {
            return *known;
        }
        let seen = self.seen_by(order);
        let reading = seen.position(name).map(|found| Arc::as_ptr(&seen.definitions[found].reading).addr());
        let found = reading.and_then(|reading| self.positions.get(&reading).copied());
        names.insert(key, found);
        found
    }

    fn called(&self, position: usize) -> impl Iterator<Item = usize> {
        let reading = &self.definition(position).reading;
        let order = if reading.calls.is_empty() { Order::Plain } else { reading.order() };
        reading.calls.iter().filter_map(move |name| self.position(order, name))
    }

    fn name(&self, position: usize) -> String {
        self.definition(position).name.clone()
    }

    /// The shortest way from a workflow that someone calls back to the one who calls it, named from them to themselves.
    pub(super) fn way_back(&self, start: usize, caller: &str) -> Option<Vec<String>> {
        let mut from: HashMap<usize, Option<usize>> = HashMap::from([(start, None)]);
        let mut queue = VecDeque::from([start]);
        while let Some(position) = queue.pop_front() {
            if self.definition(position).name == caller {
                let back = std::iter::successors(Some(position), |position| from[position]);
                let mut names: Vec<String> = back.map(|position| self.name(position)).collect();
                names.push(caller.to_owned());
                names.reverse();
                return Some(names);
            }
            for next in self.called(position) {
                from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    Some(position)
                });
            }
        }
        None
    }

    /// A circle of workflows that call each other, somewhere below a position, named whole.
    pub(super) fn circle_below(&self, start: usize) -> Option<Vec<String>> {
        let (mut done, mut inside) = (HashSet::new(), HashSet::from([start]));
        let mut way: Vec<(usize, Vec<usize>)> = vec![(start, self.called(start).collect())];
        while let Some((position, left)) = way.last_mut() {
            let Some(next) = left.pop() else {
                done.insert(*position);
                inside.remove(position);
                way.pop();
                continue;
            };
            if inside.contains(&next) {
                let circle = way.iter().map(|(position, _)| *position).skip_while(|one| *one != next);
                return Some(circle.chain([next]).map(|one| format!("`{}`", self.name(one))).collect());
            }
            if !done.contains(&next) {
                inside.insert(next);
                way.push((next, self.called(next).collect()));
            }
        }
        None
    }

    /// A way down from a position that has more than so many workflows, named as far as it is too long. There must be no
    /// circle below it.
    pub(super) fn deeper_than(&self, start: usize, depth_max: u32) -> Option<Vec<String>> {
        let mut levels: Vec<HashMap<usize, usize>> = vec![HashMap::from([(start, start)])];
        for _ in 0..depth_max {
            let last = levels.last()?;
            let pairs = last.keys().flat_map(|above| self.called(*above).map(|below| (below, *above)));
            let next: HashMap<usize, usize> = pairs.collect();
            if next.is_empty() {
                return None;
            }
            levels.push(next);
        }
        let mut position = levels.last()?.keys().min().copied()?;
        let mut way = Vec::new();
        for level in levels.iter().rev() {
            way.push(self.name(position));
            position = level[&position];
        }
        way.reverse();
        Some(way)
    }
}
