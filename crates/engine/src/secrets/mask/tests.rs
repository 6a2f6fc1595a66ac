//! Texts and streams, cut in every way.

use super::matcher::GAP_MAX;
use super::*;

fn masker(secrets: &[(&str, &str)]) -> Masker {
    let secrets: Vec<(&str, Secret)> =
        secrets.iter().map(|(name, value)| (*name, Secret::new(value).unwrap())).collect();
    Masker::new(secrets.iter().map(|(name, secret)| (*name, secret)))
}

fn in_pieces(masker: &Masker, text: &[u8], size: usize) -> String {
    let mut sieve = masker.sieve().unwrap();
    let mut out = Vec::new();
    for piece in text.chunks(size) {
        sieve.push(piece, &mut |bytes| out.extend_from_slice(bytes));
    }
    sieve.finish(&mut |bytes| out.extend_from_slice(bytes));
    String::from_utf8(out).unwrap()
}

#[test]
fn a_secret_is_masked_and_nothing_else() {
    let masker = masker(&[("TOKEN", "s3cr3t-value")]);
    for (text, masked) in [
        ("", ""),
        ("plain", "plain"),
        ("s3cr3t-value", "[secret TOKEN]"),
        ("a s3cr3t-value b s3cr3t-value\n", "a [secret TOKEN] b [secret TOKEN]\n"),
        ("s3cr3t-valu", "s3cr3t-valu"),
        ("s3cr3t-vals3cr3t-value", "s3cr3t-val[secret TOKEN]"),
        ("s3cr3t\n-value", "[secret TOKEN]"),
        ("73 33 63 72 33 74 2d 76 61 6c 75 65", "[secret TOKEN]"),
        ("  s3cr3t-value  ", "  [secret TOKEN]  "),
        ("i\0s\0s\x003\0c\0r\x003\0t\0-\0v\0a\0l\0u\0e\0.\0", "i\0s\0[secret TOKEN]\0.\0"),
        ("\0s\x003\0c\0r\x003\0t\0-\0v\0a\0l\0u\0e\0\r\0\n", "\0[secret TOKEN]\0\r\0\n"),
        ("s3cr3t\\-value", "[secret TOKEN]"),
    ] {
        assert_eq!(masker.text(text), masked, "{text:?}");
    }
}

#[test]
fn pieces_of_any_size_give_the_same() {
    let masker = masker(&[("A", "first secret"), ("B", "second/secret+with more")]);
    let base64 = "dXNlcjpmaXJzdCBzZWNyZXQ=";
    let text = format!("x first secret y\nsecond%2Fsecret%2Bwith%20more {base64} first secre");
    let whole = masker.text(&text);
    assert_eq!(whole, "x [secret A] y\n[secret B] dXNlcjp[secret A] first secre");
    for size in 1..=text.len() {
        assert_eq!(in_pieces(&masker, text.as_bytes(), size), whole, "{size}");
    }
}

#[test]
fn what_overlaps_is_masked_as_one() {
    let masker = masker(&[("A", "abcdef"), ("B", "defghij"), ("C", "cdef")]);
    assert_eq!(masker.text("xabcdefghijx"), "x[secret B]x");
    assert_eq!(masker.text("abcdefabcdef"), "[secret A][secret A]");
    let repeated = self::masker(&[("A", "aaaa")]);
    assert_eq!(repeated.text("baaaaaaaab"), "b[secret A]b");
}

#[test]
fn blanks_inside_have_an_edge() {
    let masker = masker(&[("A", "first-secret")]);
    let apart = |blanks: usize| format!("first{}-secret", "\n".repeat(blanks));
    assert_eq!(masker.text(&apart(GAP_MAX)), "[secret A]");
    assert_eq!(masker.text(&apart(GAP_MAX + 1)), apart(GAP_MAX + 1));
}

#[test]
fn a_flood_is_let_out_as_it_flows() {
    let masker = masker(&[("A", "first-secret")]);
    let mut sieve = masker.sieve().unwrap();
    let mut left = 0;
    for _ in 0..1_000 {
        sieve.push(&[b'\n'; 4096], &mut |bytes| left += bytes.len());
        sieve.push(b"first-secre first-", &mut |bytes| left += bytes.len());
        assert!(sieve.held.len() < 1024, "{}", sieve.held.len());
    }
    sieve.finish(&mut |bytes| left += bytes.len());
    assert_eq!(left, 1_000 * (4096 + 18));
}

