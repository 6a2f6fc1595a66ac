//! Graphs: blocks that wait for earlier ones.

use super::Maker;
use kernel::plan::{Dialect, Each, Expr, Flow, Graph};
use serde_json::json;

impl Maker<'_> {
    pub(super) fn graph(&mut self) {
        self.plan.dialect = Dialect::Blocks;
        let count = self.random.between(2, 7);
        let mut blocks: Vec<(String, Vec<u32>, Option<Expr>)> = Vec::new();
        let mut items: Vec<Option<Each>> = Vec::new();
        for position in 0..count {
            let depends_on: Vec<u32> =
                (0..u32::try_from(position).unwrap_or(0)).filter(|_| self.random.percent(35)).collect();
            let condition = self.random.percent(30).then(|| self.condition());
            let each = self.random.percent(30).then(|| self.each());
            let step = if each.is_some() { self.step_for_items() } else { self.step() };
            let id = self.plan.steps[step as usize].id.clone();
            let of_items =
                ["outputs.results", "outputs.results[0].outputs.n", "outputs.count", "outputs.failed_count"];
            let plain = ["outputs.n", "outputs.text", "metadata.succeeded", "metadata.status", "outputs"];
            let fields = if each.is_some() { &of_items[..] } else { &plain[..] };
            self.readable.extend(fields.iter().map(|field| format!("blocks.{id}.{field}")));
            blocks.push((id, depends_on, condition));
            items.push(each);
        }
        let width_max = u32::try_from(self.random.between(1, 4)).unwrap_or(1);
        let mut graph = Graph::new(blocks, width_max);
        graph.blocks.iter_mut().for_each(|block| block.watched = self.random.percent(40));
        graph.blocks.iter_mut().zip(items).for_each(|(block, each)| block.for_each = each);
        self.plan.flow = Flow::Graph(graph);
    }

    /// A few items, now and then so many that their rows become one piece, and now and then what is no list.
    fn each(&mut self) -> Each {
        let items = match self.random.below(30) {
            0 => Expr::Const(json!((0..66).collect::<Vec<_>>())),
            1 => self.value(),
            2..=6 => Expr::Const(json!([])),
            7..=12 => self.foreign("items"),
            13..=16 => self.reference_to("inputs.items"),
            _ => Expr::Const(self.list()),
        };
        let width_max = self.random.weighted(&[(2, None), (2, Some(1)), (2, Some(2)), (1, Some(9))]);
        Each { items, width_max }
    }

    /// A step that may read the item it is done for.
    fn step_for_items(&mut self) -> u32 {
        let known = self.readable.len();
        self.readable.extend(["each.item", "each.index"].map(str::to_owned));
        let step = self.step();
        self.readable.truncate(known);
        if self.random.percent(60) {
            self.plan.steps[step as usize].keeps.insert("outputs.results".to_owned());
        }
        step
    }
}
