//! Every change of what is stored of a run is found, and an export is what was stored.

use super::{Home, PLAN, content, id, store_with};
use crate::journal::{Broken, Place, Reason, verify_file};
use crate::store::{ExportError, Kind, Store, VerifyError};
use kernel::Digest;

/// A run of six entries with a snapshot after the fourth and two contents.
fn sound_store(home: &Home) -> Store {
    let (mut store, mut journal) = store_with(home, "a", 4);
    store.commit(&[journal.snapshot("{\"state\":1}"), content("a", b"one"), content("a", b"two")]).unwrap();
    store.commit(&[journal.append("{\"text\":\"caf\u{e9}\"}"), journal.append("[]")]).unwrap();
    let sound = store.reader().verify(&id("a")).unwrap();
    assert_eq!((sound.head, sound.contents), (journal.head, 2));
    store
}

/// What the check finds after a change of one row that no rule stops.
fn found_after(store: &Store, change: &str) -> Broken {
    let undo = store.reader.db.unchecked_transaction().unwrap();
    undo.pragma_update(None, "defer_foreign_keys", true).unwrap();
    assert_eq!(undo.execute(change, ()).unwrap(), 1, "{change}");
    let found = found_in(store, change);
    undo.rollback().unwrap();
    found
}

fn found_in(store: &Store, change: &str) -> Broken {
    // The check would open a transaction of its own: here it runs inside the one that is undone.
    match store.reader.verify_now(&id("a")) {
        Err(VerifyError::Broken(broken)) => broken,
        other => panic!("{change} was not found: {other:?}"),
    }
}

#[test]
fn every_flipped_bit_of_every_entry_is_found() {
    let home = Home::new();
    let store = sound_store(&home);
    for entry in store.reader().entries(&id("a"), 0).unwrap() {
        let seq = entry.head.seq;
        for index in 0..entry.body.len() * 8 {
            let mut body = entry.body.clone();
            body[index / 8] ^= 1 << (index % 8);
            let hex: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
            let found = found_after(&store, &format!("UPDATE entry SET body = x'{hex}' WHERE seq = {seq}"));
            assert_eq!(found, Place::Entry(seq).broken(Reason::Hash));
        }
    }
}

#[test]
fn every_flipped_byte_of_every_hash_is_found() {
    let home = Home::new();
    let store = sound_store(&home);
    let run = store.reader().run(&id("a")).unwrap().unwrap();
    let flipped = |hash: &[u8; 32], index: usize| -> String {
        let mut hash = *hash;
        hash[index] ^= 1;
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    for index in 0..32 {
        for entry in store.reader().entries(&id("a"), 0).unwrap() {
            let (seq, hash) = (entry.head.seq, flipped(entry.head.hash.bytes(), index));
            let found = found_after(&store, &format!("UPDATE entry SET hash = x'{hash}' WHERE seq = {seq}"));
            assert_eq!(found, Place::Entry(seq).broken(Reason::Hash));
        }
        let hash = flipped(run.head.hash.bytes(), index);
        let found = found_after(&store, &format!("UPDATE run SET hash = x'{hash}'"));
        assert_eq!(found, Place::End.broken(Reason::Hash));
        let found = found_after(&store, &format!("UPDATE snapshot SET hash = x'{hash}'"));
        assert_eq!(found, Place::Snapshot.broken(Reason::Sequence));
    }
}

#[test]
fn what_is_lost_moved_or_added_is_found() {
    let home = Home::new();
    let store = sound_store(&home);
    let (one, plan) = (Digest::of(b"one"), Digest::of(PLAN));
    let cases = [
        ("DELETE FROM entry WHERE seq = 6".to_owned(), Place::Entry(6), Reason::Missing),
        ("DELETE FROM entry WHERE seq = 1".to_owned(), Place::Entry(1), Reason::Missing),
        ("DELETE FROM entry WHERE seq = 3".to_owned(), Place::Entry(3), Reason::Missing),
        ("UPDATE entry SET seq = 0 WHERE seq = 1".to_owned(), Place::Entry(0), Reason::Sequence),
        ("UPDATE entry SET seq = 7 WHERE seq = 2".to_owned(), Place::Entry(2), Reason::Missing),
        ("UPDATE run SET seq = 5".to_owned(), Place::Entry(6), Reason::Unexpected),
        ("UPDATE run SET seq = 7".to_owned(), Place::Entry(7), Reason::Missing),
        ("UPDATE snapshot SET seq = 5".to_owned(), Place::Snapshot, Reason::Sequence),
        ("UPDATE snapshot SET body = x'00'".to_owned(), Place::Snapshot, Reason::Hash),
        ("UPDATE plan SET body = x'00'".to_owned(), Place::Plan, Reason::Hash),
        (format!("DELETE FROM plan WHERE digest = '{plan}'"), Place::Plan, Reason::Missing),
        (format!("DELETE FROM content WHERE digest = '{one}'"), Place::Content(one), Reason::Missing),
        (
            format!("UPDATE content SET body = x'00' WHERE digest = '{one}'"),
            Place::Content(one),
            Reason::Hash,
        ),
        (format!("UPDATE content SET size = 9 WHERE digest = '{one}'"), Place::Content(one), Reason::Hash),
    ];
    for (change, place, reason) in cases {
        assert_eq!(found_after(&store, &change), place.broken(reason), "{change}");
    }
    assert!(store.reader().verify(&id("a")).is_ok());
}

/// An entry's hash covers what was before it: no suffix can be put onto another run.
#[test]
fn a_journal_of_another_run_is_found() {
    let home = Home::new();
    let (mut store, _) = store_with(&home, "a", 3);
    let mut other = super::Journal::of("b");
    store.commit(&[super::create("b"), other.append("{\"n\":1}")]).unwrap();
    let raw = home.raw();
    raw.execute("DELETE FROM entry WHERE run = 'b'", ()).unwrap();
    raw.execute("UPDATE entry SET run = 'b' WHERE run = 'a' AND seq = 1", ()).unwrap();
    let broken = Place::Entry(1).broken(Reason::Hash);
    assert_eq!(store.reader().verify(&id("b")), Err(VerifyError::Broken(broken)));
    assert_eq!(store.reader().verify(&id("x")), Err(VerifyError::UnknownRun(id("x"))));
}

#[test]
fn an_export_is_what_was_stored() {
    let home = Home::new();
    let store = sound_store(&home);
    let mut file = vec![];
    let head = store.reader().export(&id("a"), &mut file).unwrap();
    let verified = verify_file(&file).unwrap();
    assert_eq!((verified.run, verified.workflow.as_str()), (id("a"), "release"));
    assert_eq!((verified.entries, verified.hash), (head.seq, head.hash));
}

#[test]
fn what_is_broken_is_not_exported_to_the_end() {
    for damage in [
        "DELETE FROM entry WHERE seq = 6",
        "UPDATE entry SET body = '{}' WHERE seq = 3",
        "UPDATE entry SET hash = x'00' WHERE seq = 3",
        "UPDATE run SET seq = 5",
        "UPDATE plan SET body = '{}'",
    ] {
        let home = Home::new();
        let store = sound_store(&home);
        let damage = damage.replace("'{}'", "x'7b7d'");
        assert_eq!(home.raw().execute(&damage, ()).unwrap(), 1);
        let mut file = vec![];
        match store.reader().export(&id("a"), &mut file) {
            Err(ExportError::Stored(error)) => assert_eq!(error.kind(), Kind::Corrupt),
            other => panic!("{damage}: {other:?}"),
        }
        assert!(verify_file(&file).is_err());
    }
}
