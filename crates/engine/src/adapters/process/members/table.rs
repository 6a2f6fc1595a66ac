//! The process table of Linux, read from `/proc`.
//!
//! A table is a picture of one moment: what it shows may have ended, and what began since is not in it.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use super::super::note::MARKER;

/// Where its flags and the count of its threads stand, from the state on.
const FLAGS: usize = 6;
const THREADS: usize = 17;

/// The flag of what is a part of the kernel.
const OF_THE_KERNEL: u64 = 0x0020_0000;

/// How often, and how long between, one is looked at that is just becoming another program: it has no environment then.
const BECOMING_LOOKS: u32 = 20;
const BECOMING_REST: Duration = Duration::from_millis(1);

/// How often one must have a name and no variable.
const NAMED_LOOKS: u32 = 3;

/// One process.
pub(super) struct Entry {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// In clock ticks since the boot.
    pub(super) start: u64,
    /// Whether it has not ended; one that has stays in the table until its parent asks.
    pub(super) is_living: bool,
    /// Whether the thread it began with has ended. If others live, so does the process.
    is_headless: bool,
    /// Whether it is a part of the kernel, which has no environment.
    is_kernels: bool,
    /// The values of the marker in its environment, once someone has asked.
    marks: OnceLock<Vec<Vec<u8>>>,
}

impl Entry {
    pub(super) fn read(pid: i32) -> Option<Entry> {
        Entry::parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads `pid (name) state parent group session …`; the name may hold anything, even a bracket.
    fn parse(pid: i32, stat: &[u8]) -> Option<Entry> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<&str> =
            str::from_utf8(stat.get(name_end + 1..)?).ok()?.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse().ok();
        let is_headless = matches!(*fields.first()?, "Z" | "X" | "x");
        Some(Entry {
            pid,
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            start: fields.get(19)?.parse().ok()?,
            is_living: !is_headless || number(THREADS)? > 1,
            is_headless,
            is_kernels: fields.get(FLAGS)?.parse::<u64>().ok()? & OF_THE_KERNEL != 0,
            marks: OnceLock::new(),
        })
    }

    /// Tells whether it was started with this value of the marker in its environment.
    pub(super) fn is_marked(&self, marker: &str) -> bool {
        let marks = self.marks.get_or_init(|| {
            let environment = self.environment();
            let variables = environment.split(|byte| *byte == 0);
            let value = |variable: &[u8]| {
                Some(variable.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"=")?.to_vec())
            };
            variables.filter_map(value).collect()
        });
        marks.iter().any(|mark| mark == marker.as_bytes())
    }

    fn environment(&self) -> Vec<u8> {
        match (self.is_kernels, self.is_headless) {
            (true, _) => Vec::new(),
            (false, true) => of_a_thread(self.pid),
            (false, false) => once_it_is(self.pid),
        }
    }
}

/// The variables a process was started with, as far as it lets itself be read.
pub fn environment_of(pid: i32) -> Vec<u8> {
    let first = once_it_is(pid);
    if first.is_empty() { of_a_thread(pid) } else { first }
}

/// The same of one that may be just becoming another program, and is not yet told by its first thread.
fn once_it_is(pid: i32) -> Vec<u8> {
    let mut named = 0;
    for _ in 0..BECOMING_LOOKS {
        match fs::read(format!("/proc/{pid}/environ")) {
            // It became another one in the middle of it.
            Ok(environment) if !environment.ends_with(&[0]) => {}
            environment => return environment.unwrap_or_default(),
        }
        // One that was started without any variable has a name at least; so may one have by now that had none a moment ago.
        match fs::read(format!("/proc/{pid}/cmdline")) {
            Ok(name) if name.is_empty() => std::thread::sleep(BECOMING_REST),
            _ => named += 1,
        }
        if named == NAMED_LOOKS {
            break;
        }
    }
    Vec::new()
}

/// A thread that has ended has let go of its memory; the others still have it.
fn of_a_thread(pid: i32) -> Vec<u8> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let read = |thread: fs::DirEntry| fs::read(thread.path().join("environ")).unwrap_or_default();
    threads.map(read).find(|read| !read.is_empty()).unwrap_or_default()
}

