//! What the workers of one run share: the stop, the message budget, the time of the last delivery.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::sync::watch;

use crate::ports::clock::Clock;

/// Shared by all workers of a run.
#[derive(Debug)]
pub(super) struct Shared {
    halt: watch::Sender<bool>,
    max_messages: Option<u64>,
    reserved: AtomicU64,
    done: AtomicU64,
    last_activity_ms: AtomicU64,
    /// Workers with messages in hand.
    busy: AtomicU64,
}

impl Shared {
    pub(super) fn new(max_messages: Option<u64>, now: Duration) -> Self {
        Self {
            halt: watch::Sender::new(false),
            max_messages,
            reserved: AtomicU64::new(0),
            done: AtomicU64::new(0),
            last_activity_ms: AtomicU64::new(millis(now)),
            busy: AtomicU64::new(0),
        }
    }

    /// Asks every worker to finish its batch and stop.
    pub(super) fn halt(&self) {
        self.halt.send_replace(true);
    }

    pub(super) fn halted(&self) -> bool {
        *self.halt.borrow()
    }

    /// Resolves when the workers are asked to stop.
    pub(super) async fn halting(&self) {
        let mut halt = self.halt.subscribe();
        if halt.wait_for(|halt| *halt).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits, unless the workers are asked to stop.
    pub(super) async fn pause(&self, clock: &dyn Clock, pause: Duration) {
        tokio::select! {
            biased;
            () = self.halting() => {}
            () = clock.sleep(pause) => {}
        }
    }

    /// Reserves up to `wanted` messages of the budget; what is not reserved must not be processed.
    pub(super) fn reserve(&self, wanted: u64) -> u64 {
        let Some(max) = self.max_messages else { return wanted };
        let take = |reserved: u64| Some(reserved + max.saturating_sub(reserved).min(wanted));
        match self.reserved.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) {
            Ok(before) | Err(before) => max.saturating_sub(before).min(wanted),
        }
    }

    /// Books what became of a reservation.
    pub(super) fn book(&self, processed: u64, unused: u64) {
        self.done.fetch_add(processed, Ordering::SeqCst);
        if self.max_messages.is_some() {
            self.reserved.fetch_sub(unused, Ordering::SeqCst);
        }
    }

    /// Whether the message budget is processed, not merely reserved.
    pub(super) fn spent(&self) -> bool {
        self.max_messages.is_some_and(|max| self.done.load(Ordering::SeqCst) >= max)
    }

    /// A worker has messages in hand.
    pub(super) fn begin_work(&self) {
        self.busy.fetch_add(1, Ordering::SeqCst);
    }

    /// It has none any more.
    pub(super) fn end_work(&self, now: Duration) {
        self.last_activity_ms.fetch_max(millis(now), Ordering::SeqCst);
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    /// It waits for a message that can't be processed: no work, and no activity either.
    pub(super) fn rest(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    /// How long no worker has had a message to work on.
    pub(super) fn idle_for(&self, now: Duration) -> Duration {
        if self.busy.load(Ordering::SeqCst) > 0 {
            return Duration::ZERO;
        }
        Duration::from_millis(millis(now).saturating_sub(self.last_activity_ms.load(Ordering::SeqCst)))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
