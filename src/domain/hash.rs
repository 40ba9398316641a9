//! Key to shard: three frozen hashes and one rule.
//!
//! `shard = hash(UTF-8 bytes of the key) mod N`, unsigned, seed 0 (`java_string`: floorMod of the signed
//! 32-bit `String.hashCode`). The bytes are hashed as they are: no case folding, no normalisation.
//! Golden vectors in `docs/hash-vectors.json` pin every function; a changed result is a breaking
//! release. Hashes of the standard library are never used here: they differ between processes (T108).
//!
//! Invariant: per-key-order (all producers and consumers must agree on the shard of a key).

use std::fmt;

use xxhash_rust::{xxh3::xxh3_64, xxh64::xxh64};

/// A hash function that a topology may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HashKind {
    /// XXH64, seed 0: available in every language; the default.
    Xxh64,
    /// XXH3, 64 bits, seed 0. Not the same function as XXH64 (T107).
    Xxh3,
    /// Java's `String.hashCode` over UTF-16 units, for producers that already shard by it.
    JavaString,
}

impl HashKind {
    /// All kinds, in the order in which help and errors list them.
    pub const ALL: [Self; 3] = [Self::Xxh64, Self::Xxh3, Self::JavaString];

    /// The name used in `topology.yaml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xxh64 => "xxh64",
            Self::Xxh3 => "xxh3",
            Self::JavaString => "java_string",
        }
    }

    /// Hashes the bytes of `key`.
    #[must_use]
    pub fn hash(self, key: &str) -> HashValue {
        match self {
            Self::Xxh64 => HashValue::Unsigned(xxh64(key.as_bytes(), 0)),
            Self::Xxh3 => HashValue::Unsigned(xxh3_64(key.as_bytes())),
            Self::JavaString => HashValue::Signed(java_string(key)),
        }
    }
}

impl fmt::Display for HashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a hash function returned, with the signedness that decides the remainder (T104).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashValue {
    /// 64 unsigned bits: plain remainder.
    Unsigned(u64),
    /// Java's 32 signed bits: floorMod, so `Integer.MIN_VALUE` needs no special case.
    Signed(i32),
}

impl HashValue {
    /// The shard among `count` shards; `count` is at least 1.
    #[must_use]
    pub fn shard(self, count: u32) -> u32 {
        let count = count.max(1);
        let shard = match self {
            Self::Unsigned(bits) => bits % u64::from(count),
            Self::Signed(value) => i64::from(value).rem_euclid(i64::from(count)).unsigned_abs(),
        };
        u32::try_from(shard).unwrap_or(u32::MAX)
    }

    /// 16 lower-case hex digits; a Java hash is its 32 bits, zero-extended.
    #[must_use]
    pub fn hex(self) -> String {
        match self {
            Self::Unsigned(bits) => format!("{bits:016x}"),
            Self::Signed(value) => format!("{:016x}", value.cast_unsigned()),
        }
    }
}

/// Java: `s[0]*31^(n-1) + … + s[n-1]` over UTF-16 code units, wrapping.
fn java_string(key: &str) -> i32 {
    key.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}
