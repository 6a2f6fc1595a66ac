//! `key=value` as it was typed becomes a value of the declared type.

use super::error::CommandError;
use super::look::cut;
use engine::adapters::exact;
use engine::dialects::near::near;
use engine::kernel::data::{DEPTH_MAX, TOO_DEEP, weight};
use engine::kernel::plan::{Input, InputKind};
use engine::kernel::{Data, Fields, Plan};
use serde_json::Value;
use std::io::Read;

/// How much of stdin is read for an answer: more than any that fits.
const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// How much of a wrong value is shown.
const SHOWN_CHARS_MAX: usize = 60;

/// The inputs of a run: each as its declared type, none unknown, none missing.
pub(crate) fn inputs(plan: &Plan, given: &[String]) -> Result<Fields, CommandError> {
    let mut fields = Fields::new();
    for pair in given {
        let (name, text) = split(pair, "-i")?;
        let input = plan.inputs.iter().find(|input| input.name == name);
        let input = input.ok_or_else(|| unknown(plan, name))?;
        let value = value(input, text)?;
        if fields.insert(name.to_owned(), Data::Inline(value)).is_some() {
            return Err(CommandError::usage("input-twice", format!("input `{name}` is given twice")));
        }
    }
    let missing =
        |input: &&Input| input.required && input.default.is_none() && !fields.contains_key(&input.name);
    let missing: Vec<&Input> = plan.inputs.iter().filter(missing).collect();
    if !missing.is_empty() {
        return Err(missing_inputs(&missing));
    }
    // All that was typed is here: nothing need be read.
    let fits = engine::turn::fits(plan, &fields, |digest| Err(format!("{digest} is not stored")));
    fits.map_err(|refusal| CommandError::usage("wrong-input", refusal.to_string()))?;
    Ok(fields)
}

/// What a step gave that is taken as done. All of it is text but the exit code.
pub(crate) fn outputs(given: &[String]) -> Result<Fields, CommandError> {
    let mut fields = Fields::new();
    for pair in given {
        let (name, text) = split(pair, "-o")?;
        let value = match name {
            "exit_code" | "duration_ms" => number(name, text)?,
            _ => Value::from(text),
        };
        if name == "exit_code" && value != 0 {
            let message = format!("a step that is done exited with 0, not with {value}");
            return Err(CommandError::usage("wrong-output", message)
                .hint("one that failed: switchback resume RUN --fail STEP"));
        }
        if fields.insert(name.to_owned(), Data::Inline(value)).is_some() {
            return Err(CommandError::usage("output-twice", format!("output `{name}` is given twice")));
        }
    }
    Ok(fields)
}

/// An answer: text, or for work of an agent JSON where it is some. `-` means what stdin says.
pub(crate) fn answer(word: &str, may_be_json: bool) -> Result<Value, CommandError> {
    let text = match word {
        "-" => {
            let mut text = String::new();
            crate::ends::Input.take(ANSWER_BYTES_MAX).read_to_string(&mut text).map_err(|error| {
                CommandError::usage(
                    "unreadable-answer",
                    format!("failed to read the answer from stdin: {error}"),
                )
            })?;
            text.trim_end_matches(['\n', '\r']).to_owned()
        }
        word => word.to_owned(),
    };
    // What cannot be held as it stands there stays text; where only JSON fits, it is told why.
    let read = || exact(&text).ok().filter(|_| may_be_json);
    Ok(read().unwrap_or(Value::String(text)))
}

fn number(name: &str, text: &str) -> Result<Value, CommandError> {
    let number: Result<i64, _> = text.parse();
    number.map(Value::from).map_err(|_| {
        let text = cut(text, SHOWN_CHARS_MAX);
        CommandError::usage("wrong-output", format!("`{name}` must be an integer, not `{text}`"))
    })
}

fn split<'p>(pair: &'p str, flag: &str) -> Result<(&'p str, &'p str), CommandError> {
    pair.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        let pair = cut(pair, SHOWN_CHARS_MAX);
        CommandError::usage("not-a-pair", format!("`{flag} {pair}` is not of the form key=value"))
    })
}

