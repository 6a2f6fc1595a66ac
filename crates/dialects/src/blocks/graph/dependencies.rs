//! The `depends_on` of every block, by position.

use crate::blocks::reader::Reader;
use crate::mistakes::Mistakes;
use crate::shape;
use crate::text::{Node, Span};
use std::collections::BTreeMap;

/// What all blocks wait for.
#[derive(Debug, Default)]
pub(in crate::blocks) struct Dependencies {
    /// For each block the blocks it waits for, in the order written, and where each is written.
    pub(in crate::blocks) known: Vec<Vec<(usize, Span)>>,
    /// For each block those that were probably meant by names that do not exist.
    pub(super) meant: Vec<Vec<usize>>,
    /// Blocks that wait for something that cannot even be guessed.
    pub(super) is_unsure: Vec<bool>,
}

impl Dependencies {
    /// Reads them all.
    pub(in crate::blocks) fn read(reader: &mut Reader<'_, '_>) -> Self {
        let count = reader.world.blocks.len();
        let (known, meant) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut all = Self { known, meant, is_unsure: vec![false; count] };
        for block in 0..count {
            for (name, place) in names(reader, block, &mut all) {
                all.add(reader, block, name, place);
            }
            drop_repeated(&mut reader.mistakes, &mut all.known[block]);
        }
        all
    }

    fn add(&mut self, reader: &mut Reader<'_, '_>, block: usize, name: &str, place: Span) {
        match reader.world.names.get(name).copied() {
            Some(other) if other == block => itself(reader, block, place),
            Some(other) => self.known[block].push((other, place)),
            None => self.unknown(reader, block, name, place),
        }
    }

    fn unknown(&mut self, reader: &mut Reader<'_, '_>, block: usize, name: &str, place: Span) {
        let world = &reader.world;
        let near = (!reader.mistakes.is_full()).then(|| world.near_block(name, Some(block))).flatten();
        match near {
            Some(near) => self.meant[block].push(near),
            None => self.is_unsure[block] = true,
        }
        if near.is_none() && !world.is_complete {
            return;
        }
        reader.mistakes.error(|sheet| {
            let diagnostic = sheet.error("unknown-block", place, format!("no block is called `{name}`"));
            let near = near.map(|near| &world.blocks[near]);
            match near.and_then(|near| Some((near.id?, near.place))) {
                Some((id, place)) => {
                    diagnostic.label(format!("did you mean `{id}` (line {})?", sheet.line(place)))
                }
                None => diagnostic.hint(format!("blocks are {}", shape::listed(world.ids()))),
            }
        });
    }

    /// Returns for each block all that it waits for, what was probably meant included.
    pub(super) fn guessed(&self) -> Vec<Vec<usize>> {
        let known = self.known.iter().map(|list| list.iter().map(|(block, _)| *block));
        known.zip(&self.meant).map(|(known, meant)| known.chain(meant.iter().copied()).collect()).collect()
    }
}

/// The names that a block waits for. A single name is taken for a list of one, and reported.
fn names<'n>(reader: &mut Reader<'_, 'n>, block: usize, all: &mut Dependencies) -> Vec<(&'n str, Span)> {
    const HINT: &str = "write a list of ids: `depends_on: [build]`";
    let Some(node) = reader.world.blocks[block].node.get("depends_on").filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    if node.as_list().is_none() {
        shape::wrong_kind(&mut reader.mistakes, node, "`depends_on`", "a list", HINT);
        all.is_unsure[block] = true;
    }
    node.items().iter().filter_map(|item| name(reader, item).map(|name| (name, item.place()))).collect()
}

fn name<'n>(reader: &mut Reader<'_, 'n>, item: &'n Node) -> Option<&'n str> {
    let name = item.as_text().filter(|_| !item.is_null());
    if name.is_none() {
        shape::wrong_kind(&mut reader.mistakes, item, "a dependency", "the id of a block", "");
    }
    name
}

fn itself(reader: &mut Reader<'_, '_>, block: usize, place: Span) {
    let name = &reader.world.blocks[block].name;
    reader.mistakes.error(|sheet| {
        sheet
            .error("self-dependency", place, format!("{name} waits for itself"))
            .label("it could never begin")
            .hint(format!("take {name} out of its own depends_on"))
    });
}

fn drop_repeated(mistakes: &mut Mistakes<'_>, list: &mut Vec<(usize, Span)>) {
    let mut first: BTreeMap<usize, Span> = BTreeMap::new();
    list.retain(|(block, place)| {
        let Some(before) = first.get(block) else {
            first.insert(*block, *place);
            return true;
        };
        mistakes.warn(|sheet| {
            sheet
                .warning("repeated-dependency", *place, "a dependency is written twice")
                .label("written again")
                .related(*before, "first written here")
        });
        false
    });
}
