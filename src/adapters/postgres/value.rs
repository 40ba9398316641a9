//! A parameter in text form: the server converts it to the type that it chose, and knows its types best.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};

use crate::adapters::sql::Value;

/// A value of a handler's parameter.
#[derive(Debug, Clone)]
pub(super) struct Text(pub(super) Option<String>);

impl From<Value> for Text {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::Null => None,
            Value::Integer(number) => Some(number.to_string()),
            Value::Text(text) => Some(text),
        })
    }
}

impl ToSql for Text {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        Ok(match &self.0 {
            None => IsNull::Yes,
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(ty, out)
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }
}
