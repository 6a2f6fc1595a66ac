//! A definition: its text, where it lies, and what came of reading it.

use super::import::{Importer, Imports};
use super::name::check_name;
use super::order::Order;
use super::place::{Place, PlaceKind};
use dialects::diagnostic::{Diagnostic, Diagnostics, Severity};
use dialects::known::{Callee, Import, Known};
use dialects::text::{Source, Span};
use dialects::{Imported, ReadOptions};
use kernel::Plan;
use kernel::plan::Dialect;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

// What `check` admits, the evaluator takes.
const _: () = assert!(dialects::blocks::TEMPLATE_BYTES_MAX <= crate::evaluator::limits::SOURCE_BYTES_MAX);

/// The one mistake of a file whose text cannot be had.
const UNREADABLE: &str = "unreadable-file";

/// The one mistake of a file that is not UTF-8.
const NOT_TEXT: &str = "not-text";

/// What came of reading a text.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The text.
    pub source: Source,
    /// The plan, if there are no errors.
    pub plan: Option<Arc<Plan>>,
    /// What is wrong or doubtful.
    pub diagnostics: Diagnostics,
    /// The workflows that it calls by constant names, each once.
    pub calls: Vec<String>,
    /// The plans of its own tasks and, where it was linked, of the workflows that it calls and of all that those call.
    pub pinned: Vec<Arc<Plan>>,
    /// How it was read.
    pub options: ReadOptions,
    /// The files that it imports, and those that these import.
    pub imported: Vec<Imported>,
    /// What was found when they were looked for.
    pub(super) imports: Imports,
}

/// A definition that was found in a place.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name it is run by: the one it gives itself, or that of its file if that cannot be read.
    pub name: String,
    /// Where it came from.
    pub origin: Origin,
    /// What came of reading it.
    pub reading: Arc<Reading>,
    /// The files of the same name that it hides.
    pub hides: Vec<String>,
    /// The file that hides it.
    pub hidden_by: Option<String>,
    /// What else a list should say: that its dialect, and not its place, put it first.
    pub note: Option<String>,
}

/// Where a definition came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who names the place.
    pub kind: PlaceKind,
    /// How lists write the place.
    pub place: String,
    /// The folder inside the place that it lies in, if not in the place itself.
    pub group: Option<String>,
    /// How lists write the file.
    pub shown: String,
    /// The file; none for what is in the binary itself.
    pub path: Option<PathBuf>,
}

/// Reads a text by itself, which lies nowhere: what it calls is found when it is called, and it imports nothing.
pub fn read_text(source: Source, options: ReadOptions) -> Reading {
    let asked = Asked::default();
    let reading = read_linked(source, &asked, options);
    Reading { calls: asked.calls.into_inner(), ..reading }
}

/// Reads the text of a file by itself, with what it imports.
pub(super) fn read_of_file(source: Source, options: ReadOptions, importer: Importer<'_>) -> Reading {
    let asked = Asked { importer: Some(importer), ..Asked::default() };
    let reading = read_linked(source, &asked, options);
    let imports = asked.importer.map(Importer::into_imports).unwrap_or_default();
    Reading { calls: asked.calls.into_inner(), imports, ..reading }
}

/// Writes down which workflows a definition calls by constant names, be it good or bad, and knows none of them.
#[derive(Default)]
struct Asked<'a> {
    calls: RefCell<Vec<String>>,
    importer: Option<Importer<'a>>,
}

impl Known for Asked<'_> {
    fn workflow(&self, name: &str) -> Callee {
        self.calls.borrow_mut().push(name.to_owned());
        Callee::Unasked
    }

    fn import(&self, from: Option<&str>, path: &str) -> Import {
        self.importer.as_ref().map(|importer| importer.import(from, path)).unwrap_or_default()
    }
}

