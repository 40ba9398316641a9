//! Argument tables on the wire.

use std::collections::BTreeMap;

use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};

use crate::{
    domain::observed::Value,
    ports::link::{LinkError, LinkKind},
};

/// Makes a table; integers are 64 bits wide, which every argument accepts.
pub(super) fn table(arguments: &BTreeMap<String, Value>) -> Result<FieldTable, LinkError> {
    let mut table = FieldTable::default();
    for (name, value) in arguments {
        let value = match value {
            Value::Integer(number) => AMQPValue::LongLongInt(*number),
            Value::Bool(flag) => AMQPValue::Boolean(*flag),
            Value::Text(text) | Value::Other(text) => AMQPValue::LongString(LongString::from(text.as_str())),
        };
        let name = ShortString::try_new(name.as_str())
            .map_err(|e| LinkError::because(LinkKind::Protocol, "an argument's name is too long", e))?;
        table.insert(name, value);
    }
    Ok(table)
}
