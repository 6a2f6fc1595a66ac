//! Statements that have an end: which are open, and what does not fit.

use crate::near::nearest;

/// Statements with an end, and the words that may stand between.
const PAIRS: [(&str, &str, &[&str]); 9] = [
    ("for", "endfor", &["else"]),
    ("if", "endif", &["elif", "else"]),
    ("with", "endwith", &[]),
    ("set", "endset", &[]),
    ("filter", "endfilter", &[]),
    ("macro", "endmacro", &[]),
    ("call", "endcall", &[]),
    ("autoescape", "endautoescape", &[]),
    ("block", "endblock", &[]),
];

/// Statements without one.
const SINGLE: [&str; 3] = ["do", "break", "continue"];

/// Statements of Jinja that read other templates.
const ELSEWHERE: [&str; 4] = ["include", "import", "from", "extends"];

/// What is wrong with a statement, and what to do.
pub(crate) type Wrong = (String, String);

/// The statements that are open.
#[derive(Debug, Default)]
pub(crate) struct Nest<P> {
    open: Vec<(&'static str, P)>,
}

impl<P> Nest<P> {
    pub(crate) fn new() -> Self {
        Nest { open: Vec::new() }
    }

    /// Takes the inside of a tag that stands at a place.
    pub(crate) fn take(&mut self, inside: &str, place: P) -> Result<(), Wrong> {
        let inside = inside.trim();
        let end = inside.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let (word, rest) = inside.split_at(end.unwrap_or(inside.len()));
        if let Some((begin, ..)) = PAIRS.iter().find(|(begin, ..)| *begin == word) {
            if !(word == "set" && assigns(rest)) {
                self.open.push((begin, place));
            }
            return Ok(());
        }
        if let Some((begin, ..)) = PAIRS.iter().find(|(_, end, _)| *end == word) {
            return self.close(begin, word);
        }
        if PAIRS.iter().any(|(.., between)| between.contains(&word)) {
            return self.between(word);
        }
        match word {
            word if SINGLE.contains(&word) => Ok(()),
            word if ELSEWHERE.contains(&word) => {
                let message = format!("there is no `{word}` here");
                Err((message, "a template reads no other template: write its text here".to_owned()))
            }
            word => Err((format!("no statement is called `{word}`"), self.meant(word))),
        }
    }

    /// The statements that were never ended.
    pub(crate) fn rest(self) -> Vec<(&'static str, &'static str, P)> {
        let ended = |begin| PAIRS.iter().find(|pair| pair.0 == begin).map_or("", |pair| pair.1);
        self.open.into_iter().map(|(begin, place)| (begin, ended(begin), place)).collect()
    }

    fn close(&mut self, begin: &str, word: &str) -> Result<(), Wrong> {
        match self.open.last() {
            Some((open, _)) if *open == begin => {
                self.open.pop();
                Ok(())
            }
            Some((open, _)) => {
                let message = format!("`{word}` stands where `{open}` is open");
                Err((message, format!("end `{open}` first: {{% end{open} %}}")))
            }
            None => Err((format!("`{word}` ends nothing"), format!("begin it: {{% {begin} ... %}}"))),
        }
    }

    fn between(&self, word: &str) -> Result<(), Wrong> {
        let fits = self.open.last().is_some_and(|(open, _)| {
            PAIRS.iter().any(|(begin, _, between)| begin == open && between.contains(&word))
        });
        if fits {
            return Ok(());
        }
        Err((
            format!("`{word}` belongs to no statement"),
            "it stands between `if` and `endif`: take it away, or begin {% if ... %}".to_owned(),
        ))
    }

    fn meant(&self, word: &str) -> String {
        let known = PAIRS
            .iter()
            .flat_map(|(begin, end, between)| [*begin, *end].into_iter().chain(between.iter().copied()));
        match nearest(word, known.chain(SINGLE).chain(["raw"])) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "statements are `if`, `for`, `set`, `with`, `macro`, `call`, `filter`, `do` and `raw`"
                .to_owned(),
        }
    }
}

/// Whether a `set` gives a value at once; one without ends at `endset`.
fn assigns(rest: &str) -> bool {
    let mut quote = None;
    for letter in rest.chars() {
        match (quote, letter) {
            (None, '=') => return true,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    false
}
