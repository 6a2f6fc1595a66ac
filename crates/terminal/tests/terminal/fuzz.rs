//! Bytes that no program would write, sizes that no person would choose. Nothing panics, nothing grows, and what comes out is
//! clean text of the right size.
//!
//! A few seconds in CI; `TERMINAL_FUZZ_SECONDS=600 cargo test -p terminal --release --test terminal fuzz` for as long as wanted.
//! A failure prints the seed; `TERMINAL_FUZZ_SEED` begins with it.

use std::time::{Duration, Instant};

use crate::world::{LONG, spec};
use terminal::{Emulator, Mode, Outcome, Pattern, PatternError, Screen, Scrollback, Session, Size};

/// What may be held more at the end than after the beginning, in KB.
const GROWTH_MAX: u64 = 64 * 1024;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

fn duration() -> Duration {
    Duration::from_secs(number("TERMINAL_FUZZ_SECONDS").unwrap_or(4))
}

/// A small generator of numbers: the same seed gives the same bytes.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    fn size(&mut self) -> Size {
        let extreme = self.below(3) == 0;
        let side = |dice: &mut Dice, most: u64| {
            if extreme { dice.choose(&[0, 1, 2, 3, u16::MAX]) } else { dice.below(most) as u16 }
        };
        Size::clamped(side(self, 140), side(self, 60))
    }
}

/// Something between noise and what programs write.
fn piece(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..dice.below(40) {
        match dice.below(12) {
            0 => bytes.extend((0..dice.below(30)).map(|_| dice.roll() as u8)),
            1..=4 => sequence(dice, &mut bytes),
            5 => bytes.extend(
                dice.choose(&[
                    "日本",
                    "👩‍👧",
                    "e\u{301}\u{302}\u{303}",
                    "\u{200b}",
                    "ﷺ",
                    "\u{202e}",
                    "\u{e0041}",
                ])
                .bytes(),
            ),
            6 => bytes.extend(
                dice.choose(&["\r\n", "\n", "\r", "\t", "\u{8}", "\u{7}", "\u{e}", "\u{f}", "\u{b}"]).bytes(),
            ),
            7 => string(dice, &mut bytes),
            8 => bytes.extend(
                dice.choose(&[
                    "\x1bD", "\x1bM", "\x1bE", "\x1b7", "\x1b8", "\x1bc", "\x1b#8", "\x1b(0", "\x1bH", "\x1b",
                ])
                .bytes(),
            ),
            _ => bytes.extend((0..dice.below(200)).map(|_| b' ' + dice.below(95) as u8)),
        }
    }
    bytes
}

fn sequence(dice: &mut Dice, bytes: &mut Vec<u8>) {
    bytes.extend(b"\x1b[");
    bytes.extend(dice.choose(&["", "", "", "?", ">", "=", "!"]).bytes());
    for index in 0..dice.below(4) {
        bytes.extend(if index > 0 { dice.choose(&[";", ":", ";"]) } else { "" }.bytes());
        let value = dice
            .choose(&[0, 1, 2, 3, 4, 5, 6, 7, 25, 38, 47, 69, 1000, 1049, 2004, 2026, 65_535, 99_999_999]);
        bytes.extend(value.to_string().bytes());
    }
    bytes.extend(dice.choose(&["", "", "", "$", " ", "\"", "'"]).bytes());
    // A character repeated 65,535 times is slow by design, and rare.
    let last = b'@' + dice.below(63) as u8;
    bytes.push(if last == b'b' && dice.below(50) > 0 { b'm' } else { last });
}

fn string(dice: &mut Dice, bytes: &mut Vec<u8>) {
    bytes.extend(
        dice.choose(&[
            "\x1b]0;",
            "\x1b]2;",
            "\x1b]8;;",
            "\x1b]52;c;",
            "\x1b]4;1;",
            "\x1b]10;?",
            "\x1bP",
            "\x1b_",
            "\x1b^",
            "\x1bX",
        ])
        .bytes(),
    );
    let long = dice.below(20) == 0;
    let length = dice.below(if long { 20_000 } else { 60 });
    bytes.extend((0..length).map(|_| b' ' + dice.below(95) as u8));
    bytes.extend(dice.choose(&["\x07", "\x1b\\", "", "\x18"]).bytes());
}

