//! The system's clock.
//!
//! The only place that reads the time. Elapsed time runs on through a suspend, so that a confirm read
//! after a night in a closed laptop counts as late.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    time::{Duration, UNIX_EPOCH},
};

use async_trait::async_trait;
use rustix::time::{ClockId, clock_gettime};

use crate::ports::clock::Clock;

#[cfg(any(target_os = "linux", target_os = "android"))]
const ELAPSED: ClockId = ClockId::Boottime;
// Elsewhere the monotonic clock is the nearest; whether it stops in a suspend is the system's choice.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ELAPSED: ClockId = ClockId::Monotonic;

/// Real time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        let time = clock_gettime(ELAPSED);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn unix_ms(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    fn random(&self) -> u64 {
        // Every RandomState is seeded differently; jitter needs no better chance than that.
        RandomState::new().build_hasher().finish()
    }
}
