//! Numbers as they are written: whether one can be held without losing a digit.

use serde_json::Value;

/// Tells whether a number, written as in JSON, is still the same once it is held.
pub fn is_exact(number: &str) -> bool {
    if !number.contains(['.', 'e', 'E']) {
        return number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    }
    let held = number.parse::<f64>().ok().filter(|held| held.is_finite());
    // Of two shortest forms that lie as near, each printer takes its own.
    let forms = |held: f64| [format!("{held:e}"), Value::from(held).to_string()];
    held.is_some_and(|held| {
        let written = digits(number);
        written.is_some() && forms(held).iter().any(|form| digits(form) == written)
    })
}

/// The digits of a number from its first that counts to its last, and the power of ten they are counted in.
fn digits(number: &str) -> Option<(String, i64)> {
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{}{part}", whole.trim_start_matches(['-', '+']));
    let counted = all.trim_end_matches('0');
    if counted.is_empty() {
        return Some((String::new(), 0));
    }
    let power: i64 = power.parse().ok()?;
    let power = power.checked_add(i64::try_from(all.len() - counted.len()).ok()?)?;
    let power = power.checked_sub(i64::try_from(part.len()).ok()?)?;
    Some((counted.trim_start_matches('0').to_owned(), power))
}

#[cfg(test)]
mod tests {
    use super::is_exact;

    #[test]
    fn what_is_held_has_every_digit() {
        for held in [
            "0",
            "-7",
            "1479844704440960.2",
            "18446744073709551615",
            "1.50",
            "+.5",
            "1.",
            "1e3",
            "5e-324",
            "0.30000000000000004",
        ] {
            assert!(is_exact(held), "{held}");
        }
        for lost in
            ["18446744073709551616", "12345678901234567.89", "0.1000000000000000055", "1e400", "1e-400"]
        {
            assert!(!is_exact(lost), "{lost}");
        }
    }
}
