//! Questions of stored runs: those that are open, in the order in which their steps began, and one by its id, though it was
//! answered.

use super::Asked;
use super::tasks::parallel;
use crate::store::Reader;
use crate::turn::{LoadError, replay};
use crate::view::{Values, as_it_stands, whole};
use dialects::reactive::view::tasks::Parallel;
use dialects::steps::due::Delegated;
use dialects::view::asked::{Origin, step};
use kernel::effect::Action;
use kernel::plan::{Dialect, Expr, Verify, Work};
use kernel::{Digest, Effect, EffectId, Fields, Plan, Run, RunId, Spreading};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A run, and the steps that lead to it from the root.
struct Place {
    run: RunId,
    above: Vec<String>,
}

/// What a run and those below it wait for.
#[derive(Debug, Default)]
pub struct Waits {
    /// The questions, in the order in which their steps began.
    pub asked: Vec<Asked>,
    /// What belongs to sub-agents. What those are asked is not among the questions.
    pub delegated: Vec<Delegated>,
    /// The tasks of sub-agents in lanes.
    pub parallel: Vec<Parallel>,
    /// How many children of lists are yet to be started, or have ended and their parent does not know.
    pub coming: usize,
}

/// The longest id of a question: a way down through as many runs as may call each other.
pub const QUESTION_ID_BYTES_MAX: usize = 2_000;

/// All open questions of a run and of those below it.
pub fn asked(reader: &Reader, run: &RunId) -> Result<Vec<Asked>, LoadError> {
    Ok(waits(reader, run)?.asked)
}

/// All that a run and those below it wait for. One below it that cannot be brought back asks nothing: it is that run itself
/// that says so.
pub fn waits(reader: &Reader, run: &RunId) -> Result<Waits, LoadError> {
    let root = root(reader, run)?;
    let mut found = Waits::default();
    let mut plans: HashMap<Digest, Option<Whose>> = HashMap::new();
    let mut places = vec![Place { run: run.clone(), above: above(&root, run) }];
    while let Some(place) = places.pop() {
        let loaded = match load(reader, &place.run) {
            Err(LoadError::Store(fault)) => return Err(fault.into()),
            Err(_) if place.run != *run => None,
            loaded => loaded?,
        };
        let Some(loaded) = loaded else { continue };
        found.parallel.extend(parallel(reader, &loaded, place.above.len())?);
        for open in loaded.open() {
            match &open.effect {
                Effect::Offer(action) => {
                    let origin = origin(&root, &place, &loaded, action);
                    found.asked.push(Asked::of(origin, action, |data| Values(reader).value(data))?);
                }
                Effect::StartChild { id, child, plan, inputs, .. } => {
                    let is_there =
                        || Ok::<_, LoadError>(reader.run(child)?.is_some_and(|row| row.ended_at.is_none()));
                    if loaded.plan().dialect == Dialect::Steps && !is_there()? {
                        found.coming += 1;
                        continue;
                    }
                    let whose = match plan {
                        Some(digest) if !plans.contains_key(digest) => {
                            let whose = Whose::of(reader, digest)?;
                            plans.entry(*digest).or_insert(whose).clone()
                        }
                        Some(digest) => plans[digest].clone(),
                        None => None,
                    };
                    if let Some(whose) = whose {
                        found.delegate(reader, &loaded, id, child, (whose, inputs))?;
                        continue;
                    }
                    let mut above = place.above.clone();
                    above.push(step(id).to_owned());
                    places.push(Place { run: child.clone(), above });
                }
                _ => {}
            }
        }
    }
    found.asked.sort_by(|one, other| {
        one.since.cmp(&other.since).then_with(|| by_numbers(&one.question_id, &other.question_id))
    });
    let by_id = |one: &(RunId, Value), other: &(RunId, Value)| by_numbers(one.0.as_str(), other.0.as_str());
    found.delegated.iter_mut().for_each(|one| one.open.sort_by(by_id));
    Ok(found)
}

