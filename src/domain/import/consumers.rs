//! Where the consumer's name may stand in the queues' names.
//!
//! Several consumers differ in exactly that. Of one alone any word may be its name; the likely ones come
//! first, and the caller takes the first that explains the rest.

use super::templates::{SHARD, topology};
use crate::domain::name::Name;

/// The place of the consumer's name in one form.
pub(super) type Place = (usize, usize);

/// Candidates, the likely ones first; each has one place per form.
pub(super) fn candidates(forms: &[String], exchange: &str) -> Vec<Vec<Place>> {
    let mut found: Vec<Vec<Place>> = match forms {
        [] => Vec::new(),
        [form] => {
            let skip = topology(form, exchange).map_or(0, |(_, to)| to);
            let dots = words(form, skip, |c| c == '.');
            let inner = words(form, skip, |c| matches!(c, '.' | ':' | '/' | '|'));
            let fine = words(form, skip, |c| !c.is_alphanumeric());
            let all = words(form, 0, |c| !c.is_alphanumeric());
            dots.into_iter().chain(inner).chain(fine).chain(all).map(|place| vec![place]).collect()
        }
        forms => [false, true]
            .into_iter()
            .flat_map(|suffix_first| {
                let plain = differing(forms, suffix_first);
                [whole_words(forms, &plain), plain]
            })
            .collect(),
    };
    found.retain(|places| {
        let names = places.iter().zip(forms).map(|((from, to), form)| form.get(*from..*to));
        names.clone().all(|name| name.is_some_and(|name| !name.is_empty() && !name.contains(SHARD)))
    });
    found
}

/// Whether a folder can have the name. Others are kept for want of better ones; reading the file tells why not.
pub(super) fn is_usable(name: &str) -> bool {
    Name::new(name).is_ok() && !name.contains(['/', '\\']) && !name.starts_with('.')
}

/// Words with a letter in them, from `skip` on.
fn words(form: &str, skip: usize, ends: impl Fn(char) -> bool) -> Vec<Place> {
    let mut found = Vec::new();
    let mut from = skip;
    let stops = form[skip..].char_indices().filter(|(_, c)| *c == SHARD || ends(*c));
    let stops = stops.map(|(at, c)| (skip + at, c.len_utf8())).chain([(form.len(), 0)]);
    for (at, width) in stops {
        if form[from..at].contains(char::is_alphabetic) {
            found.push((from, at));
        }
        from = at + width;
    }
    found
}

/// What is left of each form without the common beginning and the common end.
fn differing(forms: &[String], suffix_first: bool) -> Vec<Place> {
    let shortest = forms.iter().map(String::len).min().unwrap_or(0);
    let (before, after) = if suffix_first {
        let after = common_end(forms, shortest);
        (common_beginning(forms, shortest - after), after)
    } else {
        let before = common_beginning(forms, shortest);
        (before, common_end(forms, shortest - before))
    };
    forms.iter().map(|form| (before, form.len() - after)).collect()
}

fn common_beginning(forms: &[String], most: usize) -> usize {
    let Some((first, others)) = forms.split_first() else { return 0 };
    let ends = first.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most);
    ends.take_while(|end| others.iter().all(|other| other.get(..*end) == first.get(..*end)))
        .last()
        .unwrap_or(0)
}

fn common_end(forms: &[String], most: usize) -> usize {
    let Some((first, others)) = forms.split_first() else { return 0 };
    let tail = |form: &str, length: usize| {
        form.len().checked_sub(length).and_then(|from| form.get(from..).map(str::to_owned))
    };
    let lengths = first.char_indices().rev().map(|(at, _)| first.len() - at);
    let lengths = lengths.take_while(|length| *length <= most);
    let same = |length: &usize| others.iter().all(|other| tail(other, *length) == tail(first, *length));
    lengths.take_while(same).last().unwrap_or(0)
}

/// Widens the places until none of them begins or ends inside a word.
fn whole_words(forms: &[String], places: &[Place]) -> Vec<Place> {
    let Some((form, (from, to))) = forms.first().zip(places.first().copied()) else { return Vec::new() };
    let letters = |text: &mut dyn Iterator<Item = char>| {
        text.take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>()
    };
    let before = letters(&mut form[..from].chars().rev());
    let after = letters(&mut form[to..].chars());
    places.iter().map(|(from, to)| (from - before, to + after)).collect()
}