/// Text stays text; all else is read as JSON.
fn value(input: &Input, text: &str) -> Result<Value, CommandError> {
    if input.kind == InputKind::String {
        return Ok(text.into());
    }
    let read = serde_json::from_str::<Value>(text);
    if nests_too_deep(read.as_ref()) {
        let message = format!("input `{}` nests deeper than {DEPTH_MAX} levels", input.name);
        return Err(CommandError::usage("too-deep", message)
            .hint("nest less, or give it as the path of a file that the workflow reads"));
    }
    let parsed = read.ok();
    if input.kind == InputKind::Any {
        // What is typed is not changed: `1.10` is a version and no number that is written `1.1`.
        let is_written = |value: &Value| serde_json::to_string(value).is_ok_and(|written| written == text);
        let is_nested = |value: &Value| value.is_array() || value.is_object();
        let is_same = |value: &Value| (is_nested(value) && exact(text).is_ok()) || is_written(value);
        return Ok(parsed.filter(is_same).unwrap_or_else(|| text.into()));
    }
    let fitting = parsed.filter(|value| input.kind.accepts(value));
    if let (Some(_), Err(why)) = (&fitting, exact(text)) {
        let message = format!("input `{}` cannot be taken as it stands there: {why}", input.name);
        return Err(CommandError::usage("wrong-input", message));
    }
    fitting.ok_or_else(|| {
        let (name, kind, text) = (&input.name, input.kind.as_str(), cut(text, SHOWN_CHARS_MAX));
        let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        let error = CommandError::usage(
            "wrong-input",
            format!("input `{name}` must be {article} {kind}, not `{text}`"),
        );
        match example(input.kind) {
            Some(example) => error.hint(format!("for example: -i '{name}={example}'")),
            None => error,
        }
    })
}

/// Whether lists and objects stand in each other more often than a run can hold. The reader gives up on those that nest much
/// deeper, and only its words tell that from other mistakes.
fn nests_too_deep(read: Result<&Value, &serde_json::Error>) -> bool {
    match read {
        Ok(value) => weight(value) == TOO_DEEP,
        Err(error) => error.to_string().starts_with("recursion limit exceeded"),
    }
}

fn example(kind: InputKind) -> Option<&'static str> {
    Some(match kind {
        InputKind::Integer => "3",
        InputKind::Number => "0.5",
        InputKind::Boolean => "true",
        InputKind::List => r#"["a", "b"]"#,
        InputKind::Object => r#"{"key": "value"}"#,
        InputKind::String | InputKind::Any => return None,
    })
}

fn unknown(plan: &Plan, name: &str) -> CommandError {
    let names: Vec<&str> = plan.inputs.iter().map(|input| input.name.as_str()).collect();
    let error = CommandError::usage("unknown-input", format!("`{}` has no input `{name}`", plan.name));
    match (near(name, names.iter().copied()).as_slice(), names.as_slice()) {
        ([], []) => error.hint("it takes none"),
        ([], names) => error.hint(format!("it has: {}", names.join(", "))),
        (near, _) => error.near(near),
    }
}

