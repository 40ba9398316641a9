//! The composition root: a topology and the adapters that connect it to the world.
//!
//! The only place that makes adapters of brokers and stores. Does not run a flow; nothing is contacted
//! here.

use std::{fmt, fs, process, sync::Arc, time::Duration};

use super::{context::Process, exit::Exit, failure::Failure, progress::Watch, signal::Stop};
use crate::{
    adapters::{
        amqp::{
            connection::Endpoint, publish::AmqpPublishBroker, subscription::AmqpConsumeBroker,
            topology::AmqpTopology,
        },
        json::JsonFields,
        management::ManagementClient,
        net::tls,
        postgres, sqlite,
    },
    domain::{
        code::Code,
        consumer::Consumer,
        stores::stores,
        topology::{StoreTarget, Topology},
    },
    flows::world::World,
    ports::{
        fields::FieldReader,
        health::{BrokerHealth, StoreHealth},
        probe::ProbeBroker,
        store::Store,
    },
};

/// Longest time of one look at a store.
const LOOK_LIMIT: Duration = Duration::from_secs(10);

/// A topology with everything that is needed to work on it.
#[derive(Debug)]
pub struct Project {
    /// What the files say.
    pub topology: Topology,
    /// Log lines and progress.
    pub watch: Arc<Watch>,
    /// The process it belongs to.
    pub process: Process,
}

/// The ways to see and change what a topology describes.
pub struct Sights {
    amqp: AmqpTopology,
    management: ManagementClient,
    stores: Vec<Arc<dyn Store>>,
}

impl fmt::Debug for Sights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sights").field("amqp", &self.amqp).finish_non_exhaustive()
    }
}

impl Sights {
    /// The stores, as [`Self::world`] wants them.
    #[must_use]
    pub fn stores(&self) -> Vec<&dyn Store> {
        self.stores.iter().map(AsRef::as_ref).collect()
    }

    /// For probing what was bound.
    #[must_use]
    pub const fn probes(&self) -> &dyn ProbeBroker {
        &self.amqp
    }

    /// What the flows look at.
    #[must_use]
    pub fn world<'a>(&'a self, topology: &'a Topology, stores: &'a [&'a dyn Store]) -> World<'a> {
        World { topology, amqp: &self.amqp, management: Some(&self.management), stores }
    }

    /// The broker's own word on how it is.
    #[must_use]
    pub fn broker_health(&self) -> &dyn BrokerHealth {
        &self.management
    }

    /// Closes what is open, in order.
    pub async fn close(&self) {
        self.amqp.close().await;
    }
}

/// A reader of the fields that `topology` names.
#[must_use]
pub fn fields(topology: &Topology) -> Arc<dyn FieldReader> {
    Arc::new(JsonFields::new(&topology.shards.key, &topology.message))
}

/// A store of one consumer; `timeout` bounds a handler's call.
fn store(target: &StoreTarget, timeout: Duration) -> Result<Arc<dyn Store>, Failure> {
    let opened = if target.url.expose().starts_with("sqlite:") {
        sqlite::open(target, timeout)
    } else {
        postgres::open(target, timeout)
    };
    opened.map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))
}

impl Project {
    /// Requests to stop, from now on.
    ///
    /// # Errors
    /// The operating system refuses the signal handlers.
    pub fn listen(&self) -> Result<Stop, Failure> {
        let clock = Arc::clone(&self.process.clock);
        Stop::listen(self.process.global.timeout, clock, Arc::clone(&self.watch) as _).map_err(|error| {
            Failure::new(Exit::Failed, Code::Internal, "can't listen for signals").because(Some(&error))
        })
    }

    /// A reader of the fields that the topology names.
    #[must_use]
    pub fn fields(&self) -> Arc<dyn FieldReader> {
        fields(&self.topology)
    }

