//! What only a real PostgreSQL can show.

mod connecting;
mod doubt;
mod failures;
mod plans;
mod values;
