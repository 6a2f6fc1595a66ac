//! What people are told where something is not as they meant it.

use crate::world::{World, until};

#[test]
fn a_time_that_cannot_be_understood_is_told_in_its_log() {
    for said in ["abc", "-1"] {
        let world = World::new();
        world.define("hello", "echo hello");
        let started = world.command(&["run", "hello"]).env("SWITCHBACK_IDLE_SECONDS", said).status().unwrap();
        assert!(started.success());
        let words =
            format!("SWITCHBACK_IDLE_SECONDS is \"{said}\", which is no whole number of seconds: 600 hold");
        let log = world.home().join("daemon.log");
        until("it is told", || std::fs::read_to_string(&log).unwrap().contains(&words));
        assert!(world.daemon().is_some());
    }
}
