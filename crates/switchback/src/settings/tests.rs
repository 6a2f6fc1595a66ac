//! Files, flags and environment, and every mistake with its place.

use super::*;
use crate::house::Flags;

fn client(files: &[(&str, &str)], flags: Flags, env: &[(&str, &str)]) -> (tempfile::TempDir, Settings) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workspace = dir.path().join("work");
    std::fs::create_dir_all(&workspace).unwrap();
    let home = dir.path().join("home").display().to_string();
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let env = env.chain([("HOME".to_owned(), home)]).collect();
    let settings = Settings::read(&Client { workspace, env, umask: None, flags });
    (dir, settings)
}

fn of(files: &[(&str, &str)]) -> Settings {
    client(files, Flags::default(), &[]).1
}

fn names(settings: &Settings) -> String {
    settings.toolsets.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ")
}

fn wants(toolsets: &str) -> Flags {
    let toolsets = Some(toolsets.split(',').map(str::to_owned).collect());
    Flags { toolsets, ..Flags::default() }
}

#[test]
fn without_files_the_usual_tools_are_on() {
    let settings = of(&[]);
    assert_eq!((settings.name.as_str(), settings.call_seconds), ("switchback", 45));
    assert_eq!((names(&settings).as_str(), &settings.read_only), ("blocks, steps, terminal, states", &None));
    let (_dir, all) = client(&[], wants("all"), &[]);
    assert_eq!(all.toolsets.len(), Toolset::ALL.len());
}

#[test]
fn the_project_stands_over_its_user_key_by_key() {
    let settings = of(&[
        ("home/.config/switchback/switchback.toml", "name = \"mine\"\ncall_seconds = 5\nread_only = true\n"),
        ("work/.switchback/switchback.toml", "name = \"inner\"\ncall_seconds = 6\n"),
        ("work/switchback.toml", "name = \"outer\"\nread_only = false\n"),
    ]);
    assert_eq!((settings.name.as_str(), settings.call_seconds), ("outer", 6));
    let place = "read_only = true in ~/.config/switchback/switchback.toml:3";
    assert_eq!(settings.read_only.as_deref(), Some(place));
}

#[test]
fn a_client_only_narrows() {
    let file = [("work/switchback.toml", "call_seconds = 10\ntoolsets = [\"blocks\", \"debug\"]\n")];
    let (_dir, settings) = client(&file, wants("debug,terminal"), &[("SWITCHBACK_CALL_SECONDS", "20")]);
    assert_eq!((names(&settings).as_str(), settings.call_seconds), ("debug", 10));
    assert!(settings.why_off(Toolset::Terminal).starts_with("switchback.toml:2 allows only blocks, debug;"));
    assert!(settings.why_off(Toolset::Blocks).contains("--toolsets blocks"));
    let none = of(&[("work/switchback.toml", "toolsets = []\n")]);
    let said = "switchback.toml:1 allows no group of tools; add \"blocks\" there to turn it on";
    assert_eq!(none.why_off(Toolset::Blocks), said);
    let env = [("SWITCHBACK_TOOLSETS", "blocks, terminal"), ("SWITCHBACK_READ_ONLY", "1")];
    let (_dir, settings) = client(&file, Flags::default(), &env);
    assert_eq!(names(&settings), "blocks");
    assert!(settings.read_only.is_some());
}

#[test]
fn what_nobody_understands_is_told() {
    let env = [("SWITCHBACK_CALL_SECONDS", "46"), ("SWITCHBACK_READ_ONLY", "maybe")];
    let (_dir, settings) = client(&[], wants("block"), &env);
    assert_eq!(settings.doubts.len(), 3, "{:?}", settings.doubts);
    let first = "--toolsets: no toolset is called `block`; did you mean `blocks`?";
    assert!(settings.doubts.iter().any(|doubt| doubt == first));
    assert!(settings.toolsets.is_empty() && settings.read_only.is_some() && settings.call_seconds == 45);
}

#[test]
fn every_mistake_has_its_place() {
    let text = "toolset = [\"blocks\"]\ncall_seconds = 46\nname = \"9\"\nread_only = \"yes\"\n";
    let said: Vec<String> =
        of(&[("work/switchback.toml", text)]).broken.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "switchback.toml:1: there is no setting `toolset`; did you mean `toolsets`?");
    assert_eq!(said[1], "switchback.toml:2: `call_seconds` is a whole number from 1 to 45");
    assert!(said[2].starts_with("switchback.toml:3: `name` is a text"), "{said:?}");
    assert_eq!(said[3], "switchback.toml:4: `read_only` is true or false");
    for (text, place) in [("a = [1\n", "switchback.toml:"), ("\n\nname = name\n", "switchback.toml:3")] {
        let broken = of(&[("work/switchback.toml", text)]).broken;
        assert!(broken.len() == 1 && broken[0].place.starts_with(place), "{broken:?}");
    }
}

