//! What counts where two decide at once, or where a daemon that stood still looks only afterwards.

use crate::world::{World, until};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;

#[test]
fn of_two_who_decide_at_once_the_later_hears_that_nothing_came_of_it() {
    let world = World::new();
    world.define("push", "echo x >> log; touch ready; sleep 0.3; echo real");
    for round in 0..6 {
        let _ = std::fs::remove_file(world.project().join("ready"));
        let mut run = world.command(&["run", "push"]);
        let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("it runs", || world.project().join("ready").exists());
        kill_process(Pid::from_child(&run), Signal::INT).unwrap();
        run.wait().unwrap();
        let id = world.json(&["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
        let mut ways = [["resume", &id, "--retry", "only"], ["resume", &id, "--fail", "only"]];
        if round % 2 == 1 {
            ways.reverse();
        }
        let decide = |way: &[&str; 4]| {
            world.command(way).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let both = ways.each_ref().map(decide).map(|child| child.wait_with_output().unwrap());
        let codes = both.each_ref().map(|output| output.status.code());
        let told = both.each_ref().map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        // One of both was heard, and only that one hears what became of it.
        let refused = codes.iter().filter(|code| **code == Some(2)).count();
        assert_eq!(refused, 1, "{ways:?} {codes:?} {told:#?}");
        let heard = codes.iter().position(|code| *code != Some(2)).unwrap();
        let wanted = if ways[heard][2] == "--retry" { (0, "succeeded") } else { (100, "failed") };
        assert_eq!(codes[heard], Some(wanted.0), "{told:#?}");
        assert_eq!(world.json(&["show", &id, "--json"])["status"], wanted.1);
    }
}

#[test]
fn a_command_that_ended_in_time_did_so_though_nobody_looked() {
    let world = World::new();
    let flow = "name: timed\nblocks:\n  - {id: only, type: Shell, timeout: 2s, inputs: {command: touch ready; sleep 0.3; echo done}}\n";
    std::fs::write(world.project().join("timed.yaml"), flow).unwrap();
    let mut run = world.command(&["run", "timed.yaml"]);
    let run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    until("it runs", || world.project().join("ready").exists());
    let daemon = Pid::from_raw(world.daemon().unwrap()).unwrap();
    kill_process(daemon, Signal::STOP).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2500));
    kill_process(daemon, Signal::CONT).unwrap();
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
}