fn missing_inputs(missing: &[&Input]) -> CommandError {
    let names: Vec<&str> = missing.iter().map(|input| input.name.as_str()).collect();
    let error =
        CommandError::usage("missing-inputs", format!("Missing required inputs: {}", names.join(", ")));
    missing.iter().fold(error, |error, input| {
        let what = if input.description.is_empty() { input.kind.as_str() } else { &input.description };
        error.hint(format!("-i {}=...    {what}", input.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::kernel::plan::{Dialect, Flow, Graph};
    use serde_json::json;

    fn plan() -> Plan {
        let mut plan = Plan::new("p", Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1)));
        let kinds = [
            ("text", InputKind::String),
            ("count", InputKind::Integer),
            ("ratio", InputKind::Number),
            ("flag", InputKind::Boolean),
            ("list", InputKind::List),
            ("map", InputKind::Object),
            ("any", InputKind::Any),
        ];
        plan.inputs = kinds
            .map(|(name, kind)| Input {
                name: name.into(),
                description: String::new(),
                kind,
                required: name == "text",
                default: None,
                rules: None,
            })
            .to_vec();
        plan
    }

    fn read(given: &[&str]) -> Result<Value, String> {
        let given: Vec<String> = given.iter().map(|pair| (*pair).to_owned()).collect();
        let fields = inputs(&plan(), &given).map_err(|error| error.message)?;
        let values = fields.into_iter().map(|(name, data)| (name, data.inline().cloned().unwrap()));
        Ok(values.collect::<serde_json::Map<_, _>>().into())
    }

    #[test]
    fn values_have_the_declared_type() {
        let given =
            ["text=007", "count=42", "ratio=1", "flag=true", "list=[1]", r#"map={"a":"b=c"}"#, "any=x y"];
        let wanted = json!({"text": "007", "count": 42, "ratio": 1, "flag": true, "list": [1],
                            "map": {"a": "b=c"}, "any": "x y"});
        assert_eq!(read(&given).unwrap(), wanted);
        for typed in ["1.10", "1e10", "1234e56", "20261116123456789012", "-0", " 5 ", "007", " true"] {
            assert_eq!(read(&["text=", &format!("any={typed}")]).unwrap()["any"], json!(typed));
        }
        for (typed, value) in
            [("5", json!(5)), ("-1.5", json!(-1.5)), ("true", json!(true)), ("null", json!(null))]
        {
            assert_eq!(read(&["text=", &format!("any={typed}")]).unwrap()["any"], value);
        }
        assert_eq!(read(&["text=", "any=[1]"]).unwrap(), json!({"text": "", "any": [1]}));
    }

    #[test]
    fn nothing_is_rounded_or_dropped_without_a_word() {
        for (typed, why) in [
            ("list=[12345678901234567890123]", "the number 12345678901234567890123 in line 1 cannot be kept"),
            ("ratio=12345678901234567890123", "the number 12345678901234567890123 in line 1 cannot be kept"),
            (r#"map={"a":1,"a":2}"#, "the key `a` stands there twice"),
        ] {
            let said = read(&["text=", typed]).unwrap_err();
            let name = typed.split('=').next().unwrap();
            assert!(
                said.starts_with(&format!("input `{name}` cannot be taken as it stands there: {why}")),
                "{said}"
            );
        }
        assert_eq!(read(&["text=", "ratio=18446744073709551615"]).unwrap()["ratio"], json!(u64::MAX));
        for typed in [r#"{"x":1,"x":2}"#, "[12345678901234567890123]"] {
            assert_eq!(read(&["text=", &format!("any={typed}")]).unwrap()["any"], json!(typed));
        }
        assert_eq!(answer(r#"{"n":1}"#, true).unwrap(), json!({"n": 1}));
        for typed in [r#"{"n":1,"n":2}"#, "12345678901234567890123"] {
            assert_eq!(answer(typed, true).unwrap(), json!(typed));
        }
    }

    #[test]
    fn mistakes_name_input_type_and_what_was_given() {
        for (given, said) in [
            (vec!["text=a", "count=1.5"], "input `count` must be an integer, not `1.5`"),
            (vec!["text=a", "flag=yes"], "input `flag` must be a boolean, not `yes`"),
            (vec!["text=a", "list={}"], "input `list` must be a list, not `{}`"),
            (vec!["text=a", "text=b"], "input `text` is given twice"),
            (vec!["txt=a"], "`p` has no input `txt`"),
            (vec!["text"], "`-i text` is not of the form key=value"),
            (vec!["=a"], "`-i =a` is not of the form key=value"),
            (vec![], "Missing required inputs: text"),
        ] {
            assert_eq!(read(&given).unwrap_err(), said);
        }
    }

    #[test]
    fn a_long_mistake_is_shown_by_its_beginning() {
        let long = "x".repeat(100_000);
        for given in [format!("count={long}"), long] {
            let said = read(&["text=a", &given]).unwrap_err();
            assert!(said.contains("xxx...") && said.chars().count() < 110, "{said}");
        }
    }

    #[test]
    fn a_value_nests_at_most_64_levels() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for name in ["list", "any"] {
            assert!(read(&["text=a", &format!("{name}={}", nested(64))]).is_ok());
            for levels in [65, 127, 128, 100_000] {
                let said = read(&["text=a", &format!("{name}={}", nested(levels))]).unwrap_err();
                assert_eq!(said, format!("input `{name}` nests deeper than 64 levels"));
            }
        }
        let text = nested(65);
        assert_eq!(read(&[&format!("text={text}")]).unwrap()["text"], text);
        assert_eq!(read(&["text=a", "any=[[["]).unwrap()["any"], "[[[");
    }

    #[test]
    fn what_a_step_gave_is_said_once_and_never_that_it_failed() {
        let said = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|pair| (*pair).to_owned()).collect();
            outputs(&given).map_err(|error| error.message)
        };
        assert_eq!(said(&["exit_code=0", "stdout=7"]).unwrap()["stdout"], Data::Inline("7".into()));
        assert_eq!(said(&["exit_code=1"]).unwrap_err(), "a step that is done exited with 0, not with 1");
        assert_eq!(said(&["stdout=a", "stdout=a"]).unwrap_err(), "output `stdout` is given twice");
        assert_eq!(said(&["exit_code=no"]).unwrap_err(), "`exit_code` must be an integer, not `no`");
    }
}
