//! One look at a vhost: what stands in it for a topology, and what others put beside it.
//!
//! Objects and bindings are needed; without them there is no look. What more there is to see (policies,
//! the default queue type) depends on version and permissions: what can't be read becomes a sentence and
//! hides nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::{answers, client::ManagementClient};
use crate::{
    domain::{
        desired::Desired,
        observed::{Observed, ObservedBinding, ObservedExchange, ObservedQueue, QueueDetails, Sight},
        orphans,
        policy::{Author, Policy},
        topology::Topology,
    },
    ports::link::LinkError,
};

/// Looks.
pub(super) async fn observe(client: &ManagementClient, topology: &Topology) -> Result<Observed, LinkError> {
    let desired = Desired::of(topology);
    let name = desired.exchange.name.as_str();
    let overview = client.http.get(&client.http.target.url(&["overview"])).await?.unwrap_or_default();
    let broker_version = client.read("an overview", answers::version(&overview))?;
    let listed = client.list("queues", answers::QUEUE_COLUMNS).await?;
    let mut queues = client.read("a list of queues", answers::queues(&listed))?;
    let stats = client.read("a list of queues", answers::known_stats(&listed))?;
    let bindings = client.list("bindings", "").await?;
    let mut bindings = client.read("a list of bindings", answers::bindings(&bindings))?;
    let exchanges = client.list("exchanges", answers::EXCHANGE_COLUMNS).await?;
    let exchange = client.read("a list of exchanges", answers::exchanges(&exchanges))?.remove(name);
    let mut unread = Vec::new();
    let policies = policies(client, &mut unread).await;
    let orphans = orphans::find(topology, &queues, &stats, &bindings);
    keep_ours(&desired, &mut queues, &mut bindings);
    let default_queue_type = default_queue_type(client, &desired, &queues, &mut unread).await;
    Ok(Observed {
        sight: Sight::Management,
        broker_version,
        exchange: exchange.map(|details| ObservedExchange { details: Some(details), verdict: None }),
        queues: queues
            .into_iter()
            .map(|(name, details)| (name, ObservedQueue { details: Some(details), verdict: None }))
            .collect(),
        bindings: Some(bindings),
        policies,
        default_queue_type,
        orphans,
        unread,
    })
}

/// Leaves the topology's queues, and the bindings from its exchange and into both.
pub(super) fn keep_ours(
    desired: &Desired,
    queues: &mut BTreeMap<String, QueueDetails>,
    bindings: &mut Vec<ObservedBinding>,
) {
    let name = desired.exchange.name.as_str();
    let ours: BTreeSet<_> = desired.all_queues().map(|queue| queue.name.as_str()).collect();
    queues.retain(|queue, _| ours.contains(queue.as_str()));
    bindings.retain(|binding| {
        let into = binding.destination.as_str();
        binding.source == name || if binding.to_queue { ours.contains(into) } else { into == name }
    });
}

/// Both lists, which every user with the management tag may read; `None` when one of them is missing.
async fn policies(client: &ManagementClient, unread: &mut Vec<String>) -> Option<Vec<Policy>> {
    let mut found = Vec::new();
    let mut complete = true;
    let lists = [("policies", Author::User), ("operator-policies", Author::Operator)];
    for (kind, author) in lists {
        let body = client.list(kind, "").await;
        match body.and_then(|body| client.read("a list of policies", answers::policies(&body, author))) {
            Ok(policies) => found.extend(policies),
            Err(error) => {
                complete = false;
                unread.push(format!("{} were not checked: {error}", kind.replace('-', " ")));
            }
        }
    }
    // What one list shows is worth telling even without the other.
    (complete || !found.is_empty()).then_some(found)
}

/// Needs the monitoring tag. Without it nothing is said unless a queue has another type than the file asks
/// for, which a default may explain.
async fn default_queue_type(
    client: &ManagementClient,
    desired: &Desired,
    queues: &BTreeMap<String, QueueDetails>,
    unread: &mut Vec<String>,
) -> Option<String> {
    let url = client.http.target.url(&["vhosts", client.vhost()]);
    let read = |body: Option<String>| match body {
        Some(body) => client.read("a vhost", answers::default_queue_type(&body)),
        None => Ok(None),
    };
    match client.http.get(&url).await.and_then(read) {
        Ok(found) => found,
        Err(error) => {
            let differs = desired.all_queues().any(|wanted| {
                queues.get(&wanted.name).is_some_and(|found| found.kind != wanted.kind.as_str())
            });
            if differs {
                unread.push(format!("the default queue type of the vhost was not checked: {error}"));
            }
            None
        }
    }
}