/// Reads a text with what is known of the workflows that it calls.
pub(super) fn read_linked(source: Source, known: &dyn Known, options: ReadOptions) -> Reading {
    let (plan, pinned, diagnostics, imported) = match dialects::read_with(&source, known, options) {
        Ok(read) => (Some(Arc::new(read.plan)), read.tasks, read.warnings, read.imports),
        Err(diagnostics) => (None, Vec::new(), diagnostics, Vec::new()),
    };
    let (calls, imports) = (Vec::new(), Imports::default());
    Reading { source, plan, diagnostics, calls, pinned, options, imported, imports }
}

impl Reading {
    /// What is shown of a file whose text cannot be had.
    pub(super) fn unreadable(shown: &str, reason: &str) -> Self {
        let source = Source::new(shown, "");
        let diagnostic = Diagnostic::error(UNREADABLE, &source, Span::default(), reason);
        Reading::broken(source, diagnostic)
    }

    /// What is shown of a file that is not UTF-8 text, by its first byte that is none.
    pub(super) fn not_text(source: Source, at: usize, byte: u8) -> Self {
        let place = Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8());
        let message = format!("the file is not UTF-8 text: the byte 0x{byte:02x} cannot stand here");
        let diagnostic = Diagnostic::error(NOT_TEXT, &source, place, message).hint("save the file as UTF-8");
        Reading::broken(source, diagnostic)
    }

    fn broken(source: Source, diagnostic: Diagnostic) -> Self {
        let (diagnostics, calls) = (Diagnostics::from(vec![diagnostic]), Vec::new());
        let (options, imports) = (ReadOptions::default(), Imports::default());
        let (pinned, imported) = (Vec::new(), Vec::new());
        Reading { plan: None, diagnostics, source, calls, pinned, options, imported, imports }
    }

    /// All texts that diagnostics may be about: its own, and those that it imports.
    pub fn sources(&self) -> Vec<Source> {
        std::iter::once(&self.source).chain(self.imports.sources()).cloned().collect()
    }

    /// Whether there was no text to read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.first_error().is_some_and(|error| error.code == UNREADABLE)
    }

    /// The order in which its calls are looked up: see [`Order::of_calls`].
    pub(super) fn order(&self) -> Order {
        let detected = || {
            let root = dialects::text::load(&self.source).ok()?;
            dialects::detect::detect(&self.source, &root).ok()
        };
        let dialect = self.plan.as_ref().map(|plan| plan.dialect).or_else(detected);
        Order::of_calls(dialect.unwrap_or(Dialect::Blocks))
    }

    /// The first thing that stops it from running.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|one| one.severity == Severity::Error)
    }
}

impl Definition {
    /// A definition of a place; `stem` is the name of its file without the ending.
    pub(super) fn new(place: &Place, path: Option<PathBuf>, stem: &str, reading: Arc<Reading>) -> Self {
        let written = || dialects::name(&reading.source).filter(|name| check_name(name).is_ok());
        let name = match &reading.plan {
            Some(plan) => plan.name.clone(),
            None => written().unwrap_or_else(|| stem.to_owned()),
        };
        let shown = reading.source.name.clone();
        let group = path.as_deref().and_then(|path| place.group_of(path));
        let origin = Origin { kind: place.kind, place: place.shown.clone(), group, shown, path };
        Definition { name, origin, reading, hides: Vec::new(), hidden_by: None, note: None }
    }

    /// Whether it can be run.
    pub fn runs(&self) -> bool {
        self.reading.plan.is_some()
    }

    /// Whether its file has this name, the ending aside: as it is written, or so that every file system takes it, where
    /// `standards:fix` is `standards/fix` or `standards__fix`. Letters count as they are written on the disk.
    pub(super) fn is_file_of(&self, name: &str) -> bool {
        let Some(stem) = self.origin.path.as_ref().and_then(|path| path.file_stem()) else { return false };
        stem == name || (name.contains(':') && self.portable(&stem.to_string_lossy()) == name)
    }

    /// The name that the folders and the file spell.
    fn portable(&self, stem: &str) -> String {
        let folders = self.origin.group.iter().flat_map(|group| group.split('/'));
        let parts: Vec<&str> = folders.chain(stem.split("__")).collect();
        parts.join(":")
    }
}
