//! The least that each role needs at the broker: regular expressions for exactly a topology's names.
//!
//! Owns which operation needs which permission, for every supported version; how a permission is set is
//! the business of whoever prints it. The names of every generation match, so that raising the generation
//! needs no new permissions; a new consumer does.
//!
//! - Declaring needs configure. With a dead-letter exchange it also needs read on the queue and write on that
//!   exchange, here the default one, which permissions call `amq.default`.
//! - Binding needs write on the queue and read on the exchange; of a topic exchange, read of the binding key.
//! - Publishing needs write on the exchange, consuming read on the queue.
//! - Looking at one object by passive declare needs nothing up to 4.2 and configure from 4.3 on (T63), which is
//!   why consumers and observers get the management tag instead: its lists need a permission on the vhost only.

use std::{collections::BTreeSet, fmt};

use super::{
    pattern::escape,
    template::{Field, Template},
    topology::{ExchangeKind, Topology},
};

/// What permissions call the exchange without a name.
pub const DEFAULT_EXCHANGE: &str = "amq.default";

/// What a process does with a topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Makes, changes and removes exchange, queues and bindings.
    Declarator,
    /// Publishes.
    Producer,
    /// Consumes.
    Consumer,
    /// Looks, and changes nothing.
    Observer,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Declarator, Self::Producer, Self::Consumer, Self::Observer];

    /// The word in arguments, JSON and text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Declarator => "declarator",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
            Self::Observer => "observer",
        }
    }

    /// The commands that it runs.
    #[must_use]
    pub const fn commands(self) -> &'static str {
        match self {
            Self::Declarator => "plan, apply, destroy",
            Self::Producer => "publish",
            Self::Consumer => "consume",
            Self::Observer => "plan, status, doctor",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of names, as the alternatives of one regular expression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(BTreeSet<String>);

impl Names {
    fn add(&mut self, pattern: impl Into<String>) {
        self.0.insert(pattern.into());
    }

    /// The anchored regular expression, in the dialect of Erlang's `re`; `^$` matches nothing that has a name.
    #[must_use]
    pub fn regex(&self) -> String {
        let alternatives: Vec<&str> = self.0.iter().map(String::as_str).collect();
        match alternatives.as_slice() {
            [] => "^$".to_owned(),
            [only] => format!("^{only}$"),
            several => format!("^({})$", several.join("|")),
        }
    }
}

/// What a user may do in the vhost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Declaring and deleting.
    pub configure: Names,
    /// Publishing to exchanges, binding queues.
    pub write: Names,
    /// Consuming from queues, binding to exchanges.
    pub read: Names,
    /// What a topic exchange lets through on top; `None`: it is of another type.
    pub topic: Option<TopicAccess>,
    /// User tags: what the management API lets the user see and change.
    pub tags: BTreeSet<&'static str>,
}

/// Permissions on the routing keys of the topology's topic exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopicAccess {
    /// Routing keys to publish with.
    pub write: Names,
    /// Binding keys.
    pub read: Names,
}

impl Access {
    /// The least that `roles` need together.
    #[must_use]
    pub fn of(topology: &Topology, roles: &[Role]) -> Self {
        let topic = (topology.exchange.kind == ExchangeKind::Topic).then(TopicAccess::default);
        let mut access = Self { topic, ..Self::default() };
        for role in roles {
            access.grant(topology, *role);
        }
        access
    }

    fn grant(&mut self, topology: &Topology, role: Role) {
        let exchange = escape(topology.exchange.name.as_str());
        let routing_key = pattern(topology, &topology.shards.routing_key, "");
        let queues = |template: &Template| -> Vec<String> {
            topology.consumers.keys().map(|name| pattern(topology, template, name.as_str())).collect()
        };
        match role {
            Role::Declarator => {
                let shards = queues(&topology.queues.name);
                let dead_letters = queues(&topology.queues.dead_letter);
                for name in shards.iter().chain(&dead_letters).chain([&exchange]) {
                    self.configure.add(name);
                }
                for name in shards.iter().chain([&exchange, &escape(DEFAULT_EXCHANGE)]) {
                    self.write.add(name);
                }
                for name in shards.iter().chain([&exchange]) {
                    self.read.add(name);
                }
                if let Some(topic) = &mut self.topic {
                    topic.write.add(&routing_key);
                    topic.read.add(routing_key);
                }
                // It implies management.
                self.tags.insert("policymaker");
            }
            Role::Producer => {
                self.write.add(exchange);
                if let Some(topic) = &mut self.topic {
                    topic.write.add(routing_key);
                }
            }
            Role::Consumer => {
                for name in queues(&topology.queues.name) {
                    self.read.add(name);
                }
                self.tags.insert("management");
            }
            Role::Observer => {
                self.tags.insert("management");
            }
        }
    }
}

/// A template as a pattern for its names of every generation.
fn pattern(topology: &Topology, template: &Template, consumer: &str) -> String {
    template.render(escape, |field| match field {
        Field::Topology => escape(topology.name.as_str()),
        Field::Consumer => escape(consumer),
        Field::Generation | Field::Shard | Field::Count => "[0-9]+".to_owned(),
    })
}
