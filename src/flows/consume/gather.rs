//! Gathering a batch: what has arrived, in order, and a short wait while more keeps coming.
//!
//! The size of a batch is the largest lever on throughput; its limits are the consumer's.

use std::{collections::VecDeque, time::Duration};

use super::worker::Worker;
use crate::{
    domain::consumer::Linger,
    ports::subscription::{Delivery, Subscription},
};

/// Longest wait for more while messages keep coming.
const LINGER_AUTO: Duration = Duration::from_millis(5);

/// Deliveries taken together.
pub(super) struct Batch {
    pub(super) deliveries: VecDeque<Delivery>,
}

impl Batch {
    /// Takes what has arrived behind `first`, up to the batch limits.
    pub(super) async fn gather(
        worker: &Worker,
        subscription: &mut dyn Subscription,
        first: Delivery,
    ) -> Self {
        let limits = worker.job.consumer.batch;
        let most = usize::try_from(limits.max_messages)
            .unwrap_or(usize::MAX)
            .min(worker.job.consumer.prefetch.into());
        let mut bytes = size(&first);
        let mut deliveries = VecDeque::from([first]);
        let started = worker.job.clock.elapsed();
        while deliveries.len() < most && bytes < limits.max_bytes {
            let next = match subscription.try_next() {
                Some(next) => Some(next),
                None => {
                    // Alone means idle: no reason to keep it waiting.
                    let linger = match limits.linger {
                        Linger::Auto if deliveries.len() == 1 => Duration::ZERO,
                        Linger::Auto => LINGER_AUTO,
                        Linger::For(linger) => linger,
                    };
                    let left = linger.saturating_sub(worker.job.clock.elapsed().saturating_sub(started));
                    if left.is_zero() { None } else { wait(worker, subscription, left).await }
                }
            };
            let Some(next) = next else { break };
            bytes += size(&next);
            deliveries.push_back(next);
        }
        Self { deliveries }
    }
}

async fn wait(worker: &Worker, subscription: &mut dyn Subscription, left: Duration) -> Option<Delivery> {
    tokio::select! {
        biased;
        next = subscription.next() => next,
        () = worker.job.clock.sleep(left) => None,
    }
}

fn size(delivery: &Delivery) -> u64 {
    u64::try_from(delivery.incoming.body.len()).unwrap_or(u64::MAX)
}
