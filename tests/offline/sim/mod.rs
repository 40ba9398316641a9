//! The real flows over a broker and a store in memory, with faults that follow from a seed.
//!
//! A failure prints its seed; `TOPO_SIM_SEED=N` runs that one alone. Seeds that once found a bug stay in
//! `seeds.txt` and are run first. `TOPO_SIM_ROUNDS=N` runs more of them.

mod consume;
mod publish;
mod world;
