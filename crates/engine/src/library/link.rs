//! Links definitions to the workflows that they call by constant names. A definition is read by itself first, and says
//! whom it calls; only one that calls someone is read again, with what is known of those, and only when it is wanted.
//!
//! ```text
//!  reading (calls: deploy) ── who is `deploy`? ── absent, broken, a circle, too deep ── a mistake at the call
//!                                              └─ found ── linked itself ── pinned by digest
//! ```
//! What came of it is kept for as long as no file says anything else.

use super::definition::{Definition, Reading, read_linked};
use super::find::Library;
use super::graph::Calls;
use super::order::Order;
use dialects::known::{Callee, Import, Known};
use dialects::text::Lines;
use kernel::{Digest, Limits, Plan};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// How many workflows one may call, all those below it and the tasks of these included.
pub const CALLED_MAX: usize = 256;

/// All that can be called, and what came of linking some of it.
#[derive(Debug)]
pub(super) struct Links {
    calls: Calls,
    /// By the reading it came from, which is kept here as well and so has its place to itself.
    linked: Mutex<HashMap<usize, Arc<Linked>>>,
}

/// A definition that was linked.
#[derive(Debug)]
struct Linked {
    reading: Arc<Reading>,
    plan: Option<(Arc<Plan>, Digest)>,
}

impl Links {
    /// Links what is in a library, as it was assembled for the tools of `blocks` and for those of `reactive`.
    pub(super) fn new(library: Library, reactive: Library) -> Self {
        Links { calls: Calls::new(library, reactive), linked: Mutex::default() }
    }

    /// What came of linking a definition of the library.
    pub(super) fn link(&self, reading: &Arc<Reading>) -> Arc<Reading> {
        Arc::clone(&self.linked(reading).reading)
    }

    /// Links any reading that calls someone.
    pub(super) fn read(&self, reading: &Reading) -> Reading {
        // One that has no plan is told all that is wrong with it, its calls included; it has no name to be called by.
        let name = reading.plan.as_ref().map_or("", |plan| &plan.name);
        let caller =
            Caller { links: self, name, reading, order: reading.order(), pinned: RefCell::default() };
        let mut linked = read_linked(reading.source.clone(), &caller, reading.options);
        if linked.plan.is_some() {
            linked.pinned.extend(caller.pinned.into_inner().into_values());
        }
        Reading { calls: reading.calls.clone(), imports: reading.imports.clone(), ..linked }
    }

    /// The broken files that a call of this name passes over.
    pub(super) fn passed_over(&self, order: Order, name: &str) -> Vec<String> {
        self.calls.passed_over(order, name)
    }

    fn linked(&self, reading: &Arc<Reading>) -> Arc<Linked> {
        let key = Arc::as_ptr(reading).addr();
        let known = || self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(linked) = known().get(&key) {
            return Arc::clone(linked);
        }
        let read = match reading.calls.is_empty() {
            true => Arc::clone(reading),
            false => Arc::new(self.read(reading)),
        };
        let plan = read.plan.as_ref().map(|plan| (Arc::clone(plan), plan.digest()));
        let linked = Arc::new(Linked { reading: read, plan });
        Arc::clone(known().entry(key).or_insert(linked))
    }
}

/// A definition that is being linked.
struct Caller<'l> {
    links: &'l Links,
    name: &'l str,
    reading: &'l Reading,
    /// How its calls are looked up.
    order: Order,
    /// The plans of all that it calls, and of all that those call.
    pinned: RefCell<BTreeMap<Digest, Arc<Plan>>>,
}

impl Known for Caller<'_> {
    fn workflow(&self, name: &str) -> Callee {
        let calls = &self.links.calls;
        let position = match calls.find(self.order, name) {
            Ok(position) => position,
            Err(missing) => return Callee::Absent { near: missing.near },
        };
        if let Some(names) = calls.way_back(position, self.name) {
            return Callee::Circle { names };
        }
        if let Some(circle) = calls.circle_below(position) {
            let why = format!("workflows call each other in a circle: {}", circle.join(" -> "));
            return Callee::Broken { why };
        }
        let depth_max = Limits::default().depth_max;
        if let Some(names) = calls.deeper_than(position, depth_max) {
            let names = std::iter::once(self.name.to_owned()).chain(names).collect();
            return Callee::TooDeep { names, depth_max };
        }
        self.pin(calls.definition(position), calls.passed_over(self.order, name))
    }

    fn import(&self, from: Option<&str>, path: &str) -> Import {
        self.reading.imports.get(from, path)
    }
}

impl Caller<'_> {
    fn pin(&self, definition: &Definition, passed_over: Vec<String>) -> Callee {
        let linked = self.links.linked(&definition.reading);
        let Some((plan, digest)) = &linked.plan else {
            return Callee::Broken { why: first_error(&linked.reading) };
        };
        let mut pinned = self.pinned.borrow_mut();
        pinned.insert(*digest, Arc::clone(plan));
        let below = linked.reading.pinned.iter();
        pinned.extend(below.map(|plan| (plan.digest(), Arc::clone(plan))));
        if pinned.len() > CALLED_MAX {
            return Callee::TooMany { count_max: CALLED_MAX };
        }
        Callee::Found { plan: Arc::clone(plan), digest: *digest, passed_over }
    }
}

/// The first thing that is wrong with a definition, and where.
fn first_error(reading: &Reading) -> String {
    let Some(error) = reading.first_error() else { return "it has no plan".to_owned() };
    let place = Lines::new(&reading.source.text).position(error.span.start);
    format!("{} ({}, line {})", error.message, reading.source.name, place.line)
}
