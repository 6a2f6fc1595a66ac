//! Who uses which task, and how: tasks that nobody uses, that use each other in a circle, or too deep.

use super::reader::{At, Reader};
use crate::text::Node;
use kernel::Limits;
use std::collections::BTreeSet;

/// How deep tasks may use tasks: as deep as runs may call runs.
pub const DEPTH_MAX: u32 = 5;

/// The plans that may be made of tasks: one for each task and each agent that it is given to.
pub const TASK_PLANS_MAX: usize = 256;

/// A task that a step uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use<'n> {
    /// The step.
    pub(super) at: At,
    /// The unit of the task.
    pub(super) task: usize,
    /// Who it is given to.
    pub(super) agent: Option<&'n str>,
    /// Where the task is named.
    pub(super) node: &'n Node,
}

impl<'n> Reader<'_, 'n> {
    /// Reports circles of tasks, ways that are too deep, and tasks that nobody uses.
    pub(super) fn report_uses(&mut self) {
        debug_assert_eq!(Limits::default().depth_max, DEPTH_MAX);
        if self.report_circle() {
            return;
        }
        self.report_depth();
        if self.mistakes.errors() > 0 {
            // A step that cannot be read may be the one that uses it.
            return;
        }
        let used: BTreeSet<usize> = self.uses.iter().map(|used| used.task).collect();
        for (name, place) in (1..self.world.units.len())
            .filter(|unit| !used.contains(unit))
            .filter_map(|unit| self.world.units[unit].task)
        {
            self.mistakes.warn(|sheet| {
                let message = format!("nothing uses the task `{name}`");
                let diagnostic = sheet.warning("unused-task", place, message);
                diagnostic.hint(format!("take it away, or use it: `{{type: foreach, task: {name}, ...}}`"))
            });
        }
    }

    fn used_by(&self, unit: usize) -> Vec<Use<'n>> {
        self.uses.iter().filter(|used| used.at.unit == unit).copied().collect()
    }

    /// Reports the first circle; whether there is one.
    fn report_circle(&mut self) -> bool {
        let (mut done, mut way): (BTreeSet<usize>, Vec<(usize, Vec<Use<'n>>)>) =
            (BTreeSet::new(), Vec::new());
        for start in 0..self.world.units.len() {
            if !done.contains(&start) {
                way.push((start, self.used_by(start)));
            }
            while let Some((unit, left)) = way.last_mut() {
                let Some(next) = left.pop() else {
                    done.insert(*unit);
                    way.pop();
                    continue;
                };
                if let Some(from) = way.iter().position(|(unit, _)| *unit == next.task) {
                    let circle: Vec<usize> =
                        way[from..].iter().map(|(unit, _)| *unit).chain([next.task]).collect();
                    self.circle(&circle, next.node);
                    return true;
                }
                if !done.contains(&next.task) {
                    way.push((next.task, self.used_by(next.task)));
                }
            }
        }
        false
    }

    fn circle(&mut self, units: &[usize], node: &Node) {
        let names = self.named(units);
        self.mistakes.error(|sheet| {
            let message = format!("tasks use each other in a circle: {names}");
            sheet.error("task-cycle", node.place(), message).hint("let one of them do without the next")
        });
    }

    fn named(&self, units: &[usize]) -> String {
        let name = |unit: &usize| self.world.units[*unit].task.map_or("", |(name, _)| name);
        let names: Vec<String> =
            units.iter().map(name).filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
        names.join(" -> ")
    }

    /// Reports the first way down that is too deep, at the use that makes it so.
    fn report_depth(&mut self) {
        // There are no circles: the units at each level, each with one way to it.
        let mut level: Vec<Vec<usize>> = vec![vec![0]];
        for depth in 0..=DEPTH_MAX {
            let (mut next, mut seen): (Vec<Vec<usize>>, BTreeSet<usize>) = (Vec::new(), BTreeSet::new());
            for way in &level {
                let unit = way.last().copied().unwrap_or_default();
                for used in self.used_by(unit).into_iter().filter(|used| seen.insert(used.task)) {
                    let way: Vec<usize> = way.iter().copied().chain([used.task]).collect();
                    if depth == DEPTH_MAX {
                        let names = self.named(&way);
                        self.mistakes.error(|sheet| {
                            let message = format!("tasks use tasks more than {DEPTH_MAX} deep: {names}");
                            sheet
                                .error("too-deep", used.node.place(), message)
                                .hint("let one task do what two do now")
                        });
                        return;
                    }
                    next.push(way);
                }
            }
            level = next;
        }
    }
}
