//! Places where a value is part of code that the script itself asks for: `check` warns of them, and shows the way around.

/// Why a reference may become code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The text is read once more: `eval`, `trap`, `alias`, `GIT_SSH_COMMAND=`.
    Again,
    /// A variable gets it that may be a number.
    Variable,
    /// A declaration gives it to a variable that may be an array.
    Array,
    /// It is given to a command whose name cannot be seen.
    Command,
    /// Another shell runs the text: `sh -c`, `su -c`.
    Script,
    /// A program in another language: `python3 -c`.
    Program,
    /// A query: `psql -c`, `sqlite3 file`.
    Query,
    /// A shell on another machine: `ssh`.
    Remote,
    /// A shell reads it as its input: `bash <<END`.
    Input,
    /// A program in another language is read: `python3 <<END`.
    Read,
    /// `printf` takes it for a format.
    Format,
    /// `[` may take it for an operator.
    Operator,
    /// make expands it: `make V=...`.
    Expanded,
    /// A program runs what an option or a word of it says: `tar -I`, `git rebase -x`.
    Option,
    /// What a command prints is run: `$(echo ...) x`.
    Result,
    /// Programs or modules are looked for there: `PATH=`.
    Searched,
    /// Programs read their settings there: `HOME=`, `GIT_DIR=`.
    Settings,
}

impl Doubt {
    /// Says what may happen.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Again => "this text is read once more as code, and the value with it",
            Self::Variable => {
                "this may reach a variable that is a number, or stands for another: bash would run the value as code"
            }
            Self::Array => {
                "this variable may be an array, and what a declaration gives to one is taken apart: bash would run the value as code"
            }
            Self::Command => "which command gets this value cannot be seen, and some run it as code",
            Self::Script => "another shell runs this text as code, and the value with it",
            Self::Program => "the value becomes part of a program",
            Self::Query => "the value becomes part of a query, and such programs run commands as well",
            Self::Remote => "a shell on the other side runs this text as code, and the value with it",
            Self::Read => "what is read here runs as a program, and the value with it",
            Self::Format => {
                "`printf` takes this value for a format, and bash may take it for an option that runs code"
            }
            Self::Operator => {
                "the first of two words side by side may be taken for an operator: bash may run the other as code"
            }
            Self::Expanded => "make expands what it is given: `$(shell ...)` in the value would run",
            Self::Option => "this program runs what it is told here, and the value with it",
            Self::Result => "what this prints is run as a command, and the value with it",
            Self::Searched => {
                "programs are looked for, or loaded from, where this variable says, and the value with it"
            }
            Self::Settings => {
                "programs read settings where this variable says, or take them from it, and settings name commands"
            }
            Self::Input => "a shell runs what it reads here as code, and the value with it",
        }
    }

    /// Says what to write instead.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Again => {
                "give it to a variable and name that in single quotes: `x=${...}; trap 'rm -- \"$x\"' EXIT`"
            }
            Self::Variable => {
                "give it to a variable that is declared nowhere else, or count with `$((${...}))`"
            }
            Self::Array => "give it after the declaration: `local x; x=${...}`",
            Self::Command => {
                "write the name of the command out, or let `env` start it, which knows programs only: `env \"$tool\" ${...}`"
            }
            Self::Script => "give it as an argument behind the script: `sh -c 'echo \"$1\"' sh ${...}`",
            Self::Program => {
                "give it as an argument behind the program and read it there: `python3 -c '... sys.argv[1] ...' ${...}`"
            }
            Self::Query => {
                "give it as a variable and let the program quote it: `psql -v x=${...} <<'END'`, named there as `:'x'`"
            }
            Self::Remote => "send it as input: `printf %s ${...} | ssh host 'x=$(cat); echo \"$x\"'`",
            Self::Read => {
                "quote the mark, give it as an argument (`python3 - ${...} <<'END'`) or by `env:`, and read it there"
            }
            Self::Format => "write `printf '%s' ${...}`",
            Self::Operator => "write the operator out: `[ ${...} = ${...} ]`, `[ -n ${...} ]`",
            Self::Expanded => "give it by `env: {NAME: ...}`, and name it in the recipe as `$$NAME`",
            Self::Option => {
                "write the text out, give the value by `env: {NAME: ...}`, and let the text read `$NAME`"
            }
            Self::Result => {
                "write the command out, or put quotes around it, so that it is the name of one program: `\"$(...)\" x`"
            }
            Self::Searched => "write the folders out, or make sure of the value first",
            Self::Settings => "write the place out, or make sure of the value first",
            Self::Input => {
                "quote the mark and give it as an argument: `sh -s -- ${...} <<'END'`, read there as `\"$1\"`"
            }
        }
    }
}
