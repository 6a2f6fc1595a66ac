//! State machines that are kept in the folder of a project: one file each, with what is known of its use, and two indexes, one
//! in the form of each source. Files are the truth; both indexes are written anew from them at every change.
//!
//! ```text
//!  lock the folder ── read all files ── change one (beside it, then renamed) ── write the indexes
//! ```
//! A name is looked at before any path is made of it. Nothing that was written by somebody else is written over without their word.

mod file;
mod hash;
mod index;

#[cfg(test)]
mod tests;

use crate::library::{Definition, Library};
use dialects::states::definition_of;
use file::{File, Folder};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// The folder, from that of the project.
pub const FOLDER: &str = ".terminal_control_workflows";

/// The longest name.
const NAME_BYTES_MAX: usize = 64;

/// What is kept in one folder.
#[derive(Debug, Clone)]
pub struct Kept {
    folder: PathBuf,
}

/// A run that has succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Success<'s> {
    /// The run.
    pub run: &'s str,
    /// How many states it went through.
    pub states: u64,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// What became of a definition that was to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// It is kept under this name.
    As(String),
    /// One that says the same is kept under this name already.
    Already(String),
}

/// Why a definition was not created.
#[derive(Debug, thiserror::Error)]
pub enum NotCreated {
    /// One of its name is there.
    #[error("Workflow '{0}' already exists")]
    Taken(String),
    /// A file that is none of ours has its name.
    #[error("Workflow '{name}' already exists in {file}, which is not replaced. Choose another name")]
    Elsewhere {
        /// The name.
        name: String,
        /// The file, as lists write it.
        file: String,
    },
    /// The name can be none of a file.
    #[error("`{0}` cannot be the name of a workflow")]
    Name(String),
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Why a definition could not be had.
#[derive(Debug, thiserror::Error)]
pub enum NotLoaded {
    /// There is none of this name.
    #[error("Workflow file not found: {}", .0.display())]
    Missing(PathBuf),
    /// There is a file, and it is none of ours.
    #[error("Failed to load workflow '{name}': {why}")]
    Broken {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}

/// What a list says of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// When it was first kept, as far as its file says.
    pub created: String,
    /// How often it has succeeded.
    pub success_count: u64,
}

impl Listed {
    fn of(file: File) -> Listed {
        let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Listed {
            description: text(&file.definition, "description"),
            created: text(&file.metadata, "created"),
            success_count: file.metadata.get("success_count").and_then(Value::as_u64).unwrap_or_default(),
            name: file.name,
        }
    }
}

impl Kept {
    /// What is kept in a project folder.
    pub fn of(workspace: &Path) -> Kept {
        Kept { folder: workspace.join(FOLDER) }
    }

    /// The names, in order; none where nothing can be read.
    pub fn names(&self) -> Vec<String> {
        file::names(&self.folder)
    }

    /// Keeps a definition after a run of it has succeeded, unless one says the same, and under a name that means nothing else in
    /// the library. The same run again is told the same.
    pub fn save(&self, definition: &Value, by: Success<'_>, library: &Library) -> io::Result<Saved> {
        let Success { run, at, .. } = by;
        let wanted = definition.get("name").and_then(Value::as_str).unwrap_or_default();
        let folder = Folder::lock(&self.folder)?;
        let (hash, mut all) = (hash::of(definition), folder.read()?);
        if let Some(same) = all.iter().find(|file| hash::of(&file.definition) == hash) {
            let (name, is_of_run) = (same.name.clone(), same.was_saved_by(run));
            folder.write_indexes(&all, at)?;
            return Ok(if is_of_run { Saved::As(name) } else { Saved::Already(name) });
        }
        let says_the_same = |one: &&Definition| {
            let plan = one.reading.plan.as_ref();
            plan.and_then(|plan| definition_of(plan)).is_some_and(|other| hash::of(other) == hash)
        };
        if let Some(same) = self.others(library, wanted).find(says_the_same) {
            return Ok(Saved::Already(same.name.clone()));
        }
        let name =
            free_name(wanted, &hash, |name| folder.has(name) || self.others(library, name).next().is_some());
        let mut definition = definition.clone();
        // It is run by the name that it says of itself.
        definition["name"] = name.as_str().into();
        let new = File::saved(name.clone(), definition, &hash, by);
        folder.write(&new)?;
        all.push(new);
        folder.write_indexes(&all, at)?;
        Ok(Saved::As(name))
    }

