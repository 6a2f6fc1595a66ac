//! Names of sub-agents: `@task`, which follows the steps of a task, and whatever others there are.

use super::reader::Reader;
use crate::shape;
use crate::text::Node;

/// The characters that such a name may have.
const AGENT_CHARS_MAX: usize = 64;

/// Tells whether a text can be the name of an agent: `@[a-z0-9-]+`, not too long.
pub fn is_agent(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= AGENT_CHARS_MAX
        && name.strip_prefix('@').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(inner))
}

impl<'n> Reader<'_, 'n> {
    /// Reads the `agent` of a step; without one, whoever follows the workflow does it.
    pub(super) fn agent(&mut self, node: &'n Node) -> Option<&'n str> {
        let agent = node.get("agent").filter(|agent| !agent.is_null())?;
        let name = shape::text(&mut self.mistakes, agent, "`agent`")?;
        if is_agent(name) {
            return Some(name);
        }
        self.mistakes.error(|sheet| {
            let message = format!("`{name}` cannot be the name of an agent");
            let diagnostic = sheet.error("bad-agent", agent.place(), message);
            let folded: String = name.trim_start_matches('@').to_lowercase().replace(['_', '.', ' '], "-");
            let meant = format!("@{folded}");
            match is_agent(&meant) {
                true => diagnostic.label(shape::did_you_mean(&meant)),
                false => diagnostic,
            }
            .hint("an agent is called `@` and small letters, digits and `-`: `@task`, `@code-reviewer`")
        });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_agents_are_narrow() {
        for good in ["@task", "@data-analyst-v2", "@a", "@1", &format!("@{}", "x".repeat(63))] {
            assert!(is_agent(good), "{good}");
        }
        for bad in [
            "",
            "@",
            "task",
            "@Data_Analyst",
            "@agent.name",
            "@a b",
            "@é",
            "@@a",
            &format!("@{}", "x".repeat(64)),
        ] {
            assert!(!is_agent(bad), "{bad}");
        }
    }
}