/// Reads all living processes, and shows each as soon as it is known; an unreadable `/proc` gives none, and the group alone is
/// ended. The youngest come first: they are the ones that may be gone before long, having left others.
pub(super) fn read(mut show: impl FnMut(&Entry)) -> Vec<Entry> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let mut pids: Vec<i32> = pids.collect();
    // Numbers begin again at the lowest after the highest: the last one that was given is the youngest.
    let last = last_given();
    pids.sort_unstable_by_key(|pid| (*pid > last, std::cmp::Reverse(*pid)));
    let living = pids.into_iter().filter_map(Entry::read).filter(|entry| entry.is_living);
    living.inspect(|entry| show(entry)).collect()
}

/// The number that was given last, as far as the system tells.
fn last_given() -> i32 {
    let loads = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    loads.split_ascii_whitespace().next_back().and_then(|last| last.parse().ok()).unwrap_or(i32::MAX)
}

/// Adds every process whose parent is among the pids, until there is none more.
pub(super) fn add_descendants(table: &[Entry], pids: &mut BTreeSet<i32>) {
    loop {
        let before = pids.len();
        let children = table.iter().filter(|entry| pids.contains(&entry.parent));
        let children: Vec<i32> = children.map(|entry| entry.pid).collect();
        pids.extend(children);
        if pids.len() == before {
            return;
        }
    }
}

/// Lists a process and its ancestors.
pub(super) fn lineage(table: &[Entry], pid: i32) -> BTreeSet<i32> {
    let mut line = BTreeSet::new();
    let mut next = Some(pid);
    while let Some(pid) = next.filter(|pid| line.insert(*pid)) {
        next = table.iter().find(|entry| entry.pid == pid).map(|entry| entry.parent);
    }
    line
}

/// Lists this process and its ancestors, as they are now.
pub(super) fn own_lineage() -> BTreeSet<i32> {
    let mut line = BTreeSet::new();
    let mut next = Some(std::process::id().cast_signed());
    while let Some(pid) = next.filter(|pid| line.insert(*pid)) {
        next = Entry::read(pid).map(|entry| entry.parent);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_any_name() {
        let numbers = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 4242 20\n";
        let entry = Entry::parse(9, format!("9 (a) R 7 7) S {numbers}").as_bytes()).unwrap();
        assert_eq!((entry.parent, entry.group, entry.session, entry.start), (1, 2, 3, 4242));
        assert!(entry.is_living);
        assert!(!Entry::parse(9, format!("9 (a) Z {numbers}").as_bytes()).unwrap().is_living);
        assert!(Entry::parse(9, b"9 (a").is_none());
        let threads = numbers.replace(" 1 18", " 2 18");
        assert!(
            Entry::parse(9, format!("9 (a) Z {threads}").as_bytes()).unwrap().is_living,
            "a thread lives"
        );
    }

    #[test]
    fn descendants_and_ancestors_are_followed() {
        let entry = |pid, parent| Entry {
            pid,
            parent,
            group: 0,
            session: 0,
            start: 0,
            is_living: true,
            is_headless: false,
            is_kernels: false,
            marks: OnceLock::new(),
        };
        let table = [entry(5, 4), entry(4, 3), entry(3, 1), entry(1, 0), entry(9, 1)];
        let mut pids = BTreeSet::from([3]);
        add_descendants(&table, &mut pids);
        assert_eq!(pids, BTreeSet::from([3, 4, 5]));
        assert_eq!(lineage(&table, 4), BTreeSet::from([4, 3, 1, 0]));
    }

    #[test]
    fn one_that_becomes_another_program_all_the_time_keeps_its_mark() {
        let again = "exec sh -c \"$0\" \"$0\"";
        let mut other = std::process::Command::new("sh")
            .args(["-c", again, again])
            .env_clear()
            .env(MARKER, "m")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let pid = other.id().cast_signed();
        while !Entry::read(pid).unwrap().is_marked("m") {}
        let mark = format!("{MARKER}=m");
        let at_once = || {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
            !environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let (mut unseen, mut missed) = (0, 0);
        for _ in 0..5_000 {
            unseen += u32::from(at_once());
            missed += u32::from(!Entry::read(pid).unwrap().is_marked("m"));
        }
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(missed * 4 <= unseen, "{missed} were missed, and at one look {unseen} are");
    }

    #[test]
    fn this_process_is_in_the_table() {
        let pid = std::process::id().cast_signed();
        assert!(read(|_| {}).iter().any(|entry| entry.pid == pid));
    }
}
