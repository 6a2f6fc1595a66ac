//! What people and models may write, on purpose or not, as transforms, conditions, messages, defaults, paths and lists of items. Each ends as
//! an error that is on record with its run or before it begins; the daemon does not grow; a run beside it hears nothing of it.

use crate::client::Client;
use crate::reactive::place::client_of_daemon;
use crate::world::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The daemon may grow by so much over all of them.
const GROWTH_KIB_MAX: u64 = 32 * 1024;

/// The run beside is answered within this, whatever happens meanwhile.
const CALM_MAX: Duration = Duration::from_secs(4);

/// No text of an error is longer.
const ERROR_BYTES_MAX: usize = 8 * 1024;

/// Where a trap is laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Transform,
    Validate,
    Condition,
    Message,
    Default,
    Path,
    Items,
}
use Place::{Condition, Default, Items, Message, Path, Transform, Validate};

const EVERYWHERE: [Place; 6] = [Validate, Condition, Message, Default, Path, Items];

/// Bodies of functions: those that were measured when the engine was chosen, and ours.
const BODIES: &[(&str, &str)] = &[
    ("a loop", "for (;;) {}"),
    ("a loop that catches", "for (;;) { try { for (;;) {} } catch (e) {} }"),
    ("a loop that finally goes on", "again: for (;;) { try { return 1; } finally { continue again; } }"),
    ("recursion", "const f = () => f() + 1; return f();"),
    ("recursion through a native function", "const f = x => [x].map(f); return f(1);"),
    ("a getter that reads itself", "const o = { get a() { return this.a; } }; return o.a;"),
    ("a memory bomb", "const a = []; for (;;) a.push(new Array(1000).fill(1));"),
    ("a text that doubles", "let s = 'x'; for (;;) s += s;"),
    ("a text that is repeated", "return 'x'.repeat(5e8);"),
    ("a list that is filled", "return new Array(3e8).fill(0).length;"),
    ("a list from a length", "return Array.from({ length: 4e9 }).length;"),
    ("a sparse list that is joined", "return new Array(2 ** 32 - 2).join('').length;"),
    ("a list that is mapped", "return new Array(2 ** 26).fill(1).map(x => x * 2).length;"),
    ("a regular expression", "return /^(a+)+$/.test('a'.repeat(40) + '!');"),
    ("a large power", "return 2n ** 50000000n;"),
    ("JSON too deep", "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5));"),
    // Ours.
    ("a result too deep", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;"),
    ("a result too long", "return 'x'.repeat(20e6);"),
    ("a result too wide", "return Array.from({ length: 2e6 }, (_, i) => i);"),
    ("a result that holds itself", "const a = {}; a.a = a; return a;"),
    ("a result whose getter does not end", "return { get a() { for (;;) {} } };"),
    ("a result that turns itself into JSON", "return { toJSON() { for (;;) {} } };"),
    ("a proxy whose keys do not end", "return new Proxy({}, { ownKeys() { for (;;) {} } });"),
    (
        "a proxy that makes itself up",
        "const p = () => new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: p(), enumerable: true, configurable: true }), get: () => p() }); return p();",
    ),
    ("a prototype that is spoiled", "Array.prototype.map = () => { for (;;) {} }; return [1].map(x => x);"),
    (
        "prototypes in a circle",
        "const a = {}; const b = Object.create(a); Object.setPrototypeOf(a, b); return 1;",
    ),
    ("a sparse result", "const a = []; a[4294967294] = 1; return a;"),
    ("a result that is only a length", "const a = []; a.length = 4294967295; return a;"),
    ("a sparse list that is searched", "return new Array(2 ** 32 - 1).indexOf(1);"),
    (
        "a sparse list that is turned round",
        "const a = new Array(2 ** 32 - 1); a[5] = 1; return a.reverse().length;",
    ),
    ("a generator that is spread", "return [...(function* () { for (;;) yield 1; })()];"),
    ("a map that grows", "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x'.repeat(1000));"),
    ("a regular expression that replaces", "return 'a'.repeat(34).replace(/(a|a)*b/g, '').length;"),
    ("a replacement that grows", "return 'a'.repeat(1e6).replace(/a/g, () => 'x'.repeat(1e5)).length;"),
    ("padding", "return 'x'.padEnd(2 ** 30).length;"),
    ("a function made of text", "return [].constructor.constructor('for (;;) {}')();"),
    ("a value that never becomes a number", "return +{ [Symbol.toPrimitive]() { for (;;) {} } };"),
    ("JSON of much", "return JSON.stringify(new Array(5e6).fill('xxxxxxxxxxxxxxxx')).length;"),
    ("an error that is long", "throw new Error('x'.repeat(3e7));"),
    ("an error that does not end", "throw { get message() { for (;;) {} }, toString() { for (;;) {} } };"),
    ("an error that is nothing", "throw undefined;"),
    ("a large buffer", "return new Uint8Array(3e9).length;"),
    ("waiting", "return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"),
    ("chance", "return Math.random();"),
    ("a module", "return import('fs').then.no.such;"),
    ("a large whole number", "return 1n;"),
    ("a function", "return () => 1;"),
    ("a symbol", "return Symbol('x');"),
    ("a list that is flattened for ever", "const a = []; a.push(a, a); return a.flat(Infinity).length;"),
    ("a text that is normalised", "return '\\ufdfa'.repeat(8e6).normalize('NFKC').length;"),
    ("letters that are spread", "return [...'x'.repeat(1e8)].length;"),
    (
        "nested loops",
        "let n = 0; for (const a of Array(1e4).keys()) for (const b of Array(1e4).keys()) n += a * b; return n;",
    ),
    ("a property of nothing", "return undefined.a;"),
    ("a name that does not end", "return { ['k'.repeat(2e7)]: 1 };"),
];

/// A few of them, for every other place.
const FEW: [&str; 8] = [
    "a loop that catches",
    "recursion",
    "a memory bomb",
    "a sparse list that is joined",
    "a regular expression",
    "a result too long",
    "a sparse result",
    "an error that does not end",
];

/// Those of them that are values: too much to be handed on, and true where only that is asked.
const TRUE: [&str; 2] = ["a result too long", "a sparse result"];

/// A definition with a trap in it. Where the run goes on to `tell`, what was in the way is on record.
fn definition(place: Place, body: &str) -> Value {
    let call = format!("(() => {{ {} }} )()", body.replace("}}", "} }"));
    let braced = format!("{{{{ {call} }}}}");
    let tell = json!({ "id": "tell", "type": "user_message", "message": "still here" });
    let mut file = json!({
        "name": "trap", "version": "1.0.0", "kind": "reactive",
        "default_state": { "raw": { "a": 1 } }, "state_schema": { "raw": { "b": "object" } }, "steps": [tell],
    });
    let computed = |rule: Value| json!({ "raw": { "a": "number" }, "computed": { "caught": rule } });
    let mut first = |step: Value| file["steps"].as_array_mut().unwrap().insert(0, step);
    match place {
        Transform => file["state_schema"] = computed(json!({ "from": "raw.a", "transform": body })),
        Validate => {
            file["state_schema"] =
                computed(json!({ "from": "raw.a", "transform": "input", "validate": call }));
        }
        Condition => {
            let then = json!([{ "id": "held", "type": "user_message", "message": "still here" }]);
            first(json!({ "id": "if", "type": "conditional", "condition": braced, "then": then }));
        }
        Message => first(json!({ "id": "say", "type": "user_message", "message": format!("a {braced} b") })),
        Default => file["default_state"]["raw"]["d"] = braced.into(),
        Path => {
            let path = format!("raw.b.{braced}");
            first(json!({ "id": "put", "type": "state_update", "path": path, "value": 1 }));
        }
        Items => {
            let steps = json!([{ "id": "in", "type": "state_update", "path": "raw.b", "value": 1 }]);
            first(json!({ "id": "each", "type": "foreach", "items": braced, "steps": steps }));
        }
    }
    file
}

/// What is on record of a run that met its trap: an error before it began, its own, or that of its field.
fn recorded(client: &mut Client, started: (Value, bool), place: Place) -> String {
    let (started, is_error) = started;
    if is_error {
        return started["error"].as_str().unwrap_or_else(|| panic!("{started:#}")).to_owned();
    }
    let run = &started["workflow_id"];
    let next = client.good("workflow_get_next_step", json!({ "workflow_id": run, "wait_seconds": 40 }));
    if matches!(place, Transform | Validate) {
        assert_eq!(next["step"]["id"], "tell", "{next:#}");
        let traces =
            client.good("workflow_trace_transformations", json!({ "workflow_id": run, "field": "caught" }));
        let error = traces["traces"][0]["error"].as_str();
        let state = client.good("workflow_state_read", json!({ "workflow_id": run }));
        assert_eq!(state["caught"], Value::Null, "{state:#}");
        return error.unwrap_or_else(|| panic!("no error is on record: {traces:#}")).to_owned();
    }
    let status = client.good("get_workflow_status", json!({ "workflow_id": run }));
    assert_eq!(status["status"], "failed", "{status:#}");
    status["error"].as_str().unwrap_or_else(|| panic!("no error is on record: {status:#}")).to_owned()
}

/// Memory of a process, in KiB.
fn resident(pid: u64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn daemon(world: &World) -> u64 {
    let output = world.command("project", &["status", "--json"]).output().unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    status["daemon"]["pid"].as_u64().unwrap_or_else(|| panic!("{status:#}"))
}

const CALM: &str = "\
name: calm
version: 1.0.0
default_state: {raw: {list: [], note: ''}}
state_schema:
  computed:
    total: {from: raw.list, transform: 'input.reduce((sum, n) => sum + n, 0)'}
    double: {from: computed.total, transform: 'input * 2'}
steps:
  - {id: wait, type: user_message, message: 'waiting'}
";

/// A run beside the others, that goes on as if it were alone.
struct Calm {
    client: Client,
    run: Value,
    total: u64,
}

impl Calm {
    fn start(world: &World) -> Calm {
        let mut client = client_of_daemon(world);
        let run = client.good("workflow_start", json!({ "workflow": "calm" }))["workflow_id"].clone();
        Calm { client, run, total: 0 }
    }

    /// Moves on, and has the right values soon.
    fn goes_on(&mut self, beside: &str) {
        self.total += 1;
        let update = json!({ "path": "raw.list", "operation": "append", "value": 1 });
        let begun = Instant::now();
        let heard = self
            .client
            .good("workflow_state_update", json!({ "workflow_id": self.run, "updates": [update] }));
        let took = begun.elapsed();
        let expected = json!({ "total": self.total, "double": self.total * 2 });
        assert_eq!(heard["computed"], expected, "beside {beside}: {heard:#}");
        assert!(took < CALM_MAX, "beside {beside} the calm run waited {took:?}");
    }
}

/// What does no harm at a place: a trap that is refused is refused for what is in it.
fn harmless(place: Place) -> &'static str {
    match place {
        Items => "return [1];",
        Path => "return 'key';",
        _ => "return 1;",
    }
}

/// Shows that each place is one where a value is asked for, and where a run goes on from.
fn control(world: &World, client: &mut Client, places: &[Place]) {
    for place in places {
        world.write("project/.aromcp/workflows/trap.yaml", &definition(*place, harmless(*place)).to_string());
        let run = client.good("workflow_start", json!({ "workflow": "trap" }))["workflow_id"].clone();
        let next = client.good("workflow_get_next_step", json!({ "workflow_id": run, "wait_seconds": 40 }));
        let expected = if *place == Message { "a 1 b" } else { "still here" };
        assert_eq!(next["step"]["definition"]["message"], expected, "{place:?}: {next:#}");
    }
}

/// Springs all these traps, one after the other, in a daemon of their own.
fn spring(traps: &[(Place, &str, &str)]) {
    let world = World::new();
    world.write("project/.aromcp/workflows/calm.yaml", CALM);
    let (mut calm, mut client) = (Calm::start(&world), client_of_daemon(&world));
    calm.goes_on("nothing");
    let mut places: Vec<Place> = traps.iter().map(|(place, ..)| *place).collect();
    places.dedup();
    control(&world, &mut client, &places);
    let pid = daemon(&world);
    let before = resident(pid);
    for (place, name, body) in traps {
        let text = definition(*place, body).to_string();
        world.write("project/.aromcp/workflows/trap.yaml", &text);
        let call = client.begin("workflow_start", json!({ "workflow": "trap" }), Value::Null);
        calm.goes_on(name);
        let started = client.called(call);
        let error = recorded(&mut client, started, *place);
        assert!(
            !error.is_empty() && error.len() < ERROR_BYTES_MAX,
            "{name} as {place:?}: {} bytes",
            error.len()
        );
        eprintln!("{place:?}, {name}: {}", error.chars().take(160).collect::<String>());
        assert_eq!(daemon(&world), pid, "{name} as {place:?} ended the daemon");
    }
    calm.goes_on("all of them");
    let after = resident(pid);
    eprintln!("the daemon had {before} KiB and has {after} KiB");
    assert!(after < before + GROWTH_KIB_MAX, "the daemon grew from {before} to {after} KiB");
}

fn body(wanted: &str) -> &'static str {
    BODIES.iter().find(|(name, _)| *name == wanted).unwrap().1
}

