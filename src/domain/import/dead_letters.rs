//! Which part of the dead-letter queues' names is the consumer.

use super::{
    consumers::Place,
    templates::{Marks, render, topology},
};
use crate::domain::template::Field;

/// Whether each consumer's name is a word of its dead-letter queue's name.
pub(super) fn are_words(consumers: &[String], targets: &[&str]) -> bool {
    consumers.iter().zip(targets).all(|(name, target)| {
        target.match_indices(name.as_str()).any(|(at, _)| is_word(target, (at, at + name.len())))
    })
}

/// One template for the dead-letter queues of all consumers.
pub(super) fn dead_letter(exchange: &str, consumers: &[String], targets: &[&str]) -> Option<String> {
    let (name, target) = (consumers.first()?, targets.first()?);
    [true, false].into_iter().find_map(|with_topology| {
        let start = topology(target, exchange).filter(|_| with_topology);
        let skip = start.map_or(0, |(_, to)| to);
        let mut places: Vec<Place> = target[skip..]
            .match_indices(name.as_str())
            .map(|(at, text)| (skip + at, skip + at + text.len()))
            .collect();
        places.sort_by_key(|place| !is_word(target, *place));
        places.into_iter().find_map(|place| {
            let (before, after) = (&target[..place.0], &target[place.1..]);
            let all = consumers.iter().zip(targets).all(|(consumer, target)| {
                target.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) == Some(consumer)
            });
            let start = start.map(|place| (place, Field::Topology));
            let marks = start.into_iter().chain([(place, Field::Consumer)]).collect::<Marks>();
            if all { render(target, marks) } else { None }
        })
    })
}

/// Whether neither letter nor digit touches the place.
fn is_word(text: &str, (from, to): Place) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !letter(text[..from].chars().next_back()) && !letter(text[to..].chars().next())
}
