//! A live exchange with its queues, read backwards: the settings that would have made it.
//!
//! Owns the decision what can be expressed, and names everything that can't at once. Does not judge whether a
//! difference matters: `super::fit` does, and the caller plans with the result before it is believed. The
//! broker knows neither key nor hash, so neither is here.
//!
//! Invariant: plan-is-what-runs (what is imported plans to nothing, or is refused with reasons).

mod consumers;
mod dead_letters;
mod leftovers;
mod names;
mod numbers;
mod obstacle;
mod settings;
mod survey;
mod templates;

use std::collections::BTreeMap;

use super::{
    desired::{DesiredExchange, dead_letter},
    fit,
    lint::Role,
    observed::{ExchangeDetails, ObservedExchange, QueueDetails, Value},
    topology::{ExchangeKind, QueueKind, SHARDS_MAX},
};
use names::{Family, Found};
use settings::Settings;

pub use leftovers::leftovers;
pub use obstacle::Obstacle;
pub use survey::Survey;

/// What a topology.yaml has to say to describe what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The topology's name, which is the exchange's.
    pub name: String,
    /// Type of the exchange.
    pub exchange: ExchangeKind,
    /// Number of shards.
    pub count: u32,
    /// The number in names and routing keys that is neither shard nor count.
    pub generation: u32,
    /// Template of the routing key.
    pub routing_key: String,
    /// Template of the queues' names.
    pub queue: String,
    /// Template of the dead-letter queues' names.
    pub dead_letter: String,
    /// Type of the queues.
    pub kind: QueueKind,
    /// `x-delivery-limit`; `None` on classic queues, which have none.
    pub delivery_limit: Option<u32>,
    /// `x-max-length`.
    pub max_length: Option<u64>,
    /// `x-max-length-bytes`.
    pub max_length_bytes: Option<u64>,
    /// Further arguments, the same on every shard queue.
    pub arguments: BTreeMap<String, Value>,
    /// Names of the consumers, in order.
    pub consumers: Vec<String>,
}

/// Reads the survey backwards.
///
/// # Errors
/// Everything that a topology.yaml can't express, at least one reason.
pub fn infer(survey: &Survey) -> Result<Draft, Vec<Obstacle>> {
    let mut obstacles = Vec::new();
    let kind = survey.details.as_ref().map_or(ExchangeKind::Direct, exchange_kind);
    if let Some(details) = &survey.details {
        exchange(survey, kind, details, &mut obstacles);
    }
    let bound = survey::bound(survey, &mut obstacles);
    let queues: Vec<_> =
        bound.iter().filter_map(|queue| Some((queue.name, survey.queues.get(queue.name)?))).collect();
    let settings = Settings::of(queues.iter().map(|(_, details)| *details), survey.version());
    let found = match names::find(&bound, &mut obstacles) {
        Some(found) if found.keys.count > SHARDS_MAX => {
            let (object, count) = (format!("exchange {}", survey.exchange), found.keys.count.to_string());
            obstacles.push(Obstacle::new(object, "shards", count, format!("at most {SHARDS_MAX} shards")));
            None
        }
        found => found,
    };
    let templates = match &found {
        Some(found) => dead_letters(survey, found, &settings, &mut obstacles),
        None => {
            // Their arguments can be judged even when their names can't.
            for (name, details) in &queues {
                let target = target([*details]).unwrap_or_else(stand_in);
                arguments(survey, &settings, name, details, target, &mut obstacles);
            }
            None
        }
    };
    match (templates, found) {
        (Some(templates), Some(found)) if obstacles.is_empty() => {
            Ok(draft(survey, kind, settings, templates, found.keys.count))
        }
        _ => Err(obstacle::merge(obstacles)),
    }
}

