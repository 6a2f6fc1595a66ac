//! What a block does not write, though it lies in a folder of its run: what decides over the server and over git. It is known by the names and
//! identities of the directories that were walked through, not by the text of a path.
//!
//! | what | how it is known |
//! |---|---|
//! | `.git`, `switchback.toml` | by name, wherever |
//! | `.switchback`, `.aromcp`, `.terminal_control_workflows` | by name, inside the folders of the run |
//! | the same under another name that a file system gives it | by identity |
//! | a user's settings, and those of their git; where the run's own settings and definitions are linked to | by identity and the names below |
//! | where the `.git` of a run's folder, of one above it or of a root leads, if no repository is there yet ([`goals`]) | the same |
//! | where links inside a place of definitions lead ([`linked`](super::linked)), and those inside a repository around a folder of the run | the same |
//! | all in a folder that is, or becomes by this write, a repository (`HEAD`, `objects`, `refs`), but for worktrees in it | by what lies beside them |

use super::Trouble;
use super::gitfile::{self, goals};
use super::linked::links;
use super::roots::{Identity, enter, identity_of, widened};
use super::trouble::shown;
use crate::library::ENTRIES_MAX;
use crate::turn::Home;
use dialects::blocks::file::{GOVERNED_HINT, GOVERNING, folded, governing};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Stat, statat};
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::read_link;
use std::path::{Path, PathBuf};

/// What git reads in a repository, and no worktree is called there. It reads more than this.
const OF_GIT: [&str; 23] = [
    "head",
    "config",
    "config.worktree",
    "hooks",
    "objects",
    "refs",
    "info",
    "packed-refs",
    "commondir",
    "worktrees",
    "modules",
    "index",
    "logs",
    "branches",
    "remotes",
    "reftable",
    "rebase-apply",
    "rebase-merge",
    "sequencer",
    "rr-cache",
    "lfs",
    "shallow",
    "svn",
];

/// Where settings and definitions of a project lie, which may be links.
const OF_PROJECT: [&str; 7] = [
    "switchback.toml",
    ".switchback",
    ".switchback/switchback.toml",
    ".switchback/workflows",
    ".aromcp",
    ".aromcp/workflows",
    ".terminal_control_workflows",
];

/// Steps from a path to what it stands for.
const STEPS_MAX: usize = 64;

/// A directory and names below it, which need not be there.
#[derive(Debug)]
struct Spot {
    at: Identity,
    below: Vec<String>,
    /// The path that leads there.
    path: PathBuf,
    /// How it is told.
    name: String,
}

/// A path, and how it is told.
type Named = (PathBuf, String);

/// What stands between blocks and what decides over the server.
#[derive(Debug)]
pub(super) struct Guard {
    spots: Vec<Spot>,
    /// Where definitions lie.
    places: Vec<Named>,
    /// Folders that may have a repository.
    folders: Vec<PathBuf>,
    /// Where links in all these lead, once something is to be written; or a place that has too many entries to know.
    linked: OnceCell<Result<Vec<Spot>, String>>,
}

impl Guard {
    /// The guard of a run.
    pub(super) fn new(home: &Home) -> Guard {
        let own = OF_PROJECT.iter().map(|name| (home.folder.join(name), (*name).to_owned()));
        let folder = |name: &str| home.env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = folder("HOME").filter(|user| user.is_absolute());
        let config = folder("XDG_CONFIG_HOME").filter(|config| config.is_absolute());
        // Whoever works without that variable reads the usual place.
        let config = config.into_iter().chain(user.as_ref().map(|user| user.join(".config")));
        let config = config.collect::<Vec<_>>().into_iter().flat_map(|config| {
            ["switchback", "switchback/workflows", "switchback/switchback.toml", "git"]
                .map(|name| config.join(name))
        });
        let sources = user
            .into_iter()
            .flat_map(|user| [".aromcp", ".aromcp/workflows", ".gitconfig"].map(|name| user.join(name)));
        let others = config.chain(sources).map(|path| {
            let name = path.display().to_string();
            (path, name)
        });
        let folders = home.folder.ancestors().chain(home.roots.iter().map(PathBuf::as_path));
        let folders: Vec<PathBuf> = folders.map(PathBuf::from).collect();
        let repositories =
            folders.iter().flat_map(|folder| goals(folder)).map(|goal| (goal, ".git".to_owned()));
        let all: Vec<Named> = own.chain(others).chain(repositories).collect();
        let is_place =
            |(path, _): &&Named| path.ends_with("workflows") || path.ends_with(".terminal_control_workflows");
        let places = all.iter().filter(is_place).cloned().collect();
        let spots = all.into_iter().filter_map(|(path, name)| spot(path, name)).collect();
        Guard { spots, places, folders, linked: OnceCell::new() }
    }

