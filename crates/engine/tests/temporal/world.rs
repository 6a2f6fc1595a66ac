//! The world of the proof: a real server and a real worker, each a process of its own that can be killed.
//! Loopback only; ports are free ones; data lies in a folder that goes with the test.

use crate::hands::{Echo, Holding, Notes};
use engine::temporal::{Backend, Desk, Home, work};
use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The home that every run of the proof has.
pub(crate) const HOME: &str = "here";

/// Where a worker process finds its server and its folder.
const WORKER_URL: &str = "SWITCHBACK_TEST_TEMPORAL_URL";
const WORKER_FOLDER: &str = "SWITCHBACK_TEST_TEMPORAL_FOLDER";
/// Set where a missing server is a failure.
const REQUIRED: &str = "SWITCHBACK_REQUIRE_TEMPORAL";

const PATIENCE: Duration = Duration::from_secs(60);
/// How long one start of a server may take, and how often it is tried: it takes ports for its own parts, and another may have been quicker.
const START: Duration = Duration::from_secs(30);
const STARTS: usize = 4;
/// Ports that no connection is given by itself, so that a port stays free while its server is away.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// The server binary, if it was fetched.
fn server_binary() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let binary = root.join(".cache/temporal/temporal");
    if binary.is_file() {
        return Some(binary);
    }
    assert!(std::env::var_os(REQUIRED).is_none(), "no Temporal server; `scripts/fetch-temporal` gets it");
    eprintln!("skipped: there is no Temporal server; `scripts/fetch-temporal` gets it");
    None
}

/// What the worker process does: takes turns, answers, is the home; until the test is gone.
pub(crate) async fn be_worker() {
    let (Ok(url), Some(folder)) = (std::env::var(WORKER_URL), std::env::var_os(WORKER_FOLDER)) else {
        return;
    };
    let (folder, notes) = (PathBuf::from(&folder), Notes::in_folder(Path::new(&folder)));
    let begun = Instant::now();
    loop {
        let home = Home::open(&folder.join("ledger"), Holding(notes.clone())).unwrap();
        // A server opens its port before it knows its namespace.
        let Err(error) = work(&url, Desk::new(Echo(notes.clone())), HOME, home).await else { return };
        eprintln!("the worker could not work: {error}");
        assert!(begun.elapsed() < PATIENCE, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A server and a worker; both end with it.
pub(crate) struct World {
    folder: TempDir,
    binary: PathBuf,
    ports: [u16; 3],
    server: Process,
    worker: Process,
}

/// A test that fails shows what its server and its workers said.
impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for log in ["server.log", "worker.log", "notes"] {
                let said = std::fs::read_to_string(self.folder.path().join(log)).unwrap_or_default();
                eprintln!("--- {log}\n{said}");
            }
        }
    }
}

impl World {
    /// Starts both, or says that there is no server.
    pub(crate) async fn start() -> Option<World> {
        let binary = server_binary()?;
        let folder = tempfile::tempdir().unwrap();
        let (ports, server) = begin_server(&binary, folder.path()).await;
        let worker = start_worker(ports[0], folder.path());
        Some(World { folder, binary, ports, server, worker })
    }

    /// The notes of all workers that begin like this, in order of the alphabet.
    pub(crate) fn notes(&self, beginning: &str) -> Vec<String> {
        let mut notes = Notes::in_folder(self.folder.path()).lines();
        notes.retain(|note| note.starts_with(beginning));
        notes.sort();
        notes
    }

    pub(crate) async fn await_note(&self, note: &str) {
        let begun = Instant::now();
        while self.notes(note).is_empty() {
            assert!(begun.elapsed() < PATIENCE, "no worker noted `{note}`");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn url(&self) -> String {
        url(self.ports[0])
    }

    pub(crate) async fn backend(&self) -> Backend {
        let begun = Instant::now();
        loop {
            match Backend::connect(&self.url()).await {
                Ok(backend) => return backend,
                Err(error) => assert!(begun.elapsed() < PATIENCE, "no server at {}: {error}", self.url()),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(crate) fn kill_worker(&mut self) {
        self.worker.kill();
    }

    pub(crate) fn start_worker(&mut self) {
        self.worker = start_worker(self.ports[0], self.folder.path());
    }

    pub(crate) async fn kill_and_restart_server(&mut self) {
        for _ in 0..STARTS {
            self.server.kill();
            self.server = start_server(&self.binary, self.ports, self.folder.path());
            if answers(self.ports[0]).await {
                return;
            }
        }
        panic!("the Temporal server did not come back at port {}", self.ports[0]);
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// Three ports that are free, none of them given to two.
fn free_ports() -> [u16; 3] {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = std::process::id() % 1000 * 12;
    let mut free = std::iter::repeat_with(|| {
        let step = begin + u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        PORTS.start + u16::try_from(step % PORTS.len() as u32).unwrap()
    })
    .filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    [(); 3].map(|()| free.next().unwrap())
}

/// A server that answers, and its ports.
async fn begin_server(binary: &Path, folder: &Path) -> ([u16; 3], Process) {
    for _ in 0..STARTS {
        let ports = free_ports();
        let server = start_server(binary, ports, folder);
        if answers(ports[0]).await {
            return (ports, server);
        }
    }
    let said = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
    panic!("the Temporal server did not start\n{said}");
}

/// Whether the server is reached before its time is up.
async fn answers(port: u16) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < START {
        if Backend::connect(&url(port)).await.is_ok() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

fn start_server(binary: &Path, ports: [u16; 3], folder: &Path) -> Process {
    let [port, http, metrics] = ports.map(|port| port.to_string());
    let mut server = Process::of(binary, &folder.join("server.log"));
    server
        .args(["server", "start-dev", "--headless", "--ip", "127.0.0.1", "--log-level", "warn"])
        .args(["--port", &port, "--http-port", &http, "--metrics-port", &metrics, "--db-filename"])
        .arg(folder.join("temporal.db"));
    Process::start(server)
}

/// This very test binary, as a worker: the test `worker_process` of it.
fn start_worker(port: u16, folder: &Path) -> Process {
    let mut worker = Process::of(&std::env::current_exe().unwrap(), &folder.join("worker.log"));
    worker.args(["worker_process", "--exact", "--ignored", "--nocapture"]);
    worker.env(WORKER_URL, url(port)).env(WORKER_FOLDER, folder);
    Process::start(worker)
}

/// A process under a shell that kills it when the pipe to the shell ends. So it can be killed at once and
/// unasked, and does not outlive a test that was.
struct Process(Child);

impl Process {
    fn of(program: &Path, log: &Path) -> Command {
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", r#""$0" "$@" & cat >/dev/null; kill -9 $!; wait $!"#]).arg(program);
        command.stdin(Stdio::piped()).stdout(log.try_clone().unwrap()).stderr(log);
        command
    }

    fn start(mut command: Command) -> Self {
        Process(command.spawn().unwrap())
    }

    fn kill(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
