//! A live topology read backwards.

mod names;
mod property;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};

use topo::domain::{
    desired::{Desired, DesiredQueue},
    import::{Draft, Obstacle, Survey, infer},
    observed::{ExchangeDetails, ObservedBinding, QueueDetails},
    topology::Topology,
};

/// The vhost of a broker that holds exactly what `topology` asks for.
pub(crate) fn survey(topology: &Topology) -> Survey {
    let desired = Desired::of(topology);
    let details = |queue: &DesiredQueue| QueueDetails {
        kind: queue.kind.as_str().to_owned(),
        durable: true,
        auto_delete: false,
        exclusive: false,
        arguments: queue.arguments.clone(),
    };
    Survey {
        exchange: desired.exchange.name.clone(),
        broker_version: Some("RabbitMQ 4.0.5".to_owned()),
        details: Some(ExchangeDetails {
            kind: desired.exchange.kind.to_owned(),
            durable: true,
            auto_delete: false,
            internal: false,
            arguments: BTreeMap::new(),
        }),
        queues: desired.all_queues().map(|queue| (queue.name.clone(), details(queue))).collect(),
        bindings: desired
            .bindings
            .iter()
            .map(|binding| ObservedBinding {
                source: desired.exchange.name.clone(),
                destination: binding.queue.clone(),
                to_queue: true,
                routing_key: binding.routing_key.clone(),
                has_arguments: false,
            })
            .collect(),
    }
}

/// Renames every queue, dead-letter targets too, and every routing key.
pub(crate) fn renamed(
    survey: &Survey,
    queue: impl Fn(&str) -> String,
    key: impl Fn(&str) -> String,
) -> Survey {
    use topo::domain::observed::Value;
    let mut survey = survey.clone();
    let queues = std::mem::take(&mut survey.queues).into_iter().map(|(name, mut details)| {
        if let Some(Value::Text(target)) = details.arguments.get_mut("x-dead-letter-routing-key") {
            *target = queue(target);
        }
        (queue(&name), details)
    });
    survey.queues = queues.collect();
    for binding in &mut survey.bindings {
        binding.destination = queue(&binding.destination);
        binding.routing_key = key(&binding.routing_key);
    }
    survey
}

pub(crate) fn draft(survey: &Survey) -> Draft {
    infer(survey).unwrap_or_else(|reasons| panic!("{}", lines(&reasons).join("\n")))
}

pub(crate) fn lines(reasons: &[Obstacle]) -> Vec<String> {
    reasons.iter().map(Obstacle::to_string).collect()
}

/// Everything that a topology asks for, in an order that does not depend on consumers' names.
pub(crate) fn objects(topology: &Topology) -> BTreeSet<String> {
    let desired = Desired::of(topology);
    let queues = desired.all_queues().map(|queue| format!("{queue:?}"));
    let bindings = desired.bindings.iter().map(|binding| format!("{binding:?}"));
    queues.chain(bindings).chain([format!("{:?}", desired.exchange)]).collect()
}
