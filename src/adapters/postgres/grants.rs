//! What each role needs in a database, as a script for `psql` run by whoever may create roles.
//!
//! Nothing is executed here. The declarator owns the tables, the others get rows and no DDL. Running the
//! script again changes nothing.

use super::schema::Schema;
use crate::{
    domain::{name::Name, permissions::Role},
    ports::store::StoreError,
};

/// A user and what it is used for.
#[derive(Debug, Clone)]
pub struct Login<'a> {
    /// Name of the database role.
    pub user: &'a str,
    /// What it does; several are granted together.
    pub roles: &'a [Role],
}

/// The script for tables in `schema`. `declarator` owns what topo makes; `own_tables`: a consumer has a
/// schema.sql. Users without a role that uses a store are left out.
///
/// # Errors
/// `Refused` when the schema's name can't be used.
pub fn script(
    schema: &Name,
    declarator: &str,
    logins: &[Login<'_>],
    own_tables: bool,
) -> Result<String, StoreError> {
    let schema = Schema::new(schema)?;
    let mut out = String::new();
    for login in logins {
        let parts = login.roles.iter().filter_map(|role| text(*role));
        let parts: Vec<&str> = parts.collect();
        if parts.is_empty() {
            continue;
        }
        let makes = own_tables && login.roles.contains(&Role::Declarator);
        let own = makes.then_some(include_str!("grants/own_tables.sql"));
        for part in [include_str!("grants/role.sql")].into_iter().chain(parts).chain(own) {
            let filled = part
                .replace("{schema}", schema.quoted())
                .replace("{declarator}", &identifier(declarator))
                .replace("{role}", &identifier(login.user))
                .replace("{name}", &literal(login.user));
            out.push_str(&filled);
        }
    }
    Ok(out)
}

const fn text(role: Role) -> Option<&'static str> {
    match role {
        Role::Declarator => Some(include_str!("grants/declarator.sql")),
        Role::Consumer => Some(include_str!("grants/consumer.sql")),
        Role::Observer => Some(include_str!("grants/observer.sql")),
        Role::Producer => None,
    }
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
