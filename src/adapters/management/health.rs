//! How the broker is: versions, nodes, alarms, flags, limits, and what the user may do.
//!
//! Every part that a user without the needed tag may not see says which tag that is (T63).

use async_trait::async_trait;
use reqwest::StatusCode;

use super::{ManagementClient, answers::health as answers};
use crate::{
    domain::{
        desired::Desired,
        doctor::facts::{BrokerFacts, Seen},
        topology::Topology,
    },
    ports::{
        health::BrokerHealth,
        link::{LinkError, LinkKind},
    },
};

#[async_trait]
impl BrokerHealth for ManagementClient {
    async fn facts(&self, topology: &Topology) -> Result<BrokerFacts, LinkError> {
        let overview = self.http.ask(&self.url(&["overview"])).await?;
        let clock_seconds = overview.date.as_deref().and_then(answers::date);
        let overview = self.http.judge(overview)?.unwrap_or_default();
        let version = self.read("an overview", super::answers::version(&overview))?;
        let whoami = self.http.get(&self.url(&["whoami"])).await?.unwrap_or_default();
        let user = self.read("a user", answers::user(&whoami))?;
        let placements = self.list("queues", answers::PLACEMENT_COLUMNS).await?;
        let mut queues = self.read("a list of queues", answers::placements(&placements))?;
        let queue_count = u64::try_from(queues.len()).unwrap_or(u64::MAX);
        let ours = Desired::of(topology);
        queues.retain(|name, _| ours.all_queues().any(|queue| queue.name == *name));
        let monitoring = "nodes are shown to users with the tag monitoring";
        let administrator = "feature flags are shown to administrators on 3.x, to everybody since 4.0";
        let vhost = self.vhost();
        let permissions = format!(
            "permissions of {} are shown to administrators; `topo permissions` prints what is needed",
            user.name
        );
        Ok(BrokerFacts {
            version,
            clock_seconds,
            nodes: self.part(&["nodes"], monitoring, answers::nodes).await?,
            alarms: self.alarms().await?,
            disabled_flags: self.part(&["feature-flags"], administrator, answers::disabled_flags).await?,
            queues,
            queue_count,
            max_queues: self
                .part(&["vhost-limits", vhost], "limits are shown to users of the vhost", answers::max_queues)
                .await?,
            permissions: self
                .part(&["users", &user.name, "permissions"], &permissions, |body| {
                    answers::permissions(body, vhost)
                })
                .await?,
            user,
        })
    }
}

impl ManagementClient {
    fn url(&self, segments: &[&str]) -> String {
        self.http.target.url(segments)
    }

    /// A resource that not everybody may see; `needs` says who may.
    async fn part<T>(
        &self,
        segments: &[&str],
        needs: &str,
        read: impl FnOnce(&str) -> Result<T, serde_json::Error>,
    ) -> Result<Seen<T>, LinkError> {
        match self.http.get(&self.url(segments)).await {
            Ok(Some(body)) => self.read("an answer", read(&body)).map(Ok),
            Ok(None) => Ok(Err(format!("this version has no /{}", segments.join("/")))),
            Err(error) if error.kind == LinkKind::Refused => Ok(Err(needs.to_owned())),
            Err(error) if error.kind == LinkKind::Protocol => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// The check answers with 503 while an alarm is in force.
    async fn alarms(&self) -> Result<Seen<Vec<String>>, LinkError> {
        let answer = self.http.ask(&self.url(&["health", "checks", "alarms"])).await?;
        if matches!(answer.status, StatusCode::OK | StatusCode::SERVICE_UNAVAILABLE) {
            return self.read("a health check", answers::alarms(&answer.body)).map(Ok);
        }
        Ok(match self.http.judge(answer) {
            Ok(_) => Err("this version has no health checks".to_owned()),
            Err(error) => Err(error.to_string()),
        })
    }
}
