//! Which form each reference gets. What is refused is in the snapshots of the dialect's own tests.

use crate::blocks::world::World;
use crate::mistakes::Mistakes;
use crate::text::{Source, load};
use kernel::language::Path;

const WORKFLOW: &str = "\
name: references
inputs: {who: {type: string}, list: {type: list}, thing: {type: object}, any: }
blocks:
  - {id: a-b, type: Shell, inputs: {command: x, working_dir: sub, env: {STAGE: x}}}
  - {id: other, type: Zebra, inputs: {anything: x}}
";

/// Resolves a reference and returns its form with what is read of which block.
fn resolved(text: &str) -> Option<String> {
    let source = Source::new("a.yaml", WORKFLOW);
    let root = load(&source).unwrap();
    let world = World::read(&mut Mistakes::new(&source), &root);
    let resolved = world.resolve(&Path::parse(text, 0).unwrap()).ok()?;
    let touched = resolved.touched.map_or(String::new(), |touched| {
        format!(" ({} {:?} {})", touched.block, touched.space, touched.field.as_deref().unwrap_or("all"))
    });
    Some(format!("{}{touched}", resolved.path))
}

#[test]
fn references_get_the_form_that_the_kernel_reads() {
    for (written, expected) in [
        ("inputs", "inputs"),
        ("inputs.who", "inputs.who"),
        ("inputs.list[0].x", "inputs.list[0].x"),
        ("inputs.thing.a.b", "inputs.thing.a.b"),
        ("inputs.any.0", "inputs.any[0]"),
        ("metadata.run_id", "metadata.run_id"),
        ("blocks.a-b.stdout", "blocks.a-b.outputs.stdout (0 Outputs stdout)"),
        ("blocks['a-b']['exit_code']", "blocks.a-b.outputs.exit_code (0 Outputs exit_code)"),
        ("blocks.a-b.outputs", "blocks.a-b.outputs (0 Outputs all)"),
        ("blocks.a-b.outputs.stderr", "blocks.a-b.outputs.stderr (0 Outputs stderr)"),
        ("blocks.a-b.status", "blocks.a-b.metadata.status (0 Metadata status)"),
        ("blocks.a-b.skipped", "blocks.a-b.metadata.skipped (0 Metadata skipped)"),
        ("blocks.a-b.metadata.error", "blocks.a-b.metadata.error (0 Metadata error)"),
        ("blocks.a-b.outputs.success", "blocks.a-b.metadata.succeeded (0 Metadata succeeded)"),
        ("blocks.a-b.success", "blocks.a-b.metadata.succeeded (0 Metadata succeeded)"),
        ("blocks.a-b.inputs.command", "blocks.a-b.inputs.command (0 Inputs command)"),
        ("blocks.other.stripes.x", "blocks.other.outputs.stripes.x (1 Outputs stripes)"),
        ("blocks.other.inputs.anything", "blocks.other.inputs.anything (1 Inputs anything)"),
    ] {
        assert_eq!(resolved(written).as_deref(), Some(expected), "{written}");
    }
}

#[test]
fn a_variable_is_one_field_of_the_inputs() {
    let path = Path::of("blocks", &["a-b", "inputs", "env.STAGE"]);
    assert_eq!(resolved("blocks.a-b.inputs.env.STAGE"), Some(format!("{path} (0 Inputs env.STAGE)")));
}

#[test]
fn what_would_read_something_else_is_refused() {
    for written in [
        "inputs[0]",
        "inputs.0",
        "blocks[0].stdout",
        "blocks.a-b[0]",
        "blocks.a-b.outputs[1]",
        "blocks.a-b.outputs.stdout[0]",
        "blocks.a-b.status.x",
        "blocks.a-b.success.x",
        "blocks.a-b.inputs",
        "blocks.a-b.metadata",
        "metadata",
        "state.x",
        "result",
    ] {
        assert_eq!(resolved(written), None, "{written}");
    }
}
