//! Chance that can be replayed: splitmix64, our own so that a recorded seed outlives dependency updates.

use std::sync::{Mutex, PoisonError};

/// A seeded source of numbers.
#[derive(Debug)]
pub struct Chance(Mutex<u64>);

impl Chance {
    /// The same seed gives the same numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    /// The next number.
    pub fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// True with this probability in thousandths.
    pub fn happens(&self, per_mille: u32) -> bool {
        self.below(1000) < u64::from(per_mille)
    }
}
