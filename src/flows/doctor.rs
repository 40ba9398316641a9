//! Looks at everything that a topology depends on. Changes nothing.
//!
//! One thing that can't be looked at does not keep the others from being looked at.

use super::{
    plan::{plan, with_causes},
    world::{LookError, World},
};
use crate::{
    domain::{
        code::Code,
        doctor::{Check, Diagnosis, broker, cluster, rights, store, versions, world as differences},
        permissions::Role,
        stores::stores,
    },
    ports::{
        clock::Clock,
        health::{BrokerHealth, StoreHealth},
        link::{LinkError, LinkKind},
        store::{StoreError, StoreKind},
    },
};

/// Who is asked.
#[derive(Clone, Copy)]
pub struct Patients<'a> {
    /// The broker through the management API.
    pub management: &'a dyn BrokerHealth,
    /// The stores, in the order of [`stores`].
    pub stores: &'a [&'a dyn StoreHealth],
    /// This machine's clock.
    pub clock: &'a dyn Clock,
}

impl std::fmt::Debug for Patients<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patients").finish_non_exhaustive()
    }
}

/// Every check. `roles`: what the user must be able to do.
pub async fn doctor(world: &World<'_>, patients: &Patients<'_>, roles: &[Role]) -> Diagnosis {
    let topology = world.topology;
    let mut checks = Vec::new();
    checks.push(match world.amqp.reach().await {
        Ok(()) => Check::ok("broker.amqp", topology.broker.url.masked()),
        Err(error) => Check::problem("broker.amqp", link_code(&error), with_causes(&error)),
    });
    checks.extend(broker::heartbeat(topology.broker.url.expose()));
    match patients.management.facts(topology).await {
        Ok(facts) => {
            let now = patients.clock.unix_ms();
            checks.push(Check::ok("broker.management", format!("asked as {}", facts.user.name)));
            let version = cluster::lowest_version(&facts);
            checks.extend(versions::check(version.as_deref(), topology.queues.kind));
            checks.extend(broker::checks(topology, &facts, now));
            checks.extend(cluster::checks(topology, &facts));
            checks.extend(rights::checks(topology, &facts, roles));
        }
        Err(error) => {
            let text = format!(
                "{}; version, alarms, cluster, limits and permissions need the management API and the management tag",
                with_causes(&error)
            );
            checks.push(Check::unchecked("broker.management", text));
        }
    }
    checks.extend(look_at_stores(world, patients).await);
    checks.extend(match plan(world).await {
        Ok(plan) => differences::checks(&plan),
        // The check of that very thing has said so.
        Err(error) => vec![Check::unchecked("topology", with_causes(&error)).help(match error {
            LookError::Broker(_) => "The broker has to be reached first.",
            LookError::Store { .. } => "The store has to be seen first.",
        })],
    });
    Diagnosis { topology: topology.name.as_str().to_owned(), checks }
}

async fn look_at_stores(world: &World<'_>, patients: &Patients<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (target, patient) in stores(world.topology).iter().zip(patients.stores) {
        let label = target.label();
        match patient.facts().await {
            Ok(facts) => {
                checks.push(Check::ok("store", label));
                checks.extend(store::checks(&facts, patients.clock.unix_ms()));
            }
            Err(error) => {
                let text = format!("{label}: {}", with_causes(&error));
                checks.push(Check::problem("store", store_code(&error), text));
            }
        }
    }
    checks
}

const fn link_code(error: &LinkError) -> Code {
    match error.kind {
        LinkKind::Unreachable | LinkKind::Lost => Code::BrokerUnreachable,
        LinkKind::Refused => Code::BrokerRefused,
        LinkKind::VhostMissing => Code::VhostMissing,
        LinkKind::Tls => Code::TlsFailed,
        LinkKind::ExchangeMissing | LinkKind::QueueMissing | LinkKind::Precondition | LinkKind::Protocol => {
            Code::BrokerProtocol
        }
    }
}

const fn store_code(error: &StoreError) -> Code {
    match error.kind {
        StoreKind::Unreachable => Code::StoreUnreachable,
        StoreKind::Refused => Code::StoreRefused,
        StoreKind::SchemaMissing
        | StoreKind::SchemaNewer
        | StoreKind::Retryable
        | StoreKind::Fenced
        | StoreKind::Handler
        | StoreKind::Failed => Code::StoreFailed,
    }
}
