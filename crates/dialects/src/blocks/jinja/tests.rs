//! Where references stand, and what they become.

use super::{Part, Use, compile};

/// Takes a template apart at `@`, which stands for a reference.
fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for (position, text) in template.split('@').enumerate() {
        if position > 0 {
            parts.push(Part::Reference("x"));
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
    }
    parts
}

fn compiled(template: &str) -> String {
    compile(&parts(template)).unwrap_or_else(|faults| panic!("{template}: {faults:?}")).source
}

fn faults(template: &str) -> Vec<String> {
    let faults = compile(&parts(template)).expect_err(template);
    faults.into_iter().map(|fault| format!("{}:{} {}", fault.part, fault.at, fault.message)).collect()
}

#[test]
fn a_reference_is_put_in_as_its_place_asks() {
    for (written, expected) in [
        ("a @ b", "a {{ SB_1 }} b"),
        ("{{ a }} @", "{{ a }} {{ SB_1 }}{##}"),
        ("x{{ @ + 1 }}", "x{{ SB_1 + 1 }}"),
        ("{% if @ %}@{% endif %}", "{% if SB_1 %}{{ SB_2 }}{% endif %}"),
        ("x{{ a[@] }}", "x{{ a[SB_1] }}"),
        ("x{{ 'a@b' | upper }}", "x{{ ('a' ~ SB_1 ~ 'b') | upper }}"),
        ("x{{ f(\"@\", '@') }}", "x{{ f((\"\" ~ SB_1 ~ \"\"), ('' ~ SB_2 ~ '')) }}"),
        ("x{{ r'\\d@' }}", "x{{ (r'\\d' ~ SB_1 ~ r'') }}"),
        ("x{{ bar'@' }}", "x{{ bar('' ~ SB_1 ~ '') }}"),
        ("x{{ 'a\\'b' }}@", "x{{ 'a\\'b' }}{{ SB_1 }}"),
        ("x{{ '}}' ~ {'a': {}} }}@", "x{{ '}}' ~ {'a': {}} }}{{ SB_1 }}"),
        ("a{# @ {{ #}@", "a{# ${x} {{ #}{{ SB_2 }}"),
        (
            "{% raw %}{{ a }} @{% endraw %}@",
            "{% raw %}{{ a }} {% endraw %}{{ SB_1 }}{% raw %}{% endraw %}{{ SB_2 }}",
        ),
        ("{%- raw -%}@{%+ endraw %}", "{%- raw -%}{% endraw %}{{ SB_1 }}{% raw %}{%+ endraw %}"),
        ("}} %} #} @", "}} %} #} {{ SB_1 }}"),
        ("{ @ }", "{ {{ SB_1 }} }"),
        ("\\a{@}{@}", "\\a{{ '{' ~ SB_1 }}}{{ '{' ~ SB_2 }}}"),
        ("{% raw %}{@}{% endraw %}", "{% raw %}{{% endraw %}{{ SB_1 }}{% raw %}}{% endraw %}"),
        ("", ""),
    ] {
        assert_eq!(compiled(written), expected, "{written}");
    }
}

#[test]
fn uses_say_what_a_variable_holds() {
    let uses = compile(&parts("@{{ @ }}{{ '@' }}{# @ #}")).unwrap().uses;
    assert_eq!(uses, [Use::Text, Use::Value, Use::Text, Use::Nothing]);
}

#[test]
fn a_whole_expression_stays_text() {
    assert_eq!(compiled("{{ n }}"), "{{ n }}{##}");
    assert_eq!(compiled("{{ n }}\n"), "{{ n }}{##}\n");
    assert_eq!(compiled("{{ n }}\r\n"), "{{ n }}{##}\r\n");
    assert_eq!(compiled("{{ n }}\n\n"), "{{ n }}\n{##}\n");
    assert_eq!(compiled("n {{ n }}"), "n {{ n }}");
    assert_eq!(compiled("@"), "{{ SB_1 }}{##}");
}

#[test]
fn what_is_open_is_told_where_it_begins() {
    for (written, expected) in [
        ("a {{ b", "0:2 `{{` is never closed"),
        ("a {% if b", "0:2 `{%` is never closed"),
        ("{{ (a }}", "0:0 `{{` is never closed"),
        ("a {# b", "0:2 this comment is never closed"),
        ("{{ 'a }}", "0:3 this literal is never closed"),
        ("x{% raw %}{{", "0:1 `raw` is never ended"),
        ("@ {% if a %}{% for b in c %}{% endfor %}", "1:1 `if` is never ended"),
        ("{% endif %}", "0:0 `endif` ends nothing"),
        ("{% if a %}{% endfor %}{% endif %}", "0:10 `endfor` stands where `if` is open"),
        ("{% else %}", "0:0 `else` belongs to no statement"),
        ("{% for a in b %}{% elif c %}{% endfor %}", "0:16 `elif` belongs to no statement"),
        ("{% iff a %}", "0:0 no statement is called `iff`"),
        ("{% include 'a' %}", "0:0 there is no `include` here"),
    ] {
        assert_eq!(faults(written), [expected], "{written}");
    }
}

#[test]
fn statements_that_end_are_followed() {
    for good in [
        "{% set a = 1 %}{% set b %}x{% endset %}",
        "{% set a = '%}' %}{% set b %}'='{% endset %}",
        "{%- if a -%}{%- elif b -%}{%- else -%}{%- endif -%}",
        "{% for a in b %}{% if c %}{% continue %}{% endif %}{% else %}{% endfor %}",
        "{% macro m(a) %}{{ a }}{% endmacro %}{% call m(1) %}{% endcall %}{% filter upper %}a{% endfilter %}",
        "{% with a = 1 %}{% do f() %}{% endwith %}",
    ] {
        compiled(good);
    }
}

#[test]
fn a_value_never_becomes_a_part_of_a_name() {
    for written in ["{{ a@ }}", "{{ @b }}", "{{ a.@ }}", "{{ a | @ }}", "{{ a |\n@ }}", "{{ 1@ }}"] {
        let told = faults(written);
        assert!(told[0].ends_with("a reference cannot be a part of a name"), "{written}: {told:?}");
    }
    assert_eq!(faults("{{ 'a\\@' }}"), ["1:0 a backslash cannot stand before a reference"]);
    compiled("{{ 'a\\\\@' }}");
}

#[test]
fn every_text_ends() {
    for text in [
        "{",
        "{{",
        "{%",
        "{#",
        "{{'",
        "{{\"\\",
        "{% raw",
        "{% raw %}{% endraw",
        "{{r'",
        "{%}",
        "{{}}",
        "{%%}",
        "@{",
        "{@{",
        "{%@%}",
    ] {
        let _ = compile(&parts(text));
    }
}
