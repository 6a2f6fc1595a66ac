//! Starts what a conversation needs: commands of the product, helpers of the case, and servers for its clients.

use std::io;
use std::path::PathBuf;

use crate::case::{Connect, Target};
use crate::doors::{Door, Era};
use crate::mcp::Opening;
use crate::names::Names;
use crate::process::{self, Running, Spec};
use crate::workspace::Workspace;

/// Why a question could not be put: the case is wrong or the machine is, not the answer.
pub(crate) type Trouble = String;

/// The product, at one of its doors.
#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) program: PathBuf,
    pub(crate) door: Door,
}

/// The place and the names a question is put with.
pub(crate) struct Setting<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) names: &'a Names,
    /// The environment of the case, of the step and of the runner, in rising order of right.
    pub(crate) env: Vec<(String, String)>,
    /// A name for what is captured, unlike any other in this workspace.
    pub(crate) capture: String,
}

impl Driver {
    /// Starts a command or a helper and lets it go on.
    pub(crate) fn start(&self, target: &Target, setting: &Setting<'_>) -> Result<Running, Trouble> {
        let argv = self.argv(target, setting.names)?;
        let folder = setting.workspace.folder();
        let capture = setting.workspace.capture(&setting.capture);
        let env = self.env(setting)?;
        process::start(Spec { argv, env, folder: &folder, capture })
            .map_err(|error: io::Error| format!("failed to run the command: {error}"))
    }

    /// Returns how a client comes in.
    pub(crate) fn opening<'c>(
        &self,
        connect: &'c Connect,
        folder: &'c std::path::Path,
        setting: &Setting<'_>,
    ) -> Result<Opening<'c>, Trouble> {
        let mut argv = vec![self.program.display().to_string(), "serve".to_owned()];
        for arg in &connect.args {
            argv.push(setting.names.fill(arg)?);
        }
        let door = match self.door {
            Door::Mcp(era) => era,
            _ => Era::Handshake,
        };
        Ok(Opening {
            name: &connect.name,
            argv,
            env: self.env(setting)?,
            folder,
            capture: setting.workspace.capture(&setting.capture).with_extension("err"),
            era: connect.era.unwrap_or(door),
            limit: connect.limit,
            answers: connect.answers.clone(),
        })
    }

    /// Returns the whole environment of a process.
    pub(crate) fn env(&self, setting: &Setting<'_>) -> Result<Vec<(String, String)>, Trouble> {
        let mut env = setting.workspace.env(&self.program);
        if self.door == Door::Alone {
            env.push(("SWITCHBACK_NO_DAEMON".to_owned(), "1".to_owned()));
        }
        for (name, value) in &setting.env {
            env.push((name.clone(), setting.names.fill(value)?));
        }
        Ok(env)
    }

    fn argv(&self, target: &Target, names: &Names) -> Result<Vec<String>, Trouble> {
        match target {
            Target::Run(args) => {
                let program = std::iter::once(Ok(self.program.display().to_string()));
                program.chain(args.iter().map(|arg| names.fill(arg))).collect()
            }
            Target::Shell(text) => Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), names.fill(text)?]),
            Target::Request(_) => unreachable!("BUG: a request is sent, not started"),
        }
    }
}
