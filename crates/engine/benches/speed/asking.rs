//! One question through the evaluator, and the bare pipe beside it: a process that gives back what it gets.

use engine::answers::Patience;
use engine::evaluator::{Evaluator, Program, serve};
use kernel::plan::Language;
use kernel::{Answer, Data, Question, RunId};
use serde_json::json;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Instant;

const EVALUATOR: &str = "__evaluator";
const ECHO: &str = "__echo";

/// What this program is when it is started again.
pub(crate) fn wear(face: &str) -> Option<ExitCode> {
    match face {
        EVALUATOR => Some(serve()),
        ECHO => {
            let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
            let mut buffer = [0; 65_536];
            while let Ok(count @ 1..) = stdin.read(&mut buffer) {
                stdout.write_all(&buffer[..count]).expect("a reader");
                stdout.flush().expect("a reader");
            }
            Some(ExitCode::SUCCESS)
        }
        _ => None,
    }
}

/// An evaluator and its question.
pub(crate) struct Asking {
    evaluator: Evaluator,
    run: RunId,
    questions: [Question; 1],
}

impl Asking {
    pub(crate) fn new() -> Self {
        let value = |path: &str, value| (path.to_owned(), Data::Inline(value));
        let question = Question::Evaluate {
            language: Language::Jinja,
            expressions: vec!["{{ inputs.user.name }} has {{ state.files | length }} files".to_owned()],
            scope: vec![
                value("inputs.user", json!({"name": "Ada", "mail": "ada@example.org", "age": 36})),
                value("state.files", json!(["src/main.rs", "src/lib.rs", "Cargo.toml", "README.md"])),
            ],
            origins: Vec::new(),
        };
        Asking { evaluator: evaluator(), run: RunId::new("quiet-river-1"), questions: [question] }
    }

    pub(crate) fn ask(&mut self, times: u32) {
        for _ in 0..times {
            let answers = self.evaluator.answer(&self.run, &self.questions, &Patience::default());
            assert!(matches!(&answers[..], [Answer::Evaluated(values)] if values[0].is_ok()), "{answers:?}");
        }
    }

    /// What the first question costs, for people.
    pub(crate) fn cold(&mut self) -> String {
        let mut cold: Vec<_> = (0..50)
            .map(|_| {
                self.evaluator = evaluator();
                let start = Instant::now();
                self.ask(1);
                start.elapsed()
            })
            .collect();
        cold.sort();
        let start = Instant::now();
        self.ask(1_000);
        format!(
            "an evaluator: {:.1?} from nothing to the first answer, then {:.1?} each",
            cold[25],
            start.elapsed() / 1_000
        )
    }

    /// The bare pipe.
    pub(crate) fn echo(&self) -> Echo {
        let bytes = serde_json::to_vec(&self.questions).expect("a question");
        let mut child = Command::new(std::env::current_exe().expect("a program"))
            .arg(ECHO)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Echo { child, stdin: Some(stdin), stdout, back: vec![0; bytes.len()], bytes }
    }
}

/// An evaluator that is this program, started again.
pub(crate) fn evaluator() -> Evaluator {
    let path = std::env::current_exe().expect("a program");
    Evaluator::new(Program { path, args: vec![EVALUATOR.into()] })
}

/// A process that gives back what it gets.
pub(crate) struct Echo {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    bytes: Vec<u8>,
    back: Vec<u8>,
}

impl Echo {
    pub(crate) fn ask(&mut self, times: u32) {
        let stdin = self.stdin.as_mut().expect("a pipe");
        for _ in 0..times {
            stdin.write_all(&self.bytes).expect("a reader");
            self.stdout.read_exact(&mut self.back).expect("an echo");
        }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
