//! One shard: subscribe, serve, close, and again.
//!
//! Every way out of a subscription goes through its awaited close; nothing here returns past it.
//!
//! Invariants: one-owner, drain-loses-nothing.

use std::{sync::Arc, time::Duration};

use super::{
    Error, Job,
    empty::Emptiness,
    gather::Batch,
    shared::Shared,
    tell::{self, chain},
};
use crate::{
    domain::{
        message::ShardId,
        report::ConsumeCounts,
        retry::{backoff, jitter},
    },
    ports::{
        link::{LinkError, LinkKind},
        observer::Level,
        store::{Epoch, Session},
        subscription::Subscription,
    },
};

/// Pause before the second subscription; each close counts one delivery for every unacked message, so
/// resubscribing is never done in a tight loop.
const AGAIN_MIN: Duration = Duration::from_millis(200);
/// Longest pause.
const AGAIN_MAX: Duration = Duration::from_secs(10);
/// Shortest pause after everything was given back because the head can't be processed.
const REST_MIN: Duration = Duration::from_secs(60);
/// Longest such pause.
const REST_MAX: Duration = Duration::from_secs(60 * 60);
/// A subscription that served this long resets the pause.
const HEALTHY: Duration = Duration::from_secs(30);
/// How often an idle worker looks around.
const LOOK: Duration = Duration::from_millis(50);
/// Refusals in a row before a refusal on reconnect is believed: a starting broker refuses for a moment.
const REFUSALS_MAX: u32 = 5;

/// Why serving a subscription ended.
pub(super) enum Serve {
    /// Asked to stop, or a limit is reached.
    Stop,
    /// The queue is empty and that was the wish.
    Empty,
    /// The message budget is reserved by other shards.
    Budget,
    /// The channel ended.
    Lost(LinkError),
    /// A newer owner has the shard.
    Fenced,
    /// The oldest delivery is held for too long: give everything back in order and take it again.
    Rest,
    /// Going on is pointless.
    Failed(Error),
}

/// What a worker leaves behind.
pub(super) struct End {
    pub(super) counts: ConsumeCounts,
    pub(super) blocked: Option<String>,
    pub(super) result: Result<(), Error>,
}

/// The worker of one shard.
pub(super) struct Worker {
    pub(super) job: Arc<Job>,
    pub(super) shared: Arc<Shared>,
    pub(super) id: ShardId,
    pub(super) queue: String,
    pub(super) counts: ConsumeCounts,
    pub(super) session: Option<Box<dyn Session>>,
    pub(super) epoch: Option<Epoch>,
    /// Whether the store was reached before: a wrong address is an error, a lost server is waited for.
    pub(super) store_seen: bool,
    /// The message that the shard waits for, with the reason.
    pub(super) stuck: Option<(String, String)>,
    /// Times in a row that everything was given back because the head can't be processed.
    pub(super) rests: u32,
    /// Whether a careless producer was pointed out.
    pub(super) pointed_out: bool,
    /// Transactions in a row that the store asked to run again, and when trouble with it was last said.
    pub(super) again: (u32, Option<Duration>),
    subscriptions: u64,
}

impl Worker {
    pub(super) fn new(job: Arc<Job>, shared: Arc<Shared>, shard: u32, queue: String) -> Self {
        let id = ShardId {
            consumer: job.consumer.name.as_str().to_owned(),
            generation: job.map.generation(),
            shard,
        };
        let counts = ConsumeCounts::default();
        Self {
            job,
            shared,
            id,
            queue,
            counts,
            session: None,
            epoch: None,
            store_seen: false,
            stuck: None,
            rests: 0,
            pointed_out: false,
            again: (0, None),
            subscriptions: 0,
        }
    }

