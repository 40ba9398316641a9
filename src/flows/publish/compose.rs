//! One line to one routed message, or the reason why not.

use std::sync::Arc;

use super::Job;
use crate::domain::{envelope::Envelope, route::Routed};

/// Reads, checks and routes a line.
pub(super) fn compose(job: &Job<'_>, bytes: Vec<u8>) -> Result<Arc<Routed>, String> {
    let fields = job.fields.read(&bytes).map_err(|e| e.to_string())?;
    let key =
        fields.key.ok_or("the topology takes the key from a header, which an input line does not have")?;
    let envelope = Envelope {
        message_id: fields.id.unwrap_or_else(job.new_id),
        key,
        event_type: fields.event_type,
        correlation_id: fields.correlation_id,
        sequence: fields.sequence,
        occurred_at_ms: fields.occurred_at_ms,
        trace_id: fields.trace_id,
        body: bytes,
    };
    envelope.check(job.settings.max_body).map_err(|e| e.to_string())?;
    Ok(Arc::new(job.map.routed(envelope)))
}