#[test]
fn the_largest_secret_can_be_masked() {
    let value: String =
        (0..super::super::secret::BYTES_MAX).map(|at| char::from(b'!' + (at * 7 % 90) as u8)).collect();
    let masker = masker(&[("BIG", &value)]);
    assert_eq!(masker.text(&format!("<{value}>")), "<[secret BIG]>");
    assert!(format!("{masker:?}").starts_with("Masker("));
}

/// What programs made of one value: shells, writers of JSON, pages, addresses and patterns, and some of them twice.
#[test]
fn whatever_spells_letters_is_read() {
    let value = "p@ss/w ö😀'\"$&,#~-_.*(x)";
    let masker = masker(&[("KEY", value)]);
    for form in [
        // Addresses and forms, whatever they leave as it is.
        "p%40ss%2Fw%20%C3%B6%F0%9F%98%80%27%22%24%26%2C%23~-_.%2A%28x%29",
        "p%40ss/w%20%c3%b6%f0%9f%98%80'%22$&,%23%7e-_.*(x)",
        "p%40ss%2Fw+%C3%B6%F0%9F%98%80%27%22%24%26%2C%23~-_.*%28x%29",
        "p%2540ss%252Fw%2520%25C3%25B6%25F0%259F%2598%2580%2527%2522%2524%2526%252C%2523%7E-_.%252A%2528x%2529",
        "%70%40%73%73%2f%77%20%c3%b6%f0%9f%98%80%27%22%24%26%2c%23%7e%2d%5f%2e%2a%28%78%29",
        "p%40ss%2Fw%20%5Cu00f6%5Cud83d%5Cude00%27%5C%22%24%26%2C%23~-_.%2A%28x%29",
        "p%40ss%5C%2Fw+%C3%B6%F0%9F%98%80%27%5C%22%24%26%2C%23~-_.%2A%28x%29",
        // JSON, once and more often, for a page or not, in ASCII or not.
        "p@ss/w ö😀'\\\"$&,#~-_.*(x)",
        "p@ss\\/w \\u00f6\\ud83d\\ude00\\u0027\\u0022$\\u0026,#~-_.*(x)",
        "p@ss/w \\u00F6\\uD83D\\uDE00'\\\"$&,#~-_.*(x)",
        "p@ss/w \\\\u00f6\\\\ud83d\\\\ude00'\\\\\\\"$&,#~-_.*(x)",
        "p@ss/w ö😀'\\\\\\\\\\\\\\\"$&,#~-_.*(x)",
        "\\u0070\\u0040\\u0073\\u0073\\u002f\\u0077\\u0020\\u00f6\\u{1f600}'\\\"$&,#~-_.*(x)",
        // Shells: `printf %q`, `$'...'`, double quotes; Python's bytes.
        "p@ss/w\\ ö😀\\'\\\"\\$\\&\\,\\#\\~-_.\\*\\(x\\)",
        "p@ss/w \\303\\266\\360\\237\\230\\200\\'\"$&,#~-_.*(x)",
        "p@ss/w \\xc3\\xb6\\xf0\\x9f\\x98\\x80\\'\"$&,#~-_.*(x)",
        "p@ss/w ö😀'\\\"\\$&,#~-_.*(x)",
        "p@ss/w ö😀'\\''\"$&,#~-_.*(x)",
        "p@ss/w ö😀'\\\\''\\\"$&,#~-_.*(x)",
        // Patterns, by many hands.
        "p@ss/w\\ ö😀'\"\\$\\&,\\#\\~\\-_\\.\\*\\(x\\)",
        "p\\@ss\\/w\\ ö😀\\'\\\"\\$\\&\\,\\#\\~\\-\\_\\.\\*\\(x\\)",
        "p@ss\\/w ö😀'\"$\\&,#~-_.*(x)",
        // Pages, and what is in them.
        "p@ss/w ö😀&#39;&quot;$&amp;,#~-_.*(x)",
        "p@ss/w &#xf6;&#128512;&apos;&#x22;$&#38;&#0044;#~-_.*(x)",
        "p@ss/w ö😀&amp;#39;&amp;quot;$&amp;amp;,#~-_.*(x)",
        "p@ss/w ö😀\\u0026#39;\\u0026quot;$\\u0026amp;,#~-_.*(x)",
        "p@ss/w ö😀'\\&quot;$&amp;,#~-_.*(x)",
    ] {
        for (before, after) in [("", ""), ("50% \\", "\\"), ("a & b: ", "; %"), ("+", "+x")] {
            let text = format!("{before}{form}{after}");
            let masked = masker.text(&text);
            assert!(masked.contains("[secret KEY]") && !masked.contains("ss"), "{text}: {masked}");
            for size in [1, 2, 3, 7] {
                assert_eq!(in_pieces(&masker, text.as_bytes(), size), masked, "{text}");
            }
        }
    }
}

