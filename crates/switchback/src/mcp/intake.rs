//! Bytes of a client become lines. Of one that is longer than any may be, nothing is kept but its id and how long it is: it may
//! never end.
//!
//! ```text
//!  bytes ── line ── too long: forget it ── look only for the id ── line break ── refused, once
//!             └── line break ── the line
//! ```

use super::line::{LINE_BYTES_MAX, PARTS_MAX, Refused};
use serde_json::value::RawValue;
use std::io::{self, BufRead};
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// What may stand around a message: marks and blanks.
const AROUND_BYTES_MAX: usize = 64;

/// The longest id that is looked for; no client needs so many.
const ID_BYTES_MAX: usize = 256;

/// A line, or why it is none.
pub(crate) type Came = Result<Vec<u8>, Refused>;

/// What has come of the next line. Reading may be given up and taken up again at any byte.
#[derive(Default)]
pub(crate) struct Intake {
    line: Vec<u8>,
    long: Option<Long>,
}

impl Intake {
    /// The next line; nothing once all has been said.
    pub(crate) fn next(&mut self, input: &mut impl BufRead) -> io::Result<Option<Came>> {
        loop {
            let bytes = match input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let (used, is_whole) = self.take(bytes);
            input.consume(used);
            if is_whole || used == 0 {
                return Ok(self.came(is_whole));
            }
        }
    }

    /// The same, without holding a thread.
    pub(crate) async fn receive(
        &mut self,
        input: &mut (impl AsyncBufRead + Unpin),
    ) -> io::Result<Option<Came>> {
        loop {
            let (used, is_whole) = self.take(input.fill_buf().await?);
            input.consume(used);
            if is_whole || used == 0 {
                return Ok(self.came(is_whole));
            }
        }
    }

    /// Takes bytes up to a line break: how many, and whether the line is whole.
    fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        match &mut self.long {
            Some(long) => long.take(part),
            None if self.line.len() + part.len() <= LINE_BYTES_MAX + AROUND_BYTES_MAX => {
                self.line.extend_from_slice(part);
            }
            None => {
                let mut long = Long::default();
                long.take(&std::mem::take(&mut self.line));
                long.take(part);
                self.long = Some(long);
            }
        }
        (part.len() + usize::from(end.is_some()), end.is_some())
    }

    /// What has come; at the end of all, only if there is something.
    fn came(&mut self, is_whole: bool) -> Option<Came> {
        let line = std::mem::take(&mut self.line);
        match self.long.take() {
            Some(long) => Some(Err(Refused::too_long(long.id(), long.length))),
            None if is_dense(&line) => Some(Err(Refused::too_dense(id_of(&line)))),
            None => (is_whole || !line.is_empty()).then_some(Ok(line)),
        }
    }
}

/// Whether a line has more lists and maps than any may have.
fn is_dense(line: &[u8]) -> bool {
    // Each takes two bytes at least.
    if line.len() <= 2 * PARTS_MAX {
        return false;
    }
    let (mut count, mut is_text, mut is_escaped) = (0, false, false);
    for byte in line {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => count += 1,
            _ => {}
        }
    }
    count > PARTS_MAX
}

/// The id at the top of a line that cannot be read, as it was written there.
pub(super) fn id_of(line: &[u8]) -> String {
    let mut long = Long::default();
    long.take(line);
    long.id()
}

/// A line that is too long: where in it the next byte stands, and what was found.
#[derive(Default)]
struct Long {
    length: usize,
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    /// What is read at the top of the message: a key, or what follows one.
    word: Vec<u8>,
    is_id: bool,
    id: Vec<u8>,
    /// Whether the message has ended: what stands behind it is none of it.
    is_over: bool,
}

