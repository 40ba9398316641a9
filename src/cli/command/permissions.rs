//! `topo permissions`: the users with the least that each role needs. Contacts nothing.

use crate::{
    adapters::{
        management::target::Target,
        postgres::grants::{self, Login},
    },
    cli::{
        args::PermissionsArgs,
        context::Process,
        exit::Exit,
        failure::Failure,
        project::Project,
        view::{
            self,
            permissions::{Sheet, StoreSheet, User},
        },
    },
    domain::{
        code::Code,
        permissions::{Access, Role},
        stores::stores,
    },
};

/// Prints them.
///
/// # Errors
/// The files have problems.
pub(super) fn run(process: &Process, args: &PermissionsArgs) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let sheet = sheet(&project, args)?;
    process.output.either(|| view::permissions::text(&sheet), || view::permissions::json(&sheet))?;
    Ok(Exit::Done)
}

fn sheet(project: &Project, args: &PermissionsArgs) -> Result<Sheet, Failure> {
    let topology = &project.topology;
    let target = Target::new(&topology.broker.url, None)
        .map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))?;
    let asked = |role: &Role| args.roles.is_empty() || args.roles.contains(role);
    let roles: Vec<Role> = Role::ALL.into_iter().filter(asked).collect();
    let default = |role: Role| format!("{}-{role}", topology.name);
    let users: Vec<(String, Vec<Role>)> = match &args.user {
        Some(user) => vec![(user.clone(), roles.clone())],
        None => roles.iter().map(|role| (default(*role), vec![*role])).collect(),
    };
    let logins: Vec<_> = users.iter().map(|(user, roles)| Login { user, roles }).collect();
    // Who is not asked about has its usual name.
    let owner = users.iter().find(|(_, roles)| roles.contains(&Role::Declarator));
    let owner = owner.map_or_else(|| default(Role::Declarator), |(user, _)| user.clone());
    let mut scripts = Vec::new();
    for store in stores(topology) {
        if store.target.url.expose().starts_with("sqlite:") {
            continue;
        }
        let own_tables = store.consumers.iter().any(|consumer| consumer.schema.is_some());
        let script = grants::script(&store.target.schema, &owner, &logins, own_tables)
            .map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))?;
        if !script.is_empty() {
            scripts.push(StoreSheet { label: store.label(), script });
        }
    }
    Ok(Sheet {
        topology: topology.name.as_str().to_owned(),
        vhost: target.vhost().to_owned(),
        exchange: topology.exchange.name.as_str().to_owned(),
        roles: roles.iter().map(|role| (*role, Access::of(topology, &[*role]))).collect(),
        users: users
            .into_iter()
            .map(|(name, roles)| User { access: Access::of(topology, &roles), name, roles })
            .collect(),
        stores: scripts,
    })
}
