//! Secrets in this dialect: `env: {GH_TOKEN: "{{ secrets.TOKEN }}"}` of a command that the server runs, as one whole
//! expression. Anywhere else the value would become part of a text, and texts are recorded; so it is a mistake.

use super::reader::Reader;
use crate::jinja;
use crate::mistakes::Place;
use crate::secrets::ROOT;
use crate::shape::{did_you_mean, listed};
use crate::text::Node;

impl<'n> Reader<'_, 'n> {
    /// Reads the value of a variable that is a secret and nothing else; gives the secret's name. One that nobody declares is
    /// reported.
    pub(super) fn secret(&mut self, node: &'n Node) -> Option<String> {
        let text = node.as_string()?;
        let found = jinja::reads(text);
        let inside = found.whole?;
        let [read] = found.names.as_slice() else { return None };
        let name = read.field.clone().filter(|_| read.root == ROOT)?;
        if text[inside].trim() != &text[read.at.clone()] {
            return None;
        }
        if !self.secrets.take(&name) && !self.secrets.is_broken() {
            let place = Place { node, range: read.at.clone() };
            let near = crate::near::nearest(&name, self.secrets.names());
            let names: Vec<&str> = self.secrets.names().collect();
            self.mistakes.error(|sheet| {
                let message = format!("no secret is called `{name}`");
                let diagnostic = sheet.error("unknown-secret", sheet.locate(&place), message);
                match near {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None if names.is_empty() => diagnostic.hint(format!("declare it: `secrets: [{name}]`")),
                    None => diagnostic.hint(format!("declared are {}", listed(names))),
                }
            });
        }
        Some(name)
    }

    /// Reports a secret that stands where none may.
    pub(super) fn misplaced_secret(&mut self, field: Option<&str>, place: Place<'n>) {
        let name = field.unwrap_or("NAME");
        // Said once: whoever put it in the wrong place meant to use it.
        self.secrets.take(name);
        let shell = if self.head.server_shell { "" } else { " of a workflow with `shell: server`" };
        self.mistakes.error(|sheet| {
            let message = "a secret cannot stand here: it would be recorded";
            sheet.error("secret-misplaced", sheet.locate(&place), message).hint(format!(
                "give it to a command{shell} as a variable, {}, and let the command read it",
                snippet(name)
            ))
        });
    }
}

/// How a secret is given to a command.
pub(super) fn snippet(name: &str) -> String {
    let variable = name.replace('-', "_");
    let part = if name.contains('-') { format!("['{name}']") } else { format!(".{name}") };
    format!("`env: {{{variable}: \"{{{{ secrets{part} }}}}\"}}`")
}
