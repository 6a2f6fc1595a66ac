use super::names::Used;
use super::*;

fn free(text: &str) -> Vec<String> {
    let script = script(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    let shown = |name: &Name| {
        let key = name.key.as_ref().map_or(String::new(), |key| format!(".{key}"));
        let used = match name.used {
            Used::Read => "",
            Used::Asked => "?",
            Used::Written => "=",
        };
        format!("{}{key}{used}", name.root)
    };
    script.names.iter().map(shown).collect()
}

#[test]
fn names_from_outside_are_those_that_nothing_declares() {
    for (text, names) in [
        ("a + b.c + d['e'] + f[g]", &["a", "b.c", "d.e", "f", "g"][..]),
        ("x => x + y", &["y"]),
        ("({a, b: c}) => a + b + c", &["b"]),
        ("input.map((f, i) => ({f, i, g}))", &["input.map", "g"]),
        ("const a = 1; { let b = a; } return a + b;", &["b"]),
        ("if (x) { var y = 1 } return y + z;", &["x", "z"]),
        ("try { return f(a) } catch (e) { return e.message + e2 }", &["f", "a", "e2"]),
        ("return later(); function later() { return n }", &["n"]),
        ("for (const k of ks) { use(k) } return k;", &["ks", "use", "k"]),
        ("typeof a === 'undefined' ? b : a", &["a?", "b", "a"]),
        ("a?.b?.c", &["a.b"]),
        ("{ a: b, c }", &["b", "c"]),
        ("`x ${a} ${b.c}`", &["a", "b.c"]),
        ("(function f(n) { return n ? f(n - 1) : m })(3)", &["m"]),
        ("class A { m() { return x } } return new A();", &["x"]),
        ("a = 1", &["a="]),
        ("a++ + b.c++", &["a=", "b.c"]),
        ("[a, b] = c", &["a=", "b=", "c"]),
        ("({...a, [b]: 1})", &["a", "b"]),
        ("((a, b = a) => a + b)(1)", &[]),
        ("a // b", &["a"]),
        ("new Set(xs.map(x => x.y))", &["Set", "xs.map"]),
        ("/a(b)/.test(s)", &["s"]),
    ] {
        assert_eq!(free(text), names, "{text}");
    }
}

#[test]
fn expressions_come_before_bodies() {
    let form = |text: &str| script(text).map(|script| script.form);
    assert_eq!(form("{ a: 1 }"), Ok(Form::Expression));
    assert_eq!(form("{ total: input[0].length, b: input[1].failed || 0 }"), Ok(Form::Expression));
    assert_eq!(form("try { return 1 } catch (e) { return 2 }"), Ok(Form::Body));
    assert_eq!(form("return 1"), Ok(Form::Body));
    assert_eq!(form("input.length ; \n"), Ok(Form::Expression));
    assert_eq!(form("const a = 1; a;"), Ok(Form::Body));
    assert_eq!(form("input\n  .filter(f => f)\n"), Ok(Form::Expression));
}

#[test]
fn the_time_is_asked_for_by_its_names_only() {
    let clock = |text: &str| script(text).unwrap().clock;
    for text in ["now()", "new Date()", "Date.now()", "Date()", "new Date", "text(now())"] {
        assert!(clock(text), "{text}");
    }
    for text in ["new Date(0)", "Date.parse(x)", "x.now", "((now) => now())(f)", "((Date) => Date.now())(f)"]
    {
        assert!(!clock(text), "{text}");
    }
}

#[test]
fn faults_have_a_place() {
    for (text, at) in
        [("a +", 3..3), ("a b", 2..3), ("const x = ;", 10..11), ("return (1", 9..9), ("/(/", 1..2)]
    {
        let fault = script(text).unwrap_err();
        assert_eq!(fault.at, at, "{text}: {}", fault.message);
    }
}

#[test]
fn texts_are_taken_apart() {
    let shown = |text: &str| -> Vec<String> {
        parts(text)
            .unwrap()
            .into_iter()
            .map(|part| match part {
                Part::Text(at) => text[at].to_owned(),
                Part::Code { inside, filter: None, .. } => format!("<{}>", &text[inside]),
                Part::Code { inside, .. } => format!("<{}!>", &text[inside]),
            })
            .collect()
    };
    assert_eq!(shown("a {{ b }} c{{d}}"), ["a ", "<b>", " c", "<d>"]);
    assert_eq!(shown("{{ {a: {b: 1}} }}"), ["<{a: {b: 1}}>"]);
    assert_eq!(shown("{{{a: {b: 1}}}}"), ["<{a: {b: 1}}>"]);
    assert_eq!(shown("{{ '}}' + x }}!"), ["<'}}' + x>", "!"]);
    assert_eq!(shown("{{ `${ {a: 1}.a }` }}"), ["<`${ {a: 1}.a }`>"]);
    assert_eq!(shown("raw.{{ item | path_to_key }}.x"), ["raw.", "<item | path_to_key!>", ".x"]);
    assert_eq!(shown("{{ a | b }}"), ["<a | b>"]);
    for (text, at) in [
        ("{{ a", 0..2),
        ("{{ }}", 0..2),
        ("x {{ a b }}", 7..8),
        ("{{ a | upper }}", 7..12),
        ("{{ a | join(', ') }}", 7..17),
    ] {
        assert_eq!(parts(text).unwrap_err().at, at, "{text}");
    }
}

#[test]
fn deep_texts_are_read_or_refused_and_never_end_the_process() {
    let long = |unit: &str| unit.repeat(SOURCE_BYTES_MAX / unit.len());
    let half = SOURCE_BYTES_MAX / 2;
    for text in [
        long("!"),
        long("("),
        long("["),
        long("{"),
        long("-"),
        long("`${"),
        long("a=>"),
        long("a?"),
        long("a="),
        long("a+"),
        long("a."),
        long("a("),
        long("new "),
        long("if(1)"),
        long("a:"),
        long("a**"),
        long("else "),
        long("{{"),
        long("/("),
        format!("{}{}", "(".repeat(half), ")".repeat(half)),
        format!("{}{}", "[".repeat(half), "]".repeat(half)),
        format!("{}{}", "({a:".repeat(half / 4), "1})".repeat(half / 4)),
        format!("{}1", "!".repeat(SOURCE_BYTES_MAX - 1)),
        format!("{}1", "a+".repeat(half - 1)),
        format!("{}a", "a.".repeat(half - 1)),
        format!("{}1", "a=>".repeat(SOURCE_BYTES_MAX / 3 - 1)),
        format!("{}1", "a?1:".repeat(SOURCE_BYTES_MAX / 4 - 1)),
        format!("{}1", "a=".repeat(half - 1)),
        format!("{}1", "1**".repeat(SOURCE_BYTES_MAX / 3 - 1)),
        format!("{}return 1", "if(1)".repeat(SOURCE_BYTES_MAX / 5 - 2)),
        format!("{}return 1", "{".repeat(half / 2)) + &"}".repeat(half / 2),
        format!("f{}", "()".repeat(half - 1)),
        format!("/{}{}/", "(".repeat(half - 2), ")".repeat(half - 2)),
        format!("{}1{}", "function(){return ".repeat(800), "}".repeat(800)),
    ] {
        let _ = script(&text);
        let _ = parts(&format!("{{{{ {text} }}}}"));
    }
}
