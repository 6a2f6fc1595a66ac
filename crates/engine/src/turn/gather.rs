//! Values that are put together from pieces: what a run asks for, it gets back as data, by reference if it is large. Only
//! bytes are copied: no value is built from what is stored, and nothing is loaded that would be too much.

use super::Content;
use super::content::{refer, refer_json};
use kernel::data::{DEPTH_MAX, Kind, Levels, Reference, weight};
use kernel::question::Piece;
use kernel::{Answer, Data, Digest, Question};
use serde_json::Value;
use std::borrow::Cow;

/// How deep what is put together may nest: as deep as any other value.
pub const LEVELS_MAX: usize = DEPTH_MAX;

/// Stored content, or why it cannot be read.
pub type Body<'b> = Result<(Kind, Cow<'b, [u8]>), String>;

/// Puts every whole together that is asked for. What is large is answered by reference, and comes along.
pub fn gathered<'b>(question: &Question, load: impl Fn(&Digest) -> Body<'b>) -> (Answer, Vec<Content>) {
    let Question::Gather { wholes, inline_bytes_max, bytes_max } = question else {
        return (Answer::Unanswered("there is nothing to put together".to_owned()), Vec::new());
    };
    let (mut contents, mut left) = (Vec::new(), *bytes_max);
    let answers = wholes.iter().map(|pieces| {
        let json = joined(pieces, left, *bytes_max, &load)?;
        left -= json.len() as u64;
        let (data, content) = settled(json, *inline_bytes_max)?;
        contents.extend(content);
        Ok(data)
    });
    (Answer::Evaluated(answers.collect()), contents)
}

/// How many bytes a question wants to have put together, or more where texts must be escaped.
pub fn wanted_bytes(question: &Question) -> u64 {
    match question {
        Question::Gather { wholes, .. } => wholes.iter().flatten().map(bytes_of).sum(),
        _ => 0,
    }
}

fn bytes_of(piece: &Piece) -> u64 {
    match piece {
        Piece::Json(text) => text.len() as u64,
        Piece::Value(reference) | Piece::Items(reference) => reference.size,
    }
}

/// The JSON form of a whole, if it has no more bytes than are left.
fn joined<'b>(
    pieces: &[Piece],
    left: u64,
    bytes_max: u64,
    load: impl Fn(&Digest) -> Body<'b>,
) -> Result<Vec<u8>, String> {
    let least: u64 = pieces.iter().map(bytes_of).sum();
    let fits = |bytes: u64| if bytes <= left { Ok(()) } else { Err(too_large(bytes_max)) };
    // The brackets of lists that become one are counted and fall away.
    let lists = pieces.iter().filter(|piece| matches!(piece, Piece::Items(_))).count() as u64;
    fits(least.saturating_sub(2 * lists))?;
    let mut json = Vec::with_capacity(usize::try_from(least).unwrap_or_default());
    for piece in pieces {
        match piece {
            Piece::Json(text) => json.extend_from_slice(text.as_bytes()),
            Piece::Value(reference) => add_value(&mut json, reference, &load)?,
            Piece::Items(reference) => {
                let (_, body) = load(&reference.digest)?;
                let body = body.trim_ascii();
                let items = body.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
                json.extend_from_slice(items.ok_or("a stored list is no list")?);
            }
        }
        fits(json.len() as u64)?;
    }
    if Levels::default().read(&json) > LEVELS_MAX {
        return Err(format!("it would nest deeper than {LEVELS_MAX} levels"));
    }
    Ok(json)
}