/// Gives what this process holds in memory, in KB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn check(screen: &Emulator) {
    let (rows, size, cursor) = (screen.rows(), screen.size(), screen.cursor());
    assert_eq!(rows.len(), usize::from(size.rows()));
    assert!(cursor.row < size.rows() && cursor.column < size.columns(), "{cursor:?} on {size}");
    assert_eq!(screen.text(), rows.join("\n").trim_end_matches('\n'));
    let lines = screen.lines(100);
    for text in rows.iter().chain(&lines).chain([&screen.title(), &screen.line()]) {
        assert!(!text.chars().any(char::is_control), "{text:?}");
        assert_eq!(text.trim_end(), text);
    }
}

/// Feeds one screen that lives as long as all, and many that live shortly.
fn feed(dice: &mut Dice, old: &mut Emulator) {
    let mut young = Emulator::new(dice.size(), Scrollback { lines_max: dice.choose(&[0, 1, 100, 5_000]) });
    for _ in 0..dice.below(60) {
        let bytes = piece(dice);
        for screen in [&mut *old, &mut young] {
            screen.feed(&bytes);
            assert!(screen.take_replies().len() <= 64 * 1024);
            if dice.below(8) == 0 {
                screen.resize(dice.size());
            }
            if dice.below(20) == 0 {
                screen.show_held();
            }
        }
    }
    check(&young);
    check(old);
}

#[test]
fn fuzz_the_screen() {
    let seed = number("TERMINAL_FUZZ_SEED").unwrap_or(0x5eed);
    let (begin, duration) = (Instant::now(), duration());
    let mut old = Emulator::new(Size::clamped(500, 200), Scrollback::default());
    let (mut rounds, mut warm) = (0_u64, None);
    while begin.elapsed() < duration {
        let seed = seed + rounds;
        let _said = Said(seed);
        feed(&mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), &mut old);
        rounds += 1;
        if warm.is_none() && begin.elapsed() > duration / 4 {
            warm = Some(memory());
        }
    }
    let (warm, end) = (warm.unwrap_or(0), memory());
    println!("{rounds} rounds, {warm} KB after a quarter, {end} KB at the end");
    assert!(end < warm + GROWTH_MAX, "from {warm} KB to {end} KB in {rounds} rounds");
}

/// Says which seed it was when something panics.
struct Said(u64);

impl Drop for Said {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("TERMINAL_FUZZ_SEED={}", self.0);
        }
    }
}

/// The same through a PTY, with others that look, wait and resize meanwhile.
#[test]
fn fuzz_a_session() {
    let (begin, duration) = (Instant::now(), duration());
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(number("TERMINAL_FUZZ_SEED").unwrap_or(0x5eed) | 1);
    let pattern = Pattern::new(r"(\w+) never, (?!x)never").unwrap();
    while begin.elapsed() < duration {
        let noise: Vec<u8> = (0..200).flat_map(|_| piece(&mut dice)).collect();
        std::fs::write(folder.path().join("noise"), noise).unwrap();
        let session = Session::open(&spec(&folder, "cat", &["noise"])).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| session.wait(&pattern, LONG, None));
            while !waiting.is_finished() {
                session.resize(dice.size()).unwrap();
                for mode in [Mode::Screen, Mode::SinceInput, Mode::Tail(10), Mode::History] {
                    let content = session.content(mode, 5_000);
                    assert!(
                        !content.text.chars().any(|character| character.is_control() && character != '\n')
                    );
                }
            }
            // Look-ahead over a very long word is the one thing that may be too much work.
            match waiting.join().unwrap() {
                Ok(waited) => assert_eq!(waited.outcome, Outcome::Ended),
                Err(error) => assert_eq!(error, PatternError::Work),
            }
        });
        assert_eq!(session.fault(), None);
        assert!(session.wait_exit(LONG).is_some());
    }
}
