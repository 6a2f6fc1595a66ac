//! Detection by structure, explicit and undecidable.

use super::*;
use crate::text::load;

fn detected(yaml: &str) -> Result<Dialect, Box<Diagnostic>> {
    let source = Source::new("a.yaml", yaml);
    let root = load(&source).expect("it loads");
    detect(&source, &root)
}

#[test]
fn the_structure_tells_the_dialect() {
    let cases = [
        ("blocks: []", Dialect::Blocks),
        ("name: x\nstates: {}", Dialect::States),
        ("{\"name\": \"x\", \"states\": {\"a\": {}}}", Dialect::States),
        ("steps: []\nstate_schema: {}", Dialect::Reactive),
        ("steps: []\ndefault_state: {}", Dialect::Reactive),
        ("steps: []\nsub_agent_tasks: {}", Dialect::Reactive),
        ("steps: [{type: shell_command}]", Dialect::Reactive),
        (
            "steps: [{type: foreach, items: x, steps: [{type: mcp_call}, {type: user_message}]}]",
            Dialect::Reactive,
        ),
        ("steps: [{type: mcp_call, then: [{type: foreach, body: [{type: break}]}]}]", Dialect::Reactive),
        ("workflow:\n  steps: [{type: state_update}]", Dialect::Reactive),
        ("steps: []\ninitial_state: {}", Dialect::Steps),
        ("steps: []\ntasks: {}", Dialect::Steps),
        ("steps: [{type: mcp_call, needs_state: []}]", Dialect::Steps),
        ("steps: [{type: shell}]", Dialect::Steps),
        ("steps: [{type: prompt, type: confirm}]", Dialect::Steps),
        ("steps: [{type: confirm, message: ok?}]", Dialect::Steps),
        ("version: 1.0.0\nsteps: [{type: mcp_call, tool: t, parameters: {}}]", Dialect::Steps),
        ("steps: [{type: shel, command: ls}]", Dialect::Steps),
        ("steps: [{type: mcp_call}, {type: Set-State}]", Dialect::Steps),
        ("steps: [{type: foreach, items: [a], task: t}]", Dialect::Steps),
        ("steps: [{type: shel}, {type: while}]", Dialect::Reactive),
        ("version: 1.0.0\nsteps: [{type: mcp_call, mcp: {method: t}}]", Dialect::Reactive),
        ("version: 1.0.0\nsteps: [{type: mcp_call, mcp: {method: t}}, {type: shell}]", Dialect::Steps),
        ("imports: [a.yaml]\nsteps: [{type: mcp_call}]", Dialect::Reactive),
        ("steps: [{type: foreach, items: x, steps: []}]", Dialect::Reactive),
        ("sub_agent_tasks: {}", Dialect::Reactive),
        ("workflow:\n  state_schema: {}", Dialect::Reactive),
        ("kind: states\nblocks: []", Dialect::States),
        ("kind: reactive\nsteps: []", Dialect::Reactive),
        ("kind: steps\nsteps: [{type: shell_command}]", Dialect::Steps),
    ];
    for (yaml, dialect) in cases {
        assert_eq!(detected(yaml), Ok(dialect), "{yaml}");
    }
}

#[test]
fn what_cannot_be_told_is_an_error_with_a_code() {
    let cases = [
        ("name: x", "unknown-dialect"),
        ("{}", "unknown-dialect"),
        ("steps: [{type: mcp_call}, {type: foreach}, 5]", "unknown-dialect"),
        ("steps: [{type: mcp_call, tool: t}]", "unknown-dialect"),
        ("steps: [{type: shel}, {type: whlie}]", "unknown-dialect"),
        ("steps: [{type: mpc_call}, {type: zebra}, {type: ''}]", "unknown-dialect"),
        ("blocks: []\nsteps: []", "mixed-dialects"),
        ("steps: [{type: shell}, {type: while}]", "mixed-dialects"),
        ("kind: block\nblocks: []", "unknown-kind"),
        ("kind: [x]\nblocks: []", "unknown-kind"),
        ("- a", "not-a-mapping"),
        ("text", "not-a-mapping"),
    ];
    for (yaml, code) in cases {
        assert_eq!(detected(yaml).map_err(|diagnostic| diagnostic.code), Err(code), "{yaml}");
    }
}

#[test]
fn an_undecided_definition_is_told_what_was_looked_for() {
    let yaml = "name: x\nsteps:\n  - type: mcp_call\n";
    let source = Source::new("a.yaml", yaml);
    let all: crate::diagnostic::Diagnostics = detected(yaml).err().into_iter().map(|found| *found).collect();
    insta::assert_snapshot!(all.render(&[source], Default::default()));
}

#[test]
fn signs_of_both_dialects_are_both_shown() {
    let yaml = "name: x\nsteps:\n  - type: shell\n  - type: while\n";
    let source = Source::new("a.yaml", yaml);
    let all: crate::diagnostic::Diagnostics = detected(yaml).err().into_iter().map(|found| *found).collect();
    insta::assert_snapshot!(all.render(&[source], Default::default()));
}
