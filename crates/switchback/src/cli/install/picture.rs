//! A change as lines: what goes, what comes, and a little of what stands around it.

use crate::cli::look::{Look, clean};

/// How many lines are shown before and behind a change.
const AROUND: usize = 2;

/// What one text has where another has something else. A change of ours is one stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    /// The number of the first line that is shown, from one.
    line: usize,
    before: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) added: Vec<String>,
    behind: Vec<String>,
}

impl Picture {
    /// Compares two texts.
    pub(super) fn of(old: &str, new: &str) -> Picture {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let same = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
        let rest = old.len().min(new.len()) - same;
        let same_end =
            old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let first = same.saturating_sub(AROUND);
        let end = old.len() - same_end;
        Picture {
            line: first + 1,
            before: lines(&old[first..same]),
            removed: lines(&old[same..end]),
            added: lines(&new[same..new.len() - same_end]),
            behind: lines(&old[end..old.len().min(end + AROUND)]),
        }
    }

    /// The lines as people see them.
    pub(super) fn text(&self, look: Look) -> String {
        let mut text = String::new();
        let mut put = |mark: &str, lines: &[String], paint: &dyn Fn(&str) -> String| {
            for line in lines {
                let line = format!("  {mark} {}", clean(line));
                text.push_str(&paint(line.trim_end()));
                text.push('\n');
            }
        };
        if self.line > 1 {
            put(" ", &[format!("... line {}", self.line)], &|line| look.dim(line));
        }
        put(" ", &self.before, &|line| look.dim(line));
        put("-", &self.removed, &|line| look.red(line));
        put("+", &self.added, &|line| look.green(line));
        put(" ", &self.behind, &|line| look.dim(line));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let picture = Picture::of("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nX\nY\ne\nf\ng\n");
        assert_eq!(
            picture.text(Look::PLAIN),
            "    ... line 2\n    b\n    c\n  - d\n  + X\n  + Y\n    e\n    f\n"
        );
        assert_eq!(Picture::of("", "a\n").text(Look::PLAIN), "  + a\n");
        let repeated = Picture::of("{\n}\n}\n", "{\n}\n}\n}\n");
        assert_eq!((repeated.removed.len(), repeated.added.len()), (0, 1));
    }
}
