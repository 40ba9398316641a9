//! One batch: gathered in arrival order, admitted, transacted, acknowledged.
//!
//! A failure inside a batch rolls all of it back; the messages before the failing one are done again as
//! their own batch, the failing one alone with its retry budget, then the rest. Good messages never pay
//! for a bad neighbour, and nobody passes anybody.
//!
//! Invariants: per-key-order, ack-after-commit.

use std::{collections::VecDeque, time::Duration};

use super::{
    tell,
    transact::Trouble,
    worker::{Serve, Worker},
};
use crate::{
    domain::{
        consumer::Linger,
        message::{Message, Refusal, admit},
        retry::Next,
    },
    ports::{
        observer::Status,
        subscription::{Delivery, Subscription},
    },
};

/// Longest wait for more while messages keep coming.
const LINGER_AUTO: Duration = Duration::from_millis(5);
/// How often a waiting shard says so, and tries again.
const SAY_EVERY: Duration = Duration::from_secs(10);
/// Half of the broker's default consumer timeout: nothing is held unacked for longer (T51).
const HOLD_MAX: Duration = Duration::from_secs(15 * 60);

/// Deliveries taken together.
pub(super) struct Batch {
    deliveries: VecDeque<Delivery>,
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

/// What stands at the head and can't be processed.
struct Stuck {
    status: Status,
    reason: String,
    said_at: Option<Duration>,
}

impl Worker {
    /// Processes a batch to its end. `Err`: why serving ends; what is not acked by then comes back.
    pub(super) async fn process(
        &mut self,
        subscription: &mut dyn Subscription,
        batch: Batch,
    ) -> Result<(), Serve> {
        let mut deliveries = batch.deliveries;
        self.shared.active(self.job.clock.elapsed());
        let wanted = u64::try_from(deliveries.len()).unwrap_or(u64::MAX);
        let reserved = self.shared.reserve(wanted);
        // Beyond the budget: left unacked, returned by the close.
        deliveries.truncate(usize::try_from(reserved).unwrap_or(usize::MAX));
        self.counts.received += reserved;
        self.counts.redelivered += deliveries.iter().filter(|d| d.incoming.redelivered).fold(0, |n, _| n + 1);
        let result = self.work_off(subscription, &mut deliveries).await;
        let unused = u64::try_from(deliveries.len()).unwrap_or(0);
        self.shared.book(reserved - unused.min(reserved), unused);
        result?;
        if reserved < wanted { Err(Serve::Stop) } else { Ok(()) }
    }

    async fn work_off(
        &mut self,
        subscription: &mut dyn Subscription,
        deliveries: &mut VecDeque<Delivery>,
    ) -> Result<(), Serve> {
        let held_since = deliveries.front().map_or(Duration::ZERO, |d| d.received_at);
        let (mut messages, refusal) = self.admit_all(deliveries);
        let mut limit = messages.len();
        let mut failures = 0;
        // Whether the message behind the current part has failed once already.
        let mut ahead = false;
        let mut stuck: Option<Stuck> = None;
        while !messages.is_empty() {
            self.may_go_on(subscription, held_since)?;
            let part: Vec<Message> = messages.iter().take(limit.max(1)).cloned().collect();
            match self.transact(&part, failures + 1).await {
                Ok(proof) => {
                    let last = deliveries.get(part.len() - 1).map_or(0, |d| d.tag);
                    deliveries.drain(..part.len());
                    messages.drain(..part.len());
                    subscription.ack_through(last, &proof).await.map_err(Serve::Lost)?;
                    self.shared.active(self.job.clock.elapsed());
                    (limit, failures, stuck) = if ahead { (1, 1, None) } else { (messages.len(), 0, None) };
                    ahead = false;
                }
                Err(Trouble::Message { index, status, .. }) if index > 0 => {
                    self.counts.retried += u64::from(status == Status::Retrying);
                    (limit, ahead) = (index, true);
                }
                Err(Trouble::Message { status, reason, .. }) => {
                    // The first of a batch fails: it goes on alone.
                    limit = 1;
                    failures += 1;
                    let Some(head) = part.first() else { continue };
                    match self.job.consumer.retry.after(failures) {
                        Next::RetryAfter(pause) if status == Status::Retrying => {
                            self.counts.retried += 1;
                            tell::failing(self, head, failures, &reason);
                            self.pause(pause).await;
                        }
                        Next::RetryAfter(_) | Next::GiveUp => {
                            if stuck.is_none() && status == Status::Conflict {
                                self.counts.conflicts += 1;
                            }
                            let stuck =
                                stuck.get_or_insert(Stuck { status, reason: String::new(), said_at: None });
                            stuck.reason = reason;
                            self.stay(stuck, &head.message_id, head.key.as_str(), failures).await?;
                        }
                    }
                }
                Err(Trouble::Pause(pause)) => self.pause(pause).await,
                Err(Trouble::End(end)) => return Err(end),
            }
        }
        match refusal {
            Some(refusal) => self.stay_refused(subscription, deliveries, &refusal, held_since).await,
            None => Ok(()),
        }
    }

