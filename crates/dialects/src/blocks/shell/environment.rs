//! Variables of the environment that decide what programs do: a value that reaches one of them may become code.
//!
//! No list is complete. These are the ones that shells, git, compilers, interpreters and the tools around them are known to read.

use super::Doubt;

/// Those whose text a shell expands, or runs, later; and those that another program takes for a command, for options of its own, or
/// for a file to load.
const CODE: [&str; 145] = [
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PROMPT_COMMAND",
    "BASH_ENV",
    "BASH_LOADABLES_PATH",
    "BASH_ALIASES",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_CMDS",
    "SHELL",
    "NULLCMD",
    "READNULLCMD",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_PARAMETERS",
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "PERL5OPT",
    "PERL5DB",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "RSYNC_RSH",
    "TAR_OPTIONS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC",
    "CC",
    "CXX",
    "LUA_INIT",
    "PYTEST_ADDOPTS",
    "npm_config_script_shell",
    "MAKEFILES",
    "MFLAGS",
    "CPP",
    "LD",
    "AS",
    "AR",
    "FC",
    "CONFIG_SITE",
    "CONFIG_SHELL",
    "PKG_CONFIG",
    "CMAKE_TOOLCHAIN_FILE",
    "CMAKE_C_COMPILER_LAUNCHER",
    "CMAKE_CXX_COMPILER_LAUNCHER",
    "VIMINIT",
    "GVIMINIT",
    "EXINIT",
    "LESS",
    "LESSKEYIN",
    "LESSKEY",
    "FCEDIT",
    "CVS_RSH",
    "SVN_SSH",
    "SVN_EDITOR",
    "HGEDITOR",
    "RSYNC_CONNECT_PROG",
    "SSH_SK_PROVIDER",
    "PSQLRC",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "SYSTEMD_PAGER",
    "SYSTEMD_EDITOR",
    "AWS_PAGER",
    "GH_PAGER",
    "GH_EDITOR",
    "GH_BROWSER",
    "KUBE_EDITOR",
    "GOFLAGS",
    "CGO_CFLAGS",
    "CGO_LDFLAGS",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO",
    "RUSTDOC",
    "JAVA_OPTS",
    "MAVEN_OPTS",
    "MAVEN_ARGS",
    "GRADLE_OPTS",
    "ANT_OPTS",
    "SBT_OPTS",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "ERL_ZFLAGS",
    "ELIXIR_ERL_OPTIONS",
    "PYTHONWARNINGS",
    "PYTHONBREAKPOINT",
    "CLOUDSDK_PYTHON",
    "NODE_REPL_EXTERNAL_MODULE",
    "BUNDLE_GEMFILE",
    "IRBRC",
    "R_PROFILE",
    "R_PROFILE_USER",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "COMPOSE_FILE",
    "TF_CLI_ARGS",
    "ANSIBLE_SSH_ARGS",
    "ANSIBLE_SSH_COMMON_ARGS",
    "LUA_INIT_5_1",
    "LUA_INIT_5_2",
    "LUA_INIT_5_3",
    "LUA_INIT_5_4",
    "SUDO_EDITOR",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "BAT_PAGER",
    "DELTA_PAGER",
    "BORG_RSH",
    "CCACHE_PREFIX",
    "CCACHE_COMPILER",
    "PARALLEL_SHELL",
    "DIRENV_BASH",
    "ANSIBLE_VAULT_PASSWORD_FILE",
    "LESSEDIT",
];

/// Those that say where programs, libraries or modules are looked for.
const SEARCHED: [&str; 62] = [
    "PATH",
    "CDPATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PERL5LIB",
    "PERLLIB",
    "PYTEST_PLUGINS",
    "PYTHONPATH",
    "PYTHONHOME",
    "RUBYLIB",
    "NODE_PATH",
    "LUA_PATH",
    "LUA_CPATH",
    "CLASSPATH",
    "FPATH",
    "MODULE_PATH",
    "DYLD_FRAMEWORK_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "GCONV_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH",
    "CMAKE_MODULE_PATH",
    "ACLOCAL_PATH",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PYTHONUSERBASE",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "JAVA_HOME",
    "MAVEN_HOME",
    "GRADLE_HOME",
    "GOROOT",
    "GOPATH",
    "GOTOOLDIR",
    "GOTOOLCHAIN",
    "RUSTUP_TOOLCHAIN",
    "ERL_LIBS",
    "R_LIBS",
    "R_LIBS_USER",
    "R_LIBS_SITE",
    "JULIA_LOAD_PATH",
    "JULIA_DEPOT_PATH",
    "TCLLIBPATH",
    "GUILE_LOAD_PATH",
    "EMACSLOADPATH",
    "VIM",
    "VIMRUNTIME",
    "DOTNET_ROOT",
    "HELM_PLUGINS",
    "AZURE_EXTENSION_DIR",
    "ANSIBLE_LIBRARY",
    "GTK_PATH",
    "QT_PLUGIN_PATH",
    "GIO_MODULE_DIR",
    "GST_PLUGIN_PATH",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "NVM_DIR",
    "ASDF_DATA_DIR",
];