    /// Where links in the places of definitions and in repositories lead.
    fn linked(&self, given: &str) -> Result<&[Spot], Trouble> {
        let found = self.linked.get_or_init(|| {
            let mut spots = Vec::new();
            for (place, name) in &self.places {
                let links = links(place).map_err(|_| name.clone())?;
                spots.extend(links.into_iter().filter_map(|link| {
                    let rest = link.strip_prefix(place).unwrap_or(&link).display().to_string();
                    spot(link, format!("{name}/{rest}"))
                }));
            }
            for folder in &self.folders {
                let links = gitfile::links(folder).map_err(|_| ".git".to_owned())?;
                spots.extend(links.into_iter().filter_map(|link| {
                    let name = Path::new(link.file_name()?).display().to_string();
                    spot(link, format!(".git/.../{name}"))
                }));
            }
            Ok(spots)
        });
        found.as_deref().map_err(|place| {
            Trouble::cannot(format!(
                "{} is not written: {} has more than {ENTRIES_MAX} entries, so nobody knows where its links lead; keep \
                 nothing but definitions there",
                shown(given),
                shown(place)
            ))
        })
    }

    /// Refuses a chain of directories, each with its name, and names beyond it.
    pub(super) fn check(
        &self,
        chain: &[(&OsStr, Identity)],
        beyond: &[&OsStr],
        inside: usize,
        given: &str,
    ) -> Result<(), Trouble> {
        let names: Vec<&OsStr> = chain.iter().map(|(name, _)| *name).chain(beyond.iter().copied()).collect();
        let last = names.len().saturating_sub(1);
        let found = names.iter().enumerate().find_map(|(at, name)| {
            governing(&name.to_string_lossy(), at == last).filter(|one| one.is_everywhere || at >= inside)
        });
        if let Some(one) = found {
            return Err(governed(given, &shown(one.name), one.decides));
        }
        let leads_to = |spot: &&Spot| {
            chain
                .iter()
                .enumerate()
                .any(|(at, (_, id))| *id == spot.at && begins(&names[at + 1..], &spot.below))
        };
        match self.spots.iter().chain(self.linked(given)?).find(leads_to) {
            Some(spot) => Err(governed(given, &shown(&spot.name), "what the server trusts, or git")),
            None => Ok(()),
        }
    }
}

impl Guard {
    /// Refuses a folder that is filled by others, where one of these would come to lie in it.
    pub(super) fn check_inside(
        &self,
        chain: &[(&OsStr, Identity)],
        beyond: &[&OsStr],
        given: &str,
    ) -> Result<(), Trouble> {
        let names: Vec<&OsStr> = chain.iter().map(|(name, _)| *name).chain(beyond.iter().copied()).collect();
        let holds = |spot: &&Spot| {
            let mut above = chain.iter().enumerate().filter(|(_, (_, id))| *id == spot.at);
            above.any(|(at, _)| {
                let rest = &names[at + 1..];
                rest.len() <= spot.below.len() && begins(rest, &spot.below[..rest.len()])
            })
        };
        match self.spots.iter().chain(self.linked(given)?).find(holds) {
            Some(spot) => Err(holds_trusted(given, "made", spot)),
            None => Ok(()),
        }
    }

