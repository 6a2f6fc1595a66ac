//! How a text looks to who only reads it: two that look alike cannot be told apart, whatever they hold.
//!
//! Known are blanks, letters of full width, and the Cyrillic and Greek letters that most fonts draw like Latin ones. Not known are
//! other alphabets, letters with marks that are put together in two ways, and pairs inside ASCII (`l` and `1`, `O` and `0`).

/// Returns what is seen of a text: letters that look alike are one, and blanks count as one between words.
pub fn looks(text: &str) -> String {
    // A pattern of no dots is a blank as well.
    let words = text.split(|letter: char| letter.is_whitespace() || letter == '\u{2800}');
    let words: Vec<String> =
        words.filter(|word| !word.is_empty()).map(|word| word.chars().map(alike).collect()).collect();
    words.join(" ")
}

/// Returns the Latin letter that a letter looks like, or the letter itself.
pub fn alike(letter: char) -> char {
    if let '\u{ff01}'..='\u{ff5e}' = letter {
        return char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter);
    }
    PAIRS.iter().find(|(_, others)| others.contains(letter)).map_or(letter, |(latin, _)| *latin)
}

/// Latin letters, and those of other alphabets that look like them.
const PAIRS: [(char, &str); 40] = [
    ('A', "\u{410}\u{391}"),
    ('B', "\u{412}\u{392}"),
    ('C', "\u{421}\u{3f9}"),
    ('E', "\u{415}\u{395}"),
    ('F', "\u{3dc}"),
    ('G', "\u{50c}"),
    ('H', "\u{41d}\u{397}"),
    ('I', "\u{406}\u{4c0}\u{399}"),
    ('J', "\u{408}\u{37f}"),
    ('K', "\u{41a}\u{39a}"),
    ('M', "\u{41c}\u{39c}\u{3fa}"),
    ('N', "\u{39d}"),
    ('O', "\u{41e}\u{39f}"),
    ('P', "\u{420}\u{3a1}"),
    ('Q', "\u{51a}"),
    ('S', "\u{405}"),
    ('T', "\u{422}\u{3a4}"),
    ('W', "\u{51c}"),
    ('X', "\u{425}\u{3a7}"),
    ('Y', "\u{4ae}\u{3a5}"),
    ('Z', "\u{396}"),
    ('a', "\u{430}"),
    ('c', "\u{441}\u{3f2}"),
    ('d', "\u{501}"),
    ('e', "\u{435}"),
    ('g', "\u{261}"),
    ('h', "\u{4bb}"),
    ('i', "\u{456}\u{3b9}"),
    ('j', "\u{458}\u{3f3}"),
    ('l', "\u{4cf}"),
    ('o', "\u{43e}\u{3bf}"),
    ('p', "\u{440}\u{3c1}"),
    ('q', "\u{51b}"),
    ('s', "\u{455}"),
    ('u', "\u{3c5}"),
    ('v', "\u{475}\u{3bd}"),
    ('w', "\u{51d}"),
    ('x', "\u{445}"),
    ('y', "\u{443}\u{4af}"),
    ('-', "\u{2010}\u{2011}\u{2012}\u{2013}\u{2212}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_one() {
        for (one, other) in [
            ("prod", "pr\u{43e}d"),
            ("staging", "st\u{430}ging"),
            ("PROD", "\u{420}ROD"),
            ("eu-west", "eu\u{2011}west"),
            ("abc", "\u{ff41}\u{ff42}\u{ff43}"),
            ("a b", " a\u{a0}\u{3000}b\u{2800}"),
        ] {
            assert_eq!(looks(one), looks(other));
        }
    }

    #[test]
    fn what_can_be_told_apart_stays_apart() {
        for (one, other) in [("prod", "Prod"), ("ab", "a b"), ("да", "нет"), ("ναι", "όχι"), ("l", "1")]
        {
            assert_ne!(looks(one), looks(other));
        }
    }

    #[test]
    fn each_letter_has_one_look() {
        let all: Vec<char> = PAIRS.iter().flat_map(|(_, others)| others.chars()).collect();
        let different: std::collections::BTreeSet<char> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len());
        assert!(all.iter().all(|letter| !letter.is_ascii()));
    }
}
