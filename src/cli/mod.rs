//! The only layer that prints, reads the environment or exits.
