//! What a reader relies on and no compiler checks: layers, sizes, names, prose.

mod invariants;
mod keys;
mod layers;
mod prose;
mod size;
mod source;
