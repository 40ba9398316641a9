//! Arguments of the commands for whoever runs the broker.

use clap::Args;

use crate::domain::permissions::Role;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Exit with code 3 for warnings too
    #[arg(long)]
    pub strict: bool,
    /// The user must be able to take this role: declarator, producer, consumer, observer; may be given several times
    #[arg(long = "role", value_name = "ROLE", value_parser = role)]
    pub roles: Vec<Role>,
}

/// Arguments of `permissions`.
#[derive(Debug, Args)]
pub struct PermissionsArgs {
    /// Only this role; may be given several times [default: all of them]
    #[arg(long = "role", value_name = "ROLE", value_parser = role)]
    pub roles: Vec<Role>,
    /// One user for all of these roles together [default: one user per role, TOPOLOGY-ROLE]
    #[arg(long, value_name = "NAME", value_parser = user)]
    pub user: Option<String>,
}

fn role(text: &str) -> Result<Role, String> {
    let known = Role::ALL.map(Role::as_str).join(", ");
    Role::ALL.into_iter().find(|role| role.as_str() == text).ok_or_else(|| format!("the roles are {known}"))
}

/// Any name but an empty one and one that no line of a script can hold.
fn user(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(char::is_control) {
        return Err("a user's name has at least one character and no control characters".to_owned());
    }
    Ok(text.to_owned())
}
