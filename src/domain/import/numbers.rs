//! Names that count: a pattern with the shard number in it, and what is wrong with a row of names that has none.

use std::collections::{BTreeMap, BTreeSet};

use super::Obstacle;

/// More places of a digit in one name than this are not tried together.
const PLACES_MAX: usize = 8;
/// Longest list of names in one sentence.
const LISTED_MAX: usize = 5;

/// The texts between the places where the shard number stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub pieces: Vec<String>,
}

impl Pattern {
    pub(super) fn at(&self, shard: u32) -> String {
        self.pieces.join(&shard.to_string())
    }

    /// Finds a pattern that makes `first` of shard 0 and, for every other below `count`, something that `fits`.
    pub(super) fn find(first: &str, count: u32, fits: impl Fn(&str, u32) -> bool) -> Option<Self> {
        let mut places: Vec<usize> = first.match_indices('0').map(|(at, _)| at).collect();
        let alone = |at: usize| {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            !digit(first[..at].chars().next_back()) && !digit(first[at + 1..].chars().next())
        };
        places.retain(|at| count > 1 || alone(*at));
        // The number of a shard is likely to stand alone and at the end.
        places.sort_by_key(|at| (!alone(*at), usize::MAX - at));
        places.truncate(PLACES_MAX);
        let mut sets: Vec<u32> = (1..1_u32 << places.len()).collect();
        sets.sort_by_key(|set| (set.count_ones(), *set));
        sets.into_iter().map(|set| Self::cut(first, &places, set)).find(|pattern| {
            let other = |shard: u32| fits(&pattern.at(shard), shard);
            (1..count).all(other)
        })
    }

    fn cut(first: &str, places: &[usize], set: u32) -> Self {
        let mut chosen: Vec<usize> =
            places.iter().enumerate().filter(|(bit, _)| set & (1 << bit) != 0).map(|(_, at)| *at).collect();
        chosen.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for at in chosen {
            pieces.push(first[from..at].to_owned());
            from = at + 1;
        }
        pieces.push(first[from..].to_owned());
        Self { pieces }
    }
}

/// Names that are equal but for one number.
pub(super) struct Group<'a> {
    pub before: &'a str,
    pub after: &'a str,
    pub numbers: Vec<&'a str>,
    pub names: BTreeSet<&'a str>,
}

/// Sorts names into groups, the largest first; then the names that are alone, without numbers.
pub(super) fn groups<'a>(names: &BTreeSet<&'a str>) -> Vec<Group<'a>> {
    let mut frames: BTreeMap<(&str, &str), BTreeMap<&str, &str>> = BTreeMap::new();
    for name in names {
        for (from, to) in runs(name) {
            frames.entry((&name[..from], &name[to..])).or_default().insert(name, &name[from..to]);
        }
    }
    let mut left = names.clone();
    let mut groups = Vec::new();
    let mut frames: Vec<_> = frames.into_iter().collect();
    while !left.is_empty() {
        frames.retain_mut(|(_, members)| {
            members.retain(|name, _| left.contains(name));
            !members.is_empty()
        });
        // Of groups of one size the one whose number stands last.
        let best = frames.iter().max_by_key(|((before, _), members)| (members.len(), before.len()));
        let Some(((before, after), members)) = best else { break };
        if members.len() < 2 {
            break;
        }
        let members = members.clone();
        left.retain(|name| !members.contains_key(name));
        groups.push(Group {
            before,
            after,
            numbers: members.values().copied().collect(),
            names: members.keys().copied().collect(),
        });
    }
    groups.extend(left.into_iter().map(|name| Group {
        before: name,
        after: "",
        numbers: Vec::new(),
        names: BTreeSet::from([name]),
    }));
    groups
}

/// Where the runs of digits stand.
pub(super) fn runs(name: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, c) in name.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        match found.last_mut() {
            Some((_, to)) if *to == at => *to = at + c.len_utf8(),
            _ => found.push((at, at + c.len_utf8())),
        }
    }
    found
}

impl Group<'_> {
    /// What keeps the group from counting 0, 1, 2, …; `what`: "routing keys" or "queues".
    pub(super) fn flaws(&self, what: &str) -> Vec<Obstacle> {
        let object = format!("{what} {}{{shard}}{}", self.before, self.after);
        let mut flaws = Vec::new();
        let mut tell = |found: String, needed: String| {
            flaws.push(Obstacle::new(object.clone(), "shard numbers", found, needed));
        };
        if self.numbers.is_empty() {
            let found = listed(self.names.iter().copied());
            return vec![Obstacle::new(what, "shard numbers", found, "a number from 0 in each")];
        }
        if let Some(padded) = self.numbers.iter().find(|number| number.len() > 1 && number.starts_with('0')) {
            tell(format!("{padded}, filled up with zeros"), "numbers without leading zeros".to_owned());
        }
        let numbers: BTreeSet<u64> = self.numbers.iter().filter_map(|number| number.parse().ok()).collect();
        if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
            if *first > 0 {
                tell(format!("{first} to {last}"), format!("numbers from 0, so 0 to {}", numbers.len() - 1));
            }
            let gap = |(before, after): (&u64, &u64)| (after - before > 1).then_some((before + 1, after - 1));
            let gaps: Vec<_> = numbers.iter().zip(numbers.iter().skip(1)).filter_map(gap).collect();
            if !gaps.is_empty() {
                let text = |(from, to): (u64, u64)| match from == to {
                    true => from.to_string(),
                    false => format!("{from} to {to}"),
                };
                let missing: Vec<_> = gaps.into_iter().map(text).collect();
                let missing = listed(missing.iter().map(String::as_str));
                tell(format!("{first} to {last} without {missing}"), "every number".to_owned());
            }
        }
        flaws
    }
}

/// Some of the names, and how many more there are.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    let shown = names[..names.len().min(LISTED_MAX)].join(", ");
    match names.len().saturating_sub(LISTED_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