#[test]
fn a_mistake_inside_a_table_has_the_line_of_its_key() {
    for (text, said) in [
        ("[run]\nwidth = \"x\"\n", "switchback.toml:2: `width` is a whole number"),
        ("[run]\nwidth = 2\n\nwidht = 2\n", "switchback.toml:4: there is no setting `run.widht`"),
        ("\n\n[files]\n\nrots = [\"/\"]\n", "switchback.toml:5: there is no setting `files.rots`"),
        ("[files]\n\nroots = 1\n", "switchback.toml:3: `roots` is a list of folders"),
        ("[secrets]\nenv = []\nnev = []\n", "switchback.toml:3: `secrets` is a table"),
        ("[secrets]\nenv = [\n  \"a b\",\n]\n", "switchback.toml:2: `a b` cannot be the name of a secret"),
        ("\nrun = 1\n", "switchback.toml:2: `run` is a table"),
    ] {
        let broken = of(&[("work/switchback.toml", text)]).broken;
        assert!(broken.len() == 1 && broken[0].to_string().starts_with(said), "{broken:?}");
    }
    let lines: Vec<String> = (0..9).map(|at| format!("# {at}")).collect();
    let text = format!("call_seconds = 0\n{}\n[run]\nwidth = 0\n", lines.join("\n"));
    let broken = of(&[("work/switchback.toml", &text)]).broken;
    assert_eq!(
        broken.iter().map(|one| one.place.as_str()).collect::<Vec<_>>(),
        ["switchback.toml:1", "switchback.toml:12"]
    );
}

#[test]
fn the_bounds_have_edges() {
    let seconds = |text: &str| of(&[("work/switchback.toml", text)]);
    assert_eq!(seconds("call_seconds = 1").call_seconds, 1);
    assert_eq!(seconds("call_seconds = 45").call_seconds, 45);
    assert_eq!(seconds("call_seconds = 0").broken.len(), 1);
    let padded = |bytes: usize| format!("name = \"x\"\n#{}", "x".repeat(bytes - 12));
    assert_eq!(seconds(&padded(64 * 1024)).name, "x");
    assert_eq!(seconds(&padded(64 * 1024 + 1)).broken.len(), 1);
    let long = |count: usize| format!("name = \"{}\"", "x".repeat(count));
    assert_eq!(seconds(&long(32)).broken.len() + seconds(&long(33)).broken.len(), 1);
}

#[test]
fn a_link_that_leads_nowhere_is_a_broken_file() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client { workspace: dir.path().to_owned(), ..Client::default() };
    let before = Settings::read(&client);
    assert!(before.broken.is_empty() && before.hold());
    std::os::unix::fs::symlink("nowhere.toml", dir.path().join(FILE)).unwrap();
    assert!(!before.hold());
    let said: Vec<String> = Settings::read(&client).broken.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["switchback.toml: it is a link to a file that is not there"]);
    std::fs::write(dir.path().join("nowhere.toml"), "name = \"x\"").unwrap();
    let after = Settings::read(&client);
    assert!(after.name == "x" && after.hold());
}

#[test]
fn folders_for_files_start_at_the_project_or_at_home() {
    let file = "[files]\nroots = [\"../shared\", \"~/notes\", \"/srv/data\"]\n";
    let (dir, settings) = client(&[("work/switchback.toml", file)], Flags::default(), &[]);
    let at = |path: &str| dir.path().join(path);
    assert_eq!(settings.roots, [at("work/../shared"), at("home/notes"), PathBuf::from("/srv/data")]);
    assert!(of(&[]).roots.is_empty());
    assert!(settings.doubts.is_empty());
    for (root, is_wide) in
        [("/", true), ("~", true), ("~/", true), ("..", true), ("~/notes", false), (".", false)]
    {
        let settings = of(&[("work/switchback.toml", &format!("[files]\nroots = [\"{root}\"]\n"))]);
        assert_eq!(settings.doubts.len(), usize::from(is_wide), "{root}: {:?}", settings.doubts);
    }
    let many = |count: usize| format!("[files]\nroots = [{}]\n", vec!["\"a\""; count].join(", "));
    assert_eq!(of(&[("work/switchback.toml", &many(32))]).roots.len(), 32);
    for (text, words) in [
        (many(33).as_str(), "`roots` names 33 folders, and 32 are the most"),
        ("[files]\nroots = \"a\"\n", "`roots` is a list of folders"),
        ("[files]\nroots = [\"\"]\n", "`roots` is a list of folders"),
        (
            "[files]\nroots = [\"a\\u0000b\"]\n",
            "`roots` names \"a\\0b\": no folder has a NUL byte in its name",
        ),
        ("[files]\nrots = []\n", "there is no setting `files.rots`; there is `files.roots`"),
        ("files = 1\n", "`files` is a table"),
    ] {
        let settings = of(&[("work/switchback.toml", text)]);
        let said: Vec<String> = settings.broken.iter().map(ToString::to_string).collect();
        assert!(said.len() == 1 && said[0].contains(words), "{said:?}");
        assert!(settings.roots.is_empty());
    }
}