/// Those that say where settings lie, a repository with its own, or packages come from: settings name commands, and packages
/// bring some. Not `ENV`, which is mostly the name of a stage, and which only a shell at a terminal reads.
const SETTINGS: [&str; 59] = [
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "ZDOTDIR",
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_CONFIG_COUNT",
    "HGRCPATH",
    "GH_CONFIG_DIR",
    "GLAB_CONFIG_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOENV",
    "GOPROXY",
    "GRADLE_USER_HOME",
    "PIP_CONFIG_FILE",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_CONFIG_FILE",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "CONDARC",
    "YARN_RC_FILENAME",
    "BUNDLE_APP_CONFIG",
    "COMPOSER_HOME",
    "CONAN_HOME",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "R_ENVIRON",
    "R_ENVIRON_USER",
    "JULIA_PROJECT",
    "OPENSSL_CONF",
    "KUBECONFIG",
    "HELM_CONFIG_HOME",
    "HELM_DATA_HOME",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "CLOUDSDK_CONFIG",
    "AZURE_CONFIG_DIR",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "CONTAINER_HOST",
    "BUILDX_CONFIG",
    "TF_CLI_CONFIG_FILE",
    "ANSIBLE_CONFIG",
    "GNUPGHOME",
    "WGETRC",
    "CURL_HOME",
    "ASDF_CONFIG_FILE",
    "PRE_COMMIT_HOME",
    "RIPGREP_CONFIG_PATH",
    "BAT_CONFIG_PATH",
    "FZF_DEFAULT_OPTS_FILE",
    "NIX_CONFIG",
    "TEXTDOMAINDIR",
];

/// What a variable decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// Its text, or the file it names, is run.
    Code,
    /// Programs look for others, or for what they load, where it says.
    Searched,
    /// Programs read their settings where it says.
    Settings,
}

impl Power {
    /// Why a value that a script gives to such a variable may become code.
    pub(super) const fn doubt(self) -> Doubt {
        match self {
            Power::Code => Doubt::Again,
            Power::Searched => Doubt::Searched,
            Power::Settings => Doubt::Settings,
        }
    }
}

/// What a variable decides for programs that find it in their environment, if that is known.
pub fn power(name: &str) -> Option<Power> {
    if CODE.contains(&name) || is_code_of_its_family(name) {
        return Some(Power::Code);
    }
    if SEARCHED.contains(&name) {
        return Some(Power::Searched);
    }
    (SETTINGS.contains(&name) || is_setting_of_its_family(name)).then_some(Power::Settings)
}

/// Families of cargo and Terraform, `CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER`, `TF_CLI_ARGS_plan`; and functions of bash, which go
/// by the environment too: `BASH_FUNC_name%%`.
fn is_code_of_its_family(name: &str) -> bool {
    let ends = ["_RUNNER", "_LINKER", "_RUSTFLAGS", "_RUSTC", "_WRAPPER"];
    let is_of_cargo = name.starts_with("CARGO_") && ends.iter().any(|end| name.ends_with(end));
    is_of_cargo || name.starts_with("TF_CLI_ARGS_") || name.starts_with("BASH_FUNC_")
}

/// Families of git and npm: `GIT_CONFIG_VALUE_0`, `npm_config_registry`, in whatever case.
fn is_setting_of_its_family(name: &str) -> bool {
    const NPM: &str = "npm_config_";
    let is_of_npm = name.get(..NPM.len()).is_some_and(|start| start.eq_ignore_ascii_case(NPM));
    is_of_npm || name.starts_with("GIT_CONFIG_KEY_") || name.starts_with("GIT_CONFIG_VALUE_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_is_listed_once() {
        let all: Vec<&str> = CODE.into_iter().chain(SEARCHED).chain(SETTINGS).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn what_programs_run_find_or_read_is_known() {
        for (name, expected) in [
            ("GIT_SSH_COMMAND", Some(Power::Code)),
            ("MAKEFILES", Some(Power::Code)),
            ("GOFLAGS", Some(Power::Code)),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", Some(Power::Code)),
            ("CARGO_BUILD_RUSTC_WRAPPER", Some(Power::Code)),
            ("TF_CLI_ARGS_plan", Some(Power::Code)),
            ("npm_config_script_shell", Some(Power::Code)),
            ("SUDO_EDITOR", Some(Power::Code)),
            ("FZF_DEFAULT_COMMAND", Some(Power::Code)),
            ("SHELLOPTS", Some(Power::Code)),
            ("CDPATH", Some(Power::Searched)),
            ("RIPGREP_CONFIG_PATH", Some(Power::Settings)),
            ("GEM_HOME", Some(Power::Searched)),
            ("PATH", Some(Power::Searched)),
            ("HOME", Some(Power::Settings)),
            ("GIT_DIR", Some(Power::Settings)),
            ("GIT_CONFIG_KEY_12", Some(Power::Settings)),
            ("GIT_CONFIG_VALUE_0", Some(Power::Settings)),
            ("NPM_CONFIG_REGISTRY", Some(Power::Settings)),
            ("npm_config_é", Some(Power::Settings)),
            ("DOCKER_HOST", Some(Power::Settings)),
            ("CARGO_TARGET_DIR", None),
            ("GIT_AUTHOR_NAME", None),
            ("NODE_ENV", None),
            ("npm_confié", None),
            ("STAGE", None),
            ("ENV", None),
        ] {
            assert_eq!(power(name), expected, "{name}");
        }
    }
}
