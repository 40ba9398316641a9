//! The broker seen through the management API, in a handful of requests however many shards there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use async_trait::async_trait;
use rustls::ClientConfig;

use super::{answers, http::Http, steps, target::Target};
use crate::{
    domain::{
        desired::Desired,
        observed::{Observed, ObservedExchange, ObservedQueue, QueueStats, Sight},
        plan::Step,
        secret::Secret,
        topology::Topology,
    },
    ports::{
        link::{LinkError, LinkKind},
        topology::TopologyBroker,
    },
};

/// A client for one vhost.
#[derive(Debug)]
pub struct ManagementClient {
    http: Http,
}

impl ManagementClient {
    /// For the vhost of the broker's AMQP URL. `management` as in topology.yaml; what it leaves out comes
    /// from `broker`. `tls` is used for https.
    ///
    /// # Errors
    /// A URL that can't be read, or https without `tls`.
    pub fn new(
        broker: &Secret,
        management: Option<&Secret>,
        tls: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, LinkError> {
        Ok(Self { http: Http::new(Target::new(broker, management)?, tls)? })
    }

    /// The address, without login.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.http.target.base()
    }

    fn vhost(&self) -> &str {
        self.http.target.vhost()
    }

    /// A list that every vhost has; its absence means that the vhost is missing.
    async fn list(&self, kind: &str, columns: &str) -> Result<String, LinkError> {
        let mut url = self.http.target.url(&[kind, self.vhost()]);
        if !columns.is_empty() {
            url = format!("{url}?columns={columns}");
        }
        let body = self.http.get(&url).await?;
        body.ok_or_else(|| {
            let text =
                format!("vhost {:?} is missing or closed to this user at {}", self.vhost(), self.shown());
            LinkError::new(LinkKind::VhostMissing, text)
        })
    }

    fn read<T>(&self, what: &str, result: Result<T, serde_json::Error>) -> Result<T, LinkError> {
        result.map_err(|e| {
            let text = format!("{} gave something else than {what}: is it a management API?", self.shown());
            LinkError::because(LinkKind::Protocol, text, e)
        })
    }
}

#[async_trait]
impl TopologyBroker for ManagementClient {
    async fn reach(&self) -> Result<(), LinkError> {
        self.http.get(&self.http.target.url(&["overview"])).await.map(|_| ())
    }

    async fn observe(&self, topology: &Topology) -> Result<Observed, LinkError> {
        let desired = Desired::of(topology);
        let name = desired.exchange.name.as_str();
        let overview = self.http.get(&self.http.target.url(&["overview"])).await?.unwrap_or_default();
        let broker_version = self.read("an overview", answers::version(&overview))?;
        let queues = self.list("queues", answers::QUEUE_COLUMNS).await?;
        let mut queues = self.read("a list of queues", answers::queues(&queues))?;
        let bindings = self.list("bindings", "").await?;
        let mut bindings = self.read("a list of bindings", answers::bindings(&bindings))?;
        let exchange_url = self.http.target.url(&["exchanges", self.vhost(), name]);
        let exchange = match self.http.get(&exchange_url).await? {
            Some(body) => Some(self.read("an exchange", answers::exchange(&body))?),
            None => None,
        };
        let ours: BTreeSet<_> = desired.all_queues().map(|queue| queue.name.as_str()).collect();
        queues.retain(|queue, _| ours.contains(queue.as_str()));
        bindings.retain(|b| b.source == name || b.to_queue && ours.contains(b.destination.as_str()));
        Ok(Observed {
            sight: Sight::Management,
            broker_version,
            exchange: exchange.map(|details| ObservedExchange { details: Some(details), verdict: None }),
            queues: queues
                .into_iter()
                .map(|(name, details)| (name, ObservedQueue { details: Some(details), verdict: None }))
                .collect(),
            bindings: Some(bindings),
            policies: None,
            default_queue_type: None,
            orphans: BTreeMap::new(),
        })
    }

    async fn execute(&self, step: &Step) -> Result<(), LinkError> {
        steps::execute(&self.http, step).await
    }

    async fn stats(&self, queues: &[String]) -> Result<Vec<Option<QueueStats>>, LinkError> {
        let body = self.list("queues", answers::STATS_COLUMNS).await?;
        let mut found = self.read("a list of queues", answers::stats(&body))?;
        // Users without the monitoring tag see their own consumers only.
        let body = self.list("consumers", "").await?;
        let mut tags = self.read("a list of consumers", answers::active_tags(&body))?;
        Ok(queues
            .iter()
            .map(|queue| {
                let mut stats = found.remove(queue)?;
                stats.active_tag = tags.remove(queue).or(stats.active_tag);
                Some(stats)
            })
            .collect())
    }
}