impl Waits {
    /// Takes in a child that belongs to a sub-agent. It need not be loaded: what it was given says which it is.
    fn delegate(
        &mut self,
        reader: &Reader,
        parent: &Run,
        effect: &EffectId,
        child: &RunId,
        (Whose { agent, works }, inputs): (Whose, &Fields),
    ) -> Result<(), LoadError> {
        let Some((step_id, list)) = list_of(parent, step(effect)) else { return Ok(()) };
        let item = match inputs.get(kernel::plan::ITEM) {
            Some(item) => Values(reader).value(item)?,
            None => Value::Null,
        };
        // A first result, or a first step that was seen, is an entry of its own.
        let is_begun = reader.run(child)?.is_some_and(|row| row.head.seq > 1);
        let begun = is_begun.then(|| child.clone());
        let open = (child.clone(), item);
        let run = parent.id();
        if let Some(one) = self.delegated.iter_mut().find(|one| one.run == *run && one.step_id == step_id) {
            one.open.push(open);
            one.begun.extend(begun);
            return Ok(());
        }
        let Spreading { task, count, ended, width_max, .. } = list;
        let (run, open) = (run.clone(), vec![open]);
        self.delegated.push(Delegated {
            run,
            step_id,
            agent,
            task,
            count,
            done: ended,
            width: width_max,
            open,
            begun: begun.into_iter().collect(),
            works,
            seen: 0,
        });
        Ok(())
    }
}

/// Whose a child is whose steps belong to a sub-agent, and whether the server has a hand in them.
#[derive(Clone)]
struct Whose {
    agent: String,
    works: bool,
}

impl Whose {
    fn of(reader: &Reader, digest: &Digest) -> Result<Option<Whose>, LoadError> {
        // A plan that cannot be read is told of by the run that needs it.
        let plan = reader.plan(digest)?.and_then(|bytes| serde_json::from_slice::<Plan>(&bytes).ok());
        Ok(plan.and_then(|plan| {
            let works = plan.steps.iter().any(|step| matches!(step.work, Work::Server { .. }));
            Some(Whose { agent: plan.agent?, works })
        }))
    }
}

/// The list whose child an effect started, and what its step is called.
fn list_of(run: &Run, key: &str) -> Option<(String, Spreading)> {
    let lists = run.spreading().into_iter();
    let mut named = lists.map(|list| (run.plan().steps[list.step as usize].id.clone(), list));
    named.find(|(name, _)| key.starts_with(&format!("{name}/")) || key.starts_with(&format!("{name}@")))
}

/// Where a question of a run stands.
fn origin(root: &RunId, place: &Place, run: &Run, action: &Action) -> Origin {
    let planned = run.plan().steps.iter().find(|step| step.id == action.step);
    let ends = planned.is_some_and(|step| matches!(step.work, Work::Action { ends: Some(_), .. }));
    Origin {
        root: root.clone(),
        run: place.run.clone(),
        above: place.above.clone(),
        since: run.begun(&action.id).unwrap_or_default(),
        dialect: run.plan().dialect,
        word: planned.map(|step| step.kind.clone()).unwrap_or_default(),
        ends,
        attempts_left: run.attempts_left(&action.id),
        check: planned.and_then(|step| command_of(step.verify.as_ref()?)),
    }
}

/// The command of a check, as it is written.
fn command_of(verify: &Verify) -> Option<String> {
    let command = verify.inputs.iter().find(|(name, _)| name == "command");
    command.and_then(|(_, command)| match command {
        Expr::Const(Value::String(text)) => Some(text.clone()),
        _ => None,
    })
}

/// The question of an id below a root run, whether it is open or was answered.
pub fn find(reader: &Reader, root: &RunId, id: &str) -> Result<Option<Asked>, LoadError> {
    if id.len() > QUESTION_ID_BYTES_MAX {
        return Ok(None);
    }
    let Some((run, effect)) = locate(reader, root, id)? else { return Ok(None) };
    let Some((loaded, _)) = whole(reader, &run)? else { return Ok(None) };
    let mut offered = None;
    let replayed = replay(reader, &loaded, |seen| {
        for one in &seen.turn.effects {
            if let Effect::Offer(action) = one
                && action.id == effect
            {
                offered = Some((action.clone(), seen.body.event.at));
            }
        }
    })?;
    let Some((action, since)) = offered else { return Ok(None) };
    let place = Place { above: above(root, &run), run };
    let origin = Origin { since, ..origin(root, &place, &replayed.run, &action) };
    Asked::of(origin, &action, |data| Values(reader).value(data)).map(Some)
}

