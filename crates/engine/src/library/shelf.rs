//! The shelf: definitions kept warm. Every call looks whether something changed, reads what did, and nothing else.
//!
//! ```text
//!  library(order) ── stock as last seen ── everything current? ── yes ── the library made of it before
//!                                                              └─ no ── look again ── new stock ── library
//! ```
//! There is no watcher and no restart. The lock is held to take or put the stock, never while files are looked at:
//! two callers at once may both read a changed file, and each gets what it saw itself.

use super::built_in;
use super::definition::{Definition, Reading};
use super::find::Library;
use super::link::Links;
use super::name::{NotFound, check_name};
use super::order::Order;
use super::place::{Place, Surroundings};
use super::walk::Walk;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// All definitions of some surroundings, shared by everyone who asks there.
#[derive(Debug)]
pub struct Shelf {
    around: Surroundings,
    /// Every folder, once.
    folders: Vec<PathBuf>,
    /// The places in each order.
    places: [Vec<Place>; Order::ALL.len()],
    stock: Mutex<Arc<Stock>>,
}

/// What was seen at one moment.
#[derive(Debug)]
struct Stock {
    /// One for each folder.
    walks: Vec<Arc<Walk>>,
    /// What was made of it; kept for as long as the files say the same.
    made: Arc<Made>,
}

/// What is made of the files when someone wants it.
#[derive(Debug, Default)]
struct Made {
    /// One library for each order.
    libraries: [OnceLock<Arc<Library>>; Order::ALL.len()],
    links: OnceLock<Arc<Links>>,
}

impl Shelf {
    /// A shelf that has not looked yet.
    pub fn new(around: Surroundings) -> Self {
        let places = Order::ALL.map(|order| around.places(order));
        let folders: Vec<PathBuf> = places[0].iter().filter_map(|place| place.folder.clone()).collect();
        let walks = folders.iter().map(|_| Arc::default()).collect();
        let stock = Mutex::new(Arc::new(Stock { walks, made: Arc::default() }));
        Shelf { around, folders, places, stock }
    }

    /// The surroundings it was made for.
    pub fn surroundings(&self) -> &Surroundings {
        &self.around
    }

    /// All definitions as they are now, in this order. As long as nothing changes it is the same library.
    pub fn library(&self, order: Order) -> Arc<Library> {
        self.made_of(&self.look(), order)
    }

    /// The same as it was seen last, without a look at any file.
    pub fn last_seen(&self, order: Order) -> Arc<Library> {
        let stock = Arc::clone(&self.lock());
        self.made_of(&stock, order)
    }

    fn made_of(&self, stock: &Stock, order: Order) -> Arc<Library> {
        let library = stock.made.libraries[order as usize].get_or_init(|| {
            let mut library = self.assemble(stock, order);
            library.links = Some(self.links(stock));
            Arc::new(library)
        });
        Arc::clone(library)
    }

    /// Links a definition that lies elsewhere to what it calls here. Nothing is looked at if it calls nobody.
    pub fn link(&self, reading: Reading) -> Reading {
        match reading.calls.is_empty() {
            true => reading,
            false => self.links(&self.look()).read(&reading),
        }
    }

    /// What is called by name is found in the order of the tools of `blocks`, but what `reactive` calls in that of its own.
    fn links(&self, stock: &Stock) -> Arc<Links> {
        let seen_by = |order| self.assemble(stock, order);
        let links = || Arc::new(Links::new(seen_by(Order::Blocks), seen_by(Order::Reactive)));
        Arc::clone(stock.made.links.get_or_init(links))
    }

    /// The definition that a name means in this order. Nothing is looked at for what can be no name.
    pub fn find(&self, order: Order, name: &str) -> Result<Definition, NotFound> {
        check_name(name)?;
        self.library(order).find(name).cloned()
    }

    fn look(&self) -> Arc<Stock> {
        let before = Arc::clone(&self.lock());
        let walks: Vec<Option<Arc<Walk>>> = before
            .walks
            .iter()
            .zip(&self.folders)
            .map(|(walk, folder)| (!walk.is_current()).then(|| Arc::new(walk.again(folder, &self.around))))
            .collect();
        if walks.iter().all(Option::is_none) {
            return before;
        }
        let pairs = walks.iter().zip(&before.walks);
        let same = pairs.clone().all(|(new, old)| new.as_ref().is_none_or(|new| new.says_the_same(old)));
        let made = if same { Arc::clone(&before.made) } else { Arc::default() };
        let walks = pairs.map(|(new, old)| Arc::clone(new.as_ref().unwrap_or(old))).collect();
        let stock = Arc::new(Stock { walks, made });
        *self.lock() = Arc::clone(&stock);
        stock
    }

    fn assemble(&self, stock: &Stock, order: Order) -> Library {
        let places = &self.places[order as usize];
        let mut library = Library { places: places.clone(), ..Library::default() };
        for place in places {
            let Some(folder) = &place.folder else {
                library.definitions.extend(built_in::definitions(place));
                continue;
            };
            let walk = self.folders.iter().zip(&stock.walks).find(|(known, _)| *known == folder);
            walk.into_iter().for_each(|(_, walk)| library.add(place, walk));
        }
        library.hide(order.dialect());
        library.linked = library.definitions.iter().map(|_| OnceLock::new()).collect();
        library
    }

    #[cfg(test)]
    pub(super) fn is_settled(&self) -> bool {
        self.lock().walks.iter().all(|walk| walk.is_settled())
    }

    #[cfg(test)]
    pub(super) fn has_looked(&self) -> bool {
        self.lock().walks.iter().any(|walk| walk.is_current())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Stock>> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
