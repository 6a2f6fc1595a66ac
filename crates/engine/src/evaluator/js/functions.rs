//! The functions that every expression has, as far as the language cannot write them itself.

use kernel::Digest;

/// Their names.
pub(super) const FUNCTIONS: [&str; 5] = ["in_path", "now", "path_to_key", "text", "uuid"];

/// A path as one key: what no key should have becomes `_`, and a hash of the whole keeps two paths apart.
pub(super) fn path_to_key(path: &str) -> String {
    let is_kept = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let mut key: String =
        path.bytes().map(|byte| if is_kept(&byte) { char::from(byte) } else { '_' }).collect();
    if !path.bytes().all(|byte| is_kept(&byte)) {
        let hash = format!("{:016x}", fnv1a(path.as_bytes()));
        key.push('_');
        key.push_str(&hash[..8]);
    }
    key
}

/// FNV-1a of 64 bits: stable everywhere, and written down in two lines.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// An id in the form of a random one, made from what was recorded: another one for each number.
pub(super) fn uuid(seed: &str, source: &str, number: u64) -> String {
    let mut hex = Digest::of(format!("{seed}\n{number}\n{source}").as_bytes()).to_string();
    hex.truncate(32);
    // Version 4, and the variant that all of them have.
    let variant = char::from(b"89ab"[usize::from(hex.as_bytes()[16] & 3)]);
    hex.replace_range(12..13, "4");
    hex.replace_range(16..17, variant.encode_utf8(&mut [0; 4]));
    [8, 13, 18, 23].into_iter().for_each(|at| hex.insert(at, '-'));
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_never_share_a_key() {
        assert_eq!(path_to_key("src-a_1"), "src-a_1");
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(path_to_key("a"), "a");
        let (dotted, slashed) = (path_to_key("src/a.ts"), path_to_key("src.a/ts"));
        assert!(dotted.starts_with("src_a_ts_") && dotted.len() == "src_a_ts_".len() + 8, "{dotted}");
        assert_ne!(dotted, slashed);
        assert!(path_to_key("é").starts_with("___"));
    }

    #[test]
    fn an_id_has_the_form_of_a_random_one() {
        let id = uuid("run-1", "uuid()", 1);
        assert_eq!(id, uuid("run-1", "uuid()", 1));
        assert!(id != uuid("run-1", "uuid()", 2) && id != uuid("run-2", "uuid()", 1));
        let parts: Vec<&str> = id.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
    }
}
