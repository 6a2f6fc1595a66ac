//! What a secret leaves behind if it leaks: a word from its middle that no escape changes, and what encoders make of that
//! word. Written apart from the product's own list of forms, so that it does not share its mistakes.

use std::path::{Path, PathBuf};

/// The marks of one or more secrets.
pub(crate) struct Traces {
    needles: Vec<(String, String)>,
}

impl Traces {
    /// The traces of words that secrets have in them.
    pub(crate) fn of(words: &[&str]) -> Traces {
        let mut needles = Vec::new();
        for word in words {
            let mut add = |form: &str, text: String| needles.push((format!("{word} ({form})"), text));
            add("plain", (*word).to_owned());
            add("upper", word.to_uppercase());
            let hex: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
            add("hex", hex.clone());
            add("HEX", hex.to_uppercase());
            let percent: String = word.bytes().map(|byte| format!("%{byte:02x}")).collect();
            add("percent", percent);
            add("units", word.bytes().map(|byte| format!("u{byte:04x}")).collect());
            add("entities", word.bytes().map(|byte| format!("&#{byte};")).collect());
            add("hex entities", word.bytes().map(|byte| format!("&#x{byte:x};")).collect());
            for shift in 0..3 {
                add("base64", base64_inside(word, shift));
            }
        }
        Traces { needles }
    }

    /// What is found in some bytes, read as they are and without blanks, NULs and backslashes.
    pub(crate) fn found(&self, bytes: &[u8]) -> Vec<&str> {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
        let dense: Vec<u8> = bytes.iter().copied().filter(|byte| !is_blank(byte)).collect();
        // A line break in JSON is two letters.
        let joined = replaced(&dense, b"\\n", b"");
        // A NUL in it is six, and more where JSON lies in JSON.
        let bare = replaced(&replaced(&joined, b"\\", b""), b"u0000", b"");
        let texts = [bytes, &dense, &joined, &bare].map(String::from_utf8_lossy);
        let holds = |needle: &str| texts.iter().any(|text| text.contains(needle));
        self.needles.iter().filter(|(_, needle)| holds(needle)).map(|(name, _)| name.as_str()).collect()
    }

    /// Fails if some bytes hold a trace.
    #[track_caller]
    pub(crate) fn absent(&self, what: &str, bytes: &[u8]) {
        let found = self.found(bytes);
        assert!(found.is_empty(), "{what} holds {found:?}");
    }

    /// Fails if a file below a folder holds a trace, in its name or in it; gives how many were looked at.
    #[track_caller]
    pub(crate) fn absent_below(&self, folder: &Path, except: &[&str]) -> usize {
        let mut count = 0;
        for path in files(folder) {
            self.absent("the name of a file", path.as_os_str().as_encoded_bytes());
            let is_excepted = path.file_name().is_some_and(|name| except.iter().any(|one| *one == name));
            if is_excepted {
                continue;
            }
            // A socket is no file.
            if let Ok(bytes) = std::fs::read(&path) {
                self.absent(&path.display().to_string(), &bytes);
                count += 1;
            }
        }
        count
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

fn replaced(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        if text[at..].starts_with(what) {
            out.extend_from_slice(with);
            at += what.len();
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}

/// The digits that a word gives wherever its first byte has this place in a group of three.
fn base64_inside(word: &str, shift: usize) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = word.bytes().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let skip = [0, 4, 2][shift];
    let digits = bits[skip..]
        .chunks_exact(6)
        .map(|six| six.iter().fold(0, |value, bit| value << 1 | usize::from(*bit)));
    digits.map(|digit| char::from(DIGITS[digit])).collect()
}

#[test]
fn traces_are_found_where_they_are() {
    let traces = Traces::of(&["unguessable"]);
    for (text, form) in [
        ("xx unguessable xx", "plain"),
        ("un\nguess\\nable", "plain"),
        ("u\0n\0g\0u\0e\0s\0s\0a\0b\0l\0e\0", "plain"),
        ("u\\u0000n\\\\u0000guessable", "plain"),
        ("756e67756573 7361626c65", "hex"),
        ("\\u0075\\\\u006e\\u0067\\u0075\\u0065\\u0073\\u0073\\u0061\\u0062\\u006c\\u0065", "units"),
        ("&#117;&#110;&#103;&#117;&#101;&#115;&#115;&#97;&#98;&#108;&#101;", "entities"),
        ("&#x75;&#x6e;&#x67;&#x75;&#x65;&#x73;&#x73;&#x61;&#x62;&#x6c;&#x65;", "hex entities"),
        ("dW5ndWVzc2FibGU=", "base64"),
        ("eHVuZ3Vlc3NhYmxl", "base64"),
        ("eHh1bmd1ZXNzYWJsZQ==", "base64"),
    ] {
        assert_eq!(traces.found(text.as_bytes()), [format!("unguessable ({form})")], "{text}");
    }
    assert!(traces.found(b"guessable").is_empty());
}
