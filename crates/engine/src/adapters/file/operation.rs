//! Carries one job out.

use super::Trouble;
use super::bytes::read;
use super::guard::is_of_git;
use super::job::{Job, Options, Template};
use super::lock::Lock;
use super::note::Created;
use super::render::rendered;
use super::roots::Roots;
use super::state::{load, merge, text};
use super::walk::{Aim, Making, Place, walk, walk_making};
use super::write::{Desk, Written, write};
use crate::answers::Answers;
use kernel::{Data, Fields, RunId};
use rustix::io::Errno;
use serde_json::{Map, Value};

/// What an operation gave, and what may be forgotten when that is recorded.
pub(super) type Done = (Fields, Option<Created>);

/// What an operation stands on.
pub(super) struct Room<'r> {
    pub(super) roots: &'r Roots,
    pub(super) desk: Desk<'r>,
    pub(super) answers: &'r dyn Answers,
    pub(super) run: &'r RunId,
}

impl Room<'_> {
    /// Does it.
    pub(super) fn carry_out(&self, job: Job) -> Result<Done, Trouble> {
        match job {
            Job::Create { path, content, options } => {
                let (place, written) = self.create(&path, &content, &options)?;
                let outputs = [
                    ("path", place.path.into()),
                    ("size_bytes", content.len().into()),
                    ("created", written.created.into()),
                ];
                Ok((fields(outputs), written.note))
            }
            Job::Read { path, encoding, bytes_max } => {
                let place = walk(self.roots, &path, Aim::Read)?;
                let bytes = read(&place, bytes_max, "`max_bytes` allows no more", self.desk.gate)?;
                let size = bytes.len();
                let (content, encoding) = encoding.encode(bytes, &place)?;
                let outputs = [
                    ("content", content.into()),
                    ("encoding", encoding.into()),
                    ("size_bytes", size.into()),
                    ("path", place.path.into()),
                ];
                Ok((fields(outputs), None))
            }
            Job::Look { path } => {
                let place = walk(self.roots, &path, Aim::Read)?;
                match place.file()? {
                    Some(_) => Ok((fields([("path", place.path.into())]), None)),
                    None => Err(Trouble::system("reached", &path, Errno::NOENT)),
                }
            }
            Job::ReadState { path, required } => self.read_state(&path, required),
            Job::WriteState { path, state } => self.change(&path, |_| Ok(state)),
            Job::MergeState { path, updates } => self.change(&path, |place| {
                let mut state = load(place, self.desk.gate)?.unwrap_or_default();
                merge(&mut state, updates);
                Ok(state)
            }),
            Job::Render { template, target } => self.render(template, target),
        }
    }

    fn create<'p>(
        &'p self,
        path: &'p str,
        content: &[u8],
        options: &Options,
    ) -> Result<(Place<'p>, Written), Trouble> {
        self.desk.gate.check()?;
        let walked = match options.create_parents {
            true => walk_making(self.roots, path, self.making()),
            false => walk(self.roots, path, Aim::Write),
        };
        let (place, _alone) = self.alone(walked?)?;
        let written = write(&place, content, options, self.desk)?;
        Ok((place, written))
    }

    fn making(&self) -> Making<'_> {
        Making { umask: self.desk.umask, gate: self.desk.gate }
    }

    /// The place, held where its name may make a git repository of the folder.
    fn alone<'p>(&self, place: Place<'p>) -> Result<(Place<'p>, Option<Lock>), Trouble> {
        if !is_of_git(&place.name) {
            return Ok((place, None));
        }
        let lock = Lock::wait(&place, self.desk.gate)?;
        Ok((place.again()?, Some(lock)))
    }

    fn read_state(&self, path: &str, required: bool) -> Result<Done, Trouble> {
        let found = match walk(self.roots, path, Aim::Read) {
            Ok(place) => load(&place, self.desk.gate)?.map(|state| (place.path, state)),
            // A folder that is not there holds no state either.
            Err(trouble) if trouble == Trouble::system("reached", path, Errno::NOENT) => None,
            Err(trouble) => return Err(trouble),
        };
        match found {
            Some((path, state)) => Ok((
                fields([("state", Value::Object(state)), ("path", path.into()), ("exists", true.into())]),
                None,
            )),
            None if required => Err(Trouble::system("read", path, Errno::NOENT)),
            None => {
                let path = self.roots.folder.join(path).to_string_lossy().into_owned();
                let empty = Value::Object(Map::new());
                Ok((fields([("state", empty), ("path", path.into()), ("exists", false.into())]), None))
            }
        }
    }

    /// Replaces a state while nobody else does.
    fn change(
        &self,
        path: &str,
        next: impl FnOnce(&Place) -> Result<Map<String, Value>, Trouble>,
    ) -> Result<Done, Trouble> {
        self.desk.gate.check()?;
        let before = walk_making(self.roots, path, self.making())?;
        let _lock = Lock::wait(&before, self.desk.gate)?;
        // It may be there by now, or be another: looked at again while it is held.
        let place = before.again()?;
        let state = next(&place)?;
        let bytes = text(&state, path)?;
        let options = Options { is_noted: false, ..Options::USUAL };
        write(&place, &bytes, &options, self.desk)?;
        let outputs = [
            ("state", Value::Object(state)),
            ("path", place.path.into()),
            ("size_bytes", bytes.len().into()),
        ];
        Ok((fields(outputs), None))
    }

    fn render(&self, template: Template, target: Option<(String, Options)>) -> Result<Done, Trouble> {
        let asked = (self.answers, self.run);
        let text = rendered(self.roots, template, asked, self.desk.gate)?;
        let Some((path, options)) = target else {
            return Ok((fields([("rendered", text.into())]), None));
        };
        let (place, written) = self.create(&path, text.as_bytes(), &options)?;
        let size = text.len();
        let outputs = [("rendered", text.into()), ("path", place.path.into()), ("size_bytes", size.into())];
        Ok((fields(outputs), written.note))
    }
}

fn fields<const N: usize>(named: [(&str, Value); N]) -> Fields {
    named.into_iter().map(|(name, value)| (name.to_owned(), Data::Inline(value))).collect()
}
