//! What this program is when it is started again: the real evaluator, or one that behaves badly.

use crate::world;
use engine::answers::Patience;
use std::io::{Read, Write};
use std::process::ExitCode;

/// The face of the real evaluator.
pub(crate) const REAL: &str = "__real";
/// Reads, and never answers.
pub(crate) const HANGS: &str = "__hangs";
/// Answers with bytes that mean nothing.
pub(crate) const GARBAGE: &str = "__garbage";
/// Answers in JSON that fits no question.
pub(crate) const MISFIT: &str = "__misfit";
/// Says that a very long answer follows.
pub(crate) const ENDLESS: &str = "__endless";
/// Gives two answers to one question.
pub(crate) const TWICE: &str = "__twice";
/// Never reads.
pub(crate) const DEAF: &str = "__deaf";
/// Ends at once, with last words.
pub(crate) const DIES: &str = "__dies";
/// Tells what it was given: environment, folder and descriptors.
pub(crate) const TELLS: &str = "__tells";

/// Answers with the number of the request.
pub(crate) const COUNTS: &str = "__counts";
/// Answers with as many bytes as its second word says.
pub(crate) const LONG: &str = "__long";
/// What stands around its text.
pub(crate) const LONG_AROUND: usize = r#"[[{"Ok":""}]]"#.len();
/// Has an evaluator of its own, tells the number of its process, and lives on.
pub(crate) const PARENT: &str = "__parent";

/// Asks an evaluator of its own a few questions, and prints the answers.
pub(crate) const ASKS: &str = "__asks";

/// Wears a face, if it is one.
pub(crate) fn wear(face: &str) -> Option<ExitCode> {
    match face {
        REAL => return Some(engine::evaluator::serve()),
        HANGS => while request().is_some() {},
        GARBAGE => reply(|_| b"what is this?".to_vec()),
        MISFIT => reply(|_| framed(b"[[]]")),
        ENDLESS => reply(|_| u32::MAX.to_le_bytes().to_vec()),
        TWICE => reply(|_| [framed(b"[[{\"Ok\":1}]]"), framed(b"[[{\"Ok\":2}]]")].concat()),
        COUNTS => {
            let count = std::cell::Cell::new(0);
            reply(|_| {
                count.set(count.get() + 1);
                framed(format!(r#"[[{{"Ok":{}}}]]"#, count.get()).as_bytes())
            });
        }
        LONG => reply(|_| {
            let bytes: usize = std::env::args().nth(2).unwrap().parse().unwrap();
            framed(format!(r#"[[{{"Ok":"{}"}}]]"#, "x".repeat(bytes - LONG_AROUND)).as_bytes())
        }),
        DEAF => park(),
        PARENT => {
            let evaluator = world::real();
            world::ask(&evaluator, "{{ 1 }}", &[]).unwrap();
            println!("{}", evaluator.idle()[0]);
            park();
        }
        DIES => {
            eprintln!("something went wrong\nthese are last words");
            return Some(ExitCode::from(3));
        }
        TELLS => reply(|bytes| {
            let env: Vec<String> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            framed(format!("[[{{\"Ok\":{{\"bytes\":{bytes},\"env\":{env:?}}}}}]]").as_bytes())
        }),
        ASKS => {
            let evaluator = world::real();
            for round in 0..3 {
                let questions = [
                    world::question(&["{{ n + 1 }}"], &[("n", round.into())]),
                    world::question(&["{{ v | length }}", "{{ w }}"], &[("v", "x".repeat(5_000).into())]),
                ];
                println!("{:?}", evaluator.answer(&world::run(), &questions, &Patience::default()));
            }
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

/// Lives until it is killed or its parent is gone.
fn park() {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).unwrap();
    loop {
        std::thread::park();
    }
}

fn request() -> Option<usize> {
    let mut length = [0; 4];
    std::io::stdin().read_exact(&mut length).ok()?;
    let bytes = u32::from_le_bytes(length) as usize;
    std::io::stdin().read_exact(&mut vec![0; bytes]).ok()?;
    Some(bytes)
}

/// Replies to every request, given its length.
fn reply(with: impl Fn(usize) -> Vec<u8>) {
    while let Some(bytes) = request() {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&with(bytes)).unwrap();
        stdout.flush().unwrap();
    }
}

fn framed(json: &[u8]) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_le_bytes(), json].concat()
}