fn draft(
    survey: &Survey,
    exchange: ExchangeKind,
    settings: Settings,
    templates: templates::Templates,
    count: u32,
) -> Draft {
    let Settings { queues, .. } = settings;
    Draft {
        name: survey.exchange.clone(),
        exchange,
        count,
        generation: templates.generation,
        routing_key: templates.routing_key,
        queue: templates.queue,
        dead_letter: templates.dead_letter,
        kind: queues.kind,
        delivery_limit: (queues.kind == QueueKind::Quorum).then_some(queues.delivery_limit),
        max_length: queues.max_length,
        max_length_bytes: queues.max_length_bytes,
        arguments: queues.arguments,
        consumers: templates.consumers,
    }
}

fn exchange_kind(details: &ExchangeDetails) -> ExchangeKind {
    if details.kind == ExchangeKind::Topic.as_str() { ExchangeKind::Topic } else { ExchangeKind::Direct }
}

fn exchange(survey: &Survey, kind: ExchangeKind, details: &ExchangeDetails, obstacles: &mut Vec<Obstacle>) {
    let wanted = DesiredExchange { name: survey.exchange.clone(), kind: kind.as_str() };
    let found = ObservedExchange { details: Some(details.clone()), verdict: None };
    obstacles
        .extend(Obstacle::of_fit(&format!("exchange {}", survey.exchange), fit::exchange(&wanted, &found)));
}

/// Where most of the queues send what exceeds the limit.
fn target<'a>(queues: impl IntoIterator<Item = &'a QueueDetails>) -> Option<String> {
    let keys =
        queues.into_iter().filter_map(|queue| match queue.arguments.get("x-dead-letter-routing-key") {
            Some(Value::Text(key)) => Some(key.clone()),
            _ => None,
        });
    settings::most_common(keys)
}

/// Named in the reasons when a queue dead-letters to nowhere.
fn stand_in() -> String {
    "CONSUMER.dead".to_owned()
}

/// Judges the arguments of every queue of every consumer, and of what they dead-letter to; then the names.
fn dead_letters(
    survey: &Survey,
    found: &Found<'_>,
    settings: &Settings,
    obstacles: &mut Vec<Obstacle>,
) -> Option<templates::Templates> {
    let mut targets = Vec::new();
    for family in &found.families {
        let details = |name: &&str| survey.queues.get(*name);
        let target = target(family.queues.iter().filter_map(details));
        let wanted = target.clone().unwrap_or_else(stand_in);
        for name in &family.queues {
            if let Some(details) = survey.queues.get(*name) {
                arguments(survey, settings, name, details, wanted.clone(), obstacles);
            }
        }
        targets.extend(target.map(|target| (family, target)));
    }
    for (_, target) in &targets {
        let object = format!("queue {target}");
        match survey.observed(target) {
            None => obstacles.push(Obstacle::new(object, "queue", "absent", "the dead-letter queue itself")),
            Some(observed) => {
                let wanted = dead_letter(settings.queues.kind, target.clone());
                let fit = fit::queue(&wanted, Role::DeadLetter, &observed, survey.version());
                obstacles.extend(Obstacle::of_fit(&object, fit));
            }
        }
    }
    // Without targets there is nothing to make a template of; the lack of each is told above.
    let complete = targets.len() == found.families.len();
    let targets: Vec<(&Family<'_>, Option<&str>)> = found
        .families
        .iter()
        .map(|family| {
            let target = targets.iter().find(|(of, _)| std::ptr::eq(*of, family));
            (family, target.map(|(_, target)| target.as_str()))
        })
        .collect();
    templates::infer(&survey.exchange, &found.keys, &targets, obstacles).filter(|_| complete)
}

fn arguments(
    survey: &Survey,
    settings: &Settings,
    name: &str,
    details: &QueueDetails,
    dead_letter: String,
    obstacles: &mut Vec<Obstacle>,
) {
    let fit = settings.fit(name, details, dead_letter, survey.version());
    obstacles.extend(Obstacle::of_fit(&format!("queue {name}"), fit));
}
