//! In-place retry: how often, and after which pause.
//!
//! Pure arithmetic; the caller brings the attempt number and does the waiting. Retry never moves a
//! message: a message that fails keeps its place in front of its followers (per-key-order).

use std::time::Duration;

/// Attempts and the bounds of the pause between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, the first included; at least 1.
    pub attempts: u32,
    /// Pause after the first failure.
    pub backoff_min: Duration,
    /// Longest pause.
    pub backoff_max: Duration,
}

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Try again after this pause.
    RetryAfter(Duration),
    /// The budget is used up.
    GiveUp,
}

impl RetryPolicy {
    /// Decides after the failure of attempt number `attempt`, counted from 1.
    #[must_use]
    pub fn after(&self, attempt: u32) -> Next {
        if attempt >= self.attempts {
            Next::GiveUp
        } else {
            Next::RetryAfter(backoff(attempt, self.backoff_min, self.backoff_max))
        }
    }

    /// The longest time all pauses take together; `check` compares it with the broker's consumer timeout.
    #[must_use]
    pub fn total_pause(&self) -> Duration {
        (1..self.attempts)
            .map(|n| backoff(n, self.backoff_min, self.backoff_max))
            .fold(Duration::ZERO, Duration::saturating_add)
    }
}

/// Doubles from `min` up to `max`: the pause after failure number `failures`, counted from 1.
#[must_use]
pub fn backoff(failures: u32, min: Duration, max: Duration) -> Duration {
    let doublings = failures.saturating_sub(1).min(31);
    min.saturating_mul(1_u32 << doublings).min(max.max(min))
}

/// Spreads `pause` over 50 to 100 percent of itself, so that many processes do not come back at once
/// (T29). `random` is any number; the caller brings it because this layer has no source of chance.
#[must_use]
pub fn jitter(pause: Duration, random: u64) -> Duration {
    let half = pause / 2;
    half + half.mul_f64(f64::from(u32::try_from(random % 1000).unwrap_or(0)) / 1000.0)
}
