//! Frozen bytes: what other languages and stored data rely on.

mod hash;
