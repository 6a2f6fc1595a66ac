//! What a definition says to those who follow it: how an orchestrator behaves, what is done when a context is nearly full,
//! what a resumed run is told. The server keeps it, checks it and shows it.

use super::reader::Reader;
use crate::shape::{self, Shape};
use crate::text::Node;
use serde_json::Value;
use std::collections::BTreeMap;

const USAGE: Shape = Shape { has_no: "`on_high_context_usage` has no key", keys: &["steps"], elsewhere: &[] };

const RESUME: Shape = Shape {
    has_no: "`on_resume` has no key",
    keys: &[
        "load_from_checkpoint",
        "exclude",
        "retry_failed_steps",
        "skip_completed_steps",
        "reset_error_counts",
    ],
    elsewhere: &[],
};

/// The sections of a definition that views show as they are written.
const SHOWN: [&str; 2] = ["state_schema", "sub_agent_tasks"];

impl<'n> Reader<'_, 'n> {
    /// Reads and checks the notes.
    pub(super) fn notes(&mut self, body: &'n Node) -> BTreeMap<String, Value> {
        let given = |key: &str| body.get(key).filter(|node| !node.is_null());
        let mut notes = BTreeMap::new();
        if let Some(list) = given("orchestrator_behavior") {
            self.texts(
                list,
                "orchestrator_behavior",
                "say what the orchestrator does, line by line: `- ...`",
            );
            notes.insert("orchestrator_behavior".to_owned(), list.to_value());
        }
        if let Some(usage) = given("on_high_context_usage") {
            self.usage(usage);
            notes.insert("on_high_context_usage".to_owned(), usage.to_value());
        }
        if let Some(resume) = given("on_resume") {
            self.resume(resume);
            notes.insert("on_resume".to_owned(), resume.to_value());
        }
        for key in SHOWN {
            let merged = self.merged(key);
            if !merged.is_empty() {
                notes.insert(key.to_owned(), Value::Object(merged));
            }
        }
        notes
    }

    fn texts(&mut self, node: &Node, key: &str, hint: &str) {
        if node.as_list().is_none() {
            shape::wrong_kind(self.sheet(), node, &format!("`{key}`"), "a list of texts", hint);
        }
        for item in node.items() {
            if item.as_scalar().is_none() || item.is_null() {
                shape::wrong_kind(
                    self.sheet(),
                    item,
                    &format!("a line of `{key}`"),
                    "text",
                    "put quotes around it",
                );
            }
        }
    }

    /// Steps that the orchestrator is told to do by itself: they are checked, and are no part of the flow.
    fn usage(&mut self, node: &'n Node) {
        if !shape::is_map(
            self.sheet(),
            node,
            "`on_high_context_usage`",
            "write `on_high_context_usage: {steps: [...]}`",
        ) {
            return;
        }
        shape::check_keys(self.sheet(), node, &USAGE);
        let (steps, bodies) = (self.steps.len(), self.bodies.len());
        if let Some(list) = node.get("steps") {
            self.list(list, "steps");
        }
        self.steps.truncate(steps);
        self.bodies.truncate(bodies);
    }

    fn resume(&mut self, node: &'n Node) {
        if !shape::is_map(
            self.sheet(),
            node,
            "`on_resume`",
            "write `on_resume: {skip_completed_steps: true}`",
        ) {
            return;
        }
        shape::check_keys(self.sheet(), node, &RESUME);
        for (key, value) in RESUME.keys.iter().filter_map(|key| Some((*key, node.get(key)?))) {
            match key {
                "load_from_checkpoint" | "exclude" => self.texts(value, key, "name each: `- pending tasks`"),
                _ => {
                    self.flag(value, key);
                }
            }
        }
    }

    /// A section of all files together; the first that has something keeps it.
    fn merged(&self, key: &str) -> serde_json::Map<String, Value> {
        let mut all = serde_json::Map::new();
        for section in self.files.iter().filter_map(|file| file.body().get(key)) {
            let Value::Object(section) = section.to_value() else { continue };
            for (name, value) in section {
                match (all.get_mut(&name), value) {
                    (Some(Value::Object(known)), Value::Object(more)) if key == "state_schema" => {
                        for (name, value) in more {
                            known.entry(name).or_insert(value);
                        }
                    }
                    (Some(_), _) => {}
                    (None, value) => {
                        all.insert(name, value);
                    }
                }
            }
        }
        all
    }
}