    /// Keeps a definition because somebody says so. One of its name is replaced only if they say that too, and only if it is kept
    /// here.
    pub fn create(
        &self,
        definition: &Value,
        overwrites: bool,
        at: u64,
        library: &Library,
    ) -> Result<String, NotCreated> {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !is_name(&name) {
            return Err(NotCreated::Name(name.chars().take(NAME_BYTES_MAX).collect()));
        }
        let other = self.others(library, &name).next().map(|other| other.origin.shown.clone());
        if let Some(file) = other {
            return Err(NotCreated::Elsewhere { name, file });
        }
        let folder = Folder::lock(&self.folder)?;
        if folder.has(&name) && !overwrites {
            return Err(NotCreated::Taken(name));
        }
        let new = File::created(name.clone(), definition.clone(), &hash::of(definition), at);
        folder.write(&new)?;
        folder.write_indexes(&folder.read()?, at)?;
        Ok(name)
    }

    /// The definition of a name.
    pub fn load(&self, name: &str) -> Result<Value, NotLoaded> {
        Ok(self.file(name)?.definition)
    }

    /// What is known of each that can be read, in the order of their names.
    pub fn list(&self) -> Vec<Listed> {
        self.names().into_iter().filter_map(|name| self.file(&name).ok()).map(Listed::of).collect()
    }

    /// The line of the second index for a name; nothing where there is none that can be read.
    pub fn info(&self, name: &str) -> Option<Value> {
        self.file(name).ok().map(|file| index::line(&file))
    }

    /// Takes a definition away, and its lines in both indexes; says whether there was one.
    pub fn delete(&self, name: &str, at: u64) -> io::Result<bool> {
        if !is_name(name) || !self.path(name).exists() {
            return Ok(false);
        }
        let folder = Folder::lock(&self.folder)?;
        let was_there = folder.remove(name)?;
        folder.write_indexes(&folder.read()?, at)?;
        Ok(was_there)
    }

    /// What else a name could mean, beside what is kept under it.
    fn others<'l>(&self, library: &'l Library, name: &'l str) -> impl Iterator<Item = &'l Definition> {
        let path = self.path(name);
        library.named(name).filter(move |one| one.origin.path.as_ref() != Some(&path))
    }

    fn file(&self, name: &str) -> Result<File, NotLoaded> {
        let path = self.path(name);
        if !is_name(name) || !path.is_file() {
            return Err(NotLoaded::Missing(path));
        }
        let broken = |why: String| NotLoaded::Broken { name: name.to_owned(), why };
        File::read(&path, name).map_err(|why| broken(why.to_string()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Counts the success of a definition that is kept, each run once; says whether it is.
    pub fn used(&self, definition: &Value, by: Success<'_>) -> io::Result<bool> {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default();
        if !is_name(name) || !self.path(name).exists() {
            return Ok(false);
        }
        let folder = Folder::lock(&self.folder)?;
        let mut all = folder.read()?;
        let is_it = |file: &&mut File| file.name == name && file.definition == *definition;
        let Some(file) = all.iter_mut().find(is_it) else { return Ok(false) };
        file.count(by);
        folder.write(file)?;
        folder.write_indexes(&all, by.at)?;
        Ok(true)
    }
}

/// Whether a name can be that of a file here.
pub fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(inner) && name != "index"
}

/// The wanted name, or one made of it and of what the definition says where that is taken.
fn free_name(wanted: &str, hash: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if is_name(wanted) && !is_taken(wanted) {
        return wanted.to_owned();
    }
    match is_name(wanted) {
        true => {
            let room = NAME_BYTES_MAX - hash.len() - 1;
            format!("{}_{hash}", &wanted[..wanted.len().min(room)])
        }
        false => format!("workflow_{hash}"),
    }
}
