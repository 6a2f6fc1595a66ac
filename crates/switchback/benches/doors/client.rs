//! An MCP client as bare as can be: lines over the stdio of the real binary.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// `switchback serve`, and what is said to it.
pub(crate) struct Client {
    pub(crate) child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    /// Starts the pipe. Nothing has been said yet.
    pub(crate) fn start(home: &Path, project: &Path) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_switchback"))
            .arg("serve")
            .current_dir(project)
            .env("SWITCHBACK_HOME", home)
            .env("SWITCHBACK_IDLE_SECONDS", "600")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the product starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Client { child, input, output, last: 0 }
    }

    /// Asks and waits for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Asks, and does not wait.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        });
        params["_meta"] = meta;
        let message = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        self.input.write_all(format!("{message}\n").as_bytes()).expect("the pipe takes a line");
        self.last
    }

    /// The answer to one question; all others that come before it are dropped.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer["result"]["isError"] != true, "{answer}");
        answer
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It is killed rather than asked: what is measured has been measured.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
