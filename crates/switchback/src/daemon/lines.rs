//! Lines on a stream: read to their end, written in one piece.

use super::talk::Line;
use std::io::{self, BufRead, Write};

/// The lines that are there to their end: of one that was cut off nobody may see a part.
pub(super) fn whole_lines(mut from: impl BufRead) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line).ok()?;
        (line.pop() == Some(b'\n')).then_some(line)
    })
}

/// In one piece: whoever reads would wake for each.
pub(super) fn write_line(mut out: impl Write, line: &Line) -> io::Result<()> {
    let mut whole = Vec::with_capacity(line.len() + 1);
    whole.extend_from_slice(line);
    whole.push(b'\n');
    out.write_all(&whole)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::whole_lines;

    #[test]
    fn what_was_cut_off_is_no_line() {
        let all = |text: &'static str| whole_lines(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(all("one\n\ntwo\nthr"), [&b"one"[..], b"", b"two"]);
        assert_eq!(all("thr"), Vec::<Vec<u8>>::new());
    }
}