/// The run and the effect that an id names. Names of effects may have slashes in them; that of a run is known.
fn locate(reader: &Reader, root: &RunId, id: &str) -> Result<Option<(RunId, EffectId)>, LoadError> {
    for (at, _) in id.rmatch_indices('/') {
        let run = RunId::new(format!("{root}/{}", &id[..at]));
        if reader.run(&run)?.is_some() {
            return Ok(Some((run, EffectId::new(&id[at + 1..]))));
        }
    }
    Ok(reader.run(root)?.map(|row| (row.id, EffectId::new(id))))
}

/// The order of ids: numbers in them count as numbers, `a[2]` before `a[10]`.
fn by_numbers(one: &str, other: &str) -> Ordering {
    fn parts(id: &str) -> impl Iterator<Item = (usize, &[u8])> {
        let parts = id.as_bytes().chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
        parts.map(|part| match part.iter().position(|byte| *byte != b'0') {
            Some(first) if part[first].is_ascii_digit() => (part.len() - first, &part[first..]),
            Some(_) => (0, part),
            None => (0, &[][..]),
        })
    }
    parts(one).cmp(parts(other)).then_with(|| one.cmp(other))
}

/// The run that whoever carries a run out drives: the one above it, or itself, that belongs to a sub-agent; else that which nobody
/// else started.
pub fn driver(reader: &Reader, run: &RunId) -> Result<RunId, LoadError> {
    let mut driver = run.clone();
    while let Some(row) = reader.run(&driver)? {
        let is_driven = Whose::of(reader, &row.plan)?.is_some();
        let Some(parent) = row.parent.filter(|_| !is_driven) else { break };
        driver = parent;
    }
    Ok(driver)
}

/// The run that nobody else started, above a run or itself.
pub fn root(reader: &Reader, run: &RunId) -> Result<RunId, LoadError> {
    let mut root = run.clone();
    while let Some(parent) = reader.run(&root)?.and_then(|row| row.parent) {
        root = parent;
    }
    Ok(root)
}

/// The steps that lead to a run from its root: each run is called after the effect that started it.
fn above(root: &RunId, run: &RunId) -> Vec<String> {
    let mut ways = Vec::new();
    let mut below = run.as_str().strip_prefix(root.as_str()).unwrap_or_default();
    while let Some(rest) = below.strip_prefix('/') {
        let end = attempt_end(rest);
        ways.push(step(&EffectId::new(&rest[..end])).to_owned());
        below = &rest[end..];
    }
    ways
}

/// Where the first effect of a way down ends: behind its attempt.
fn attempt_end(way: &str) -> usize {
    let mut from = 0;
    while let Some(at) = way[from..].find('#') {
        let digits = &way[from + at + 1..];
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        if end > 0 && (end == digits.len() || digits[end..].starts_with('/')) {
            return from + at + 1 + end;
        }
        from += at + 1;
    }
    way.len()
}

fn load(reader: &Reader, run: &RunId) -> Result<Option<Run>, LoadError> {
    if reader.run(run)?.is_none_or(|row| row.ended_at.is_some()) {
        return Ok(None);
    }
    as_it_stands(reader, run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialects::view::asked::question_id;

    #[test]
    fn numbers_inside_names_count_as_numbers() {
        let mut ids = ["a[10]#1", "b#1", "a[2]#2", "a[2]#1", "a#1", "a[02]#1", "a[1]/c[11]#1", "a[1]/c[9]#1"];
        ids.sort_by(|one, other| by_numbers(one, other));
        assert_eq!(
            ids,
            ["a#1", "a[1]/c[9]#1", "a[1]/c[11]#1", "a[02]#1", "a[2]#1", "a[2]#2", "a[10]#1", "b#1"]
        );
        assert_eq!(by_numbers("a[99999999999999999999999]", "a[100000000000000000000000]"), Ordering::Less);
        assert_eq!(by_numbers("a[2]", "a[2]"), Ordering::Equal);
    }

    #[test]
    fn a_way_down_is_read_from_the_name_of_a_run() {
        let root = RunId::new("mossy-otter-41");
        let child = root.child(&EffectId::new("ci#1")).child(&EffectId::new("1/test@2#3"));
        assert_eq!(above(&root, &root), Vec::<String>::new());
        assert_eq!(above(&root, &child), ["ci", "1/test@2"]);
        assert_eq!(question_id(&root, &child, &EffectId::new("ask#1")), "ci#1/1/test@2#3/ask#1");
        assert_eq!(question_id(&root, &root, &EffectId::new("ask#2")), "ask#2");
    }
}
