//! Paths into the state as callers write them: `raw.config.timeout`, `raw.results["src/a.ts"]`.

/// Most keys of a path.
const KEYS_MAX: usize = 64;

/// The keys of a path, or why it is none.
pub fn keys(path: &str) -> Result<Vec<String>, String> {
    let (mut keys, mut rest) = (Vec::new(), path);
    while !rest.is_empty() || keys.is_empty() {
        let (key, after) = match rest.strip_prefix('[') {
            Some(inside) if !keys.is_empty() => bracket(inside)?,
            _ => dotted(rest),
        };
        if key.is_empty() {
            return Err("between two dots, and at the end, there must be a name".to_owned());
        }
        keys.push(key);
        rest = match after.strip_prefix('.') {
            Some("") => return Err("between two dots, and at the end, there must be a name".to_owned()),
            Some(more) => more,
            None => after,
        };
        if keys.len() > KEYS_MAX {
            return Err(format!("a path has at most {KEYS_MAX} names"));
        }
    }
    Ok(keys)
}

fn dotted(text: &str) -> (String, &str) {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..])
}

/// A key in brackets: in quotes as JSON has them, in single quotes, or a number.
fn bracket(inside: &str) -> Result<(String, &str), String> {
    let unclosed = || "a bracket is not closed".to_owned();
    let quote = inside.chars().next().filter(|sign| ['"', '\''].contains(sign));
    let Some(quote) = quote else {
        let (key, after) = inside.split_once(']').ok_or_else(unclosed)?;
        return Ok((key.to_owned(), after));
    };
    let mut key = String::new();
    let mut letters = inside[1..].char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => key.extend(letters.next().map(|(_, letter)| letter)),
            letter if letter == quote => {
                let after = inside[1 + at + 1..].strip_prefix(']').ok_or_else(unclosed)?;
                return Ok((key, after));
            }
            letter => key.push(letter),
        }
    }
    Err(unclosed())
}
