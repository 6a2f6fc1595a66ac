//! How a question reaches the product: one driver a door.
//!
//! Today there is the command line. Tools over MCP will be a second driver that holds the connection and
//! gives the same [`Answer`]; conversations, expectations and kill points stay as they are.

use std::io;
use std::path::{Path, PathBuf};

use crate::case::{Ask, Target};
use crate::names::Names;
use crate::process::{self, Answer, Running, Spec};
use crate::workspace::Workspace;

/// Why a question could not be put: the case is wrong or the machine is, not the answer.
pub(crate) type Trouble = String;

/// The place and the names a question is put with.
pub(crate) struct Setting<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) names: &'a Names,
    /// The environment of the case and of the runner, in rising order of right.
    pub(crate) env: Vec<(String, String)>,
    /// A name for what is captured, unlike any other in this workspace.
    pub(crate) capture: String,
}

/// Puts questions through one door.
pub(crate) trait Driver {
    /// Puts the question and waits for the answer.
    fn ask(&self, ask: &Ask, setting: Setting<'_>) -> Result<Answer, Trouble>;

    /// Puts the question and lets it go on.
    fn start(&self, ask: &Ask, setting: Setting<'_>) -> Result<Running, Trouble>;
}

/// The command line of a program.
pub(crate) struct CommandLine {
    pub(crate) program: PathBuf,
}

impl Driver for CommandLine {
    fn ask(&self, ask: &Ask, setting: Setting<'_>) -> Result<Answer, Trouble> {
        let root = setting.workspace.root().to_owned();
        self.start(ask, setting)?.wait(ask.limit, &root).map_err(trouble)
    }

    fn start(&self, ask: &Ask, setting: Setting<'_>) -> Result<Running, Trouble> {
        let folder = setting.workspace.folder();
        let mut env = setting.workspace.env(&self.program);
        env.extend(setting.env);
        for (name, value) in &ask.env {
            env.push((name.clone(), setting.names.fill(value)?));
        }
        let argv = argv(&self.program, &ask.target, setting.names)?;
        let capture = setting.workspace.capture(&setting.capture);
        process::start(Spec { argv, env, folder: &folder, capture }).map_err(trouble)
    }
}

fn argv(program: &Path, target: &Target, names: &Names) -> Result<Vec<String>, Trouble> {
    match target {
        Target::Run(args) => {
            let program = std::iter::once(Ok(program.display().to_string()));
            program.chain(args.iter().map(|arg| names.fill(arg))).collect()
        }
        Target::Shell(text) => Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), names.fill(text)?]),
    }
}

fn trouble(error: io::Error) -> Trouble {
    format!("failed to run the command: {error}")
}
