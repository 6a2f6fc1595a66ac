//! The group `files`.

use crate::world::World;

const TEMPLATE: &str =
    "# {{ values.name }} {{ values.version }}\n{% for tag in values.tags %}- {{ tag }}\n{% endfor %}";

#[test]
fn a_template_and_values_become_a_file() {
    let world = World::new();
    world.write("in/README.md.j2", TEMPLATE);
    let values = r#"{"name": "{{ 7*7 }}", "version": "1.0.0", "tags": ["a", "${inputs.target}"]}"#;
    let inputs = [("template_path", "in/README.md.j2"), ("target", "out/README.md"), ("values", values)];
    let written = world.run("render-and-write", &inputs);
    let text = "# {{ 7*7 }} 1.0.0\n- a\n- ${inputs.target}\n";
    assert_eq!(world.read("out/README.md"), text);
    assert!(written.outputs()["path"].as_str().unwrap().ends_with("out/README.md"));
    assert_eq!(written.outputs()["size_bytes"], text.len());
}

#[test]
fn a_file_that_is_there_is_kept_unless_it_may_be_written_anew() {
    let world = World::new();
    world.write("t.j2", "{{ values.name }}");
    world.write("out.txt", "mine");
    let inputs = [("template_path", "t.j2"), ("target", "out.txt"), ("values", r#"{"name": "new"}"#)];
    let kept = world.run("render-and-write", &inputs);
    assert!(kept.error().contains("`out.txt` exists already"), "{}", kept.error());
    assert_eq!(world.read("out.txt"), "mine");
    world.run("render-and-write", &[inputs[0], inputs[1], inputs[2], ("overwrite", "true")]).outputs();
    assert_eq!(world.read("out.txt"), "new");
}

#[test]
fn what_cannot_be_rendered_or_written_says_why_and_writes_nothing() {
    let world = World::new();
    world.write("t.j2", "{{ values.name }}");
    let undefined = world.run("render-and-write", &[("template_path", "t.j2"), ("target", "out.txt")]);
    assert!(undefined.error().contains("`values.name` is undefined"), "{}", undefined.error());
    let missing = world.run("render-and-write", &[("template_path", "no.j2"), ("target", "out.txt")]);
    assert!(missing.error().contains("no.j2"), "{}", missing.error());
    let values = ("values", r#"{"name": "x"}"#);
    let outside =
        world.run("render-and-write", &[("template_path", "t.j2"), ("target", "../out.txt"), values]);
    assert!(outside.error().contains("leads out of"), "{}", outside.error());
    assert!(!world.path("out.txt").exists() && !world.beside("out.txt").exists());
}
