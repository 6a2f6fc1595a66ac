//! Text of strangers as people may see it: what would steer a terminal, or make a line read as something else than it is, is
//! shown as what it is.

/// Shows control characters and letters that cannot be seen (`\\u{202e}`); line feeds and tabs stay. What joins emoji or
/// shapes a script is shown as well: nobody can see what it does.
pub fn visible(text: &str) -> String {
    if !text.chars().any(hides) {
        return text.to_owned();
    }
    let shown = |letter: char| match hides(letter) {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    text.chars().map(shown).collect()
}

fn hides(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        // Soft hyphen, joiners and marks of direction, separators of lines, invisible operators.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Letters that are only room, and controls of shorthand, music and hieroglyphs.
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        // Tags, and the selectors in which any bytes can be hidden.
        '\u{e0000}'..='\u{e0fff}' => true,
        letter => letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        assert_eq!(visible("a\u{1b}[2Jb\r\n\tc"), "a\\u{1b}[2Jb\\r\n\tc");
        assert_eq!(visible("pay \u{202e}001\u{202c}"), "pay \\u{202e}001\\u{202c}");
        for plain in ["plain é", "日本語", "שלום", "مرحبا ٠٠", "\u{2027}\u{202f}\u{205f}\u{2070} ✓️"]
        {
            assert_eq!(visible(plain), plain);
        }
        let named = (0x202a..=0x202e).chain(0x2066..=0x2069).chain(0x200b..=0x200f);
        for code in
            named.chain([0x61c, 0x2060, 0xfeff, 0xad, 0x2028, 0x2029, 0xe0001, 0xe0041, 0xe0100, 0x7f, 0x9b])
        {
            let letter = char::from_u32(code).unwrap();
            assert_eq!(visible(&format!("a{letter}b")), format!("a\\u{{{code:x}}}b"));
        }
    }
}
