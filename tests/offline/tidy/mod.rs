//! What a reader relies on and no compiler checks: layers, sizes, names, prose.

mod layers;
mod size;
mod source;
