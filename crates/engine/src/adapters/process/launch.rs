//! A job in the form the system takes it: a resolved program, its arguments and environment, and the files
//! it starts with. All that can be refused without a process is refused here.
//!
//! Nothing is executed here.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::fcntl_dupfd_cloexec;

use super::job::{Job, Script};
use super::note::MARKER;
use super::outcome::{NotStarted, Reason};

/// Where a bare program name is looked up if the environment names no PATH.
pub(super) const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// What `execve` is given, and where.
pub(super) struct Launch {
    pub(super) program: CString,
    pub(super) arguments: Vec<CString>,
    pub(super) environment: Vec<CString>,
    pub(super) dir: CString,
    pub(super) umask: Option<u32>,
}

impl Launch {
    /// Resolves and checks the job; `marker` becomes the one variable more in its environment.
    pub(super) fn prepare(job: &Job, marker: &str) -> Result<Launch, NotStarted> {
        let (program, arguments) = command(job)?;
        Ok(Launch {
            program: text("the path of the program", program.as_os_str().as_bytes())?,
            arguments,
            environment: environment(job, marker)?,
            dir: text("the path of the working folder", job.dir.as_os_str().as_bytes())?,
            umask: job.umask,
        })
    }
}

/// Gives the program and its arguments, the name of the program first.
fn command(job: &Job) -> Result<(PathBuf, Vec<CString>), NotStarted> {
    match &job.script {
        Script::Sh(script) => {
            let arguments = vec![c"sh".into(), c"-c".into(), text("the script", script.as_bytes())?];
            Ok((PathBuf::from("/bin/sh"), arguments))
        }
        Script::Shell { program, args } => {
            let mut arguments = vec![text("the name of the program", program.as_bytes())?];
            for argument in args {
                arguments.push(text("an argument", argument.as_bytes())?);
            }
            Ok((resolve(program, job)?, arguments))
        }
    }
}

/// Finds a bare name in the job's PATH; a path stays as it is and is taken from the job's folder.
fn resolve(program: &str, job: &Job) -> Result<PathBuf, NotStarted> {
    if program.contains('/') {
        return Ok(PathBuf::from(program));
    }
    let path = job.env.get("PATH").map_or(PATH_DEFAULT, String::as_str);
    let candidates = || path.split(':').map(|folder| job.dir.join(folder).join(program));
    if let Some(found) = candidates().find(|candidate| is_executable(candidate)) {
        return Ok(found);
    }
    Err(match candidates().find(|candidate| !program.is_empty() && candidate.is_file()) {
        Some(denied) => NotStarted::new(
            Reason::ProgramDenied,
            format!("{} may not be executed: make it executable (chmod +x)", denied.display()),
        ),
        None => NotStarted::new(
            Reason::ProgramMissing,
            format!(
                "program `{program}` was not found in PATH ({path}): install it, add its folder to PATH in \
                 the step's env, or name it by its full path"
            ),
        ),
    })
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

fn environment(job: &Job, marker: &str) -> Result<Vec<CString>, NotStarted> {
    let given = job.env.iter().filter(|(name, _)| !job.secrets.contains_key(name.as_str()));
    let given = given.map(|(name, value)| (name.as_str(), value.as_str()));
    let secrets = job.secrets.iter().map(|(name, secret)| (name.as_str(), secret.expose()));
    let all = given.chain(secrets).filter(|(name, _)| *name != MARKER).chain([(MARKER, marker)]);
    all.map(|(name, value)| variable(name, value)).collect()
}

fn variable(name: &str, value: &str) -> Result<CString, NotStarted> {
    if name.is_empty() || name.contains('=') {
        let text =
            format!("`{name}` cannot be the name of an environment variable: rename it in the step's env");
        return Err(NotStarted::new(Reason::Malformed, text));
    }
    text(&format!("environment variable `{name}`"), format!("{name}={value}").as_bytes())
}

fn text(what: &str, bytes: &[u8]) -> Result<CString, NotStarted> {
    CString::new(bytes).map_err(|_| {
        let text = format!("{what} contains a NUL byte, which no process can be given: remove it");
        NotStarted::new(Reason::Malformed, text)
    })
}

/// The child's ends of its three streams.
pub(super) struct Stdio {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Stdio {
    /// Opens `/dev/null` and two pipes; gives the server's ends of stdout and stderr too.
    pub(super) fn open() -> io::Result<(Stdio, OwnedFd, OwnedFd)> {
        let (stdout_reader, stdout) = pipe()?;
        let (stderr_reader, stderr) = pipe()?;
        let stdin = above_stdio(File::open("/dev/null")?.into())?;
        Ok((Stdio { stdin, stdout, stderr }, stdout_reader, stderr_reader))
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer): (PipeReader, PipeWriter) = io::pipe()?;
    Ok((reader.into(), above_stdio(writer.into())?))
}

/// Moves a descriptor above 2, so that the child can place its streams without overwriting one of them.
pub(super) fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 { Ok(fd) } else { Ok(fcntl_dupfd_cloexec(fd.as_fd(), 3)?) }
}
