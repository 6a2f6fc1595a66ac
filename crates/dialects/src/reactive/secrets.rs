//! Secrets: only a variable of a command that the server runs can be one, `env: {TOKEN: "{{ secrets.TOKEN }}"}`. Everywhere
//! else the value would become part of a text, and texts are recorded; so it is a mistake.

use super::reader::Reader;
use crate::js::{self, Part};
use crate::mistakes::Place;
use crate::near::nearest;
use crate::secrets::ROOT;
use crate::shape::{did_you_mean, listed};
use crate::text::Node;

impl<'n> Reader<'_, 'n> {
    /// Reads the value of a variable that is a secret and nothing else; gives the secret's name. One that nobody declares is
    /// reported.
    pub(super) fn secret(&mut self, node: &'n Node) -> Option<String> {
        let text = node.as_string().filter(|text| js::is_code(text))?;
        let parts = js::parts(text).ok()?;
        let Part::Code { inside, script, .. } = &parts[js::whole(&parts, text)?] else { return None };
        let [name] = script.names.as_slice() else { return None };
        let secret = name.key.clone().filter(|_| name.root == ROOT && name.at == (0..inside.len()))?;
        if !self.secrets.take(&secret) && !self.secrets.is_broken() {
            let place = Place { node, range: inside.clone() };
            let near = nearest(&secret, self.secrets.names());
            let names: Vec<&str> = self.secrets.names().collect();
            self.sheet().error(|sheet| {
                let message = format!("no secret is called `{secret}`");
                let diagnostic = sheet.error("unknown-secret", sheet.locate(&place), message);
                match near {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None if names.is_empty() => diagnostic.hint(format!("declare it: `secrets: [{secret}]`")),
                    None => diagnostic.hint(format!("declared are {}", listed(names))),
                }
            });
        }
        Some(secret)
    }

    /// Reports a secret that stands where none may.
    pub(super) fn misplaced_secret(&mut self, key: Option<&str>, place: Place<'n>) {
        let name = key.unwrap_or("NAME");
        // Said once: whoever put it in the wrong place meant to use it.
        self.secrets.take(name);
        self.sheet().error(|sheet| {
            let message = "a secret cannot stand here: it would be recorded";
            sheet.error("secret-misplaced", sheet.locate(&place), message).hint(format!(
                "give it to a `shell_command` as a variable, {}, and let the command read it",
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
