//! Every change of a journal file is found, and at the right line.

use super::{Broken, ExportError, Header, Place, Reason, Verified, Writer, verify_file};
use kernel::{Digest, RunId};

const PLAN: &[u8] = br#"{"name":"release","steps":["a","b"]}"#;
const BODIES: [&str; 3] = [r#"{"at":1,"event":"started"}"#, r#"{"at":2,"text":"caf\u00e9 é"}"#, "[]"];

fn header() -> Header {
    let workflow = "release \"1\"".to_owned();
    Header { run: RunId::new("brave-otter-7"), workflow, plan: Digest::of(PLAN), entries: 3 }
}

fn sample() -> Vec<u8> {
    let mut writer = Writer::begin(Vec::new(), &header(), PLAN).unwrap();
    for body in BODIES {
        writer.entry(body.as_bytes()).unwrap();
    }
    writer.finish().unwrap()
}

/// Which part the byte at `index` of the sample belongs to.
fn place_of(file: &[u8], index: usize) -> Place {
    match file[..index].iter().filter(|byte| **byte == b'\n').count() {
        0 => Place::Header,
        1 => Place::Plan,
        line if line < 5 => Place::Entry(line as u64 - 1),
        _ => Place::End,
    }
}

#[test]
fn a_whole_file_is_sound() {
    let file = sample();
    let Verified { run, workflow, entries, .. } = verify_file(&file).unwrap();
    assert_eq!((run, workflow.as_str(), entries), (RunId::new("brave-otter-7"), "release \"1\"", 3));
}

#[test]
fn an_empty_journal_is_sound() {
    let header = Header { entries: 0, ..header() };
    let file = Writer::begin(Vec::new(), &header, PLAN).unwrap().finish().unwrap();
    assert_eq!(verify_file(&file).unwrap().entries, 0);
}

/// Made by another program from the description alone. Readers of other versions depend on these bytes.
#[test]
fn the_file_is_the_documented_one() {
    let file = String::from_utf8(sample()).unwrap();
    assert_eq!(file, include_str!("sample.jsonl"), "the format of version 1 has changed");
}

#[test]
fn every_flipped_bit_is_found_where_it_is() {
    let file = sample();
    for index in 0..file.len() {
        for bit in 0..8 {
            let mut other = file.clone();
            other[index] ^= 1 << bit;
            let Broken { place, .. } = verify_file(&other).expect_err("a flipped bit was not found");
            let expected = place_of(&file, index);
            // The header is the one line whose meaning reaches into the others.
            if expected != Place::Header {
                assert_eq!(place, expected, "byte {index}, bit {bit}");
            }
        }
    }
}

#[test]
fn every_other_value_of_a_few_bytes_is_found() {
    let file = sample();
    for index in (0..file.len()).step_by(37) {
        for value in (0..=255).filter(|value| *value != file[index]) {
            let mut other = file.clone();
            other[index] = value;
            assert!(verify_file(&other).is_err(), "byte {index} as {value}");
        }
    }
}

#[test]
fn every_truncation_is_found() {
    let file = sample();
    for length in 0..file.len() {
        let broken = verify_file(&file[..length]).expect_err("a truncation was not found");
        assert_eq!(broken.place, place_of(&file, length), "cut to {length}: {broken}");
    }
}

#[test]
fn every_added_or_lost_byte_is_found() {
    let file = sample();
    for index in 0..=file.len() {
        for byte in [b' ', b'\n', b'0', b'}'] {
            let mut longer = file.clone();
            longer.insert(index, byte);
            assert!(verify_file(&longer).is_err(), "{byte} before {index}");
        }
    }
    for index in 0..file.len() {
        let mut shorter = file.clone();
        shorter.remove(index);
        assert!(verify_file(&shorter).is_err(), "without {index}");
    }
}

#[test]
fn every_swap_repetition_and_loss_of_lines_is_found() {
    let file = sample();
    let lines: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
    for first in 0..lines.len() {
        for second in first + 1..lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(first, second);
            assert!(verify_file(&swapped.concat()).is_err(), "{first} and {second} swapped");
        }
        let mut twice = lines.clone();
        twice.insert(first, lines[first]);
        assert!(verify_file(&twice.concat()).is_err(), "{first} twice");
        let mut lost = lines.clone();
        lost.remove(first);
        assert!(verify_file(&lost.concat()).is_err(), "without {first}");
    }
    let mut swapped = lines.clone();
    swapped.swap(3, 4);
    assert_eq!(verify_file(&swapped.concat()), Err(Place::Entry(2).broken(Reason::Sequence)));
}

#[test]
fn another_version_is_named() {
    let file = String::from_utf8(sample()).unwrap().replacen("\"version\":1", "\"version\":2", 1);
    let broken = verify_file(file.as_bytes()).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "broken at the header: version 2 is unknown to this binary, which reads version 1"
    );
}

#[test]
fn a_header_that_promises_too_much_costs_nothing() {
    let most = format!("\"entries\":{}", u64::MAX);
    let file = String::from_utf8(sample()).unwrap().replacen("\"entries\":3", &most, 1);
    assert_eq!(verify_file(file.as_bytes()), Err(Place::Entry(4).broken(Reason::Sequence)));
}

#[test]
fn the_writer_refuses_what_the_reader_would() {
    let wrong = Header { plan: Digest::of(b"other"), ..header() };
    assert!(matches!(Writer::begin(Vec::new(), &wrong, PLAN), Err(ExportError::Plan(_))));
    let mut writer = Writer::begin(Vec::new(), &header(), PLAN).unwrap();
    for body in ["{\n}", "{", "", "1 2", "\u{feff}{}"] {
        assert!(matches!(writer.entry(body.as_bytes()), Err(ExportError::Entry(1))), "{body:?}");
    }
    assert!(matches!(writer.entry(b"\"\xff\""), Err(ExportError::Entry(1))));
    assert!(matches!(writer.finish(), Err(ExportError::Count { promised: 3, written: 0 })));
}

/// A file without end, of which as much is told as was read.
struct Endless(u64);

impl std::io::Read for Endless {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        room.fill(0);
        self.0 += room.len() as u64;
        Ok(room.len())
    }
}

#[test]
fn a_file_that_is_no_journal_is_refused_by_its_first_line() {
    let mut file = Endless(0);
    let error = super::verify_stream(std::io::BufReader::new(&mut file)).unwrap_err();
    let super::Unverified::Broken(broken) = error else { panic!("{error}") };
    assert_eq!(broken, Place::Header.broken(Reason::Malformed));
    assert!(file.0 <= (1 << 20) + 8192, "{}", file.0);
}