    /// For publishing.
    ///
    /// # Errors
    /// The address or its TLS files can't be used.
    pub fn publish_broker(&self) -> Result<AmqpPublishBroker, Failure> {
        let exchange = self.topology.exchange.name.as_str();
        Ok(AmqpPublishBroker::new(self.endpoint("publish")?, exchange)?)
    }

    /// For consuming.
    ///
    /// # Errors
    /// The address or its TLS files can't be used.
    pub fn consume_broker(&self) -> Result<AmqpConsumeBroker, Failure> {
        Ok(AmqpConsumeBroker::new(self.endpoint("consume")?, Arc::clone(&self.process.clock)))
    }

    /// The management API.
    ///
    /// # Errors
    /// The address or its TLS files can't be used.
    pub fn management(&self) -> Result<ManagementClient, Failure> {
        let broker = &self.topology.broker;
        let config = if self.is_secure() { Some(self.tls()?) } else { None };
        ManagementClient::new(&broker.url, broker.management_url.as_ref(), config.as_ref())
            .map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))
    }

    /// For looking at the topology's objects through AMQP alone.
    ///
    /// # Errors
    /// The address or its TLS files can't be used.
    pub fn topology_broker(&self) -> Result<AmqpTopology, Failure> {
        Ok(AmqpTopology::new(self.endpoint("topology")?))
    }

    /// For looking at the topology's objects and changing them.
    ///
    /// # Errors
    /// An address or its TLS files can't be used.
    pub fn sights(&self) -> Result<Sights, Failure> {
        let timeout = |consumers: &[&Consumer]| consumers.first().map_or(Duration::ZERO, |c| c.timeout);
        let stores = stores(&self.topology);
        let stores = stores.iter().map(|used| store(used.target, timeout(&used.consumers)));
        Ok(Sights {
            amqp: self.topology_broker()?,
            management: self.management()?,
            stores: stores.collect::<Result<_, _>>()?,
        })
    }

    /// For looking at the health of the topology's stores, in the order of [`stores`].
    ///
    /// # Errors
    /// A URL can't be used.
    pub fn store_health(&self) -> Result<Vec<Arc<dyn StoreHealth>>, Failure> {
        let open = |target: &StoreTarget| match target.url.expose().starts_with("sqlite:") {
            true => sqlite::health(target, LOOK_LIMIT),
            false => postgres::health(target, LOOK_LIMIT),
        };
        let opened: Result<Vec<_>, _> = stores(&self.topology).iter().map(|used| open(used.target)).collect();
        opened.map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))
    }

    /// The store of `consumer`.
    ///
    /// # Errors
    /// Its URL can't be used.
    pub fn store(&self, consumer: &Consumer) -> Result<Arc<dyn Store>, Failure> {
        store(self.topology.store_of(consumer), consumer.timeout)
    }

    /// Who this process is: host, process id and a number that no other process has.
    #[must_use]
    pub fn owner(&self) -> String {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = if host.trim().is_empty() { "localhost" } else { host.trim() };
        format!("{host}:{}:{:08x}", process::id(), self.process.clock.random() >> 32)
    }

    /// The broker's address; `role` is shown in its list of connections.
    fn endpoint(&self, role: &str) -> Result<Endpoint, Failure> {
        let config = if self.is_secure() { Some(self.tls()?) } else { None };
        let name = format!("topo {role} {}", self.topology.name);
        Endpoint::new(&self.topology.broker.url, name, config)
            .map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))
    }

    fn is_secure(&self) -> bool {
        let broker = &self.topology.broker;
        let api = broker.management_url.as_ref().map_or("", |url| url.expose());
        broker.url.expose().starts_with("amqps:") || api.starts_with("https:")
    }

    fn tls(&self) -> Result<tls::Shared, Failure> {
        let files = &self.topology.broker.tls;
        let client = files.cert_file.as_deref().zip(files.key_file.as_deref());
        tls::client_config(files.ca_file.as_deref(), client)
            .map_err(|error| Failure::of(Exit::Usage, Code::TlsFailed, &error))
    }
}