fn add_value<'b>(
    json: &mut Vec<u8>,
    reference: &Reference,
    load: impl Fn(&Digest) -> Body<'b>,
) -> Result<(), String> {
    let (kind, body) = load(&reference.digest)?;
    match kind {
        Kind::Json => json.extend_from_slice(&body),
        Kind::Text => {
            let text = std::str::from_utf8(&body).map_err(|error| error.to_string())?;
            serde_json::to_writer(json, text).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// The data that JSON says: the value if it weighs little, or else a reference and what it names.
fn settled(json: Vec<u8>, inline_bytes_max: u64) -> Result<(Data, Option<Content>), String> {
    let small = json.len() as u64 <= inline_bytes_max;
    if !small && json.first() != Some(&b'"') {
        let (data, content) = refer_json(json);
        return Ok((data, Some(content)));
    }
    let value: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    if weight(&value) <= inline_bytes_max {
        return Ok((Data::Inline(value), None));
    }
    let (data, content) = refer(value);
    Ok((data, Some(content)))
}

fn too_large(bytes_max: u64) -> String {
    format!(
        "it would have more than {} all in all; write what is large to a file and pass its path",
        in_words(bytes_max)
    )
}

fn in_words(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    if bytes > 0 && bytes.is_multiple_of(MIB) {
        format!("{} MiB", bytes / MIB)
    } else {
        format!("{bytes} bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::cell::Cell;

    const BYTES_MAX: usize = 1_000;

    struct Kept(Vec<Content>, Cell<usize>);

    impl Kept {
        fn of(values: &[Value]) -> (Vec<Reference>, Self) {
            let referred = values.iter().map(|value| refer(value.clone()));
            let (data, contents): (Vec<Data>, Vec<Content>) = referred.unzip();
            let references = data.into_iter().map(|data| match data {
                Data::Stored(reference) => reference,
                Data::Inline(_) => panic!("it was stored"),
            });
            (references.collect(), Kept(contents, Cell::new(0)))
        }

        fn gather(
            &self,
            wholes: &[&[Piece]],
            inline_bytes_max: u64,
        ) -> (Vec<Result<Data, String>>, Vec<Content>) {
            let wholes = wholes.iter().map(|pieces| pieces.to_vec()).collect();
            let bytes_max = BYTES_MAX as u64;
            let (answer, contents) =
                gathered(&Question::Gather { wholes, inline_bytes_max, bytes_max }, |digest| {
                    self.1.set(self.1.get() + 1);
                    let found =
                        self.0.iter().find(|content| content.digest == *digest).ok_or("it is gone")?;
                    Ok((found.kind, Cow::Borrowed(found.body.as_slice())))
                });
            let Answer::Evaluated(values) = answer else { panic!("{answer:?}") };
            (values, contents)
        }
    }

    fn text(json: &str) -> Piece {
        Piece::Json(json.to_owned())
    }

    #[test]
    fn pieces_come_to_their_places() {
        let (stored, kept) = Kept::of(&[json!("a \"text\""), json!({"k": [1.5]})]);
        let [quoted, object] = [0, 1].map(|at: usize| Piece::Value(stored[at].clone()));
        let pieces = [text("[{\"a/b\":"), quoted, text("},"), object, text("]")];
        let whole = json!([{"a/b": "a \"text\""}, {"k": [1.5]}]);
        assert_eq!(kept.gather(&[&pieces], 100), (vec![Ok(whole.clone().into())], vec![]));
        let (values, contents) = kept.gather(&[&pieces, &[text("1")]], 10);
        assert_eq!(Content::value("json", &contents[0].body).unwrap(), whole);
        assert_eq!(values, [Ok(refer(whole).0), Ok(json!(1).into())]);
    }

    #[test]
    fn a_large_text_stays_text() {
        let (_, kept) = Kept::of(&[]);
        let long = "x\n".repeat(20);
        let (values, contents) = kept.gather(&[&[text(&json!(long).to_string())]], 20);
        assert_eq!((contents[0].kind, contents[0].body.as_slice()), (Kind::Text, long.as_bytes()));
        assert_eq!(values, [Ok(refer(json!(long)).0)]);
    }

    #[test]
    fn lists_become_one() {
        let (stored, kept) = Kept::of(&[json!([2, [3]])]);
        let pieces = [text("[0,1,"), Piece::Items(stored[0].clone()), text(",4]")];
        assert_eq!(kept.gather(&[&pieces], 100).0, [Ok(json!([0, 1, 2, [3], 4]).into())]);
        let (stored, kept) = Kept::of(&[json!({})]);
        assert!(kept.gather(&[&[Piece::Items(stored[0].clone())]], 100).0[0].is_err());
    }

    #[test]
    fn what_is_put_together_has_an_edge() {
        let max = BYTES_MAX;
        let gather = |bytes: usize, wholes: usize| {
            let (stored, kept) = Kept::of(&[Value::String("x".repeat(bytes))]);
            let pieces = [text("["), Piece::Value(stored[0].clone()), text("]")];
            let (values, contents) = kept.gather(&vec![pieces.as_slice(); wholes], 10);
            (values, contents, kept.1.get())
        };
        let around = "[\"\"]".len();
        let (_, contents, _) = gather(max - around, 1);
        assert_eq!(contents[0].body.len(), max);
        for over in [1, around, around + 1] {
            let (values, contents, loads) = gather(max - around + over, 1);
            assert_eq!((values, contents), (vec![Err(too_large(1_000))], vec![]));
            assert_eq!(loads, usize::from(over < around - 1), "what is too large is not loaded");
        }
        let (values, contents, _) = gather(max / 2 - around, 2);
        assert_eq!((values.iter().filter(|it| it.is_ok()).count(), contents.len()), (2, 2));
        let (values, contents, _) = gather(max / 2 - around + 1, 2);
        assert!(values[0].is_ok() && values[1].is_err() && contents.len() == 1);
        let said =
            "it would have more than 16 MiB all in all; write what is large to a file and pass its path";
        assert_eq!(too_large(kernel::Limits::default().made_bytes_max), said);
        assert!(too_large(1_000).starts_with("it would have more than 1000 bytes all in all"));
    }

    #[test]
    fn what_can_never_be_read_again_is_not_made() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let (_, kept) = Kept::of(&[]);
        let (values, contents) =
            kept.gather(&[&[text(&nested(LEVELS_MAX))], &[text(&nested(LEVELS_MAX + 1))]], 10);
        assert!(Content::value("json", &contents[0].body).is_ok());
        assert_eq!(values[1], Err("it would nest deeper than 64 levels".to_owned()));
    }

    #[test]
    fn content_that_is_gone_is_told() {
        let (stored, _) = Kept::of(&[json!("text")]);
        let (_, kept) = Kept::of(&[]);
        let (values, _) = kept.gather(&[&[Piece::Value(stored[0].clone())]], 10);
        assert_eq!(values, [Err("it is gone".to_owned())]);
    }
}
