//! Which queue belongs to which consumer and shard, by the numbers in names and routing keys.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Obstacle,
    numbers::{Pattern, groups, listed},
    survey::Bound,
};

/// The routing keys of all shards.
pub(super) struct Keys {
    pub pattern: Pattern,
    pub count: u32,
}

/// One consumer's queues, by shard.
pub(super) struct Family<'a> {
    pub pattern: Pattern,
    pub queues: Vec<&'a str>,
}

/// What was found.
pub(super) struct Found<'a> {
    pub keys: Keys,
    pub families: Vec<Family<'a>>,
}

/// Finds shards and consumers; what is in the way is told.
pub(super) fn find<'a>(bound: &[Bound<'a>], obstacles: &mut Vec<Obstacle>) -> Option<Found<'a>> {
    let mut by_key: BTreeMap<&str, BTreeSet<&'a str>> = BTreeMap::new();
    for queue in bound {
        by_key.entry(queue.key).or_default().insert(queue.name);
    }
    if by_key.is_empty() {
        return None;
    }
    let before = obstacles.len();
    let all: BTreeSet<&str> = bound.iter().flat_map(|queue| [queue.name, queue.key]).collect();
    for name in all.into_iter().filter(|name| name.contains(char::is_control)) {
        let found = format!("{name:?}");
        obstacles.push(Obstacle::new("names", "characters", found, "no control characters"));
    }
    if obstacles.len() > before {
        return None;
    }
    let Some(keys) = keys(&by_key) else {
        let keys: BTreeSet<&str> = by_key.keys().copied().collect();
        let queues: BTreeSet<&str> = bound.iter().map(|queue| queue.name).collect();
        obstacles.extend(flaws("routing keys", &keys, true));
        obstacles.extend(flaws("queues", &queues, false));
        if obstacles.len() == before {
            let found = listed(keys.into_iter());
            obstacles.push(Obstacle::new("routing keys", "shard numbers", found, "0, 1, 2 and so on"));
        }
        return None;
    };
    let families = families(&keys, &by_key, obstacles)?;
    Some(Found { keys, families })
}

fn keys(by_key: &BTreeMap<&str, BTreeSet<&str>>) -> Option<Keys> {
    let count = u32::try_from(by_key.len()).ok()?;
    let fits = |name: &str, _| by_key.contains_key(name);
    let pattern = by_key.keys().find_map(|key| Pattern::find(key, count, fits))?;
    Some(Keys { pattern, count })
}

fn families<'a>(
    keys: &Keys,
    by_key: &BTreeMap<&str, BTreeSet<&'a str>>,
    obstacles: &mut Vec<Obstacle>,
) -> Option<Vec<Family<'a>>> {
    let none = BTreeSet::new();
    let shards: Vec<&BTreeSet<&str>> =
        (0..keys.count).map(|shard| by_key.get(keys.pattern.at(shard).as_str()).unwrap_or(&none)).collect();
    let in_shard = |name: &str, shard: u32| {
        usize::try_from(shard).ok().and_then(|shard| shards.get(shard)?.get(name).copied())
    };
    let mut families = Vec::new();
    let mut left: BTreeSet<&str> = shards.iter().flat_map(|queues| queues.iter().copied()).collect();
    for first in shards.first().into_iter().flat_map(|queues| queues.iter()) {
        let fits = |name: &str, shard| in_shard(name, shard).is_some_and(|name| left.contains(name));
        let Some(pattern) = Pattern::find(first, keys.count, fits) else { continue };
        let queues: Vec<_> =
            (0..keys.count).filter_map(|shard| in_shard(&pattern.at(shard), shard)).collect();
        left.retain(|name| !queues.contains(name));
        families.push(Family { pattern, queues });
    }
    if left.is_empty() {
        return Some(families);
    }
    let found = flaws("queues", &left, false);
    if found.is_empty() {
        for (key, queues) in by_key {
            for queue in queues.iter().filter(|queue| left.contains(*queue)) {
                let needed = format!("the shard number of its routing key {key} in its name");
                obstacles.push(Obstacle::new(format!("queue {queue}"), "name", *queue, needed));
            }
        }
    }
    obstacles.extend(found);
    None
}

/// What keeps names from counting. `one`: all of them should be of one form.
fn flaws(what: &str, names: &BTreeSet<&str>, one: bool) -> Vec<Obstacle> {
    let groups = groups(names);
    if groups.first().is_some_and(|main| main.numbers.is_empty()) {
        let found = listed(names.iter().copied());
        return vec![Obstacle::new(what, "shard numbers", found, "one form, with numbers from 0")];
    }
    let mut found: Vec<_> =
        groups.iter().take(if one { 1 } else { usize::MAX }).flat_map(|g| g.flaws(what)).collect();
    if let (true, [main, others @ ..]) = (one, groups.as_slice())
        && !others.is_empty()
    {
        let names = listed(others.iter().flat_map(|group| group.names.iter().copied()));
        let form = format!("{}{{shard}}{}", main.before, main.after);
        found.push(Obstacle::new(what, "form", names, format!("all as {form}")));
    }
    found
}
