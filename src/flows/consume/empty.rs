//! Whether a shard's queue is empty, for `--until-empty`.
//!
//! "Ready is 0" is not empty: messages may be on their way to us, or unacked at another consumer.

use std::time::Duration;

use super::Job;
use crate::{
    domain::observed::QueueStats,
    ports::{
        link::{LinkError, LinkKind},
        subscription::Subscription,
    },
};

/// How long a queue must look empty before a consumer that never got a delivery believes it: another one
/// may hold messages, and the broker's figures are up to 5 s old.
const STANDBY: Duration = Duration::from_secs(6);
/// How often the management API is asked.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// What was seen so far on one subscription.
#[derive(Debug, Default)]
pub(super) struct Emptiness {
    /// Under single active consumer, a delivery proves that we are the active one: everything unacked is ours.
    active: bool,
    quiet_since: Option<Duration>,
    asked_at: Option<Duration>,
}

impl Emptiness {
    pub(super) fn delivered(&mut self) {
        *self = Self { active: true, ..Self::default() };
    }

    /// Looks once; called while nothing is in hand.
    pub(super) async fn look(
        &mut self,
        job: &Job,
        queue: &str,
        subscription: &mut dyn Subscription,
    ) -> Result<bool, LinkError> {
        // The answer to the second question is written after every delivery that preceded the first answer.
        let ready = match subscription.ready().await {
            Ok(0) => subscription.ready().await?,
            Err(error) if error.kind == LinkKind::Refused => {
                return self.look_at_statistics(job, queue, subscription, error).await;
            }
            counted => counted?,
        };
        if ready > 0 || subscription.has_arrived() {
            self.quiet_since = None;
            return Ok(false);
        }
        let now = job.clock.elapsed();
        let Some(since) = self.quiet_since else {
            self.quiet_since = Some(now);
            return Ok(false);
        };
        if self.active {
            return Ok(true);
        }
        if self.asked_at.is_none_or(|asked| now.saturating_sub(asked) >= ASK_EVERY) {
            self.asked_at = Some(now);
            if unacked(job, queue).await.is_some_and(|unacked| unacked > 0) || subscription.has_arrived() {
                self.quiet_since = None;
                return Ok(false);
            }
        }
        Ok(job.clock.elapsed().saturating_sub(since) >= STANDBY && !subscription.has_arrived())
    }

    /// The same for a user who may not count (T63). Whatever is ready is delivered to the active consumer, so
    /// the late figures matter for standbys and for what others hold.
    async fn look_at_statistics(
        &mut self,
        job: &Job,
        queue: &str,
        subscription: &mut dyn Subscription,
        refusal: LinkError,
    ) -> Result<bool, LinkError> {
        let now = job.clock.elapsed();
        let since = *self.quiet_since.get_or_insert(now);
        if self.asked_at.is_none_or(|asked| now.saturating_sub(asked) >= ASK_EVERY) {
            self.asked_at = Some(now);
            let Some(stats) = stats(job, queue).await else { return Err(refusal) };
            if stats.ready > 0 || stats.unacked.is_some_and(|unacked| unacked > 0) {
                self.quiet_since = None;
            }
        }
        if subscription.has_arrived() {
            self.quiet_since = None;
        }
        Ok(self.quiet_since.is_some() && job.clock.elapsed().saturating_sub(since) >= STANDBY)
    }
}

/// Messages that any consumer holds, as far as the management API can tell.
async fn unacked(job: &Job, queue: &str) -> Option<u64> {
    stats(job, queue).await?.unacked
}

async fn stats(job: &Job, queue: &str) -> Option<QueueStats> {
    let stats = job.stats.as_ref()?.stats(&[queue.to_owned()]).await.ok()?;
    stats.into_iter().next().flatten()
}