#[test]
fn the_width_of_runs_has_two_edges() {
    let width = |text: &str| of(&[("work/switchback.toml", text)]).width;
    assert_eq!([width(""), width("[run]\n")], [None, None]);
    assert_eq!([width("[run]\nwidth = 1\n"), width("run.width = 1000\n")], [Some(1), Some(1_000)]);
    let under = [
        ("home/.config/switchback/switchback.toml", "[run]\nwidth = 3\n"),
        ("work/switchback.toml", "[run]\n"),
    ];
    assert_eq!(of(&under).width, Some(3));
    for (text, words) in [
        ("[run]\nwidth = 0\n", "`width` is a whole number from 1 to 1000"),
        ("[run]\nwidth = 1001\n", "`width` is a whole number from 1 to 1000"),
        ("[run]\nwidth = \"8\"\n", "`width` is a whole number from 1 to 1000"),
        ("[run]\nwidht = 8\n", "there is no setting `run.widht`; did you mean `run.width`?"),
        ("run = 8\n", "`run` is a table"),
    ] {
        let settings = of(&[("work/switchback.toml", text)]);
        let said: Vec<String> = settings.broken.iter().map(ToString::to_string).collect();
        assert!(said.len() == 1 && said[0].contains(words), "{said:?}");
    }
}

#[test]
fn secrets_are_lent_by_name_only() {
    let file = [("work/switchback.toml", "[secrets]\nenv = [\"TOKEN\", \"OTHER\"]\n")];
    let env = [("SWITCHBACK_SECRETS", " THIRD , TOKEN,,9bad"), ("TOKEN", "s3cr3t")];
    let (_dir, settings) = client(&file, Flags::default(), &env);
    let names: Vec<&str> = settings.lends.iter().map(String::as_str).collect();
    assert_eq!(names, ["OTHER", "THIRD", "TOKEN"]);
    assert_eq!(settings.doubts, ["SWITCHBACK_SECRETS: `9bad` cannot be the name of a secret"]);
    for text in
        ["secrets = true", "[secrets]\nenv = \"TOKEN\"", "[secrets]\nenv = [1]", "[secrets]\nTOKEN = \"x\""]
    {
        let broken = of(&[("work/switchback.toml", text)]).broken;
        assert!(broken.len() == 1 && broken[0].message.contains("[secrets] env = ["), "{text}: {broken:?}");
    }
    assert!(
        of(&[("work/switchback.toml", "[secrets]\nenv = [\"a b\"]")]).broken[0].message.contains("`a b`")
    );
}

#[test]
fn what_is_handed_out_is_named_by_its_types() {
    let hand_out = |text: &str| of(&[("work/switchback.toml", text)]);
    let both = hand_out("[reactive]\nhand_out = [\"shell_command\", \"state_update\"]\n").reading.hand_out;
    assert!(both.shell_command && both.state_update);
    let none = hand_out("[reactive]\nhand_out = []\n").reading.hand_out;
    assert!(!none.shell_command && !none.state_update);
    let wrong = hand_out("[reactive]\nhand_out = [\"mcp_call\"]\n");
    assert_eq!(
        wrong.broken[0].to_string(),
        "switchback.toml:2: `hand_out` is a list of `shell_command` and `state_update`"
    );
}

#[test]
fn what_one_file_forbids_of_terminals_another_does_not_allow() {
    let user = "home/.config/switchback/switchback.toml";
    let files = [
        (
            user,
            "[terminal]\nshells = [\"bash\", \"python3\"]\nread_only = true\ndeny = [{ pattern = \"a\", reason = \"b\" }]\n",
        ),
        (
            "work/switchback.toml",
            "[terminal]\nshells = [\"bash\", \"zsh\"]\nsessions_max = 3\nrecord = false\n[[terminal.deny]]\npattern = \"c\"\nreason = \"d\"\n",
        ),
    ];
    let policy = of(&files).terminals;
    assert_eq!(policy.shells.as_deref(), Some(&["bash".to_owned()][..]));
    assert_eq!((policy.deny.len(), policy.sessions_max, policy.records), (2, 3, false));
    let place = "read_only = true under [terminal] in ~/.config/switchback/switchback.toml";
    assert_eq!(policy.read_only.as_deref(), Some(place));
    let usual = of(&[]).terminals;
    assert_eq!((usual.sessions_max, usual.records, usual.shells, usual.read_only), (50, true, None, None));
    for (text, words) in [
        ("[terminal]\nshell = []\n", "did you mean `terminal.shells`?"),
        ("[terminal]\nshells = \"bash\"\n", "`shells` is a list of programs"),
        ("[terminal]\ndeny = [\"x\"]\n", "`deny` is a list of patterns with reasons"),
        ("[terminal]\ndeny = [{ pattern = \"(\", reason = \"x\" }]\n", "not a regular expression"),
        ("[terminal]\nsessions_max = 501\n", "`sessions_max` is a whole number from 1 to 500"),
        ("terminal = 1\n", "`terminal` is a table"),
    ] {
        let broken = of(&[("work/switchback.toml", text)]).broken;
        assert!(broken.len() == 1 && broken[0].message.contains(words), "{text}: {broken:?}");
    }
}
