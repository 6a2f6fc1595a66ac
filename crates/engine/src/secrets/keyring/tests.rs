//! Everything a program may do to us, by programs that do it. The real ones are asked in the tests of the binary.

use super::secret_tool::STORED_BYTES_MAX;
use super::*;
use std::process::Command;

/// A folder of programs, and a keyring that looks for its own there.
struct Desk(tempfile::TempDir);

impl Desk {
    /// One whose program does this.
    fn with(kind: Kind, script: &str) -> Desk {
        let desk = Desk(tempfile::tempdir().unwrap());
        // Written by another process: one that is open for writing here cannot be started.
        let write = "printf '#!/bin/sh\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let file = desk.0.path().join(kind.program());
        assert!(Command::new("sh").arg("-c").arg(write).arg(&file).arg(script).status().unwrap().success());
        desk
    }

    fn keyring(&self, kind: Kind) -> Keyring {
        let env = [("DBUS_SESSION_BUS_ADDRESS", "unix:path=/bus"), ("PATH_OF_TEST", "/usr/bin:/bin")];
        let env = env.map(|(name, value)| (name.to_owned(), value.into())).to_vec();
        Keyring::of(kind, self.0.path().into(), env)
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.path().join(file)).unwrap_or_default()
    }
}

/// A program that lists an entry `A`, and does this when it is asked for the value.
fn holding(then: &str) -> Desk {
    let script = format!(
        "PATH=$PATH_OF_TEST; here=${{0%/*}}; echo \"$*\" >> \"$here/asked\"\n\
         case $1 in search) echo 'attribute.name = A' >&2; exit;; esac\n{then}"
    );
    Desk::with(Kind::SecretTool, &script)
}

fn find(desk: &Desk) -> Asked {
    desk.keyring(Kind::SecretTool).find("A")
}

fn found(text: &str) -> Asked {
    Asked::Found(Secret::new(text).unwrap())
}

#[test]
fn a_value_is_taken_to_the_last_byte() {
    for (printed, value) in [
        ("abcd", "abcd"),
        ("abcd\\n", "abcd\n"),
        ("abcd\\r\\n\\n", "abcd\r\n\n"),
        ("\\n abcd", "\n abcd"),
        ("line one\\nline two\\n", "line one\nline two\n"),
    ] {
        assert_eq!(find(&holding(&format!("printf '{printed}'"))), found(value), "{printed}");
    }
}

#[test]
fn what_is_read_has_an_edge() {
    let of = |bytes: usize| holding(&format!("head -c {bytes} /dev/zero | tr '\\0' x"));
    assert_eq!(find(&of(BYTES_MAX)), found(&"x".repeat(BYTES_MAX)));
    assert_eq!(find(&of(BYTES_MAX + 1)), Asked::Unfit(Unfit::Long.to_string()));
    assert_eq!(find(&of(50 * BYTES_MAX)), Asked::Unfit(Unfit::Long.to_string()));
    assert_eq!(find(&holding("printf abc")), Asked::Unfit(Unfit::Short.to_string()));
    assert!(matches!(find(&holding("printf 'abcd\\377'")), Asked::Unfit(why) if why.contains("UTF-8")));
}

#[test]
fn its_program_gets_a_name_and_nothing_of_our_environment() {
    let desk = holding("env | sort > \"$here/env\"; printf abcd");
    assert_eq!(find(&desk), found("abcd"));
    assert_eq!(desk.text("asked"), "search service switchback name A\nlookup service switchback name A\n");
    let ours = desk.text("env");
    let names: Vec<&str> = ours.lines().filter_map(|line| line.split('=').next()).collect();
    let shell = ["PATH", "PWD", "OLDPWD", "SHLVL", "_"];
    let given: Vec<&str> = names.into_iter().filter(|name| !shell.contains(name)).collect();
    assert_eq!(given, ["DBUS_SESSION_BUS_ADDRESS", "LC_ALL", "PATH_OF_TEST"]);
}

#[test]
fn each_trouble_has_its_own_words() {
    let nowhere = tempfile::tempdir().unwrap();
    let absent = Keyring::of(Kind::SecretTool, nowhere.path().into(), Vec::new());
    assert_eq!(absent.find("A"), Asked::Trouble(Trouble::NotInstalled("secret-tool")));
    assert_eq!(Keyring::default().find("A"), Asked::Trouble(Trouble::Unasked));
    let desk = holding("exit 9");
    let runtime = vec![("XDG_RUNTIME_DIR".to_owned(), nowhere.path().into())];
    let busless = Keyring::of(Kind::SecretTool, desk.0.path().into(), runtime);
    assert_eq!(busless.find("A"), Asked::Trouble(Trouble::NoBus));
    assert_eq!(desk.text("asked"), "");
    // A bus where systemd puts it.
    std::fs::write(nowhere.path().join("bus"), "").unwrap();
    assert_ne!(busless.find("A"), Asked::Trouble(Trouble::NoBus));
    for (script, trouble) in [
        ("exit 1", Trouble::Locked),
        ("echo 'secret-tool: no such thing' >&2; exit 1", Trouble::Failed("no such thing".to_owned())),
        ("kill -9 $$", Trouble::Failed("its program was ended by a signal".to_owned())),
    ] {
        assert_eq!(find(&holding(script)), Asked::Trouble(trouble), "{script}");
    }
    let search = |script: &str| find(&Desk::with(Kind::SecretTool, script));
    assert_eq!(search("exit 0"), Asked::Nothing);
    assert_eq!(search("echo 'attribute.name = AB' >&2"), Asked::Nothing);
    let locked =
        "echo 'secret-tool: Cannot get secret of a locked object' >&2; echo 'attribute.name = A' >&2";
    assert_eq!(search(locked), Asked::Trouble(Trouble::Locked));
    assert_eq!(search("echo 'secret-tool: Could not connect' >&2; exit 1").to_owned(), {
        Asked::Trouble(Trouble::Failed("Could not connect".to_owned()))
    });
}

