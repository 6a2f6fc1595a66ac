//! Recordings, read as a player reads them.

use crate::world::{LONG, open, spec};
use serde_json::Value;
use terminal::{Emulator, Input, Recording, Screen, Scrollback, Session, Settle, Size};

fn events(text: &str) -> (Value, Vec<(f64, String, String)>) {
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let header = lines.next().expect("a header");
    let event = |line: Value| {
        let part = |index: usize| line[index].as_str().expect("a text").to_owned();
        (line[0].as_f64().expect("a time"), part(1), part(2))
    };
    (header, lines.map(event).collect())
}

/// Plays a recording and gives the screen at its end.
fn played(text: &str) -> String {
    let (header, events) = events(text);
    let side =
        |name: &str| header[name].as_u64().and_then(|number| u16::try_from(number).ok()).expect("a side");
    let mut screen = Emulator::new(Size::clamped(side("width"), side("height")), Scrollback::default());
    for (_, kind, data) in events {
        match kind.as_str() {
            "o" => screen.feed(data.as_bytes()),
            "r" => {
                let (columns, rows) = data.split_once('x').expect("a size");
                screen.resize(Size::clamped(columns.parse().expect("columns"), rows.parse().expect("rows")));
            }
            _ => (),
        }
    }
    screen.rows().join("\n").trim_end().to_owned()
}

#[test]
fn a_recording_plays_to_the_same_screen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.cast");
    let mut spec = spec(&folder, "bash", &["--norc", "--noprofile"]);
    spec.recording = Some(Recording { path: path.clone(), bytes_max: 1_000_000 });
    let session = Session::open(&spec).unwrap();
    session
        .send(
            Input::Text("echo 'ünï 世界 \"quoted\" \\back'; printf '\\033[1;32mgreen\\033[0m\\n'\n"),
            Settle::default(),
        )
        .unwrap();
    let wait = |pattern: &str| {
        let waited = session.wait(&terminal::Pattern::new(pattern).unwrap(), LONG, None).unwrap();
        assert!(waited.outcome.matched().is_some(), "{pattern} did not appear:\n{}", waited.screen);
    };
    wait(r"^green\n\$ $");
    // Nothing comes meanwhile, so that both know where it stands.
    session.resize(Size::clamped(60, 20)).unwrap();
    session.send(Input::Text("read -s -p 'secret? ' secret\n"), Settle::default()).unwrap();
    wait(r"secret\? $");
    session.send(Input::Text("hunter2\n"), Settle::default()).unwrap();
    wait(r"\$ $");
    session.send(Input::Text("echo over; exit\n"), Settle::default()).unwrap();
    session.wait_exit(LONG).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let (header, events) = events(&text);
    assert_eq!(
        (&header["version"], &header["width"], &header["height"]),
        (&2.into(), &80.into(), &24.into())
    );
    assert!(events.is_sorted_by(|one, next| one.0 <= next.0));
    assert!(events.iter().any(|(_, kind, data)| kind == "r" && data == "60x20"));
    assert!(!text.contains("hunter2"));
    assert_eq!(played(&text), session.screen().text);
    let recorded = session.recorded().unwrap();
    assert_eq!((recorded.bytes, recorded.stopped), (text.len() as u64, None));
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_recording_is_written_while_it_runs_and_stops_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flood.cast");
    let mut spec = spec(&folder, "sh", &["-c", "echo begins; read go; seq 100000"]);
    spec.recording = Some(Recording { path: path.clone(), bytes_max: 10_000 });
    let session = Session::open(&spec).unwrap();
    session.wait(&terminal::Pattern::new("begins").unwrap(), LONG, None).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("begins"), "written while it runs");
    session.send(Input::Text("\n"), Settle::default()).unwrap();
    session.wait_exit(LONG).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.len() <= 10_000);
    let (_, events) = events(&text);
    let (_, kind, word) = events.last().unwrap();
    assert_eq!((kind.as_str(), word.as_str()), ("m", "recording stopped: 10000 bytes are its limit"));
    assert_eq!(session.recorded().unwrap().stopped.as_deref(), Some(word.as_str()));
    // The session itself went on.
    assert!(session.screen().text.contains("100000"));
}

#[test]
fn a_session_without_a_recording_has_none() {
    assert_eq!(open("true", &[]).recorded(), None);
}
