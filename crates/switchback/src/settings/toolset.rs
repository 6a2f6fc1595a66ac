//! The groups of tools. Every name is known in every version; a group without tools yet is an empty one.

use engine::dialects::near::near;

/// A group of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Toolset {
    /// Graphs of blocks.
    Blocks,
    /// Steps for an agent.
    Steps,
    /// Terminals.
    Terminal,
    /// State machines.
    States,
    /// Writing definitions.
    Authoring,
    /// Steps over computed state.
    Reactive,
    /// Looking inside.
    Debug,
}

impl Toolset {
    /// All of them.
    pub(crate) const ALL: [Toolset; 7] = [
        Toolset::Blocks,
        Toolset::Steps,
        Toolset::Terminal,
        Toolset::States,
        Toolset::Authoring,
        Toolset::Reactive,
        Toolset::Debug,
    ];

    /// Those that are on where nobody says otherwise.
    pub(crate) const DEFAULT: [Toolset; 4] =
        [Toolset::Blocks, Toolset::Steps, Toolset::Terminal, Toolset::States];

    /// Its name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Toolset::Blocks => "blocks",
            Toolset::Steps => "steps",
            Toolset::Terminal => "terminal",
            Toolset::States => "states",
            Toolset::Authoring => "authoring",
            Toolset::Reactive => "reactive",
            Toolset::Debug => "debug",
        }
    }

    /// The groups that names mean; `all` means every one. A name that means none gives a sentence.
    pub(super) fn named<'n>(names: impl Iterator<Item = &'n str>) -> (Vec<Toolset>, Vec<String>) {
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            match Toolset::ALL.into_iter().find(|toolset| toolset.as_str() == name) {
                Some(toolset) => found.push(toolset),
                None if name == "all" => found.extend(Toolset::ALL),
                None => unknown.push(unknown_name(name)),
            }
        }
        (found, unknown)
    }
}

fn unknown_name(name: &str) -> String {
    let names = Toolset::ALL.map(Toolset::as_str);
    let shown: String = name.chars().take(60).collect();
    match near(name, names).first() {
        Some(near) => format!("no toolset is called `{shown}`; did you mean `{near}`?"),
        None => format!("no toolset is called `{shown}`; there are {} and all", names.join(", ")),
    }
}
