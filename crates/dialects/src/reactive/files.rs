//! The files of a definition: the one that is read, those whose parts it shares, and the workflows that it imports.
//!
//! A file without `steps` gives what it has to the file that imports it: tasks, the schema of the state, first values. A file
//! with `steps` is a workflow of its own. It gives nothing of itself, and can be included by its name.

use crate::detect::{body, detect};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::known::{Callee, Import, Known};
use crate::read::{Imported, Read, ReadOptions, read_with};
use crate::shape::{did_you_mean, listed};
use crate::text::{Node, Source, load};
use kernel::plan::Dialect;

/// How deep files may import files.
pub const IMPORT_DEPTH_MAX: usize = 5;

/// The files that one definition may import, those that they import included.
pub const IMPORTS_MAX: usize = 64;

const HINT: &str = "name each file: `imports: [shared/common-tasks.yaml]`";

/// One file of a definition.
#[derive(Debug)]
pub(super) struct File {
    /// Its text.
    pub(super) source: Source,
    /// What it says.
    pub(super) root: Node,
}

impl File {
    /// The mapping that is the definition.
    pub(super) fn body(&self) -> &Node {
        body(&self.root)
    }
}

/// All files of a definition.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The file that is read, then those whose parts it shares, each before those that it imports.
    pub(super) shared: Vec<File>,
    /// The workflows that can be included, by name.
    pub(super) workflows: Vec<(String, Box<Read>)>,
    /// What was imported, as a tree.
    pub(super) tree: Vec<Imported>,
    /// What is wrong with the imports, and in workflows that are imported.
    pub(super) mistakes: Diagnostics,
    /// Whether something that is imported could not be read, so that a name that is not there may be in it.
    pub(super) is_broken: bool,
    count: usize,
}

/// The way from the file that is read to another.
struct Way<'w> {
    known: &'w dyn Known,
    options: ReadOptions,
    /// The ids of the files on the way, none for the first.
    ids: Vec<String>,
    /// Their names.
    names: Vec<String>,
}

impl Files {
    /// Loads everything that a file imports.
    pub(super) fn load(source: &Source, root: &Node, known: &dyn Known, options: ReadOptions) -> Self {
        let mut files = Files::default();
        files.shared.push(File { source: source.clone(), root: root.clone() });
        let mut way = Way { known, options, ids: Vec::new(), names: vec![source.name.clone()] };
        files.tree = files.below(0, &mut way);
        files
    }

    /// Loads what one of the files imports.
    fn below(&mut self, file: usize, way: &mut Way<'_>) -> Vec<Imported> {
        let File { source, root } = &self.shared[file];
        let Some((_, list)) = body(root).entry("imports").filter(|(_, list)| !list.is_null()) else {
            return Vec::new();
        };
        let (source, list) = (source.clone(), list.clone());
        if list.as_list().is_none() {
            let message = format!("`imports` is a list of files, and this is {}", list.kind_name());
            self.mistake(Diagnostic::error("wrong-type", &source, list.place(), message).hint(HINT));
            return Vec::new();
        }
        list.items().iter().filter_map(|item| self.one(&source, item, way)).collect()
    }

    fn one(&mut self, source: &Source, item: &Node, way: &mut Way<'_>) -> Option<Imported> {
        let error = |code, message: String| Diagnostic::error(code, source, item.place(), message);
        let Some(path) = item.as_string().filter(|path| !path.trim().is_empty()) else {
            let message = format!("an import is the path of a file, and this is {}", item.kind_name());
            self.mistake(error("wrong-type", message).hint(HINT));
            return None;
        };
        self.count += 1;
        if self.count > IMPORTS_MAX {
            if self.count == IMPORTS_MAX + 1 {
                let message =
                    format!("more than {IMPORTS_MAX} files are imported, those that they import included");
                self.mistake(error("too-many-imports", message).hint("join some of them"));
            }
            return None;
        }
        let (id, found) = match way.known.import(way.ids.last().map(String::as_str), path) {
            Import::Found { id, source } => (id, source),
            Import::Unasked => {
                self.is_broken = true;
                return None;
            }
            Import::Absent { looked, near } => {
                let diagnostic = error("unknown-import", format!("there is no file `{path}` to import"));
                let diagnostic = match near.first() {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None => diagnostic,
                };
                let places = listed(looked.iter().map(String::as_str));
                self.mistake(diagnostic.hint(format!("looked at {places}")));
                return None;
            }
            Import::Refused { why } => {
                self.mistake(error("refused-import", format!("`{path}` cannot be imported: it {why}")));
                return None;
            }
        };
        self.found(source, item, path, (id, found), way)
    }

