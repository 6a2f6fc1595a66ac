//! Texts and streams, cut in every way.

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
