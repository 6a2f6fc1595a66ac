//! Graphs: blocks that wait for earlier ones.

use super::Maker;
use kernel::plan::{Dialect, Expr, Flow, Graph};

impl Maker<'_> {
    pub(super) fn graph(&mut self) {
        self.plan.dialect = Dialect::Blocks;
        let count = self.random.between(2, 7);
        let mut blocks: Vec<(String, Vec<u32>, Option<Expr>)> = Vec::new();
        for position in 0..count {
            let depends_on: Vec<u32> =
                (0..u32::try_from(position).unwrap_or(0)).filter(|_| self.random.percent(35)).collect();
            let condition = self.random.percent(30).then(|| self.condition());
            let step = self.step();
            let id = self.plan.steps[step as usize].id.clone();
            for field in ["outputs.n", "outputs.text", "metadata.succeeded", "metadata.status", "outputs"] {
                self.readable.push(format!("blocks.{id}.{field}"));
            }
            blocks.push((id, depends_on, condition));
        }
        let width_max = u32::try_from(self.random.between(1, 4)).unwrap_or(1);
        let mut graph = Graph::new(blocks, width_max);
        graph.blocks.iter_mut().for_each(|block| block.watched = self.random.percent(40));
        self.plan.flow = Flow::Graph(graph);
    }
}
