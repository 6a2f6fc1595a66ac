//! Strongly connected components, by Tarjan's algorithm without recursion.

/// Returns the components of a graph given by its edges, each after those that its edges lead to. Two blocks
/// are in one component if each can be reached from the other.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        number: vec![UNSEEN; edges.len()],
        low: vec![0; edges.len()],
        next: 0,
        open: Vec::new(),
        found: Vec::new(),
    };
    for block in 0..edges.len() {
        if search.number[block] == UNSEEN {
            search.visit(block);
        }
    }
    search.found
}

const UNSEEN: usize = usize::MAX;
/// The number of a block whose component is complete: greater than every other.
const DONE: usize = usize::MAX - 1;

struct Search<'e> {
    edges: &'e [Vec<usize>],
    number: Vec<usize>,
    /// The smallest number that can be reached.
    low: Vec<usize>,
    next: usize,
    /// Blocks whose component is not complete.
    open: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, start: usize) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((block, edge)) = path.last_mut() {
            let block = *block;
            let Some(to) = self.edges[block].get(*edge).copied() else {
                path.pop();
                self.leave(block);
                if let Some((before, _)) = path.last() {
                    self.low[*before] = self.low[*before].min(self.low[block]);
                }
                continue;
            };
            *edge += 1;
            match self.number[to] {
                UNSEEN => {
                    self.enter(to);
                    path.push((to, 0));
                }
                DONE => {}
                number => self.low[block] = self.low[block].min(number),
            }
        }
    }

    fn enter(&mut self, block: usize) {
        (self.number[block], self.low[block]) = (self.next, self.next);
        self.next += 1;
        self.open.push(block);
    }

    /// Completes the component that began with this block, if one did.
    fn leave(&mut self, block: usize) {
        if self.low[block] != self.number[block] {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == block).unwrap_or_default();
        let members = self.open.split_off(start);
        for member in &members {
            self.number[*member] = DONE;
            self.low[*member] = DONE;
        }
        self.found.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let mut all = components(edges);
        all.iter_mut().for_each(|component| component.sort_unstable());
        all
    }

    #[test]
    fn components_come_after_what_they_lead_to() {
        assert_eq!(sorted(&[vec![1], vec![2], vec![]]), [[2], [1], [0]]);
        assert_eq!(sorted(&[vec![1], vec![2], vec![0], vec![1]]), vec![vec![0, 1, 2], vec![3]]);
        assert_eq!(
            sorted(&[vec![1], vec![0], vec![3, 0], vec![2], vec![]]),
            vec![vec![0, 1], vec![2, 3], vec![4]]
        );
        assert!(components(&[]).is_empty());
    }

    #[test]
    fn a_long_chain_and_a_long_circle_need_no_stack() {
        let chain: Vec<Vec<usize>> =
            (0..100_000).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
        assert_eq!(components(&chain).len(), 100_000);
        let circle: Vec<Vec<usize>> = (0..100_000).map(|at| vec![(at + 1) % 100_000]).collect();
        assert_eq!(components(&circle).len(), 1);
    }
}
