//! Time of the runtime: under a paused runtime it is simulated, and waiting costs nothing.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::time::Instant;

use super::chance::Chance;
use crate::ports::clock::Clock;

/// A clock over the runtime's own time.
#[derive(Debug)]
pub struct RuntimeClock {
    start: Instant,
    chance: Arc<Chance>,
}

impl RuntimeClock {
    /// Starts at zero, now.
    #[must_use]
    pub fn new(chance: Arc<Chance>) -> Self {
        let start = Instant::now();
        Self { start, chance }
    }
}

#[async_trait]
impl Clock for RuntimeClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn unix_ms(&self) -> i64 {
        // Any fixed beginning will do.
        1_767_225_600_000 + i64::try_from(self.elapsed().as_millis()).unwrap_or(i64::MAX / 2)
    }

    async fn sleep(&self, duration: Duration) {
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        tokio::time::sleep(duration).await;
    }

    fn random(&self) -> u64 {
        self.chance.next()
    }
}