    /// Admits from the front until the first delivery that does not belong here.
    fn admit_all(&self, deliveries: &VecDeque<Delivery>) -> (VecDeque<Message>, Option<Refusal>) {
        let mut messages = VecDeque::with_capacity(deliveries.len());
        for delivery in deliveries {
            let in_body = |incoming: &crate::domain::envelope::Incoming| self.job.fields.key(&incoming.body);
            match admit(&delivery.incoming, self.id.shard, &self.job.map, in_body) {
                Ok(message) => {
                    tell::received(self, &message);
                    messages.push_back(message);
                }
                Err(refusal) => return (messages, Some(refusal)),
            }
        }
        (messages, None)
    }

    fn may_go_on(&self, subscription: &dyn Subscription, held_since: Duration) -> Result<(), Serve> {
        if self.shared.halted() {
            return Err(Serve::Stop);
        }
        // Deliveries of an ended subscription may be somebody else's by now (T50, T77).
        if let Some(error) = subscription.ended() {
            return Err(Serve::Lost(error));
        }
        if self.job.clock.elapsed().saturating_sub(held_since) > HOLD_MAX {
            return Err(Serve::Rest);
        }
        Ok(())
    }

    /// The head is no message for this shard: nothing can be done but wait and say so.
    async fn stay_refused(
        &mut self,
        subscription: &mut dyn Subscription,
        deliveries: &VecDeque<Delivery>,
        refusal: &Refusal,
        held_since: Duration,
    ) -> Result<(), Serve> {
        let status = match refusal {
            Refusal::Misrouted { .. } => Status::Misrouted,
            Refusal::NoId | Refusal::Key(_) => Status::Blocked,
        };
        self.counts.misrouted += u64::from(status == Status::Misrouted);
        let id = deliveries.front().and_then(|d| d.incoming.message_id.clone()).unwrap_or_default();
        let mut stuck = Stuck { status, reason: refusal.to_string(), said_at: None };
        loop {
            self.may_go_on(subscription, held_since)?;
            self.stay(&mut stuck, &id, "", 1).await?;
        }
    }

    /// The shard waits for its head, said loudly; with `--until-empty` it ends instead.
    async fn stay(&self, stuck: &mut Stuck, message_id: &str, key: &str, failures: u32) -> Result<(), Serve> {
        let now = self.job.clock.elapsed();
        if stuck.said_at.is_none_or(|said| now.saturating_sub(said) >= SAY_EVERY) {
            stuck.said_at = Some(now);
            tell::blocked(self, stuck.status, message_id, key, failures, &stuck.reason);
        }
        if self.job.limits.until_empty {
            return Err(Serve::Blocked(format!("message {message_id:?} of key {key:?}: {}", stuck.reason)));
        }
        self.pause(SAY_EVERY).await;
        Ok(())
    }
}
