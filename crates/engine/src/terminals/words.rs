//! Splits a command line into words, as a shell does with quotes and backslashes, and does nothing else with it.

/// A text as it can be shown anywhere: without anything that a terminal would act on.
pub(super) fn plain(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let shown =
        |letter: char| if letter.is_control() { letter.escape_default().to_string() } else { letter.into() };
    text.chars().map(shown).collect()
}

/// The words of a command line; nothing if a quote is open.
pub(super) fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => quoted(&mut letters, word.get_or_insert_default(), false)?,
            '"' => quoted(&mut letters, word.get_or_insert_default(), true)?,
            '\\' => word.get_or_insert_default().push(letters.next()?),
            letter if letter.is_whitespace() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

fn quoted(letters: &mut std::str::Chars<'_>, word: &mut String, double: bool) -> Option<()> {
    let end = if double { '"' } else { '\'' };
    loop {
        match letters.next()? {
            letter if letter == end => return Some(()),
            '\\' if double => match letters.next()? {
                letter @ ('"' | '\\' | '$' | '`') => word.push(letter),
                letter => word.extend(['\\', letter]),
            },
            letter => word.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_shown_as_text() {
        assert_eq!(plain("cat \x1b]0;x\x07\n\u{9b}31m é"), "cat \\u{1b}]0;x\\u{7}\\n\\u{9b}31m é");
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        let split = |line: &str| words(line).map(|words| words.join("|"));
        for (line, wanted) in [
            ("bash", "bash"),
            ("  python3   -i  x.py ", "python3|-i|x.py"),
            ("sh -c 'echo \"a b\"; ls'", "sh|-c|echo \"a b\"; ls"),
            (r#"a "b \"c\" \n" d\ e"#, r#"a|b "c" \n|d e"#),
            ("x '' y", "x||y"),
            ("$HOME *", "$HOME|*"),
            ("", ""),
        ] {
            assert_eq!(split(line).as_deref(), Some(wanted), "{line}");
        }
        assert_eq!((split("a 'b"), split("a \\"), split("\"")), (None, None, None));
    }
}
