//! The order of computed fields: each after all that it follows from and, where there is a choice, after what it reads
//! beside that.

use std::collections::{BTreeMap, BTreeSet};

/// A computed field as the order sees it.
pub(super) struct Field<'f> {
    /// Its name.
    pub(super) name: &'f str,
    /// The fields that it follows from.
    pub(super) from: &'f BTreeSet<String>,
    /// What it reads beside them.
    pub(super) beside: &'f BTreeSet<String>,
}

/// The order of fields, or a circle: fields of which each follows from the next, and the last from the first.
pub(super) fn order(fields: &[Field<'_>]) -> Result<Vec<usize>, Vec<usize>> {
    let numbers: BTreeMap<&str, usize> =
        fields.iter().enumerate().map(|(at, field)| (field.name, at)).collect();
    let found = |names: &BTreeSet<String>| -> Vec<usize> {
        names.iter().filter_map(|name| numbers.get(name.as_str()).copied()).collect()
    };
    let from: Vec<Vec<usize>> = fields.iter().map(|field| found(field.from)).collect();
    let beside: Vec<Vec<usize>> = fields.iter().map(|field| found(field.beside)).collect();
    let (mut done, mut order) = (vec![false; fields.len()], Vec::with_capacity(fields.len()));
    while order.len() < fields.len() {
        let is_ready = |at: &usize| !done[*at] && from[*at].iter().all(|before| done[*before]);
        let ready: Vec<usize> = (0..fields.len()).filter(is_ready).collect();
        let Some(first) = ready.first() else { return Err(circle(&from, &done)) };
        let is_settled = |at: &&usize| beside[**at].iter().all(|before| done[*before] || before == *at);
        let settled: Vec<usize> = ready.iter().filter(is_settled).copied().collect();
        let next = if settled.is_empty() { vec![*first] } else { settled };
        for at in next {
            done[at] = true;
            order.push(at);
        }
    }
    Ok(order)
}

/// Follows fields that are left until one comes again.
fn circle(from: &[Vec<usize>], done: &[bool]) -> Vec<usize> {
    let mut way = vec![done.iter().position(|done| !done).unwrap_or_default()];
    loop {
        let here = *way.last().unwrap_or(&0);
        let next = from[here].iter().find(|before| !done[**before]).copied().unwrap_or(here);
        if let Some(start) = way.iter().position(|at| *at == next) {
            return way.split_off(start);
        }
        way.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(fields: &[(&str, &[&str], &[&str])]) -> Result<Vec<usize>, Vec<usize>> {
        let sets: Vec<(BTreeSet<String>, BTreeSet<String>)> = fields
            .iter()
            .map(|(_, from, beside)| {
                let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
                (set(from), set(beside))
            })
            .collect();
        let fields: Vec<Field<'_>> = fields
            .iter()
            .zip(&sets)
            .map(|((name, ..), (from, beside))| Field { name, from, beside })
            .collect();
        order(&fields)
    }

    #[test]
    fn fields_come_after_what_they_follow_from() {
        assert_eq!(run(&[("c", &["b"], &[]), ("b", &["a"], &[]), ("a", &["raw.x"], &[])]), Ok(vec![2, 1, 0]));
        assert_eq!(run(&[("a", &["raw.x"], &["b"]), ("b", &["raw.x"], &[])]), Ok(vec![1, 0]));
        assert_eq!(run(&[("a", &["raw.x"], &["b"]), ("b", &["a"], &[])]), Ok(vec![0, 1]));
        assert_eq!(run(&[("a", &["raw.x"], &["a"])]), Ok(vec![0]));
    }

    #[test]
    fn a_circle_is_named_whole() {
        assert_eq!(run(&[("a", &["a"], &[])]), Err(vec![0]));
        assert_eq!(
            run(&[("x", &["a"], &[]), ("a", &["b"], &[]), ("b", &["c"], &[]), ("c", &["a"], &[])]),
            Err(vec![1, 2, 3])
        );
    }
}
