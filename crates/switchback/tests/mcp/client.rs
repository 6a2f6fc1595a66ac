//! A client that speaks JSON-RPC line by line and knows nothing else: what it sees is what is on the wire.

use rustix::process::Pid;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How client and server get to know each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` first.
    Handshake,
    /// Every request says who asks.
    Stateless,
}

impl Era {
    pub(crate) const ALL: [Era; 2] = [Era::Handshake, Era::Stateless];

    fn revision(self) -> &'static str {
        match self {
            Era::Handshake => "2025-06-18",
            Era::Stateless => "2026-07-28",
        }
    }
}

/// One connection.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    inbox: Receiver<Value>,
    era: Era,
    last: u64,
    /// What it says that it can do.
    capabilities: Value,
    /// What came without being an answer, in order.
    pub(crate) notes: Vec<Value>,
    /// What the server asks of the client, in order.
    asked: Vec<Value>,
    /// What came as an answer to nothing that is waited for yet.
    early: Vec<Value>,
    /// What the server said of itself.
    pub(crate) server: Value,
}

impl Client {
    /// Starts a server and gets to know it.
    pub(crate) fn connect(command: Command, era: Era) -> Client {
        Client::able(command, era, json!({}))
    }

    /// The same, for a client that can do something.
    pub(crate) fn able(mut command: Command, era: Era, capabilities: Value) -> Client {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, inbox) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.unwrap();
                // Nothing but the protocol may be on stdout.
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (notes, early, server) = (Vec::new(), Vec::new(), Value::Null);
        let asked = Vec::new();
        let mut client =
            Client { child, stdin, inbox, era, last: 0, capabilities, notes, asked, early, server };
        client.server = match era {
            Era::Handshake => client.shake_hands(),
            Era::Stateless => client.request("server/discover", json!({})).unwrap(),
        };
        client
    }

    fn shake_hands(&mut self) -> Value {
        let about = json!({ "name": "test-client", "version": "1" });
        let hello = json!({
            "protocolVersion": self.era.revision(), "capabilities": self.capabilities, "clientInfo": about
        });
        let welcome = self.request("initialize", hello).unwrap();
        self.notify("notifications/initialized", json!({}));
        welcome
    }

    /// Sends a request and gives its number.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.era == Era::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = self.era.revision().into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test-client", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn write(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    /// Sends a line, whatever it is.
    pub(crate) fn line(&mut self, message: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for the answer to a request: its result, or its error.
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value, Value> {
        let found = self.early.iter().position(|message| message["id"] == id);
        let mut message = match found {
            Some(position) => self.early.remove(position),
            None => self.receive(id),
        };
        match message.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(message["error"].take()),
        }
    }

    /// The next message, whatever it is.
    pub(crate) fn next(&mut self) -> Value {
        self.inbox.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("nothing came: {error}"))
    }

    fn receive(&mut self, id: u64) -> Value {
        loop {
            let message =
                self.inbox.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no answer: {error}"));
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.keep(message);
        }
    }

    fn keep(&mut self, message: Value) {
        match (message.get("id").is_some(), message.get("method").is_some()) {
            (true, true) => self.asked.push(message),
            (true, false) => self.early.push(message),
            (false, _) => self.notes.push(message),
        }
    }

    /// The next thing that the server asks of the client.
    pub(crate) fn asked(&mut self) -> Value {
        while self.asked.is_empty() {
            let message =
                self.inbox.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("not asked: {error}"));
            self.keep(message);
        }
        self.asked.remove(0)
    }

    /// Whether the server has asked something that was not looked at.
    pub(crate) fn is_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Answers what the server asked.
    pub(crate) fn reply(&mut self, asked: &Value, result: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }));
    }

    /// The server.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Hangs up at once, as a client does that crashes.
    pub(crate) fn die(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Takes in what comes within some time.
    pub(crate) fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        loop {
            match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(message) => self.keep(message),
                Err(RecvTimeoutError::Timeout) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Whether the answer to a request has come.
    pub(crate) fn has_answer(&self, id: u64) -> bool {
        self.early.iter().any(|message| message["id"] == id)
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Sends a call of a tool and gives its number.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value, meta: Value) -> u64 {
        let mut params = json!({ "name": tool, "arguments": arguments });
        if meta.is_object() {
            params["_meta"] = meta;
        }
        self.send("tools/call", params)
    }

    /// Calls a tool: the structured value, and whether it is an error. The text must be the same JSON.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let id = self.begin(tool, arguments, Value::Null);
        self.called(id)
    }

    /// The answer to a call.
    pub(crate) fn called(&mut self, id: u64) -> (Value, bool) {
        let mut result = self.answer(id).unwrap_or_else(|error| panic!("a protocol error: {error}"));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        (result["structuredContent"].take(), result["isError"] == true)
    }

    /// Calls a tool that must not say no.
    pub(crate) fn good(&mut self, tool: &str, arguments: Value) -> Value {
        let (value, is_error) = self.call(tool, arguments);
        assert!(!is_error, "{value:#}");
        value
    }

    /// Calls a tool that must say no.
    pub(crate) fn bad(&mut self, tool: &str, arguments: Value) -> Value {
        let (value, is_error) = self.call(tool, arguments);
        assert!(is_error, "{value:#}");
        assert!(
            value["error"].is_string() && value["code"].is_string() && value["help"].is_string(),
            "{value:#}"
        );
        value
    }

    /// The messages of progress that came for a token.
    pub(crate) fn told(&self, token: &str) -> Vec<String> {
        let mine = self.notes.iter().filter(|note| note["params"]["progressToken"] == token);
        mine.map(|note| note["params"]["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Says its last line, and goes on to listen.
    pub(crate) fn says_no_more(&mut self) {
        drop(self.stdin.take());
    }

    /// Hangs up and waits for the server to end.
    pub(crate) fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the server does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
