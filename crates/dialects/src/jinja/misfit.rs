//! What is said of words that do not fit together.

use super::fit::{Fit, Misfit};
use super::token::Kind;

impl Fit<'_> {
    /// That no value stands where one must.
    pub(super) fn missing(&self) -> Misfit {
        let before = self.at.checked_sub(1).map(|before| self.written(before));
        let (here, is_end) = (self.written(self.at), self.at == self.tokens.len());
        match (before, is_end) {
            _ if here == "!" => self.sign(here),
            (Some(before), true) => {
                let message = format!("a value is missing behind `{before}`");
                self.fault(self.at - 1, message, format!("write one, or take `{before}` away"))
            }
            (None, true) => {
                self.fault(0, "nothing stands between the braces".to_owned(), "write an expression")
            }
            (Some(before), false) => {
                let message = format!("a value is missing between `{before}` and `{here}`");
                self.fault(self.at, message, format!("write one, or take `{here}` away"))
            }
            (None, false) => {
                let message = format!("a value is missing before `{here}`");
                self.fault(self.at, message, format!("write one, or take `{here}` away"))
            }
        }
    }

    /// That something stands where an expression is over.
    pub(super) fn unexpected(&self) -> Misfit {
        let here = self.written(self.at);
        match self.kind(self.at) {
            Some(Kind::Sign('=')) => {
                self.fault(self.at, "`=` gives no value here".to_owned(), "compare with `==`")
            }
            Some(Kind::Sign(sign @ (')' | ']' | '}'))) => {
                self.fault(self.at, format!("`{sign}` closes nothing"), "take it away, or open it")
            }
            Some(Kind::Sign(sign)) if !",:()[]{}".contains(sign) => self.sign(here),
            Some(Kind::Name) if ["else", "elif"].contains(&here) => {
                self.fault(self.at, format!("`{here}` belongs to no `if`"), "write `a if b else c`")
            }
            _ => {
                let before = self.at.checked_sub(1).map(|before| self.written(before)).unwrap_or_default();
                let message = format!("`{here}` cannot follow `{before}`");
                self.fault(
                    self.at,
                    message,
                    "put an operator between them, such as `~` or `and`, or take one away",
                )
            }
        }
    }

    /// That a sign is none of Jinja.
    fn sign(&self, sign: &str) -> Misfit {
        let hint = match sign {
            "&" => "for both, write `and`",
            "!" => "write `not`, or `!=` between two values",
            "?" => "write `a if condition else b`",
            _ => "take it away, or put it in quotes",
        };
        self.fault(self.at, format!("`{sign}` is no sign of an expression"), hint)
    }
}
