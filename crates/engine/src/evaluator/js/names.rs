//! Names that come again and again: objects of a list mostly have the same ones, in the same order. What was made of a name
//! is found by looking at what followed the name before it the last time.

/// Most names that are kept; a value with more of them is no list of like objects.
const MOST: usize = 64;

/// Names, each with what was made of it.
#[derive(Debug)]
pub(super) struct Names<N, M> {
    known: Vec<Known<N, M>>,
    /// The name that was found last.
    last: usize,
}

#[derive(Debug)]
struct Known<N, M> {
    name: N,
    made: M,
    /// What followed it the last time.
    then: usize,
}

impl<N, M> Default for Names<N, M> {
    fn default() -> Self {
        Names { known: Vec::new(), last: 0 }
    }
}

impl<N, M: Clone> Names<N, M> {
    /// What was made of a name.
    pub(super) fn find(&mut self, is_it: impl Fn(&N) -> bool) -> Option<M> {
        let guess = self.known.get(self.last)?.then;
        let found = match self.known.get(guess) {
            Some(known) if is_it(&known.name) => guess,
            _ => self.known.iter().position(|known| is_it(&known.name))?,
        };
        self.goes_on(found);
        Some(self.known[found].made.clone())
    }

    /// Keeps what was made of a name, if there is room.
    pub(super) fn keep(&mut self, name: N, made: M) {
        let new = self.known.len();
        if new < MOST {
            self.known.push(Known { name, made, then: 0 });
            self.goes_on(new);
        }
    }

    fn goes_on(&mut self, to: usize) {
        self.known[self.last].then = to;
        self.last = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_wherever_it_comes() {
        let mut names = Names::default();
        for (made, name) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(names.find(|known| *known == name), None);
            names.keep(name, made);
        }
        for (name, made) in [("a", 0), ("b", 1), ("c", 2), ("a", 0), ("c", 2), ("b", 1), ("b", 1), ("a", 0)] {
            assert_eq!(names.find(|known| *known == name), Some(made), "{name}");
        }
    }

    #[test]
    fn what_has_no_room_is_made_again() {
        let mut names = Names::default();
        (0..MOST + 1).for_each(|name| names.keep(name, name));
        assert_eq!(names.find(|known| *known == MOST - 1), Some(MOST - 1));
        assert_eq!(names.find(|known| *known == MOST), None);
    }
}
