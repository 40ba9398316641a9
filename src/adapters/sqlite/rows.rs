//! Reading rows for display: what the cases of `topo check` compare.

use rusqlite::{Connection, types::ValueRef};

use super::{SqliteStore, connection, error::store_error};
use crate::ports::store::StoreError;

impl SqliteStore {
    /// The rows of a query, every value as text: NULL as `NULL`, bytes as `x'…'`.
    ///
    /// # Errors
    /// The query can't be run.
    pub async fn rows(&self, query: &str) -> Result<Vec<Vec<String>>, StoreError> {
        let query = query.to_owned();
        self.with(connection::Open::Existing, move |conn| {
            rows(conn, &query).map_err(|error| store_error("the query failed", &error))
        })
        .await
    }
}

fn rows(conn: &Connection, query: &str) -> Result<Vec<Vec<String>>, rusqlite::Error> {
    let mut statement = conn.prepare(query)?;
    let columns = statement.column_count();
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push((0..columns).map(|index| row.get_ref(index).map(text)).collect::<Result<_, _>>()?);
    }
    Ok(rows)
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{digits}'")
        }
    }
}