#[test]
fn what_spells_nothing_of_a_secret_stays_as_it_is() {
    let masker = masker(&[("KEY", "p@ss&word")]);
    for text in [
        "100 % of 1 + 1 \\ 2 & 3",
        "%",
        "\\",
        "&",
        "p%40ss&amp",
        "p%40ss&wor",
        "p%4",
        "\\\\\\\\",
        "a%b&c;d\\u12&#;&#x;\\x\\u{110000}\\ud800",
    ] {
        assert_eq!(masker.text(text), text);
        assert_eq!(in_pieces(&masker, text.as_bytes(), 1), text);
    }
    // Only what spells the secret goes, and what stands around it stays.
    assert_eq!(masker.text("a%20=%70%40ss%26word%20\\n&amp;"), "a%20=[secret KEY]%20\\n&amp;");
    assert_eq!(
        masker.text("p@ss&word p%40ss%26word p@ss&amp;word"),
        "[secret KEY] [secret KEY] [secret KEY]"
    );
}

#[test]
fn a_spelling_may_be_broken_by_blanks_to_an_edge() {
    let masker = masker(&[("KEY", "p@ss&word")]);
    let apart = |blanks: usize| format!("p%4{}0ss%26word", "\n".repeat(blanks));
    assert_eq!(masker.text(&apart(GAP_MAX)), "[secret KEY]");
    assert_eq!(masker.text(&apart(GAP_MAX + 1)), apart(GAP_MAX + 1));
    let mut sieve = masker.sieve().unwrap();
    sieve.push(b"x%", &mut |_| {});
    for _ in 0..100 {
        sieve.push(&[b'\n'; 4096], &mut |_| {});
        assert!(sieve.held.len() < 8192, "{}", sieve.held.len());
    }
}

#[test]
fn a_reading_that_slept_begins_where_all_others_are() {
    let masker = masker(&[("KEY", "p@ss&word")]);
    let between = "x".repeat(10_000);
    let text =
        format!("%41{between}p@ss%26word{between}p@s\\s&word{between}p@ss&amp;word+{between}p@ss&word");
    let wanted =
        format!("%41{between}[secret KEY]{between}[secret KEY]{between}[secret KEY]+{between}[secret KEY]");
    assert_eq!(masker.text(&text), wanted);
    for size in [1, 64, 4096] {
        assert_eq!(in_pieces(&masker, text.as_bytes(), size), wanted);
    }
}

/// Every letter in a spelling of its own choice, of one kind; in pieces of any size.
#[test]
fn any_choice_of_letters_is_read() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut dice = move |sides: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as usize % sides
    };
    for _ in 0..300 {
        let letters: Vec<char> = "abcXYZ019 -_/\\%&+;'\"#<>.ö€😀".chars().collect();
        // Blanks at its ends are read over.
        let inside: String = (0..8 + dice(12)).map(|_| letters[dice(letters.len())]).collect();
        let value = format!("k{inside}k");
        let Ok(secret) = Secret::new(&value) else { continue };
        let masker = Masker::new([("KEY", &secret)]);
        let bytes = |letter: char, form: fn(u8) -> String| -> String {
            letter.encode_utf8(&mut [0; 4]).bytes().map(form).collect()
        };
        for kind in 0..3 {
            let spell = |letter: char, choice: usize| match (kind, choice) {
                (0, 0) if letter != '%' => letter.to_string(),
                (0, 1) => bytes(letter, |byte| format!("%{byte:02x}")),
                (0, _) => bytes(letter, |byte| format!("%{byte:02X}")),
                (1, 0) if letter != '\\' => letter.to_string(),
                (1, 1) if !letter.is_alphanumeric() => format!("\\{letter}"),
                (1, 2) => bytes(letter, |byte| format!("\\{byte:03o}")),
                (1, 3) => {
                    letter.encode_utf16(&mut [0; 2]).iter().map(|half| format!("\\u{half:04x}")).collect()
                }
                (1, _) => bytes(letter, |byte| format!("\\x{byte:02x}")),
                (_, 0) if letter != '&' => letter.to_string(),
                (_, 1) => format!("&#x{:X};", u32::from(letter)),
                _ => format!("&#{};", u32::from(letter)),
            };
            let form: String = value.chars().map(|letter| spell(letter, dice(5))).collect();
            let text = format!("<{form}>");
            assert_eq!(in_pieces(&masker, text.as_bytes(), 1 + dice(9)), "<[secret KEY]>", "{value}: {text}");
        }
    }
}
