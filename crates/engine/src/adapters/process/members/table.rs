//! The process table of Linux, read from `/proc`.
//!
//! A table is a picture of one moment: what it shows may have ended, and what began since is not in it.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

use super::super::note::MARKER;

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
        Some(Entry {
            pid,
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            start: fields.get(19)?.parse().ok()?,
            is_living: !matches!(*fields.first()?, "Z" | "X" | "x"),
            marks: OnceLock::new(),
        })
    }

    /// Tells whether it was started with this value of the marker in its environment.
    pub(super) fn is_marked(&self, marker: &str) -> bool {
        let marks = self.marks.get_or_init(|| {
            let environment = fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
            let variables = environment.split(|byte| *byte == 0);
            let value = |variable: &[u8]| {
                Some(variable.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"=")?.to_vec())
            };
            variables.filter_map(value).collect()
        });
        marks.iter().any(|mark| mark == marker.as_bytes())
    }
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
        let numbers = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20\n";
        let entry = Entry::parse(9, format!("9 (a) R 7 7) S {numbers}").as_bytes()).unwrap();
        assert_eq!((entry.parent, entry.group, entry.session, entry.start), (1, 2, 3, 4242));
        assert!(entry.is_living);
        assert!(!Entry::parse(9, format!("9 (a) Z {numbers}").as_bytes()).unwrap().is_living);
        assert!(Entry::parse(9, b"9 (a").is_none());
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
            marks: OnceLock::new(),
        };
        let table = [entry(5, 4), entry(4, 3), entry(3, 1), entry(1, 0), entry(9, 1)];
        let mut pids = BTreeSet::from([3]);
        add_descendants(&table, &mut pids);
        assert_eq!(pids, BTreeSet::from([3, 4, 5]));
        assert_eq!(lineage(&table, 4), BTreeSet::from([4, 3, 1, 0]));
    }

    #[test]
    fn this_process_is_in_the_table() {
        let pid = std::process::id().cast_signed();
        assert!(read(|_| {}).iter().any(|entry| entry.pid == pid));
    }
}
