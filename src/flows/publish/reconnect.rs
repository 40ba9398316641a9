//! Another connection after one was lost: with backoff, jitter and an end.

use std::time::Duration;

use super::{Error, Job, run::Publisher, tell};
use crate::{
    domain::retry::{backoff, jitter},
    ports::{link::LinkError, observer::Level},
};

/// Pause before the first attempt.
const RECONNECT_MIN: Duration = Duration::from_millis(100);
/// Longest pause between attempts.
const RECONNECT_MAX: Duration = Duration::from_secs(5);
/// A connection that lived this long starts the pauses anew.
const HEALTHY: Duration = Duration::from_secs(30);
/// Attempts that may be refused in a row before the refusal is believed.
const REFUSALS_MAX: u32 = 5;

impl Publisher {
    /// Opens another connection. `Err(None)`: stopped meanwhile.
    pub(super) async fn reconnect(
        &mut self,
        job: &mut Job<'_>,
        first: LinkError,
    ) -> Result<(), Option<Error>> {
        if !first.kind.is_retryable() {
            return Err(Some(Error::Refused(first)));
        }
        job.observer.notice(Level::Warn, None, &format!("{}, connecting again", tell::chain(&first)));
        let since = job.clock.elapsed();
        let mut last = first;
        if since.saturating_sub(self.connected_at) > HEALTHY {
            self.attempts = 0;
        }
        // The old connection goes first: its place may be the only one that the broker allows.
        if let Some(old) = self.link.take() {
            old.close(false).await;
        }
        let mut refusals = 0;
        loop {
            self.attempts += 1;
            if job.clock.elapsed().saturating_sub(since) >= job.settings.give_up_after {
                return Err(Some(Error::GaveUp(last)));
            }
            let pause = jitter(backoff(self.attempts, RECONNECT_MIN, RECONNECT_MAX), job.clock.random());
            tokio::select! {
                biased;
                () = tell::stopped(&mut job.stop) => return Err(None),
                () = job.clock.sleep(pause) => {}
            }
            let opened = tokio::select! {
                biased;
                () = tell::stopped(&mut job.stop) => return Err(None),
                opened = job.broker.open(job.map.count()) => opened,
            };
            match opened {
                Ok(link) => {
                    self.link = Some(link);
                    self.blocked = false;
                    self.connected_at = job.clock.elapsed();
                    self.books.report.reconnects += 1;
                    job.observer.notice(Level::Info, None, "connected again");
                    return Ok(());
                }
                Err(error) if error.kind.is_retryable() => last = error,
                // A broker that is starting refuses logins for a moment; a real refusal stays one.
                Err(error) if refusals < REFUSALS_MAX => {
                    refusals += 1;
                    last = error;
                }
                Err(error) => return Err(Some(Error::Refused(error))),
            }
        }
    }
}
