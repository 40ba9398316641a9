//! The broker seen through the management API, in a handful of requests however many shards there are.

use std::sync::Arc;

use async_trait::async_trait;
use rustls::ClientConfig;

use super::{answers, http::Http, look, steps, target::Target};
use crate::{
    domain::{
        observed::{Observed, QueueStats},
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
    pub(super) http: Http,
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

    pub(super) fn vhost(&self) -> &str {
        self.http.target.vhost()
    }

    /// A list that every vhost has; its absence means that the vhost is missing.
    pub(super) async fn list(&self, kind: &str, columns: &str) -> Result<String, LinkError> {
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

    pub(super) fn read<T>(&self, what: &str, result: Result<T, serde_json::Error>) -> Result<T, LinkError> {
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
        look::observe(self, topology).await
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
