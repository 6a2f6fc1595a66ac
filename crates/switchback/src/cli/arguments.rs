//! All that can be typed. Every command shows examples in its help.

use clap::{Args, Parser, Subcommand, builder::NonEmptyStringValueParser};

const EXAMPLES: &str = "\
Examples:
  switchback run flow.yaml -i who=Ada     run a definition, give it an input
  switchback check                        look for mistakes in all definitions of this project
  switchback runs                         what ran here, and what waits
  switchback show mossy-otter             one run, step by step (any unique beginning of its name)

Exit codes: 0 succeeded, 1 internal, 2 usage, 3 waiting for a human, 5 invalid definition, 100 run failed,
            124 timed out, 130 interrupted";

/// Runs repeatable, multi-step work and remembers everything.
#[derive(Debug, Parser)]
#[command(name = "switchback", version, after_help = EXAMPLES, arg_required_else_help = true, max_term_width = 110)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Write a first workflow into this project, to be tried and changed.
    Init(InitArguments),
    /// Run a workflow and follow it to its end.
    Run(RunArguments),
    /// Look for mistakes without running anything.
    Check(CheckArguments),
    /// List the workflows that can be run by name.
    List(ListArguments),
    /// List runs, the newest first.
    Runs(RunsArguments),
    /// Show one run, step by step.
    Show(ShowArguments),
    /// End a run; what it had open is stopped.
    Cancel(CancelArguments),
    /// Go on with a run that was interrupted.
    Resume(ResumeArguments),
    /// Answer what a run asks.
    Answer(AnswerArguments),
    /// List the terminals that agents have opened.
    Terminals(TerminalsArguments),
    /// Look at a terminal, or take it over.
    Attach(AttachArguments),
    /// Check that nothing in a journal was changed.
    Verify(VerifyArguments),
    /// Say whether a daemon runs, and what it is doing.
    Status(StatusArguments),
    /// End the daemon.
    Stop(StopArguments),
    /// End the daemon and start one.
    Restart(RestartArguments),
    /// Serve MCP on stdin and stdout, for an agent's client.
    Serve(ServeArguments),
    /// Set a client up to use this server.
    Install(InstallArguments),
    /// Put the values of secrets away, and list their names.
    Secret(SecretArguments),
    /// Set the passphrase that gates of level `proof` ask for.
    Proof(ProofArguments),
    /// Say what is wrong with the set-up, and how to mend it.
    Doctor(DoctorArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback init             .switchback/workflows/hello.yaml, if nothing is there yet
  switchback run hello        what it does")]
pub(crate) struct InitArguments {
    /// Say what was written as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback run flow.yaml                        a file
  switchback run hello                            a name that `switchback list` shows
  switchback run flow.yaml -i who=Ada -i count=3  inputs; each is read as the type the workflow declares
  switchback run flow.yaml -i 'tags=[\"a\",\"b\"]'    lists and objects are JSON
  switchback run flow.yaml --json                 one JSON document on stdout, all talk on stderr

What the run asks is asked here, if this is a terminal; `l` leaves it for later (exit code 3, switchback answer).
Ctrl-C ends what is running, remembers the rest, and says how to go on; while a question is asked it leaves that for
later. Without Ctrl-C the run outlives this command: the daemon carries it.")]
pub(crate) struct RunArguments {
    /// A file (with a slash, or ending in .yaml, .yml or .json) or the name of a workflow.
    #[arg(value_name = "FILE|NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) workflow: String,
    /// The value of an input.
    #[arg(short = 'i', long = "input", value_name = "KEY=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Print the result as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    /// Never ask anything; what is asked stays open.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// Do everything in this process, without the daemon.
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback check flow.yaml          all mistakes of one file, each with its place
  switchback check                    all definitions that `switchback list` shows
  switchback check *.yaml --json      {\"diagnostics\": [...]} for programs")]
pub(crate) struct CheckArguments {
    /// The files; without any, all definitions that can be found.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Print the diagnostics as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback list             names, groups, where they lie, and what they are for
  switchback list --json      with inputs, and with what each hides

Looked into, in this order: .switchback/workflows, ~/.config/switchback/workflows, .aromcp/workflows,
~/.aromcp/workflows, workflows, .terminal_control_workflows, the folders in WORKFLOWS_TEMPLATE_PATHS
(between commas, later ones win), then what is built in. Of two with the same name the first is run.")]
pub(crate) struct ListArguments {
    /// Print the list as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback runs                       the newest runs of this folder
  switchback runs --all -n 100          of all folders, more of them
  switchback runs --status waiting      those that need someone
  switchback runs --children            with the runs that they started")]
pub(crate) struct RunsArguments {
    /// The runs of all folders, not only of this one.
    #[arg(long)]
    pub(crate) all: bool,
    /// Below each run those that it started, and those that they started.
    #[arg(long)]
    pub(crate) children: bool,
    /// Only those that stand so.
    #[arg(long, value_name = "STATUS", value_parser = ["queued", "running", "waiting", "interrupted", "closing",
        "succeeded", "failed", "cancelled", "diverged"])]
    pub(crate) status: Option<String>,
    /// At most so many.
    #[arg(short = 'n', long = "limit", value_name = "COUNT", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Print the list as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback show mossy-otter-41                       how it stands, step by step, and what to do next
  switchback show mossy                                any unique beginning of its name
  switchback show mossy --journal > mossy.journal      its journal, for `switchback verify mossy.journal`")]
pub(crate) struct ShowArguments {
    /// The run, or a unique beginning of its name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Print all that is known of it as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print its journal as a file that can be verified anywhere.
    #[arg(long, conflicts_with = "json")]
    pub(crate) journal: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback cancel mossy-otter-41
  switchback cancel mossy --reason 'wrong branch'")]
pub(crate) struct CancelArguments {
    /// The run, or a unique beginning of its name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Why; it is remembered with the run.
    #[arg(long, value_name = "TEXT", default_value = "cancelled from the command line")]
    pub(crate) reason: String,
    /// Print the run as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    /// Do everything in this process, without the daemon.
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback resume mossy-otter-41                              go on where it stopped
  switchback resume mossy --retry push                          `push` is done again
  switchback resume mossy --done push -o stdout=v1.4.0          `push` had happened, and gave this
  switchback resume mossy --fail push                           `push` counts as failed
  switchback resume mossy --retry                               every interrupted step is done again")]
pub(crate) struct ResumeArguments {
    /// The run, or a unique beginning of its name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Do an interrupted step again; without a name, all of them.
    #[arg(long, value_name = "STEP", num_args = 0..=1, group = "decision")]
    pub(crate) retry: Option<Option<String>>,
    /// Take an interrupted step as done; without a name, all of them.
    #[arg(long, value_name = "STEP", num_args = 0..=1, group = "decision")]
    pub(crate) done: Option<Option<String>>,
    /// What the step gave that is taken as done.
    #[arg(short = 'o', long = "output", value_name = "KEY=VALUE", requires = "done",
        conflicts_with_all = ["retry", "fail"])]
    pub(crate) outputs: Vec<String>,
    /// Let an interrupted step count as failed; without a name, all of them.
    #[arg(long, value_name = "STEP", num_args = 0..=1, group = "decision")]
    pub(crate) fail: Option<Option<String>>,
    /// Print the result as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    /// Never ask anything; what is asked stays open.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// Do everything in this process, without the daemon.
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback answer mossy-otter-41                     show what it asks, and ask you
  switchback answer mossy yes                          without asking; also a choice, its number, or a text
  switchback answer mossy - < notes.txt                what stdin says
  switchback answer mossy --question ci#1/approve#1    one of several
  switchback answer mossy --json                       what it asks, for programs; exit code 3

A gate asks for a word of the run's name on a terminal, and takes no answer from a process that an agent's client or a
workflow has started.")]
pub(crate) struct AnswerArguments {
    /// The run, or a unique beginning of its name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The answer; `-` reads it from stdin. Without it, you are asked.
    #[arg(value_name = "RESPONSE", allow_negative_numbers = true)]
    pub(crate) response: Option<String>,
    /// Which question, where several are open.
    #[arg(long, value_name = "ID")]
    pub(crate) question: Option<String>,
    /// Print the run as one JSON document; without RESPONSE, the question.
    #[arg(long)]
    pub(crate) json: bool,
    /// Never ask anything; what is asked stays open.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// Do everything in this process, without the daemon.
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback terminals             those of this folder
  switchback terminals --all       of all folders
  switchback attach t3             look at one")]
pub(crate) struct TerminalsArguments {
    /// The terminals of all folders, not only of this one.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the list as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback attach t3                look at it, live
  switchback attach t3 --control      type in it; the agent waits meanwhile

Ctrl-\\ d leaves, and what runs in the terminal goes on.")]
pub(crate) struct AttachArguments {
    /// The terminal, as `switchback terminals` names it.
    #[arg(value_name = "SESSION", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: String,
    /// Type in it. Agents are refused until you leave.
    #[arg(long)]
    pub(crate) control: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback status             version, process, clients, steps under way
  switchback status --json      the same for programs")]
pub(crate) struct StatusArguments {
    /// Print the answer as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback stop           if nothing is being carried out
  switchback stop --now     what is being carried out is interrupted, and goes on or asks when a daemon starts again")]
pub(crate) struct StopArguments {
    /// Interrupt what is being carried out.
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback restart           after an update, for example
  switchback restart --now     what is being carried out is interrupted, and goes on or asks")]
pub(crate) struct RestartArguments {
    /// Interrupt what is being carried out.
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  switchback serve                                what a client's configuration starts
  switchback serve --toolsets blocks,terminal     only these groups of tools; `all` for every one
  switchback serve --read-only                    only tools that change nothing

Written for you by: switchback install CLIENT")]
pub(crate) struct ServeArguments {
    /// The groups of tools to offer, between commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) toolsets: Option<Vec<String>>,
    /// Offer only tools that change nothing.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// The project folder, where it is not the current one.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) workspace: Option<String>,
    /// Do everything in this process, without the daemon.
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback install claude-code           show what would be written, and where
  switchback install claude-code --yes     write it; what is there stays, and a backup is made
  switchback install codex --project       for this project only, where the client has such a file")]
pub(crate) struct InstallArguments {
    /// Which client.
    #[arg(value_name = "CLIENT", value_parser = ["claude-code", "codex", "gemini", "cursor", "vscode", "claude-desktop"])]
    pub(crate) client: String,
    /// Write it.
    #[arg(long)]
    pub(crate) yes: bool,
    /// For this project only.
    #[arg(long)]
    pub(crate) project: bool,
    /// Print what would be or was written as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback doctor             one line a thing, with what mends it
  switchback doctor --json      the same for programs")]
pub(crate) struct DoctorArguments {
    /// Print the findings as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback verify mossy-otter-41      every stored byte of a run, and that replaying it gives the same
  switchback verify mossy.journal       a file that `switchback show RUN --journal` wrote; needs no store")]
pub(crate) struct VerifyArguments {
    /// A run, a unique beginning of its name, or a journal file.
    #[arg(value_name = "RUN|FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) subject: String,
    /// Print the answer as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback secret set TOKEN                  asks for the value and does not show it
  gh auth token | switchback secret set TOKEN  the value comes from another program
  switchback secret set KEY < key.pem          or from a file, with all its lines
  switchback secret set TOKEN --keyring        into the keyring of the system
  switchback secret list                       names and places, never values")]
pub(crate) struct SecretArguments {
    #[command(subcommand)]
    pub(crate) verb: SecretVerb,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  switchback proof set        asks for it twice; one that is set already is asked for first
  switchback proof remove     until there is another, nobody passes such a gate")]
pub(crate) struct ProofArguments {
    #[command(subcommand)]
    pub(crate) verb: ProofVerb,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum ProofVerb {
    /// Set the passphrase, or another one.
    Set,
    /// Forget it.
    Remove,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretVerb {
    /// Keep a value, which comes from stdin or is asked for.
    Set {
        /// The name by which workflows use it.
        #[arg(value_name = "NAME")]
        name: String,
        /// Keep it in the keyring of the system, not in the file of the data directory.
        #[arg(long)]
        keyring: bool,
    },
    /// List the names of secrets and where their values come from.
    List {
        /// Print the list as one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Forget a value, wherever it is kept.
    Remove {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound_and_every_command_has_examples() {
        Arguments::command().debug_assert();
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:"), "{}", command.get_name());
        }
    }
}