#[test]
fn one_that_does_not_answer_is_ended_with_all_it_started_and_left_alone() {
    let desk = holding("sleep 300 & echo $! > \"$here/pid\"; wait");
    let keyring = desk.keyring(Kind::SecretTool);
    let begun = Instant::now();
    assert_eq!(keyring.find("A"), Asked::Trouble(Trouble::Silent));
    let took = begun.elapsed();
    assert!(took >= ANSWER_MAX && took < 2 * ANSWER_MAX, "{took:?}");
    let stat = format!("/proc/{}/stat", desk.text("pid").trim());
    let alive = || std::fs::read_to_string(&stat).is_ok_and(|text| !text.contains(") Z "));
    let deadline = Instant::now() + Duration::from_secs(5);
    while alive() {
        assert!(Instant::now() < deadline, "it is still there");
        std::thread::sleep(Duration::from_millis(2));
    }
    // Nobody waits for it a second time, until its rest is over.
    let begun = Instant::now();
    assert_eq!(keyring.find("A"), Asked::Trouble(Trouble::Silent));
    assert!(begun.elapsed() < ANSWER_MAX / 2 && desk.text("asked").lines().count() == 2);
    *keyring.rests() = Some(Instant::now());
    assert_eq!(keyring.find("A"), Asked::Trouble(Trouble::Silent));
    assert_eq!(desk.text("asked").lines().count(), 4);
}

#[test]
fn one_that_talks_without_end_is_not_listened_to() {
    let desk = Desk::with(Kind::SecretTool, "PATH=$PATH_OF_TEST; yes attribute.name = A >&2");
    let deadline = Instant::now() + Duration::from_secs(20);
    let said = desk.keyring(Kind::SecretTool).value("A", deadline);
    assert_eq!(said, Err(Trouble::Failed("it holds more entries than are read".to_owned())));
}

#[test]
fn what_is_put_in_comes_by_stdin_and_is_compared() {
    let keeps = "PATH=$PATH_OF_TEST; here=${0%/*}; echo \"$*\" >> \"$here/asked\"\n\
                 case $1 in store) cat > \"$here/kept\";; lookup) cat \"$here/kept\";;\n\
                 search) echo 'attribute.name = A' >&2;; esac";
    let desk = Desk::with(Kind::SecretTool, keeps);
    let keyring = desk.keyring(Kind::SecretTool);
    for bytes in [4, STORED_BYTES_MAX] {
        keyring.set("A", &Secret::new(&"y".repeat(bytes)).unwrap()).unwrap();
        assert_eq!(keyring.find("A"), found(&"y".repeat(bytes)));
    }
    let large = Secret::new(&"y".repeat(STORED_BYTES_MAX + 1)).unwrap();
    assert!(
        matches!(keyring.set("A", &large), Err(Trouble::Unable(why)) if why.contains("without --keyring"))
    );
    let asked = desk.text("asked");
    assert!(asked.starts_with("store --label=switchback: A service switchback name A\n"), "{asked}");
    assert!(!asked.contains("yyyy"));
    let loses = Desk::with(Kind::SecretTool, &keeps.replace("cat >", "head -c 5 >"));
    let lost = loses.keyring(Kind::SecretTool).set("A", &Secret::new("abcdefgh").unwrap());
    assert!(matches!(lost, Err(Trouble::Failed(_))), "{lost:?}");
}

#[test]
fn names_are_listed_once_and_in_order() {
    let script = "printf 'attribute.name = %s\\n' B A 'no name' A >&2; echo 'secret = hidden'";
    let names = Desk::with(Kind::SecretTool, script).keyring(Kind::SecretTool).names().unwrap();
    assert_eq!(names, Names { names: vec!["A".to_owned(), "B".to_owned()], locked: false });
}

#[test]
fn macos_is_told_apart_by_its_codes_and_no_value_is_repeated() {
    for (script, asked) in [
        ("echo 'password: \"abcd\"' >&2; echo 'keychain: \"x\"'", found("abcd")),
        ("echo 'password: 0x616263640A  \"abcd\\012\"' >&2", found("abcd\n")),
        ("echo 'security: not there' >&2; exit 44", Asked::Nothing),
        ("exit 36", Asked::Trouble(Trouble::Locked)),
    ] {
        let desk = Desk::with(Kind::Security, script);
        assert_eq!(desk.keyring(Kind::Security).find("A"), asked, "{script}");
    }
    for script in ["echo 'password: \"hidden\"' >&2; exit 7", "echo 'password: hidden' >&2"] {
        let said = Desk::with(Kind::Security, script).keyring(Kind::Security).find("A");
        assert!(matches!(said, Asked::Trouble(Trouble::Failed(_))), "{said:?}");
        assert!(!format!("{said:?}").contains("hidden"), "{said:?}");
    }
    let secret = Secret::new("abcd").unwrap();
    let told = Desk::with(Kind::Security, "exit 1").keyring(Kind::Security).set("A", &secret).unwrap_err();
    assert!(told.to_string().contains("security add-generic-password -U -s switchback -a A -w"), "{told}");
}
