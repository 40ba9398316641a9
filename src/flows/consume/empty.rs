//! Whether a shard's queue is empty, for `--until-empty`.
//!
//! "Ready is 0" is not empty: messages may be on their way to us, or unacked at another consumer.

use super::worker::Worker;
use crate::ports::{link::LinkError, subscription::Subscription};

/// Looks that must agree when nobody can say what other consumers hold.
const LOOKS: u32 = 20;

/// What was seen so far on one subscription.
#[derive(Debug, Default)]
pub(super) struct Emptiness {
    /// Under single active consumer, a delivery proves that we are the active one: everything unacked is ours.
    active: bool,
    quiet_looks: u32,
}

impl Emptiness {
    pub(super) fn delivered(&mut self) {
        self.active = true;
        self.quiet_looks = 0;
    }

    /// Looks once; called while nothing is in hand.
    pub(super) async fn look(
        &mut self,
        worker: &Worker,
        subscription: &mut dyn Subscription,
    ) -> Result<bool, LinkError> {
        // The answer to the second question is written after every delivery that preceded the first answer.
        if subscription.ready().await? > 0 || subscription.ready().await? > 0 || subscription.has_arrived() {
            self.quiet_looks = 0;
            return Ok(false);
        }
        if self.active {
            return Ok(true);
        }
        self.quiet_looks += 1;
        let held = match &worker.job.stats {
            Some(stats) => stats.stats(std::slice::from_ref(&worker.queue)).await.ok(),
            None => None,
        };
        let unacked =
            held.and_then(|stats| stats.into_iter().next().flatten()).and_then(|stats| stats.unacked);
        Ok(match unacked {
            Some(unacked) => unacked == 0,
            None => self.quiet_looks >= LOOKS,
        })
    }
}
