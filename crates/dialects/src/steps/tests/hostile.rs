//! Texts that nobody writes by accident: none may panic, and none may take long.

use super::{bad, codes, good, source, steps};
use crate::constant::VALUE_DEPTH_MAX;
use crate::diagnostic::{Look, Severity};
use crate::jinja::TEMPLATE_BYTES_MAX;
use crate::text::limits::{FILE_BYTES_MAX, MISTAKES_MAX};
use kernel::Plan;
use std::time::Duration;

const SEEDS: [&str; 7] = [
    include_str!("inputs/everything.yaml"),
    include_str!("inputs/deploy-service.yaml"),
    include_str!("inputs/analyze-codebase.yaml"),
    include_str!("inputs/pr-automation.yaml"),
    include_str!("inputs/doubtful.yaml"),
    include_str!("inputs/planning.yaml"),
    include_str!("inputs/mistakes.yaml"),
];

const WORDS: [&str; 30] = [
    "{{",
    "}}",
    "{%",
    "%}",
    "{{ state.x }}",
    "{{ item }}",
    "{% for a in b %}",
    "needs_state: [a, b]",
    "type: foreach",
    "type: goto",
    "type: prompt",
    "task: look",
    "agent: \"@task\"",
    "target: build",
    "then: []",
    ".",
    "[",
    "]",
    "{",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "'",
    "\"",
    "é漢🙂",
    "&a ",
    "*a ",
    "null",
    "id: build",
];

/// A small generator (splitmix64): the same seed gives the same texts for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end.max(1) as u64).unwrap()
    }

    fn place(&mut self, text: &str) -> usize {
        text.floor_char_boundary(self.below(text.len() + 1))
    }

    fn change(&mut self, text: &mut String) {
        let (one, other) = (self.place(text), self.place(text));
        let near = text.floor_char_boundary((one + 12).min(text.len()));
        match self.below(5) {
            0 => text.insert_str(one, WORDS[self.below(WORDS.len())]),
            1 => drop(text.drain(one..near)),
            2 => {
                let piece = text[one..near].to_owned();
                text.insert_str(other, &piece);
            }
            3 => text.replace_range(one..near, WORDS[self.below(WORDS.len())]),
            _ => {
                let line = text.lines().nth(self.below(40)).unwrap_or_default().to_owned();
                let at = text[..one].rfind('\n').map_or(0, |at| at + 1);
                text.insert_str(at, &format!("{line}\n"));
            }
        }
    }
}

/// A plan after it was written down and read again.
fn stored_and_read(plan: &Plan) -> Plan {
    serde_json::from_str(&serde_json::to_string(plan).unwrap()).unwrap()
}

#[test]
fn no_text_makes_it_panic() {
    let mut random = Random(5);
    let mut plans = 0;
    for round in 0..3_000 {
        let seeds = if round % 2 == 0 { 4 } else { SEEDS.len() };
        let mut text = SEEDS[random.below(seeds)].to_owned();
        for _ in 0..=random.below(2) {
            random.change(&mut text);
        }
        let source = source("mutant.yaml", &text);
        match crate::read(&source) {
            Ok(read) => {
                plans += 1;
                for plan in std::iter::once(&read.plan).chain(read.tasks.iter().map(AsRef::as_ref)) {
                    plan.check().unwrap_or_else(|broken| panic!("{broken:?}\n{text}"));
                    assert_eq!(stored_and_read(plan), *plan, "{text}");
                }
            }
            Err(found) if round % 10 == 0 => drop(found.render(&[source], Look::default())),
            Err(found) => assert!(found.has_errors(), "{text}"),
        }
    }
    assert!(plans > 100, "only {plans} were good: the mutations say little");
}

#[test]
fn the_deepest_value_can_be_stored_in_a_plan() {
    let nested = |depth: usize| {
        let (open, close) = ("{a: ".repeat(depth), "}".repeat(depth));
        steps(&[
            &format!("id: a, type: mcp_call, tool: x, parameters: {open}\"{{{{ inputs.x }}}}\"{close}"),
            &format!("id: b, type: return, value: {open}\"{{{{ inputs.x }}}}\"{close}"),
        ])
    };
    let plan = good(&nested(VALUE_DEPTH_MAX)).plan;
    assert_eq!(stored_and_read(&plan), plan);
    assert_eq!(codes(&nested(VALUE_DEPTH_MAX + 1)), ["too-deep", "too-deep"]);
    let first = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let plan =
        good(&steps(&["id: a, type: shell, command: x"]).replace("{a: 1, b: 2}", &format!("{{a: {first}}}")))
            .plan;
    assert_eq!(stored_and_read(&plan), plan);
}

