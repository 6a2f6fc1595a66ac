//! Why a reference is refused, in words, and what to write instead.

/// Why a reference is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The here-document's mark is quoted, so the shell leaves its text alone.
    QuotedHereDocument,
    /// It is part of a here-document's mark.
    HereDocumentMark,
    /// A backslash stands before it.
    Backslash,
    /// It stands in the shell's own `${...}`.
    Expansion,
    /// It stands in backticks that have a backslash in them.
    Backticks,
    /// It stands in `$'...'`.
    DollarQuote,
    /// It stands in `[[...]]`, `((...))` or `$[...]`, which bash may take for code.
    Bash,
    /// It stands in the subscript of an assignment.
    Subscript,
    /// It stands in a `$(...)` whose result is evaluated.
    Result,
    /// It is given to a builtin that counts with it, or to a variable that is a number.
    Counted,
    /// It is given to a variable that the script, or the shell, holds as a number or as the name of another.
    Number,
    /// It is given to a builtin as the name of a variable.
    Name,
    /// It stands after `>&`.
    Copied,
    /// The script itself uses the name of the variable that carries it.
    Taken,
    /// The shell's quoting could not be followed up to it.
    Unclear,
}

impl Reason {
    /// Says what is wrong.
    pub const fn message(self) -> &'static str {
        match self {
            Self::QuotedHereDocument => "the shell does not look into a here-document whose mark is quoted",
            Self::HereDocumentMark => "the mark of a here-document must be plain text",
            Self::Backslash => "a backslash cannot stand before a reference",
            Self::Expansion => "a reference cannot stand inside the shell's own `${...}`",
            Self::Backticks => "a reference cannot stand in backticks that have a backslash in them",
            Self::DollarQuote => "a reference cannot stand inside `$'...'`",
            Self::Bash => {
                "a reference cannot stand in `[[...]]`, `((...))` or `$[...]`: bash may run it as code"
            }
            Self::Subscript => {
                "a reference cannot stand in a subscript, `name[...]=`: bash may run it as code"
            }
            Self::Result => "the shell counts with what this command gives: bash may run it as code",
            Self::Counted => "the shell counts with this value, or takes it apart: bash may run it as code",
            Self::Number => {
                "this variable is a number, or the name of another one: bash may run what it is given as code"
            }
            Self::Name => "a reference cannot be the name of a variable here: bash may run it as code",
            Self::Copied => "what stands after `>&` is expanded a second time: bash may run it as code",
            Self::Taken => {
                "the script uses the name of the variable that carries this value: `SB_1`, `SB_2` and so on"
            }
            Self::Unclear => "the quoting of this command could not be followed up to this reference",
        }
    }

    /// Says what to write instead.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::QuotedHereDocument => {
                "take the quotes off the mark, or pass the value by `env:` and let the program read it there"
            }
            Self::HereDocumentMark => "write a fixed word, e.g. `<<END`",
            Self::Backslash => "take the backslash away; values are quoted for you",
            Self::Expansion => "pass the value by `env:` and use that variable here",
            Self::Backticks => "write `$(...)` in place of the backticks",
            Self::DollarQuote => "end the quote before the reference and begin it again after",
            Self::Bash => "write `[ ... ]` or `$((...))`",
            Self::Subscript => "write the reference in `$((...))`, which takes whole numbers only",
            Self::Result => {
                "give the result to a variable, and count only after `case \"$x\" in ''|*[!0-9]*) exit 1;; esac`"
            }
            Self::Counted => "write `x=${...}` for a text, `x=$((${...} + 1))` for a whole number",
            Self::Number => {
                "give it to a variable that is not declared with `-i` or `-n`, or write `$((${...}))`, which takes whole \
                 numbers only"
            }
            Self::Name => "write a fixed name",
            Self::Copied => "write `> file 2>&1`",
            Self::Taken => "give the variable of the script another name",
            Self::Unclear => {
                "pass the value by `env:`, or give it to a variable on the first line and use that"
            }
        }
    }
}
