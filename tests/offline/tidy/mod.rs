//! What a reader relies on and no compiler checks: layers, sizes, names, prose.

mod invariants;
mod keys;
mod layers;
mod lint;
mod prose;
mod results;
mod size;
mod source;
