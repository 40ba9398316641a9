//! Time, so that flows can be run under simulated time.

use std::time::Duration;

use async_trait::async_trait;

/// A source of time.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Time since some fixed point in this boot, running on through a suspend (Linux `CLOCK_BOOTTIME`):
    /// a confirm read after a long sleep must count as late.
    fn elapsed(&self) -> Duration;

    /// Milliseconds since the Unix epoch.
    fn unix_ms(&self) -> i64;

    /// Waits. Dropped: stops waiting.
    async fn sleep(&self, duration: Duration);

    /// A number for jitter; needs no quality.
    fn random(&self) -> u64;
}