    pub(super) async fn run(mut self) -> End {
        let mut failures = 0;
        let result = loop {
            if self.shared.halted() {
                break Ok(());
            }
            let since = self.job.clock.elapsed();
            match self.once().await {
                Serve::Stop | Serve::Empty => break Ok(()),
                Serve::Failed(error) => break Err(error),
                Serve::Lost(error) if !self.may_retry(&error, failures) => {
                    break Err(Error::Broker { queue: self.queue.clone(), source: error });
                }
                Serve::Lost(error) => {
                    self.notice(Level::Warn, &format!("{}, subscribing again", chain(&error)))
                }
                Serve::Fenced => self.notice(Level::Warn, "fenced: a newer owner has the shard, standing by"),
                Serve::Budget if self.shared.spent() => break Ok(()),
                Serve::Budget => {}
                Serve::Rest => {
                    self.notice(Level::Warn, "held deliveries for long, returning them in order");
                    // Each round counts one delivery against the queue's delivery limit: ever longer pauses keep
                    // a shard that waits for an operator below it for months (T38).
                    let rest = backoff(self.rests, REST_MIN, REST_MAX);
                    self.rests += 1;
                    self.pause(rest).await;
                }
            }
            if self.job.clock.elapsed().saturating_sub(since) > HEALTHY {
                failures = 0;
            }
            failures += 1;
            let pause = jitter(backoff(failures, AGAIN_MIN, AGAIN_MAX), self.job.clock.random());
            self.pause(pause).await;
        };
        tell::done(&self);
        End { counts: self.counts, blocked: self.stuck.map(|(_, reason)| reason), result }
    }

    /// The first connection fails at once, so that a wrong address is said and not waited for.
    fn may_retry(&self, error: &LinkError, failures: u32) -> bool {
        if self.subscriptions == 0 {
            return false;
        }
        match error.kind {
            LinkKind::QueueMissing | LinkKind::Precondition => false,
            kind => kind.is_retryable() || failures < REFUSALS_MAX,
        }
    }

    async fn once(&mut self) -> Serve {
        if let Err(error) = self.ready_store().await {
            return error;
        }
        let tag = format!("topo-{}-{}-{}", self.job.owner, self.id.shard, self.subscriptions);
        let prefetch = self.job.consumer.prefetch;
        let mut subscription = tokio::select! {
            biased;
            // A subscription that is being opened ends with the connection, which a stop closes.
            () = self.shared.halting() => return Serve::Stop,
            subscribed = self.job.broker.subscribe(&self.queue, &tag, prefetch) => match subscribed {
                Ok(subscription) => subscription,
                Err(error) => return Serve::Lost(error),
            },
        };
        if self.subscriptions > 0 {
            self.counts.reconnects += 1;
        }
        self.subscriptions += 1;
        self.epoch = None;
        let end = self.serve(subscription.as_mut()).await;
        // Only after the close are the unacked messages back in order, and only then may a successor run.
        if let Err(error) = subscription.close().await
            && !matches!(end, Serve::Lost(_))
        {
            tracing::debug!("closing the channel of {}: {}", self.queue, chain(&error));
        }
        end
    }

    async fn serve(&mut self, subscription: &mut dyn Subscription) -> Serve {
        let mut emptiness = Emptiness::default();
        loop {
            if self.shared.halted() {
                return Serve::Stop;
            }
            if let Some(error) = subscription.ended() {
                return Serve::Lost(error);
            }
            let first = tokio::select! {
                biased;
                () = self.shared.halting() => return Serve::Stop,
                delivery = subscription.next() => match delivery {
                    Some(delivery) => Some(delivery),
                    None => continue,
                },
                () = self.job.clock.sleep(LOOK), if self.job.limits.until_empty => None,
                () = self.job.clock.sleep(AGAIN_MAX), if !self.job.limits.until_empty => None,
            };
            match first {
                Some(first) => {
                    emptiness.delivered();
                    let batch = Batch::gather(self, subscription, first).await;
                    if let Err(end) = self.process(subscription, batch).await {
                        return end;
                    }
                }
                None if self.job.limits.until_empty => {
                    let looked = tokio::select! {
                        biased;
                        () = self.shared.halting() => return Serve::Stop,
                        looked = emptiness.look(&self.job, &self.queue, subscription) => looked,
                    };
                    match looked {
                        Ok(true) => return Serve::Empty,
                        Ok(false) => {}
                        Err(error) => return Serve::Lost(error),
                    }
                }
                None => {}
            }
        }
    }

    pub(super) fn notice(&self, level: Level, text: &str) {
        self.job.observer.notice(level, Some(&self.id), text);
    }

    /// Waits, unless the workers are asked to stop.
    pub(super) async fn pause(&self, pause: Duration) {
        self.shared.pause(self.job.clock.as_ref(), pause).await;
    }
}