    fn found(
        &mut self,
        source: &Source,
        item: &Node,
        path: &str,
        (id, found): (String, Source),
        way: &mut Way<'_>,
    ) -> Option<Imported> {
        let error = |code, message: String| Diagnostic::error(code, source, item.place(), message);
        let again = way.ids.iter().position(|known| *known == id).map(|at| at + 1);
        let first = found == self.shared[0].source;
        if let Some(from) = again.or(first.then_some(0)) {
            let names = way.names[from..].iter().chain([&way.names[from]]);
            let circle: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let message = format!("files import each other in a circle: {}", circle.join(" -> "));
            self.mistake(error("import-cycle", message).hint("take one of these imports away"));
            return None;
        }
        if way.known.depth() + way.ids.len() >= IMPORT_DEPTH_MAX {
            let message = format!("files import files more than {IMPORT_DEPTH_MAX} deep");
            self.mistake(error("too-deep", message).hint("import the file where it is needed"));
            return None;
        }
        let name = found.name.clone();
        let root = match load(&found) {
            Ok(root) => root,
            Err(mistakes) => {
                self.own(&found, Diagnostics::from(mistakes));
                return None;
            }
        };
        way.ids.push(id);
        way.names.push(name.clone());
        let is_workflow = ["steps", "blocks", "states"].iter().any(|key| body(&root).get(key).is_some());
        let workflow = body(&root).get("name").and_then(Node::as_string).filter(|_| is_workflow);
        let workflow = workflow.map(str::to_owned);
        let imports = if is_workflow {
            self.workflow(&found, workflow.as_deref(), way)
        } else {
            self.share(found, root, way)
        };
        way.ids.pop();
        way.names.pop();
        Some(Imported { path: path.to_owned(), found_at: name, workflow, imports })
    }

    /// Takes a file whose parts are shared.
    fn share(&mut self, source: Source, root: Node, way: &mut Way<'_>) -> Vec<Imported> {
        if self.shared.iter().any(|file| file.source == source) {
            return Vec::new();
        }
        if let Some(kind) = body(&root).get("kind")
            && let Ok(dialect) = detect(&source, &root)
            && dialect != Dialect::Reactive
        {
            let message = format!("parts of a `{}` definition cannot be shared here", dialect.as_str());
            self.own(
                &source,
                vec![Diagnostic::error("mixed-dialects", &source, kind.place(), message)].into(),
            );
            return Vec::new();
        }
        self.shared.push(File { source, root });
        self.below(self.shared.len() - 1, way)
    }

    /// Reads a workflow that can be included.
    fn workflow(&mut self, source: &Source, name: Option<&str>, way: &mut Way<'_>) -> Vec<Imported> {
        let known = Inside { known: way.known, ids: &way.ids };
        match read_with(source, &known, way.options) {
            Ok(read) => {
                let imports = read.imports.clone();
                self.count += imports.len();
                if let Some(name) = name {
                    self.workflows.push((name.to_owned(), Box::new(read)));
                }
                imports
            }
            Err(mistakes) => {
                self.own(source, mistakes);
                Vec::new()
            }
        }
    }

    fn mistake(&mut self, diagnostic: Diagnostic) {
        self.is_broken = true;
        self.mistakes.push(diagnostic);
    }

    /// Takes the mistakes of another file, with the text that they are about.
    fn own(&mut self, source: &Source, mistakes: Diagnostics) {
        self.is_broken = true;
        self.mistakes.absorb(mistakes);
        self.mistakes.keep(source);
    }
}

/// Who knows, for a workflow that another one imports.
struct Inside<'k> {
    known: &'k dyn Known,
    ids: &'k [String],
}

impl Known for Inside<'_> {
    fn workflow(&self, name: &str) -> Callee {
        self.known.workflow(name)
    }

    fn import(&self, from: Option<&str>, path: &str) -> Import {
        let from = from.or(self.ids.last().map(String::as_str));
        match self.known.import(from, path) {
            Import::Found { id, .. } if self.ids.contains(&id) => {
                let why = "imports this file itself, so that they would import each other in a circle";
                Import::Refused { why: why.to_owned() }
            }
            other => other,
        }
    }

    fn depth(&self) -> usize {
        self.known.depth() + self.ids.len()
    }
}
