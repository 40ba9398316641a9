//! The schema's name in SQL text: the one thing that can't be bound.

use crate::{
    domain::name::Name,
    ports::store::{StoreError, StoreKind},
};

/// PostgreSQL cuts longer identifiers off without an error.
const IDENTIFIER_MAX: usize = 63;

/// A schema name, quoted as an identifier.
#[derive(Debug, Clone)]
pub(super) struct Schema {
    name: String,
    quoted: String,
}

impl Schema {
    /// Quotes the name.
    pub(super) fn new(name: &Name) -> Result<Self, StoreError> {
        let name = name.as_str();
        if name.len() > IDENTIFIER_MAX {
            let text = format!("store.schema has {} bytes; PostgreSQL allows {IDENTIFIER_MAX}", name.len());
            return Err(StoreError::new(StoreKind::Refused, text));
        }
        // No NUL: a Name has no control characters.
        Ok(Self { name: name.to_owned(), quoted: format!("\"{}\"", name.replace('"', "\"\"")) })
    }

    /// The name, to be bound.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// `sql` with the quoted name for every `{schema}`.
    pub(super) fn sql(&self, sql: &str) -> String {
        sql.replace("{schema}", &self.quoted)
    }

    /// The quoted name.
    pub(super) fn quoted(&self) -> &str {
        &self.quoted
    }
}
