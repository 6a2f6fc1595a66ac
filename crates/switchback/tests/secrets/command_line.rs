//! `switchback secret`: values come in by stdin only, and never go out.

use crate::world::World;
use std::os::unix::fs::MetadataExt;

fn said(output: &std::process::Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn values_are_kept_listed_by_name_and_removed() {
    let world = World::new().env("LENT", "value-of-lent").env("SWITCHBACK_SECRETS", "LENT,UNSET");
    assert!(said(&world.run(&["secret", "list"])).contains("LENT"));
    assert!(said(&world.set("B_KEY", "value-of-b\n")).contains("`B_KEY` is kept in"));
    assert!(said(&world.set("a-key", "value-of-a")).contains("kept"));
    assert!(said(&world.set("B_KEY", "value-of-b2\r\n")).contains("replaced"));
    let file = world.data().join("secrets.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("B_KEY = \"value-of-b2\"\n") && text.contains("a-key = \"value-of-a\"\n"),
        "{text}"
    );
    for args in [&["secret", "list"][..], &["secret", "list", "--json"]] {
        let listed = said(&world.run(args));
        assert!(
            ["B_KEY", "a-key", "LENT", "UNSET", "not set here"].iter().all(|word| listed.contains(word)),
            "{listed}"
        );
        assert!(!listed.contains("value-of"), "{listed}");
    }
    assert!(world.run(&["secret", "remove", "a-key"]).status.success());
    let again = world.run(&["secret", "remove", "a-key"]);
    assert!(again.status.code() == Some(2) && said(&again).contains("no secret `a-key`"), "{}", said(&again));
}

#[test]
fn what_cannot_be_a_secret_is_refused_and_not_repeated() {
    let world = World::new();
    for (name, value, why) in [
        ("TOKEN", "abc", "fewer than 4 characters"),
        ("TOKEN", "", "fewer than 4 characters"),
        ("TOKEN", "hidden\0value", "NUL"),
        ("TOKEN", &"x".repeat(16 * 1024 + 1), "more than 16384 bytes"),
        ("bad name", "hidden-value", "cannot be the name of a secret"),
    ] {
        let output = world.set(name, value);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why) && !said.contains("hidden"), "{said}");
    }
    assert!(world.set("TOKEN", "abcd").status.success());
    assert!(world.set("TOKEN", &"x".repeat(16 * 1024)).status.success());
    // No value on the command line.
    assert_eq!(world.run(&["secret", "set", "TOKEN", "value"]).status.code(), Some(2));
}
