//! Text with `{name}` in it, where names are only known when it is said. One pass: what is put in is never read again, what
//! names nothing stays as it was written, and `\{name}` writes the braces themselves.

/// A piece of such a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brace<'t> {
    /// As it stands.
    Text(&'t str),
    /// A name in braces: what was written, and the name.
    Name(&'t str, &'t str),
}

/// The pieces of a text, in order.
pub fn braces(text: &str) -> Vec<Brace<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        let inside = from[1..].find(['{', '}', '\n']).filter(|end| from.as_bytes()[end + 1] == b'}');
        let Some(end) = inside.filter(|end| *end > 0) else {
            pieces.push(Brace::Text(&rest[..open + 1]));
            rest = &from[1..];
            continue;
        };
        let (written, after) = from.split_at(end + 2);
        match before.strip_suffix('\\').filter(|_| is_name(&written[1..=end])) {
            Some(plain) => pieces.extend([Brace::Text(plain), Brace::Text(written)]),
            None => pieces.extend([Brace::Text(before), Brace::Name(written, &written[1..=end])]),
        }
        rest = after;
    }
    pieces.push(Brace::Text(rest));
    pieces.retain(|piece| *piece != Brace::Text(""));
    pieces
}

/// The name, where a text is nothing but one name in braces.
pub fn whole_brace(text: &str) -> Option<&str> {
    match braces(text)[..] {
        [Brace::Name(_, name)] => Some(name),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a text where `a` is `{b}` and `b c` is `x`.
    fn said(text: &str) -> String {
        let put = |piece: Brace<'_>| match piece {
            Brace::Text(text) => text.to_owned(),
            Brace::Name(_, "a") => "{b}".to_owned(),
            Brace::Name(_, "b c") => "x".to_owned(),
            Brace::Name(written, _) => written.to_owned(),
        };
        braces(text).into_iter().map(put).collect()
    }

    #[test]
    fn names_are_replaced_once() {
        for (text, wanted) in [
            ("", ""),
            ("plain", "plain"),
            ("{a}", "{b}"),
            ("<{a}{b c}>", "<{b}x>"),
            ("{none} ${HOME} awk '{print $1}'", "{none} ${HOME} awk '{print $1}'"),
            ("{{a}}", "{{b}}"),
            ("{a", "{a"),
            ("{a\n}", "{a\n}"),
            ("{}{a}", "{}{b}"),
            ("\\{a} \\{none}", "{a} {none}"),
            ("a{2,3} \\{2} \\{b c}", "a{2,3} \\{2} \\x"),
            ("ä{a}ö", "ä{b}ö"),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_whole_one_is_nothing_else() {
        assert_eq!(whole_brace("{n}"), Some("n"));
        assert_eq!(["{n} ", "{n}{m}", "n", "\\{n}", ""].map(whole_brace), [None; 5]);
    }
}
