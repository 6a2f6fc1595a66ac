//! Columns: a head in capitals, cells padded to the widest, the last one cut where a terminal ends.

use super::lines::paint;
use super::look::{Look, clean, cut};

/// The least that is left of the last column.
const LAST_CHARS_MIN: usize = 24;

/// Lays rows out under a head. Words for a status get their colour.
pub(crate) fn table(look: Look, head: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(longest).collect();
    let before: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    let last = look.width.saturating_sub(before + 1).max(LAST_CHARS_MIN);
    let line = |cells: &[String], status: bool| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let is_last = column + 1 == head.len();
            let cell = if is_last && look.live { cut(cell, last) } else { cell.clone() };
            let padded = if is_last { cell.clone() } else { format!("{cell:<width$}") };
            if status && head[column] == "STATUS" { paint(look, &cell, &padded) } else { padded }
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let title: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let mut text = line(&title, false);
    rows.iter().for_each(|row| text.push_str(&line(row, true)));
    text
}

fn one_line(cell: &str) -> String {
    clean(&cell.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_under_their_heads() {
        let rows = [vec!["mossy-otter-41".to_owned(), "waiting".to_owned(), "two\nlines".to_owned()]];
        let text = table(Look::PLAIN, &["RUN", "STATUS", "WHAT"], &rows);
        assert_eq!(text, "RUN             STATUS   WHAT\nmossy-otter-41  waiting  two lines\n");
    }
}
