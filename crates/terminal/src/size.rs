//! The size of a terminal, always within what a screen can bear.

/// A wide character needs two columns; with one the screen would wrap it for ever.
const COLUMNS_MIN: u16 = 2;
const COLUMNS_MAX: u16 = 500;
const ROWS_MIN: u16 = 1;
const ROWS_MAX: u16 = 200;

/// Columns and rows of a terminal, from 2 by 1 to 500 by 200.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    columns: u16,
    rows: u16,
}

impl Size {
    /// Makes the nearest size that a screen can bear; whoever must tell its caller compares what came out.
    pub fn clamped(columns: u16, rows: u16) -> Size {
        Size { columns: columns.clamp(COLUMNS_MIN, COLUMNS_MAX), rows: rows.clamp(ROWS_MIN, ROWS_MAX) }
    }

    /// Tells how many columns there are.
    pub fn columns(self) -> u16 {
        self.columns
    }

    /// Tells how many rows there are.
    pub fn rows(self) -> u16 {
        self.rows
    }
}

impl Default for Size {
    fn default() -> Size {
        Size { columns: 120, rows: 40 }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}x{}", self.columns, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_no_screen_bears_become_the_nearest_that_one_does() {
        let shown = |columns, rows| Size::clamped(columns, rows).to_string();
        assert_eq!(shown(80, 24), "80x24");
        assert_eq!(shown(0, 0), "2x1");
        assert_eq!(shown(1, 1), "2x1");
        assert_eq!(shown(u16::MAX, u16::MAX), "500x200");
    }
}
