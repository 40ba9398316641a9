//! Proves that messages get through: one probe per shard, heard in every queue of it.
//!
//! The ears are open before the probe is sent, so nothing of it stays behind: a user who may not consume
//! sends none.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::{parallel::each, world::World};
use crate::{
    domain::{
        plan::{Plan, Step},
        probe::{RoutingProof, in_use, objection},
    },
    ports::{
        clock::Clock,
        link::{LinkError, LinkKind},
        probe::{Heard, ProbeBroker, ProbeListener, Sent},
    },
};

/// Shards at a time.
const PARALLEL: usize = 8;
/// How long a fresh binding may take to be on every node (T59).
const RETURNED_MAX: Duration = Duration::from_secs(15);
const AGAIN: Duration = Duration::from_millis(250);
/// How long a queue may take to hand over what it confirmed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why routing is not proven.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The broker is gone, or refuses what it did not refuse before.
    #[error("can't probe shard {shard}")]
    Link {
        /// The shard.
        shard: u32,
        /// Why.
        #[source]
        source: LinkError,
    },
    /// The message did not get through.
    #[error("a probe of shard {shard} {what}")]
    Unproven {
        /// The shard.
        shard: u32,
        /// What became of it.
        what: String,
    },
}

/// Shards for which `plan` makes bindings.
#[must_use]
pub fn bound_by(world: &World<'_>, plan: &Plan) -> BTreeSet<u32> {
    let topology = world.topology;
    let keys: BTreeSet<_> = plan
        .changes
        .iter()
        .filter_map(|change| match &change.step {
            Some(Step::Binding { routing_key, .. }) => Some(routing_key.as_str()),
            _ => None,
        })
        .collect();
    (0..topology.shards.count).filter(|shard| keys.contains(topology.routing_key(*shard).as_str())).collect()
}

/// Probes `shards`.
///
/// # Errors
/// A probe did not get through. It is safe to apply again.
pub async fn prove(
    world: &World<'_>,
    broker: &dyn ProbeBroker,
    clock: &dyn Clock,
    shards: &BTreeSet<u32>,
) -> Result<RoutingProof, ProbeError> {
    let mut proof = RoutingProof::default();
    if shards.is_empty() {
        return Ok(proof);
    }
    if let Some(objection) = objection(world.topology) {
        proof.skip(objection, shards.iter().copied());
        return Ok(proof);
    }
    let proof = Mutex::new(proof);
    let record = |shard: u32, outcome: Outcome| {
        let mut proof = proof.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Outcome::Proven => _ = proof.proven.insert(shard),
            Outcome::Skipped(reason) => proof.skip(reason, [shard]),
        }
    };
    let probing = |shard: u32| async move {
        record(shard, probe(world, broker, clock, shard).await?);
        Ok(())
    };
    each(shards.iter().copied(), PARALLEL, probing, |_| {}).await.map_err(|(_, error)| error)?;
    Ok(proof.into_inner().unwrap_or_else(PoisonError::into_inner))
}

enum Outcome {
    Proven,
    Skipped(String),
}

async fn probe(
    world: &World<'_>,
    broker: &dyn ProbeBroker,
    clock: &dyn Clock,
    shard: u32,
) -> Result<Outcome, ProbeError> {
    let link = |source| ProbeError::Link { shard, source };
    let topology = world.topology;
    let queues: Vec<_> = topology.consumers.keys().map(|name| topology.queue(name, shard)).collect();
    let stats = match world.amqp.stats(&queues).await {
        Err(error) if error.kind == LinkKind::Refused => {
            return Ok(Outcome::Skipped("this user may not look into the queues".to_owned()));
        }
        stats => stats.map_err(link)?,
    };
    if let Some(reason) = stats.iter().find_map(|stats| in_use(stats.as_ref())) {
        return Ok(Outcome::Skipped(reason.to_owned()));
    }
    let mut ears = Vec::new();
    let mut result = listen(broker, &queues, &mut ears).await;
    if matches!(result, Ok(Outcome::Proven)) {
        let id = format!("{}-{shard}-{:016x}", topology.name, clock.random());
        result = send(world, broker, clock, shard, &id, &queues, &mut ears).await;
    }
    // Every way out closes what is open: only that returns what was not taken, in order.
    for ear in ears {
        if let Err(error) = ear.close().await {
            tracing::debug!("closing a probe's channel: {error}");
        }
    }
    result.map_err(|error| match error {
        Trouble::Link(source) => ProbeError::Link { shard, source },
        Trouble::Unproven(what) => ProbeError::Unproven { shard, what },
    })
}

enum Trouble {
    Link(LinkError),
    Unproven(String),
}

async fn listen(
    broker: &dyn ProbeBroker,
    queues: &[String],
    ears: &mut Vec<Box<dyn ProbeListener>>,
) -> Result<Outcome, Trouble> {
    for queue in queues {
        match broker.listen(queue).await {
            Ok(ear) => ears.push(ear),
            Err(error) if error.kind == LinkKind::Refused => {
                return Ok(Outcome::Skipped("this user may not read the queues".to_owned()));
            }
            Err(error) => return Err(Trouble::Link(error)),
        }
    }
    Ok(Outcome::Proven)
}

async fn send(
    world: &World<'_>,
    broker: &dyn ProbeBroker,
    clock: &dyn Clock,
    shard: u32,
    id: &str,
    queues: &[String],
    ears: &mut [Box<dyn ProbeListener>],
) -> Result<Outcome, Trouble> {
    let exchange = world.topology.exchange.name.as_str();
    let key = world.topology.routing_key(shard);
    let started = clock.elapsed();
    loop {
        let sent = match broker.send(exchange, &key, id).await {
            Err(error) if error.kind == LinkKind::Refused => {
                return Ok(Outcome::Skipped("this user may not publish to the exchange".to_owned()));
            }
            sent => sent.map_err(Trouble::Link)?,
        };
        let late = clock.elapsed().saturating_sub(started) > RETURNED_MAX;
        match sent {
            Sent::Routed => break,
            Sent::Returned if late => {
                return Err(Trouble::Unproven(format!("({key}) came back without a route")));
            }
            Sent::Nacked if late => return Err(Trouble::Unproven(format!("({key}) was refused by a queue"))),
            Sent::Returned | Sent::Nacked => clock.sleep(AGAIN).await,
        }
    }
    for (queue, ear) in queues.iter().zip(ears) {
        match ear.hear(id, PATIENCE).await.map_err(Trouble::Link)? {
            Heard::Probe => {}
            // Producers are at work already; the probe is behind the message, and its consumer skips it.
            Heard::Message => return Ok(Outcome::Skipped("a queue got messages meanwhile".to_owned())),
            // A consumer that came first has the queue, and with it the probe.
            Heard::Nothing => {
                let stats = world.amqp.stats(std::slice::from_ref(queue)).await.map_err(Trouble::Link)?;
                if stats
                    .first()
                    .and_then(Option::as_ref)
                    .is_none_or(|stats| stats.ready > 0 || stats.consumers < 2)
                {
                    return Err(Trouble::Unproven(format!("did not arrive in {queue}")));
                }
                return Ok(Outcome::Skipped("a queue is being consumed".to_owned()));
            }
        }
    }
    Ok(Outcome::Proven)
}
