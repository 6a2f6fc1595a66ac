//! What the items of a block gave: rows, where something reads them later, and one list of them at the end.

use super::each::EachLife;
use crate::flow::rows::{ROW_BYTES_MAX, Row};
use crate::plan::Access;
use crate::run::life::{FlowLife, flow_of};
use crate::run::{Gather, Key, Moment, Stop};
use crate::{Data, Failure, Fields, News};

impl Moment<'_> {
    pub(in crate::flow) fn read_each(&self, block: u32) -> &EachLife {
        match &self.life.flow {
            FlowLife::Graph(graph) => graph.each.get(&block).expect("BUG: an item of a block without items"),
            _ => unreachable!("BUG: items without a graph"),
        }
    }

    /// Whether something reads what the items gave.
    pub(super) fn keeps_rows(&self, block: u32) -> bool {
        let keeps = &self.plan.steps[block as usize].keeps;
        keeps.contains("outputs") || keeps.contains("outputs.results")
    }

    pub(in crate::flow) fn row_of_block(&self, block: u32, row: &Row) -> Result<Data, Stop> {
        let item = self.item(&self.read_each(block).items, row.item)?;
        let mut gather = Gather::default();
        gather.sign(&format!("{{\"index\":{},\"item\":", row.item));
        gather.put(&item);
        gather.sign(&format!(",\"succeeded\":{},\"outputs\":{{", row.failure.is_none()));
        gather.join(&row.outputs, |gather, (name, data)| {
            gather.say(name);
            gather.sign(":");
            gather.put(data);
        });
        gather.sign("},\"error\":");
        gather.say(&row.failure.as_ref().map(|failure| &failure.message));
        gather.sign("}");
        self.scope(&Access::All).gathered(gather, ROW_BYTES_MAX)
    }

    /// All items have ended: so has the block, and gives what there is to give.
    pub(super) fn each_over(&mut self, block: u32) -> Result<(), Stop> {
        let id = &self.plan.steps[block as usize].id;
        let each = self.read_each(block);
        let numbers = [("count", each.count), ("failed_count", each.failed)];
        let mut outputs: Fields = numbers
            .into_iter()
            .map(|(name, number)| (name.to_owned(), Data::Inline(number.into())))
            .collect();
        let mut failure = each.failure(id);
        if self.keeps_rows(block) && each.rows.lost.is_none() {
            let (scope, inline_bytes_max) = (self.scope(&Access::All), self.plan.limits.inline_bytes_max);
            match each.rows.all(scope, each.count, inline_bytes_max) {
                Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
                Err(Stop::Fail(lost)) => {
                    let message = format!("what its items gave cannot be put together: {}", lost.message);
                    failure = Some(Failure::new(lost.kind, message));
                }
                Ok(results) => drop(outputs.insert("results".to_owned(), results)),
            }
        }
        let (_, graph) = flow_of!(self, Graph);
        let each = graph.each.remove(&block).expect("BUG: a block without items");
        self.let_go(each.weight());
        let failure = failure.or_else(|| self.without_room(block, &outputs));
        let (key, since) = (Key::of_block(id), each.since);
        let told =
            News::Ended { key, step: block, failure: failure.clone(), outputs: outputs.clone(), since };
        self.news(told);
        self.block_ended(block, failure, outputs, since);
        Ok(())
    }
}
