//! Breaks a line where Python's `textwrap` breaks it, which is what `wordwrap` means: as many words as fit go on a line.

/// How lines are broken.
#[derive(Clone, Copy)]
pub(super) struct Wrap {
    /// How many letters a line has at most; at least one.
    pub(super) width: usize,
    /// Whether a word that fits on no line is broken.
    pub(super) break_long_words: bool,
    /// Whether a word may be broken behind a hyphen.
    pub(super) break_on_hyphens: bool,
}

/// The lines that one line becomes; none if it is blank.
pub(super) fn wrapped(line: &str, wrap: Wrap) -> Vec<String> {
    let mut pieces = pieces(line, wrap.break_on_hyphens);
    pieces.reverse();
    let mut lines: Vec<String> = Vec::new();
    while !pieces.is_empty() {
        if !lines.is_empty() && pieces.last().is_some_and(|piece| is_blank(piece)) {
            pieces.pop();
        }
        let (mut now, mut length) = (Vec::new(), 0);
        while let Some(piece) = pieces.pop_if(|piece| length + piece.len() <= wrap.width) {
            length += piece.len();
            now.push(piece);
        }
        if let Some(piece) = pieces.pop_if(|piece| piece.len() > wrap.width) {
            let (fits, rest) = broken(piece, wrap.width - length, now.is_empty(), wrap);
            pieces.extend(rest);
            now.extend(fits);
        }
        now.pop_if(|piece| is_blank(piece));
        if !now.is_empty() {
            lines.push(now.concat().into_iter().collect());
        }
    }
    lines
}

type Piece = Vec<char>;

/// What of a word that fits on no line still goes on this one, and what is left of it.
fn broken(mut piece: Piece, room: usize, is_first: bool, wrap: Wrap) -> (Option<Piece>, Option<Piece>) {
    if !wrap.break_long_words {
        return if is_first { (Some(piece), None) } else { (None, Some(piece)) };
    }
    let hyphen = piece[..room].iter().rposition(|letter| *letter == '-').filter(|_| wrap.break_on_hyphens);
    let is_behind_letters = |at: &usize| piece[..*at].iter().any(|letter| *letter != '-');
    let end = hyphen.filter(is_behind_letters).map_or(room, |at| at + 1);
    let rest = piece.split_off(end);
    (Some(piece), Some(rest))
}

/// Blanks, words, the parts of words that end with a hyphen between letters, and dashes of several hyphens.
fn pieces(line: &str, on_hyphens: bool) -> Vec<Piece> {
    let letters: Vec<char> = line.chars().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        let is_new = match at {
            0 => true,
            at if blank(*letter) != blank(letters[at - 1]) => true,
            at => on_hyphens && (is_behind_hyphen(&letters, at) || is_edge_of_dash(&letters, at)),
        };
        match pieces.last_mut() {
            Some(piece) if !is_new => piece.push(*letter),
            _ => pieces.push(vec![*letter]),
        }
    }
    pieces
}

/// Whether a hyphen between letters ends right before this place: `well-known`, `x-y-axis`.
fn is_behind_hyphen(letters: &[char], at: usize) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|it| it.is_alphabetic());
    let is_hyphen = |at: Option<usize>| at.and_then(|at| letters.get(at)) == Some(&'-');
    let back = |steps: usize| at.checked_sub(steps);
    let word = back(2).is_some_and(|at| is_of_word(letters[at]));
    is_hyphen(back(1))
        && (is_letter(back(2)) && is_letter(back(3)) || word && is_hyphen(back(3)) && is_letter(back(4)))
        && is_letter(Some(at))
        && (is_letter(Some(at + 1)) || is_hyphen(Some(at + 1)) && is_letter(Some(at + 2)))
}

/// Whether two or more hyphens between words begin or end at this place.
fn is_edge_of_dash(letters: &[char], at: usize) -> bool {
    let begin = match letters[at] {
        '-' if letters[at - 1] != '-' => at,
        '-' => return false,
        _ => letters[..at].iter().rposition(|letter| *letter != '-').map_or(0, |before| before + 1),
    };
    let length = letters[begin..].iter().take_while(|letter| **letter == '-').count();
    let is_word = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    length > 1
        && begin.checked_sub(1).is_some_and(|before| is_of_word(letters[before]))
        && letters.get(begin + length).is_some_and(is_word)
}

/// What may stand in a word before a dash.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || "_!\"'&.,?".contains(letter)
}

fn blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn is_blank(piece: &[char]) -> bool {
    piece.iter().all(|letter| blank(*letter))
}