#[test]
fn the_deepest_bodies_can_be_stored_in_a_plan() {
    let nested = |depth: usize| {
        let mut step = "{id: last, type: shell, command: x}".to_owned();
        for number in 0..depth {
            step = format!("{{id: c{number}, type: condition, if: true, then: [{step}]}}");
        }
        format!("name: deep\nversion: 1.0.0\nsteps: [{step}]\n")
    };
    // The text ends first: each body is two levels of it.
    let plan = good(&nested(30)).plan;
    assert_eq!(stored_and_read(&plan), plan);
    assert_eq!(codes(&nested(31)), ["too-deep"]);
}

#[test]
fn a_text_with_code_has_a_bound() {
    let of = |bytes: usize| {
        let text = format!("{}{{{{ 1 }}}}", "x".repeat(bytes - 7));
        steps(&[&format!("id: a, type: shell, command: \"{text}\"")])
    };
    good(&of(TEMPLATE_BYTES_MAX));
    assert_eq!(codes(&of(TEMPLATE_BYTES_MAX + 1)), ["too-large"]);
    // Where nothing is evaluated, it may be as long as a file.
    good(&steps(&[&format!("id: a, type: shell, command: \"{}\"", "x".repeat(500_000))]));
}

/// How long something takes.
#[expect(clippy::disallowed_types, reason = "how long it takes is what is tested")]
fn took(work: impl FnOnce()) -> Duration {
    let begins = std::time::Instant::now();
    work();
    begins.elapsed()
}

#[test]
fn an_alias_bomb_is_refused_before_it_is_read() {
    let mut text = "name: bomb\nversion: 1.0.0\nx0: &x0 [a, a, a, a, a, a, a, a, a, a]\n".to_owned();
    for level in 1..9 {
        let of = format!("*x{}, ", level - 1).repeat(10);
        text.push_str(&format!("x{level}: &x{level} [{of}]\n"));
    }
    text.push_str("steps: [{id: a, type: shell, command: x}]\n");
    assert!(took(|| assert!(bad(&text).has_errors())) < Duration::from_secs(5));
}

#[test]
fn hostile_texts_are_answered_soon() {
    let filled = |text: &str, word: &str| {
        let room = FILE_BYTES_MAX - text.len() - 4;
        text.replace("FILL", &word.repeat(room / word.len()))
    };
    let command = "name: a\nversion: 1.0.0\nsteps: [{id: a, type: shell, command: \"FILL\"}]\n";
    let many = |step: &str| {
        let lines: String =
            (0..900).map(|number| format!("  - {{{}}}\n", step.replace('#', &number.to_string()))).collect();
        format!("name: a\nversion: 1.0.0\nkind: steps\nsteps:\n{lines}")
    };
    let code = "{{ state.x }}".repeat(70);
    for text in [
        filled(command, "{"),
        filled(command, "{{ state.x }}"),
        filled(command, "{% if x %}"),
        filled(
            "name: a\nversion: 1.0.0\nkind: steps\nsteps: [FILL{id: z, type: shell}]\n",
            "{id: a, type: shel},",
        ),
        filled("name: a\nversion: 1.0.0\nkind: steps\ninputs: {FILLx: 5}\nsteps: []\n", "a: b,"),
        many(&format!("id: s#, type: shell, command: \"{code}\"")),
        many("id: s#, type: goto, target: zebra#"),
        many("id: s#, type: foreach, task: zebra#, items: [1], output_to: r"),
        many(
            "id: s#, type: shell, needs_state: [zebra#], command: \"{{ inputs.zebra# }}\", output_to: stripe#",
        ),
        many("id: same, type: shell, command: x"),
    ] {
        let source = source("bad.yaml", &text);
        let time = took(|| {
            let found = crate::read(&source).map_or_else(|found| found, |read| read.warnings);
            assert!(found.count(Severity::Error) <= MISTAKES_MAX + 1);
            drop(found.to_json(std::slice::from_ref(&source)));
        });
        assert!(time < Duration::from_secs(20), "{time:?} {}", &text[..80]);
    }
}
