//! A run of as many states as there may be stays small: its answer, what the server holds, and the time of each state.

use super::{TOOLSETS, open, state};
use crate::client::{Client, Era};
use crate::world::World;
use serde_json::{Value, json};

/// The longest answer that a model is given.
const ANSWER_BYTES_MAX: usize = 20_000;

/// A machine that looks at a full screen again and again.
fn looks() -> Value {
    let fill = "for i in $(seq 1 60); do echo \"$i: a line that is as long as lines of programs are, and says very little indeed\"; done\n";
    json!({"name": "looks", "initial_state": "open", "states": {
        "open": open("fill"),
        "fill": state("send_input", json!({"input_text": fill}), "wait"),
        "wait": state("await_output", json!({"pattern": "^60: a line", "timeout": 20}), "one"),
        "one": state("get_screen_content", json!({"content_mode": "history"}), "other"),
        "other": state("get_screen_content", json!({"content_mode": "screen"}), "one"),
    }})
}

/// Runs so many states; how many seconds each took, and how many bytes the answer has.
fn run(client: &mut Client, states: u64) -> (f64, usize) {
    let arguments = json!({"workflow_definition": looks(), "max_states": states});
    let id = client.begin("run_workflow", arguments, json!({"progressToken": states.to_string()}));
    let result = client.answer(id).unwrap();
    let told = &result["structuredContent"];
    let limit = format!("Maximum states limit ({states}) reached - possible infinite loop");
    assert_eq!((&told["error"], &told["states_executed"]), (&json!(limit), &json!(states)), "{told:#}");
    assert!(told["left_out"]["all_of_it"].is_string(), "{told:#}");
    let seconds = told["total_elapsed_time"].as_f64().unwrap() / states as f64;
    (seconds, serde_json::to_string(told).unwrap().len())
}

/// The most memory that the server has ever had, in MiB.
fn peak(client: &Client) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid().as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024)
}

// covers: T-25, T-37, T-121
#[test]
fn a_thousand_states_stay_small_and_each_takes_as_long_as_the_first() {
    let world = World::new();
    let mut client = world.client_with(Era::Handshake, &["--toolsets", TOOLSETS]);
    run(&mut client, 20);
    let (short, _) = run(&mut client, 100);
    let before = peak(&client);
    let (long, bytes) = run(&mut client, 1_000);
    assert!(bytes <= ANSWER_BYTES_MAX, "the answer has {bytes} bytes");
    // Were each state as dear as all before it, this would be ten.
    assert!(
        long < short * 3.0 + 0.005,
        "a state takes {long} s among a thousand, and {short} s among a hundred"
    );
    // Where there is no /proc, this cannot be seen.
    if let (Some(before), Some(after)) = (before, peak(&client)) {
        assert!(after - before < 200, "from {before} MiB to {after} MiB");
    }
    eprintln!("{short} s, {long} s, {bytes} bytes, {before:?} and {:?} MiB", peak(&client));
}

#[test]
fn a_variable_of_a_call_may_have_64_kib_and_is_refused_instead_of_cut() {
    let world = World::new();
    let mut client = world.client_with(Era::Handshake, &["--toolsets", TOOLSETS]);
    let mut run = |bytes: usize| {
        let machine = json!({"name": "looks", "initial_state": "a", "states": {
            "a": {"action": {"tool": "list_terminal_sessions", "params": {}}},
        }});
        let variables = json!({"long": "x".repeat(bytes)});
        let arguments = json!({"workflow_definition": machine, "initial_variables": variables});
        client.good("run_workflow", arguments)
    };
    assert_eq!(run(65_536)["success"], true);
    let told = run(65_537);
    let why = "'initial_variables.long' has 65537 bytes; at most 65536 can be a variable: write it to a file and give its name";
    assert_eq!((&told["success"], &told["error"]), (&json!(false), &json!(why)), "{told:#}");
}
