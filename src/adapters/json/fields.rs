//! The configured fields of one body: [`FieldReader`] over [`Pointers`].

use super::{
    pointers::{Broken, Found, Pointers, Slot},
    text::{self, Text},
    time,
};
use crate::{
    domain::{
        key::{KeyError, KeyRule, OrderingKey, Pointer},
        topology::MessageFields,
    },
    ports::fields::{FieldError, FieldReader, Fields},
};

/// Reads the fields that a topology's pointers select.
#[derive(Debug, Clone)]
pub struct JsonFields {
    pointers: Pointers,
    /// The key's pointer alone, for deliveries that lack the header.
    key_alone: Option<(Pointers, Slot)>,
    key: Option<Slot>,
    id: Option<Slot>,
    event_type: Option<Slot>,
    sequence: Option<Slot>,
    occurred_at: Option<Slot>,
    correlation_id: Option<Slot>,
    trace_id: Option<Slot>,
}

impl JsonFields {
    /// Prepares the pointers of a topology.
    #[must_use]
    pub fn new(key: &KeyRule, message: &MessageFields) -> Self {
        let mut pointers = Pointers::default();
        let mut slot = |pointer: Option<&Pointer>| pointer.map(|pointer| pointers.add(pointer));
        let key = match key {
            KeyRule::Pointer(pointer) => Some(pointer),
            KeyRule::Header(_) => None,
        };
        Self {
            key: slot(key),
            id: slot(message.id.as_ref()),
            event_type: slot(message.event_type.as_ref()),
            sequence: slot(message.sequence.as_ref()),
            occurred_at: slot(message.occurred_at.as_ref()),
            correlation_id: slot(message.correlation_id.as_ref()),
            trace_id: slot(message.trace_id.as_ref()),
            key_alone: key.map(|pointer| {
                let mut alone = Pointers::default();
                let slot = alone.add(pointer);
                (alone, slot)
            }),
            pointers,
        }
    }

    fn fault(&self, slot: Slot, text: impl Into<String>) -> FieldError {
        FieldError { pointer: Some(self.pointers.written(slot).to_owned()), text: text.into() }
    }

    /// A text that may be missing.
    fn optional(&self, found: &Found<'_>, slot: Option<Slot>) -> Result<Option<String>, FieldError> {
        let Some((slot, raw)) = slot.and_then(|slot| Some((slot, found.raw(slot)?))) else { return Ok(None) };
        match text::text(raw) {
            Text::Null => Ok(None),
            Text::Is(text) if text.is_empty() => Ok(None),
            Text::Is(text) => Ok(Some(text.into_owned())),
            Text::Other(kind) => {
                Err(self.fault(slot, format!("the value is {kind}; expected a string or an integer")))
            }
            Text::Undecodable(reason) => {
                Err(self.fault(slot, format!("the value can't be decoded: {reason}")))
            }
        }
    }

    fn id(&self, found: &Found<'_>) -> Result<Option<String>, FieldError> {
        match (self.optional(found, self.id)?, self.id) {
            // An id made up here would be another one at the next run, and the duplicate would pass.
            (None, Some(slot)) => Err(self.fault(slot, "the message id is missing, null or empty")),
            (id, _) => Ok(id),
        }
    }

    fn sequence(&self, found: &Found<'_>) -> Result<Option<i64>, FieldError> {
        let raw = self.sequence.and_then(|slot| Some((slot, found.raw(slot)?)));
        match raw {
            None | Some((_, "null")) => Ok(None),
            Some((_, raw)) if text::is_integer(raw) && raw.parse::<i64>().is_ok() => Ok(raw.parse().ok()),
            Some((slot, _)) => Err(self.fault(slot, "the sequence number is not an integer of 64 bits")),
        }
    }

    fn occurred_at(&self, found: &Found<'_>) -> Result<Option<i64>, FieldError> {
        let Some((slot, raw)) = self.occurred_at.and_then(|slot| Some((slot, found.raw(slot)?))) else {
            return Ok(None);
        };
        let time = match text::text(raw) {
            Text::Null => return Ok(None),
            Text::Is(text) if raw.starts_with('"') => time::parse_rfc3339(&text),
            Text::Is(_) | Text::Other(_) | Text::Undecodable(_) => None,
        };
        let wrong = || self.fault(slot, "not an RFC 3339 time such as 2026-11-30T19:24:10Z");
        time.map(Some).ok_or_else(wrong)
    }
}

fn key(found: &Found<'_>, slot: Slot) -> Result<OrderingKey, KeyError> {
    match found.raw(slot).map(text::text) {
        None => Err(KeyError::Missing),
        Some(Text::Null) => Err(KeyError::Kind("null")),
        Some(Text::Is(text)) => OrderingKey::new(text),
        Some(Text::Other(kind)) => Err(KeyError::Kind(kind)),
        Some(Text::Undecodable(reason)) => Err(KeyError::Unreadable(reason)),
    }
}

impl FieldReader for JsonFields {
    fn read(&self, body: &[u8]) -> Result<Fields, FieldError> {
        let found = self.pointers.find(body).map_err(|broken| match broken {
            Broken::Twice(slot) => self.fault(slot, broken.to_string()),
            Broken::Empty | Broken::Mark | Broken::Utf8(_) | Broken::Json(_) | Broken::Deep => {
                FieldError { pointer: None, text: broken.to_string() }
            }
        })?;
        let key = self
            .key
            .map(|slot| key(&found, slot).map_err(|error| self.fault(slot, error.to_string())))
            .transpose()?;
        Ok(Fields {
            key,
            id: self.id(&found)?,
            event_type: self.optional(&found, self.event_type)?,
            sequence: self.sequence(&found)?,
            occurred_at_ms: self.occurred_at(&found)?,
            correlation_id: self.optional(&found, self.correlation_id)?,
            trace_id: self.optional(&found, self.trace_id)?,
        })
    }

    fn key(&self, body: &[u8]) -> Result<OrderingKey, KeyError> {
        let (pointers, slot) = self.key_alone.as_ref().ok_or(KeyError::Missing)?;
        let found = pointers.find(body).map_err(|broken| match broken {
            Broken::Twice(_) => KeyError::Twice,
            Broken::Empty | Broken::Mark | Broken::Utf8(_) | Broken::Json(_) | Broken::Deep => {
                KeyError::Unreadable(broken.to_string())
            }
        })?;
        key(&found, *slot)
    }
}
