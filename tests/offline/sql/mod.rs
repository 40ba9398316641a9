//! The lexer of handlers: what is a parameter, what is left alone, what is refused and where.

mod parameters;
mod problems;
mod props;
mod statements;

use topo::domain::sql::{Dialect, Script, handler_of_any_mode};

/// Reads text that has no problems.
fn read(text: &str, dialect: Dialect) -> Script {
    handler_of_any_mode(text, dialect).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

/// The parameters of the whole text, by name.
fn names(text: &str, dialect: Dialect) -> Vec<&'static str> {
    let script = read(text, dialect);
    script.statements.iter().flat_map(|s| s.occurrences()).map(|o| o.parameter.as_str()).collect()
}
