//! Names to templates: which part is the topology, the consumer, the generation, the shard, the count.
//!
//! A part that was read as the wrong placeholder still makes the same names today; it would show at the next
//! reshard, so the file asks to have them looked at.

use super::{
    Obstacle,
    consumers::{Place, candidates, is_usable},
    dead_letters::{are_words, dead_letter},
    names::{Family, Keys},
    numbers::runs,
};
use crate::domain::template::Field;

/// Stands for the shard number; no name holds a control character.
pub(super) const SHARD: char = '\0';

/// Templates and what they were read with.
pub(super) struct Templates {
    pub generation: u32,
    pub routing_key: String,
    pub queue: String,
    pub dead_letter: String,
    pub consumers: Vec<String>,
}

/// Places and what stands there.
pub(super) type Marks = Vec<(Place, Field)>;

/// A number that is the same in every name.
#[derive(Clone, Copy)]
struct Number {
    place: Place,
    value: u32,
}

/// Finds templates; what is in the way is told. Families without a dead-letter queue have `None`.
pub(super) fn infer(
    exchange: &str,
    keys: &Keys,
    families: &[(&Family<'_>, Option<&str>)],
    obstacles: &mut Vec<Obstacle>,
) -> Option<Templates> {
    let key = keys.pattern.pieces.join(&SHARD.to_string());
    let forms: Vec<_> =
        families.iter().map(|(family, _)| family.pattern.pieces.join(&SHARD.to_string())).collect();
    let targets: Option<Vec<&str>> = families.iter().map(|(_, target)| *target).collect();
    let before = obstacles.len();
    let mut dead_letter_fails = false;
    let mut splits = candidates(&forms, exchange);
    // The dead-letter queue has the name too, most likely as a word.
    splits.retain(|places| {
        let consumers = names(&forms, places);
        let fits =
            targets.as_ref().is_none_or(|targets| dead_letter(exchange, &consumers, targets).is_some());
        dead_letter_fails |= !fits;
        fits
    });
    splits.sort_by_cached_key(|places| {
        let consumers = names(&forms, places);
        let whole = targets.as_ref().is_none_or(|targets| are_words(&consumers, targets));
        (!consumers.iter().all(|name| is_usable(name)), !whole)
    });
    for places in &splits {
        let consumers = names(&forms, places);
        let Some((form, place)) = forms.first().zip(places.first()) else { continue };
        for (in_key, in_queue) in [(true, true), (true, false), (false, true), (false, false)] {
            let start = |form: &str, wanted: bool| topology(form, exchange).filter(|_| wanted);
            let queue_start = start(form, in_queue).filter(|(_, to)| *to <= place.0);
            let Some(chosen) = choose(keys.count, (&key, start(&key, in_key)), (form, queue_start, *place))
            else {
                continue;
            };
            let rendered = render(&key, chosen.key).zip(render(form, chosen.queue));
            let Some((routing_key, queue)) = rendered else { continue };
            let target = targets.as_ref().and_then(|targets| dead_letter(exchange, &consumers, targets));
            let dead_letter = target.unwrap_or_default();
            return Some(Templates {
                generation: chosen.generation,
                routing_key,
                queue,
                dead_letter,
                consumers,
            });
        }
    }
    if splits.is_empty() && dead_letter_fails {
        let found = targets.unwrap_or_default().join(", ");
        obstacles.push(Obstacle::new("dead-letter queues", "name", found, "the consumer's name in each"));
    }
    explain(keys.count, &key, &forms, splits.first(), obstacles);
    if obstacles.len() == before {
        let found = shown(&forms.join(", "));
        let needed = "names of one form, {consumer} and {generation} in it";
        obstacles.push(Obstacle::new("queues", "name", found, needed));
    }
    None
}

fn names(forms: &[String], places: &[Place]) -> Vec<String> {
    forms.iter().zip(places).map(|(form, (from, to))| form[*from..*to].to_owned()).collect()
}

/// Where the exchange's name stands at the beginning.
pub(super) fn topology(form: &str, exchange: &str) -> Option<Place> {
    let rest = form.strip_prefix(exchange)?;
    let ends = !rest.starts_with(char::is_alphanumeric);
    (ends && !exchange.is_empty()).then_some((0, exchange.len()))
}

struct Chosen {
    generation: u32,
    key: Marks,
    queue: Marks,
}

/// Chooses the numbers that are generation and count: both in the routing key, the generation in the queue too.
fn choose(
    count: u32,
    (key, key_start): (&str, Option<Place>),
    (queue, queue_start, consumer): (&str, Option<Place>, Place),
) -> Option<Chosen> {
    let key_taken: Vec<Place> = key_start.into_iter().collect();
    let queue_taken: Vec<Place> = queue_start.into_iter().chain([consumer]).collect();
    let (in_key, in_queue) = (numbers(key, &key_taken), numbers(queue, &queue_taken));
    let of = |text: &str, number: &Number| text[..number.place.0].ends_with("of");
    let letter = |text: &str, number: &Number| text[..number.place.0].chars().next_back();
    let mut best: Option<(usize, Number, Number, Number)> = None;
    for generation in &in_key {
        for total in in_key.iter().rev().filter(|n| n.value == count && n.place != generation.place) {
            for again in in_queue.iter().filter(|number| number.value == generation.value) {
                let sign = letter(key, generation);
                let score = 4 * usize::from(matches!(sign, Some('g' | 'G' | 'v' | 'V')))
                    + 3 * usize::from(sign == letter(queue, again))
                    + 2 * usize::from(of(key, total));
                if best.is_none_or(|(most, ..)| score > most) {
                    best = Some((score, *generation, *total, *again));
                }
            }
        }
    }
    let (_, generation, total, again) = best?;
    let start = |place: Option<Place>| place.map(|place| (place, Field::Topology));
    let mut marks: Marks = start(key_start).into_iter().collect();
    marks.extend([(generation.place, Field::Generation), (total.place, Field::Count)]);
    let mut queue_marks: Marks = start(queue_start).into_iter().collect();
    queue_marks.extend([(consumer, Field::Consumer), (again.place, Field::Generation)]);
    let counts = in_queue.iter().filter(|n| n.value == count && n.place != again.place && of(queue, n));
    queue_marks.extend(counts.map(|number| (number.place, Field::Count)));
    Some(Chosen { generation: generation.value, key: marks, queue: queue_marks })
}

/// Numbers from 1 outside of `taken`, written without leading zeros and not touching the shard number.
fn numbers(form: &str, taken: &[Place]) -> Vec<Number> {
    let number = |(from, to): Place| {
        let touches = form[..from].ends_with(SHARD) || form[to..].starts_with(SHARD);
        let free = taken.iter().all(|(start, end)| to <= *start || *end <= from);
        let value: u32 = form[from..to].parse().ok()?;
        let plain = value > 0 && value.to_string().len() == to - from;
        (!touches && free && plain).then_some(Number { place: (from, to), value })
    };
    runs(form).into_iter().filter_map(number).collect()
}

/// Puts the placeholders in; `None` when what is left has braces, which no template can write.
pub(super) fn render(form: &str, mut marks: Marks) -> Option<String> {
    let shards = form.match_indices(SHARD).map(|(at, text)| ((at, at + text.len()), Field::Shard));
    marks.extend(shards);
    marks.sort_unstable();
    let mut out = String::new();
    let mut from = 0;
    for ((at, to), field) in marks {
        let text = form.get(from..at).filter(|text| !text.contains(['{', '}']))?;
        out.push_str(&format!("{text}{{{}}}", field.as_str()));
        from = to;
    }
    let rest = form.get(from..).filter(|text| !text.contains(['{', '}']))?;
    out.push_str(rest);
    Some(out)
}

/// Says which numbers are missing where.
fn explain(
    count: u32,
    key: &str,
    forms: &[String],
    places: Option<&Vec<Place>>,
    obstacles: &mut Vec<Obstacle>,
) {
    let in_key = numbers(key, &[]);
    let total = in_key.iter().any(|number| number.value == count);
    if !total || in_key.len() < 2 {
        let needed = format!(
            "the number of shards ({count}) and a generation (a number from 1) in it, as in \
             NAME.g1.{{shard}}of{count}: a producer with other numbers is then returned, not misrouted"
        );
        obstacles.push(Obstacle::new("routing keys", "form", shown(key), needed));
    }
    for (index, form) in forms.iter().enumerate() {
        let taken: Vec<Place> = places.and_then(|places| places.get(index).copied()).into_iter().collect();
        let in_queue = numbers(form, &taken);
        let same = in_queue.iter().any(|queue| in_key.iter().any(|key| key.value == queue.value));
        if in_queue.is_empty() || (!same && !in_key.is_empty()) {
            let needed =
                "the generation (the number from 1 in the routing key) in it, beside the consumer's name";
            obstacles.push(Obstacle::new("queues", "form", shown(form), needed));
        }
    }
    for text in [key].into_iter().chain(forms.iter().map(String::as_str)) {
        if text.contains(['{', '}']) {
            let needed = "no braces outside of the exchange's and the consumer's name: templates use them";
            obstacles.push(Obstacle::new("names", "characters", shown(text), needed));
        }
    }
}

fn shown(form: &str) -> String {
    form.replace(SHARD, "{shard}")
}
