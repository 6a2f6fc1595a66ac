//! The clients: where each keeps its servers, under which key and in which form, and what it wants afterwards.
//! `docs/install.md` says how each of these facts is known.

use super::here::Here;
use std::path::PathBuf;

/// A program that can use this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    ClaudeCode,
    Codex,
    Gemini,
    Cursor,
    VsCode,
    ClaudeDesktop,
}

/// For whom a client is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The person, in every project.
    User,
    /// Whoever works in the project folder.
    Project,
}

/// The form of a client's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON; comments are let through and kept.
    Json,
    /// TOML.
    Toml,
}

impl Client {
    pub(crate) const ALL: [Client; 6] = [
        Client::ClaudeCode,
        Client::Codex,
        Client::Gemini,
        Client::Cursor,
        Client::VsCode,
        Client::ClaudeDesktop,
    ];

    /// The client that a name on the command line means.
    pub(crate) fn named(name: &str) -> Option<Client> {
        Client::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
            Client::Cursor => "cursor",
            Client::VsCode => "vscode",
            Client::ClaudeDesktop => "claude-desktop",
        }
    }

    /// Its name as people write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::Codex => "Codex",
            Client::Gemini => "Gemini CLI",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::ClaudeDesktop => "Claude Desktop",
        }
    }

    /// The form of its file.
    pub(crate) fn form(self) -> Form {
        match self {
            Client::Codex => Form::Toml,
            _ => Form::Json,
        }
    }

    /// The key under which its servers stand.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Client::Codex => "mcp_servers",
            Client::VsCode => "servers",
            _ => "mcpServers",
        }
    }

    /// Whether an entry says by which way the server is spoken to.
    pub(crate) fn names_the_way(self) -> bool {
        matches!(self, Client::ClaudeCode | Client::VsCode)
    }

    /// Its file; a project has none in some clients.
    pub(crate) fn file(self, here: &Here, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::User => Some(self.user_file(here)),
            Scope::Project => Some(here.workspace.join(self.project_file()?)),
        }
    }

    fn user_file(self, here: &Here) -> PathBuf {
        let or = |folder: &Option<PathBuf>, inside: &str| {
            folder.clone().map_or_else(|| here.home.join(inside), |folder| here.workspace.join(folder))
        };
        match self {
            Client::ClaudeCode => or(&here.claude, "").join(".claude.json"),
            Client::Codex => or(&here.codex, ".codex").join("config.toml"),
            Client::Gemini => or(&here.gemini, "").join(".gemini/settings.json"),
            Client::Cursor => here.home.join(".cursor/mcp.json"),
            Client::VsCode => here.settings.join("Code/User/mcp.json"),
            Client::ClaudeDesktop => here.settings.join("Claude/claude_desktop_config.json"),
        }
    }

    fn project_file(self) -> Option<&'static str> {
        match self {
            Client::ClaudeCode => Some(".mcp.json"),
            Client::Codex => Some(".codex/config.toml"),
            Client::Gemini => Some(".gemini/settings.json"),
            Client::Cursor => Some(".cursor/mcp.json"),
            Client::VsCode => Some(".vscode/mcp.json"),
            Client::ClaudeDesktop => None,
        }
    }

    /// The program that starts it.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
            Client::Cursor => "cursor",
            Client::VsCode => "code",
            Client::ClaudeDesktop => "claude-desktop",
        }
    }

    /// The folder that it makes when it is first started.
    pub(crate) fn folder(self, here: &Here) -> PathBuf {
        let file = self.user_file(here);
        match self {
            // Its file lies beside its folder.
            Client::ClaudeCode => here.claude.clone().unwrap_or_else(|| here.home.join(".claude")),
            Client::VsCode => here.settings.join("Code"),
            _ => file.parent().map_or(file.clone(), PathBuf::from),
        }
    }

    /// Whether anything says that it is installed.
    pub(crate) fn is_there(self, here: &Here) -> bool {
        here.program(self.program()).is_some()
            || self.folder(here).is_dir()
            || (self == Client::ClaudeCode && self.user_file(here).exists())
    }

    /// What the person does once it is written.
    pub(crate) fn next(self, scope: Scope) -> &'static str {
        match (self, scope) {
            (Client::ClaudeCode, Scope::User) => "start `claude` anew; /mcp shows switchback",
            (Client::ClaudeCode, Scope::Project) => {
                "start `claude` in this folder and allow switchback when it asks; /mcp shows it"
            }
            (Client::Codex, Scope::User) => "start `codex` anew; /mcp shows switchback",
            (Client::Codex, Scope::Project) => {
                "start `codex` in this folder; it reads this file only where the project is trusted"
            }
            (Client::Gemini, Scope::User) => {
                "start `gemini` anew, in a folder that it trusts; /mcp shows switchback"
            }
            (Client::Gemini, Scope::Project) => {
                "start `gemini` in this folder; it reads this file only where the folder is trusted"
            }
            (Client::Cursor, _) => "restart Cursor, and see that switchback is on in its list of MCP servers",
            (Client::VsCode, _) => "in VS Code run `MCP: List Servers`, choose switchback, and start it",
            (Client::ClaudeDesktop, _) => {
                "quit Claude Desktop (closing its window is not enough) and start it again"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_client_has_its_places() {
        let here = Here::within(Path::new("/home/ada"));
        let places = Client::ALL.map(|client| {
            let file = |scope| client.file(&here, scope).map(|path| path.display().to_string());
            (file(Scope::User).unwrap(), file(Scope::Project).unwrap_or_default())
        });
        let places: Vec<(&str, &str)> =
            places.iter().map(|(user, project)| (user.as_str(), project.as_str())).collect();
        assert_eq!(
            places,
            [
                ("/home/ada/.claude.json", "/home/ada/project/.mcp.json"),
                ("/home/ada/.codex/config.toml", "/home/ada/project/.codex/config.toml"),
                ("/home/ada/.gemini/settings.json", "/home/ada/project/.gemini/settings.json"),
                ("/home/ada/.cursor/mcp.json", "/home/ada/project/.cursor/mcp.json"),
                ("/home/ada/.config/Code/User/mcp.json", "/home/ada/project/.vscode/mcp.json"),
                ("/home/ada/.config/Claude/claude_desktop_config.json", ""),
            ]
        );
    }

    #[test]
    fn the_environment_moves_a_file() {
        let moved = Some(PathBuf::from("/else"));
        let here = Here {
            codex: moved.clone(),
            claude: moved.clone(),
            gemini: moved,
            ..Here::within(Path::new("/h"))
        };
        let file = |client: Client| client.file(&here, Scope::User).unwrap().display().to_string();
        assert_eq!(file(Client::Codex), "/else/config.toml");
        assert_eq!(file(Client::ClaudeCode), "/else/.claude.json");
        assert_eq!(file(Client::Gemini), "/else/.gemini/settings.json");
    }
}