// covers: XR-19
#[test]
fn traps_as_transforms_are_errors_of_their_field() {
    let traps: Vec<_> = BODIES.iter().map(|(name, body)| (Transform, *name, *body)).collect();
    spring(&traps);
}

// covers: XR-19
#[test]
fn traps_at_every_other_place_are_errors_of_their_run() {
    let traps: Vec<_> = EVERYWHERE
        .iter()
        .flat_map(|place| FEW.iter().map(|name| (*place, *name, body(name))))
        .filter(|(place, name, _)| *place != Condition || !TRUE.contains(name))
        .collect();
    spring(&traps);
}

// covers: XR-19
#[test]
fn what_is_too_much_as_a_value_may_be_true() {
    let world = World::new();
    let mut client = client_of_daemon(&world);
    for name in TRUE {
        world.write("project/.aromcp/workflows/trap.yaml", &definition(Condition, body(name)).to_string());
        let run = client.good("workflow_start", json!({ "workflow": "trap" }))["workflow_id"].clone();
        let next = client.good("workflow_get_next_step", json!({ "workflow_id": run, "wait_seconds": 40 }));
        assert_eq!(next["step"]["id"], "held", "{name}: {next:#}");
    }
}

#[test]
fn a_source_of_two_hundred_thousand_parentheses_is_refused() {
    let source = format!("return {}1{};", "(".repeat(200_000), ")".repeat(200_000));
    let long = format!("return {}0;", "1 + ".repeat(200_000));
    let nested = format!("return {}1;", "x => ".repeat(50_000));
    spring(&[
        (Transform, "parentheses", &source),
        (Transform, "a sum", &long),
        (Transform, "functions", &nested),
        (Condition, "parentheses", &source),
        (Message, "a sum", &long),
    ]);
}
