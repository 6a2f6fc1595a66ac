//! Diagnostics: what is wrong with a definition, where, and what to do next.
//!
//! A diagnostic serves three readers: a program reads the code, a person reads the rendered text, an editor
//! or an agent reads the JSON. All three come from one value, so they never disagree.

mod json;
mod render;

use crate::text::{Source, Span};
pub use render::Look;

/// One thing that is wrong, or one that is doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable name of the mistake, in kebab-case.
    pub code: &'static str,
    /// Whether it stops the definition from running.
    pub severity: Severity,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// The name of the source it is about.
    pub file: String,
    /// Where it is.
    pub span: Span,
    /// The words beside the mark.
    pub label: Option<String>,
    /// What to do next.
    pub hint: Option<String>,
    /// Other places in the same source that belong to it, each with words of its own.
    pub related: Vec<(Span, String)>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The definition cannot run.
    Error,
    /// It can run, and perhaps not as meant.
    Warning,
}

impl Severity {
    /// Returns the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Diagnostic {
    /// Makes an error.
    pub fn error(code: &'static str, source: &Source, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, source, span, message.into())
    }

    /// Makes a warning.
    pub fn warning(code: &'static str, source: &Source, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, source, span, message.into())
    }

    fn new(code: &'static str, severity: Severity, source: &Source, span: Span, message: String) -> Self {
        let file = source.name.clone();
        Self { code, severity, message, file, span, label: None, hint: None, related: Vec::new() }
    }

    /// Adds the words beside the mark.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// Adds another place that belongs to it.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }
}

/// All that was found, in the order of files and places, each thing once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Texts of files that whoever asked does not have: those that a definition imports.
    texts: Vec<Source>,
}

impl Diagnostics {
    /// Makes an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one, at its place.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let at = self.list.partition_point(|other| key(other) <= key(&diagnostic));
        if at == 0 || self.list[at - 1] != diagnostic {
            self.list.insert(at, diagnostic);
        }
    }

    /// Adds all of others, with the texts that they keep.
    pub fn absorb(&mut self, others: Diagnostics) {
        others.texts.iter().for_each(|text| self.keep(text));
        self.extend(others.list);
    }

    /// Keeps the text of a file that some of them are about, so that its lines can be shown.
    pub fn keep(&mut self, source: &Source) {
        if self.texts.iter().all(|text| text.name != source.name) {
            self.texts.push(source.clone());
        }
    }

    /// Returns the texts that it keeps.
    pub fn texts(&self) -> &[Source] {
        &self.texts
    }

    /// Returns them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Tells whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Tells whether the definition cannot run.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Counts those of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

fn key(diagnostic: &Diagnostic) -> (&str, Span, Severity, &'static str, &str) {
    (&diagnostic.file, diagnostic.span, diagnostic.severity, diagnostic.code, &diagnostic.message)
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, all: T) {
        all.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(all: T) -> Self {
        let mut diagnostics = Self::new();
        diagnostics.extend(all);
        diagnostics
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(all: Vec<Diagnostic>) -> Self {
        all.into_iter().collect()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests;
