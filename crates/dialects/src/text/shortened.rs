//! A text that is too long to be shown: it keeps its head and its tail, where the reason often is, and says what it lost.

/// Head and tail of a text, so many bytes together, with a word between them.
pub fn shortened(text: &str, bytes: usize) -> String {
    let head = text.floor_char_boundary(bytes * 2 / 3);
    let tail = text.ceil_char_boundary(text.len() - bytes / 3);
    format!("{}\n[... {} bytes left out ...]\n{}", &text[..head], tail - head, &text[tail..])
}
