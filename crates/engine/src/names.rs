//! Names of runs: short, unique by prefix, and easy to read aloud.

const FIRST: [&str; 64] = [
    "amber", "brave", "brisk", "calm", "cedar", "clear", "copper", "coral", "cosy", "crisp", "dapper",
    "deft", "dusty", "early", "eager", "fair", "fern", "fleet", "fond", "fresh", "gentle", "glad", "golden",
    "grand", "hardy", "hazel", "honest", "ivory", "jolly", "keen", "kind", "lively", "lofty", "loyal",
    "lucky", "lunar", "mellow", "merry", "mild", "misty", "mossy", "neat", "nimble", "noble", "olive",
    "plucky", "polite", "proud", "quick", "quiet", "rapid", "rosy", "rustic", "sandy", "silver", "sleek",
    "solar", "steady", "sunny", "swift", "tidy", "warm", "wise", "witty",
];

const SECOND: [&str; 64] = [
    "badger", "bear", "beaver", "bison", "bobcat", "condor", "crane", "curlew", "deer", "dove", "eagle",
    "egret", "elk", "falcon", "ferret", "finch", "fox", "gannet", "gecko", "goose", "grouse", "hare", "hawk",
    "heron", "ibex", "ibis", "jay", "kestrel", "kite", "lark", "lemur", "linnet", "lynx", "magpie", "marmot",
    "marten", "merlin", "mink", "mole", "moose", "newt", "ocelot", "osprey", "otter", "owl", "panda", "pika",
    "plover", "puffin", "quail", "rabbit", "raven", "robin", "seal", "shrew", "sparrow", "stoat", "stork",
    "swallow", "swan", "tapir", "thrush", "toad", "wren",
];

/// Makes a name from 64 random bits: `mossy-otter-41`.
pub fn name(random: u64) -> String {
    let first = FIRST[(random % 64) as usize];
    let second = SECOND[((random >> 8) % 64) as usize];
    format!("{first}-{second}-{:02}", (random >> 16) % 100)
}

/// Makes a name that `taken` does not know yet.
pub fn fresh(mut taken: impl FnMut(&str) -> bool) -> String {
    let mut tries = 0..;
    let free = tries.find_map(|tries| Some(another(tries)).filter(|name| !taken(name)));
    free.expect("BUG: there is always one more name")
}

/// Makes a name where so many were taken before it. Once short names are rare, they grow longer.
pub fn another(taken: u32) -> String {
    let random = random();
    match taken {
        0..8 => name(random),
        _ => format!("{}{}", name(random), (random >> 24) % 10_000),
    }
}

/// 64 bits that nobody can guess in advance.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_differ() {
        assert_eq!(name(0), "amber-badger-00");
        assert_eq!(name(u64::MAX), "witty-wren-55");
        let mut known = std::collections::HashSet::new();
        for _ in 0..2_000 {
            let name = fresh(|name| known.contains(name));
            assert!(name.len() <= 24);
            assert!(known.insert(name));
        }
        assert!(another(7).len() <= 18 && another(7).ends_with(|end: char| end.is_ascii_digit()));
        let longest = (0..100).map(|_| another(8).len()).max();
        assert!(longest > Some(18), "{longest:?}");
    }
}
