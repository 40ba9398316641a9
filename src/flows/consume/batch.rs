//! One batch: admitted, transacted, acknowledged, in arrival order.
//!
//! A failure inside a batch rolls all of it back; the messages before the failing one are done again as
//! their own batch, the failing one alone with its retry budget, then the rest. Good messages never pay
//! for a bad neighbour, and nobody passes anybody.
//!
//! Invariants: per-key-order, ack-after-commit.

use std::{collections::VecDeque, time::Duration};

use super::{
    gather::Batch,
    tell,
    transact::Trouble,
    worker::{Serve, Worker},
};
use crate::{
    domain::{
        envelope::Incoming,
        key::{KeyError, KeyRule},
        message::{Message, Refusal, admit, key_from_header},
        retry::Next,
    },
    ports::{
        observer::{Level, Status},
        subscription::{Delivery, Subscription},
    },
};

/// How often a waiting shard says so, and tries again.
const SAY_EVERY: Duration = Duration::from_secs(10);
/// Half of the broker's default consumer timeout: nothing is held unacked for longer (T51).
const HOLD_MAX: Duration = Duration::from_secs(15 * 60);

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
        let wanted = u64::try_from(deliveries.len()).unwrap_or(u64::MAX);
        let reserved = self.shared.reserve(wanted);
        // Beyond the budget: left unacked, returned by the close.
        deliveries.truncate(usize::try_from(reserved).unwrap_or(usize::MAX));
        self.counts.received += reserved;
        self.counts.redelivered += deliveries.iter().filter(|d| d.incoming.redelivered).fold(0, |n, _| n + 1);
        self.shared.begin_work();
        let result = self.work_off(subscription, &mut deliveries).await;
        self.shared.end_work(self.job.clock.elapsed());
        let unused = u64::try_from(deliveries.len()).unwrap_or(0);
        self.shared.book(reserved - unused.min(reserved), unused);
        result?;
        // Others have reserved the rest of the budget; should they give it back, this shard goes on.
        if reserved < wanted { Err(Serve::Budget) } else { Ok(()) }
    }

    async fn work_off(
        &mut self,
        subscription: &mut dyn Subscription,
        deliveries: &mut VecDeque<Delivery>,
    ) -> Result<(), Serve> {
        let held_since = deliveries.front().map_or(Duration::ZERO, |d| d.received_at);
        self.point_out(deliveries);
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
                    self.stuck = None;
                    self.rests = 0;
                    (limit, failures, stuck) = if ahead { (1, 1, None) } else { (messages.len(), 0, None) };
                    ahead = false;
                }
                Err(Trouble::Message { index, status, .. }) if index > 0 => {
                    self.counts.retried += u64::from(status == Status::Retrying);
                    (limit, ahead) = (index, true);
                }
                Err(Trouble::Message { status, reason, .. }) => {
                    // The first of a batch fails: it goes on alone.
                    (limit, ahead) = (1, false);
                    failures += 1;
                    let Some(head) = part.first() else { continue };
                    match self.job.consumer.retry.after(failures) {
                        Next::RetryAfter(pause) if status == Status::Retrying => {
                            self.counts.retried += 1;
                            tell::failing(self, head, failures, &reason);
                            self.pause(pause).await;
                        }
                        Next::RetryAfter(_) | Next::GiveUp => {
                            if status == Status::Conflict && self.is_news(&head.message_id) {
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
            let in_body = |incoming: &Incoming| match &self.job.key {
                KeyRule::Pointer(_) => self.job.fields.key(&incoming.body),
                KeyRule::Header(name) => {
                    incoming.headers.get(name).ok_or(KeyError::Missing).and_then(key_from_header)
                }
            };
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

    /// Says once that a producer sets what reorders or loses messages; ours never does (T18, T25).
    fn point_out(&mut self, deliveries: &VecDeque<Delivery>) {
        let reorders = |i: &Incoming| i.priority.is_some_and(|p| p > 0);
        let vanishes = |i: &Incoming| i.delivery_mode != Some(2);
        let careless = |d: &&Delivery| reorders(&d.incoming) || vanishes(&d.incoming);
        if let Some(found) = deliveries.iter().find(careless).filter(|_| !self.pointed_out) {
            self.pointed_out = true;
            let what = if reorders(&found.incoming) {
                "a priority, which reorders on quorum queues from RabbitMQ 4.0 on"
            } else {
                "no persistent delivery mode, so that a classic queue loses them at a restart"
            };
            self.notice(Level::Warn, &format!("a producer sends messages with {what}"));
        }
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
        let id = deliveries.front().and_then(|d| d.incoming.message_id.clone()).unwrap_or_default();
        if status == Status::Misrouted && self.is_news(&id) {
            self.counts.misrouted += 1;
        }
        let mut stuck = Stuck { status, reason: refusal.to_string(), said_at: None };
        loop {
            self.may_go_on(subscription, held_since)?;
            self.stay(&mut stuck, &id, "", 1).await?;
        }
    }

    /// Whether this message was not the one that the shard was stuck at before, so that it counts once.
    fn is_news(&mut self, message_id: &str) -> bool {
        let news = self.stuck.as_ref().is_none_or(|(id, _)| id != message_id);
        if news {
            self.stuck = Some((message_id.to_owned(), String::new()));
        }
        news
    }

    /// The shard waits for its head, said loudly; with `--until-empty` it ends instead.
    async fn stay(
        &mut self,
        stuck: &mut Stuck,
        message_id: &str,
        key: &str,
        failures: u32,
    ) -> Result<(), Serve> {
        let now = self.job.clock.elapsed();
        if stuck.said_at.is_none_or(|said| now.saturating_sub(said) >= SAY_EVERY) {
            stuck.said_at = Some(now);
            tell::blocked(self, stuck.status, message_id, key, failures, &stuck.reason);
        }
        let of = if key.is_empty() { String::new() } else { format!(" of key {key:?}") };
        let reason = format!("message {message_id:?}{of}: {}", stuck.reason);
        self.stuck = Some((message_id.to_owned(), reason));
        if self.job.limits.until_empty {
            return Err(Serve::Stop);
        }
        // Waiting for somebody to mend something is no work: an idle time-out may end it.
        self.shared.rest();
        self.pause(SAY_EVERY).await;
        self.shared.begin_work();
        Ok(())
    }
}
