//! Texts that nobody writes by accident: none may panic, and none may take long.

use super::{bad, codes, good, source};
use crate::constant::VALUE_DEPTH_MAX;
use crate::diagnostic::{Look, Severity};
use crate::text::limits::MISTAKES_MAX;
use kernel::Plan;
use std::fmt::Write;

const SEEDS: [&str; 8] = [
    include_str!("inputs/everything.yaml"),
    include_str!("inputs/minimal.json"),
    include_str!("inputs/fifteen.yaml"),
    include_str!("inputs/references.yaml"),
    include_str!("inputs/dependencies.yaml"),
    include_str!("inputs/values.yaml"),
    include_str!("inputs/shell.yaml"),
    include_str!("inputs/warnings.yaml"),
];

const WORDS: [&str; 28] = [
    "${",
    "}",
    "$${",
    "${inputs.x}",
    "${blocks.build.stdout}",
    "${blocks.a.inputs.env.X}",
    ".",
    "[",
    "]",
    "[0]",
    "{",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "'",
    "\"",
    "\\",
    "é漢🙂",
    "&a ",
    "*a ",
    "null",
    "id: build",
    "depends_on: [a, b]",
    "<<END\n",
    "$((",
    "`",
    "timeout: -1e999",
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

    /// A place in a text where a character begins.
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

#[test]
fn no_text_makes_it_panic() {
    let mut random = Random(7);
    let mut plans = 0;
    for round in 0..3_000 {
        // The first ones are good, and half of all mutants should be near to good ones.
        let seeds = if round % 2 == 0 { 2 } else { SEEDS.len() };
        let mut text = SEEDS[random.below(seeds)].to_owned();
        for _ in 0..=random.below(4) {
            random.change(&mut text);
        }
        let source = source("mutant.yaml", &text);
        match crate::read(&source) {
            Ok(read) => {
                plans += 1;
                read.plan.check().unwrap_or_else(|broken| panic!("{broken:?}\n{text}"));
                assert_eq!(stored_and_read(&read.plan), read.plan, "{text}");
            }
            Err(found) if round % 10 == 0 => drop(found.render(&[source], Look::default())),
            Err(found) => assert!(found.has_errors(), "{text}"),
        }
    }
    assert!(plans > 100, "only {plans} were good: the mutations say little");
}

/// A plan after it was written down and read again.
fn stored_and_read(plan: &Plan) -> Plan {
    serde_json::from_str(&serde_json::to_string(plan).unwrap()).unwrap()
}

#[test]
fn the_deepest_value_can_be_stored_in_a_plan() {
    let nested = |depth: usize| {
        let (open, close) = ("{a: ".repeat(depth), "}".repeat(depth));
        let value = format!("{open}\"${{metadata.run_id}}\"{close}");
        let env = format!("{{id: a, type: Shell, inputs: {{command: x, env: {{A: {value}}}}}}}");
        format!("name: deep\nblocks: [{env}]\noutputs: {{x: {value}}}")
    };
    let plan = good(&nested(VALUE_DEPTH_MAX)).plan;
    assert_eq!(stored_and_read(&plan), plan);
    assert_eq!(codes(&nested(VALUE_DEPTH_MAX + 1)), ["too-deep", "too-deep"]);
    let default = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let text = format!(
        "name: a\ninputs: {{x: {{default: {default}}}}}\nblocks: [{{id: a, type: Shell, inputs: {{command: x}}}}]"
    );
    let plan = good(&text).plan;
    assert_eq!(stored_and_read(&plan), plan);
}

fn many(count: usize, mut block: impl FnMut(usize) -> String) -> String {
    let mut text = "name: many\nblocks:\n".to_owned();
    (0..count)
        .for_each(|number| writeln!(text, "  - {{id: b{number}, type: Shell, {}}}", block(number)).unwrap());
    text
}

#[test]
fn a_chain_whose_last_blocks_read_the_first_is_read() {
    let text = many(5_000, |number| match number {
        0 => "inputs: {command: x}".to_owned(),
        _ => {
            let before = number - 1;
            format!(
                "depends_on: [b{before}], inputs: {{command: \"echo ${{blocks.b{}.stdout}}\"}}",
                number / 2
            )
        }
    });
    assert_eq!(good(&text).plan.steps.len(), 5_000);
}

#[test]
fn a_wide_graph_is_read() {
    let text = many(5_000, |_| "inputs: {command: x}".to_owned());
    let all: Vec<String> = (0..5_000).map(|number| format!("b{number}")).collect();
    let reads: Vec<String> = all.iter().map(|name| format!("${{blocks.{name}.stdout}}")).collect();
    let last = format!(
        "  - {{id: last, type: Shell, depends_on: [{}], inputs: {{command: \"echo {}\"}}}}\n",
        all.join(", "),
        reads.join(" ")
    );
    let plan = good(&(text + &last)).plan;
    assert!(plan.steps[..5_000].iter().all(|step| step.keeps.contains("outputs.stdout")));
}

#[test]
fn the_number_of_blocks_has_an_edge() {
    let shell = |_| "inputs: {command: x}".to_owned();
    assert_eq!(good(&many(10_000, shell)).plan.steps.len(), 10_000);
    assert_eq!(codes(&many(10_001, shell)), ["too-many-blocks"]);
}

#[test]
fn a_large_circle_is_named_in_few_words() {
    let found = bad(&many(5_000, |number| {
        format!("depends_on: [b{}], inputs: {{command: x}}", (number + 1) % 5_000)
    }));
    let one = found.iter().next().unwrap();
    assert_eq!((found.iter().count(), one.code), (1, "dependency-cycle"));
    assert!(one.message.len() < 500 && one.message.contains("(4976 more)"), "{}", one.message);
    assert!(one.related.len() < 10);
}

#[test]
fn countless_mistakes_are_told_up_to_a_bound() {
    let blocks = "blocks: [{id: a, type: Shell, inputs: {command: x}}]";
    for text in [
        format!("name: a\n{blocks}\noutputs: {{x: \"{}\"}}", "${a.b} ".repeat(100_000)),
        format!("name: a\n{blocks}\noutputs: {{x: \"{}\"}}", "${".repeat(400_000)),
        format!("name: a\n{blocks}\noutputs: {{x: \"{}\"}}", "${inputs.}".repeat(80_000)),
        many(5_000, |number| format!("depends_on: [zebra{number}], inputs: {{command: x}}")),
        many(5_000, |number| format!("unknown{number}: x, inputs: {{command: \"${{inputs.x}}\"}}")),
    ] {
        let found = bad(&text);
        assert!(found.count(Severity::Error) <= MISTAKES_MAX + 1);
        drop(found.to_json(&[source("bad.yaml", &text)]));
    }
}

#[test]
fn what_nests_without_end_takes_no_time() {
    let shell = |text: String| {
        let command = serde_json::Value::from(text);
        format!(
            "name: a\ninputs: {{x: {{}}}}\nblocks: [{{id: a, type: Shell, inputs: {{shell: bash, command: {command}}}}}]"
        )
    };
    for open in ["${x:-", "${x/", "${#", "${x[", "$[", "$(\n", "\"$(", "<(\n"] {
        let count = 900_000 / (2 * open.len());
        bad(&shell(open.repeat(count) + " ${inputs.x}"));
    }
    for open in ["{% if 1 %}", "{% for a in b %}", "{{ ", "{% ", "{# "] {
        let template = serde_json::Value::from(open.repeat(60_000));
        bad(&format!("name: a\nblocks: [{{id: a, type: RenderTemplate, inputs: {{template: {template}}}}}]"));
    }
}
