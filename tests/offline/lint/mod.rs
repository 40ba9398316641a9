//! The lint tables, judged without a broker; tests/live/lint.rs holds them against brokers.

mod arguments;
mod policy;
