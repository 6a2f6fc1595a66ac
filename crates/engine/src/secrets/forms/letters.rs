//! The forms that spell a text letter by letter: by the number of each, or with a backslash before it.

/// What quoters of patterns put a backslash before; of blanks, which the masker reads over, the backslash stays.
const SPECIAL: [&str; 5] = [
    // All but letters and digits, with `_` and without.
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~ \t\n\r",
    // Those that mean something in a pattern, with blanks and without.
    "#$&()*+-.?[\\]^{|}~ \t\n\r",
    "#$&()*+-.?[\\]^{|}~",
    "$()*+.?[\\]^{|}",
];

/// What editors of streams put a backslash before: in a pattern, and in what takes its place.
const SPECIAL_IN_SED: [&str; 3] = ["$*./[\\]^", "$*.[\\]^", "&/\\"];

/// What careful JSON writers give the number of, so that it can stand in a page.
const PAGE_IN_JSON: [&str; 3] = ["<>&", "<>&'", "\"<>&'+`"];

/// With a backslash before what is special.
pub(super) fn patterns(text: &str) -> impl Iterator<Item = String> {
    let special = SPECIAL.into_iter().chain(SPECIAL_IN_SED);
    special
        .map(move |special| spelled(text, |letter| special.contains(letter), |letter| format!("\\{letter}")))
}

/// With the numbers of those letters for which a page needs them.
pub(super) fn pages(text: &str, json: impl Fn(&str) -> String) -> Vec<String> {
    let odd = |letter: char| !letter.is_ascii_alphanumeric();
    let mut forms: Vec<String> = ENTITIES.map(|entity| spelled(text, odd, entity)).into();
    for unit in UNITS {
        forms.push(spelled(text, odd, |letter| units(letter, unit)));
        for special in PAGE_IN_JSON {
            for wide in [false, true] {
                let needs = |letter: char| special.contains(letter) || wide && !letter.is_ascii();
                let letter = |letter: char| match needs(letter) {
                    true => units(letter, unit),
                    false => json(letter.encode_utf8(&mut [0; 4])),
                };
                forms.push(text.chars().map(letter).collect());
            }
        }
    }
    forms
}

/// With the numbers of all letters.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = String> {
    let entities = ENTITIES.into_iter().map(move |entity| spelled(text, |_| true, entity));
    entities.chain(UNITS.into_iter().map(move |unit| spelled(text, |_| true, |letter| units(letter, unit))))
}

/// In two bytes a letter, the low one first or last.
pub(super) fn utf16(text: &str) -> [Vec<u8>; 2] {
    [u16::to_le_bytes, u16::to_be_bytes].map(|bytes| text.encode_utf16().flat_map(bytes).collect())
}

const ENTITIES: [fn(char) -> String; 3] = [
    |letter| format!("&#{};", u32::from(letter)),
    |letter| format!("&#x{:x};", u32::from(letter)),
    |letter| format!("&#x{:X};", u32::from(letter)),
];

const UNITS: [fn(u16) -> String; 2] = [|unit| format!("\\u{unit:04x}"), |unit| format!("\\u{unit:04X}")];

fn units(letter: char, unit: fn(u16) -> String) -> String {
    letter.encode_utf16(&mut [0; 2]).iter().map(|half| unit(*half)).collect()
}

fn spelled(text: &str, needs: impl Fn(char) -> bool, spell: impl Fn(char) -> String) -> String {
    let letter = |letter: char| if needs(letter) { spell(letter) } else { letter.to_string() };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{forms, json};
    use super::*;

    fn all(value: &str) -> Vec<String> {
        forms(value).iter().map(|form| String::from_utf8_lossy(form).into_owned()).collect()
    }

    #[test]
    fn every_letter_may_be_a_number() {
        let forms = all("k-J ö😀");
        for form in [
            "&#107;&#45;&#74;&#32;&#246;&#128512;",
            "&#x6b;&#x2d;&#x4a;&#x20;&#xf6;&#x1f600;",
            "&#x6B;&#x2D;&#x4A;&#x20;&#xF6;&#x1F600;",
            "\\u006b\\u002d\\u004a\\u0020\\u00f6\\ud83d\\ude00",
            "\\u006B\\u002D\\u004A\\u0020\\u00F6\\uD83D\\uDE00",
        ] {
            assert!(forms.contains(&form.to_owned()), "{form}: {forms:?}");
        }
    }

    #[test]
    fn numbers_of_letters_have_an_edge() {
        let at_most = super::super::SPELLED_BYTES_MAX;
        let known = |value: &str, form: &str| forms(value).contains(form.as_bytes());
        let value = |bytes: usize| format!("&{}", "k".repeat(bytes - 1));
        for (page, every) in [("&#38;", "&#107;"), ("\\u0026", "\\u006b"), ("&#x26;", "&#x6B;")] {
            for (bytes, is_known) in [(at_most, true), (at_most + 1, false)] {
                let value = value(bytes);
                assert_eq!(known(&value, &format!("{page}{}", &value[1..])), is_known, "{page} {bytes}");
                assert_eq!(
                    known(&value, &format!("{page}{}", every.repeat(bytes - 1))),
                    is_known,
                    "{every} {bytes}"
                );
                assert!(known(&value, &value) && known(&value, &format!("\\{value}")));
            }
        }
    }

    #[test]
    fn letters_that_mean_something_in_a_page_may_be_numbers() {
        let forms = all("ab+c/d&\"'<ö");
        for form in [
            "ab&#43;c&#47;d&#38;&#34;&#39;&#60;&#246;",
            "ab&#x2b;c&#x2f;d&#x26;&#x22;&#x27;&#x3c;&#xf6;",
            "ab\\u002Bc\\u002Fd\\u0026\\u0022\\u0027\\u003C\\u00F6",
            "ab+c/d\\u0026\\\"'\\u003cö",
            "ab+c/d\\u0026\\\"\\u0027\\u003c\\u00f6",
            "ab\\u002Bc/d\\u0026\\u0022\\u0027\\u003C\\u00F6",
        ] {
            assert!(forms.contains(&form.to_owned()), "{form}: {forms:?}");
        }
        assert!(pages("a\nb", json).contains(&"a\\nb".to_owned()));
    }

    #[test]
    fn quoters_of_patterns_are_known() {
        let forms = all("v4-V_s.t/u&w=x y");
        for form in [
            "v4\\-V\\_s\\.t\\/u\\&w\\=x\\y",
            "v4\\-V_s\\.t\\/u\\&w\\=x\\y",
            "v4\\-V_s\\.t/u\\&w=x\\y",
            "v4\\-V_s\\.t/u\\&w=xy",
            "v4-V_s\\.t/u&w=xy",
            "v4-V_s\\.t\\/u&w=xy",
            "v4-V_s.t\\/u\\&w=xy",
        ] {
            assert!(forms.contains(&form.to_owned()), "{form}: {forms:?}");
        }
    }

    #[test]
    fn two_bytes_a_letter_are_known_without_their_nuls() {
        assert_eq!(utf16("aö"), [b"a\0\xf6\0".to_vec(), b"\0a\0\xf6".to_vec()]);
        let forms = forms("aŁ bö");
        assert!(forms.contains(&b"aA\x01b\xf6"[..]) && forms.contains(&b"a\x01Ab\xf6"[..]), "{forms:?}");
    }
}