impl Long {
    fn take(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    fn byte(&mut self, byte: u8) {
        if self.is_over {
            return;
        }
        let is_top = self.depth == 1;
        if self.is_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_text = false,
                _ => {}
            }
            return self.keep(byte, is_top);
        }
        match byte {
            b'"' => self.is_text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_over = self.depth == 0;
            }
            _ => {}
        }
        match byte {
            b':' if is_top => {
                self.is_id = self.word.trim_ascii() == br#""id""#;
                self.word.clear();
            }
            b',' | b'}' if is_top => {
                if std::mem::take(&mut self.is_id) {
                    self.id = std::mem::take(&mut self.word);
                }
                self.word.clear();
            }
            b'{' if self.depth == 1 => self.word.clear(),
            _ => self.keep(byte, is_top),
        }
    }

    fn keep(&mut self, byte: u8, is_top: bool) {
        if is_top && self.word.len() < ID_BYTES_MAX {
            self.word.push(byte);
        }
    }

    /// The id as it was written, if a whole one was found.
    fn id(&self) -> String {
        let id: Option<&RawValue> = serde_json::from_slice(&self.id).ok();
        id.map_or_else(|| "null".to_owned(), |id| id.get().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::io::{BufReader, Cursor, Read};

    fn lines(text: &[u8], piece: usize) -> Vec<Came> {
        let (mut intake, mut input) = (Intake::default(), BufReader::with_capacity(piece, Cursor::new(text)));
        std::iter::from_fn(|| intake.next(&mut input).unwrap()).collect()
    }

    fn id(message: &str) -> Value {
        let mut long = Long::default();
        long.take(message.as_bytes());
        assert_eq!(long.length, message.len());
        serde_json::from_str(&long.id()).unwrap()
    }

    #[test]
    fn lines_come_whole_whatever_the_pieces() {
        for piece in [1, 2, 3, 100] {
            let came: Vec<Vec<u8>> =
                lines(b"one\n\ntwo\r\nlast", piece).into_iter().map(Result::unwrap).collect();
            assert_eq!(came, [&b"one"[..], b"", b"two\r", b"last"], "{piece}");
        }
        assert!(lines(b"", 8).is_empty());
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let long = 4 * LINE_BYTES_MAX as u64;
        let input = io::repeat(b'x').take(long).chain(&b"\nnext\n"[..]);
        let (mut intake, mut input) = (Intake::default(), BufReader::new(input));
        let mut most = 0;
        loop {
            let bytes = input.fill_buf().unwrap();
            let (used, is_whole) = intake.take(bytes);
            input.consume(used);
            most = most.max(intake.line.len() + intake.long.as_ref().map_or(0, |long| long.word.len()));
            if is_whole {
                break;
            }
        }
        assert!(most <= LINE_BYTES_MAX + AROUND_BYTES_MAX, "{most}");
        assert!(intake.line.capacity() == 0, "what was kept is given back");
        let refused = intake.came(true).unwrap().unwrap_err();
        assert_eq!(refused, Refused::too_long("null".to_owned(), 4 * LINE_BYTES_MAX));
        assert_eq!(intake.next(&mut input).unwrap(), Some(Ok(b"next".to_vec())));
        assert_eq!(intake.next(&mut input).unwrap(), None);
    }

    #[test]
    fn the_bound_has_an_edge() {
        let most = LINE_BYTES_MAX + AROUND_BYTES_MAX;
        assert_eq!(lines(&vec![b'x'; most], 1 << 16)[0].as_ref().unwrap().len(), most);
        let refused = lines(&vec![b'x'; most + 1], 1 << 16);
        assert_eq!(refused, [Err(Refused::too_long("null".to_owned(), most + 1))]);
    }

    #[test]
    fn a_line_has_so_many_parts_and_no_more() {
        let line = |parts: usize| {
            let inside = vec!["{}"; parts - 2].join(",");
            format!(r#"{{"id":7,"text":"[\"[{{","params":[{inside}]}}"#)
        };
        assert!(lines(line(PARTS_MAX).as_bytes(), 1 << 16)[0].is_ok());
        let refused = lines(line(PARTS_MAX + 1).as_bytes(), 1 << 16);
        assert_eq!(refused, [Err(Refused::too_dense("7".to_owned()))]);
    }

    #[test]
    fn the_id_of_a_long_line_is_found_wherever_it_stands() {
        // Two on one line: it is that of the first.
        assert_eq!(id(r#"{"id":"aa","method":"ping"}{"id":"bb","method":"ping"}"#), "aa");
        for (message, found) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#, json!(7)),
            (r#" { "params" : {"id":1,"a":["{",{"id":2}]}, "id" : "a,\"}b" } "#, json!("a,\"}b")),
            (r#"{"params":{"a":"\\"},"id":-3}"#, json!(-3)),
            (r#"{"id":null,"params":{}}"#, Value::Null),
            (r#"{"params":{"id":1}}"#, Value::Null),
            (r#"{"a":"id","b":"\"id\":4"}"#, Value::Null),
            (r#"[{"id":1}]"#, Value::Null),
            (r#"{"id":5"#, Value::Null),
            ("xxxx", Value::Null),
        ] {
            assert_eq!(id(message), found, "{message}");
        }
        let many = "9".repeat(ID_BYTES_MAX + 1);
        assert_eq!(id(&format!(r#"{{"id":"{many}"}}"#)), Value::Null);
    }
}