    /// Refuses a folder that is removed with all that lies in it, where one of these does.
    pub(super) fn check_removed(&self, folder: &Path, given: &str) -> Result<(), Trouble> {
        let lies_there = |spot: &&Spot| spot.path.canonicalize().is_ok_and(|real| real.starts_with(folder));
        match self.spots.iter().chain(self.linked(given)?).find(lies_there) {
            Some(spot) => Err(holds_trusted(given, "removed", spot)),
            None => Ok(()),
        }
    }
}

fn holds_trusted(given: &str, done: &str, spot: &Spot) -> Trouble {
    let (given, name) = (shown(given), shown(&spot.name));
    Trouble::cannot(format!(
        "{given} is not {done} by blocks: {name} leads into it, which the server or git trusts; use another folder"
    ))
}

fn begins(names: &[&OsStr], with: &[String]) -> bool {
    names.len() >= with.len()
        && names.iter().zip(with).all(|(name, one)| folded(&name.to_string_lossy()) == *one)
}

/// That a path leads to something that decides over the server or git.
pub(super) fn governed(given: &str, what: &str, decides: &str) -> Trouble {
    let given = shown(given);
    let leads = if given == what { given } else { format!("{given} leads to {what}: that") };
    Trouble::cannot(format!(
        "{leads} is not written by blocks, because it decides {decides}: {GOVERNED_HINT}"
    ))
}

/// What a path stands for, links resolved, also one that leads to nothing yet.
fn spot(named: PathBuf, name: String) -> Option<Spot> {
    let (mut path, mut below) = (named.clone(), Vec::new());
    for _ in 0..STEPS_MAX {
        if let Ok(at) = identity_of(&path) {
            below.reverse();
            return Some(Spot { at, below, path: named, name });
        }
        let up = path.parent()?.to_owned();
        path = match read_link(&path) {
            Ok(target) => up.join(target),
            Err(_) => {
                below.push(folded(&path.file_name()?.to_string_lossy()));
                up
            }
        };
    }
    None
}

/// Something that is not written, and what it decides.
pub(super) type Belongs = (String, &'static str);

/// What a name in a directory belongs to, where its text alone does not tell. A worktree may lie in a repository: what is
/// already one, and what is to become one.
pub(super) fn belongs(dir: &OwnedFd, name: &OsStr, becomes_worktree: bool) -> Option<Belongs> {
    let text = folded(&name.to_string_lossy());
    let is = |wanted: &str| look(dir, OsStr::new(wanted)).is_some();
    let has = |wanted: &str| text == wanted.to_lowercase() || is(wanted);
    if has("HEAD") && (has("commondir") || (has("objects") && has("refs"))) {
        let is_worktree = || enter(dir, name).is_ok_and(|below| look(&below, OsStr::new(".git")).is_some());
        if is_of_git(name) || !(becomes_worktree || is_worktree()) {
            return Some(("a git repository".to_owned(), "what git runs"));
        }
    }
    if GOVERNING.iter().any(|one| one.name == text) {
        return None;
    }
    let same = |stat: Stat| (widened(stat.st_dev), stat.st_ino);
    let id = look(dir, name).map(same)?;
    let one = GOVERNING.iter().find(|one| look(dir, OsStr::new(one.name)).map(same) == Some(id))?;
    Some((shown(one.name), one.decides))
}

/// Whether it is a name that git looks for in a repository. Whoever writes one holds the folder: of several that together would
/// make a repository of it, the last one must see the others.
pub(super) fn is_of_git(name: &OsStr) -> bool {
    OF_GIT.contains(&folded(&name.to_string_lossy()).as_str())
}

/// Whether it is the name of a folder by which git knows a repository.
pub(super) fn makes_repository(name: &OsStr) -> bool {
    ["objects", "refs"].contains(&folded(&name.to_string_lossy()).as_str())
}

fn look(dir: &OwnedFd, name: &OsStr) -> Option<Stat> {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()
}
