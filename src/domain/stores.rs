//! The databases of a topology: which consumers share one, and what is missing in it.
//!
//! Pure; what stands in a database is brought by the caller.

use super::{
    code::Code,
    consumer::Consumer,
    observed::Value,
    plan::{Action, Change, FieldChange, Kind, Plan, Step},
    rule::{self, ShardRule},
    topology::{StoreTarget, Topology},
};

/// One database and the consumers whose tables live in it.
#[derive(Debug, Clone)]
pub struct StoreUse<'a> {
    /// Where it is.
    pub target: &'a StoreTarget,
    /// Its consumers, by name.
    pub consumers: Vec<&'a Consumer>,
}

impl StoreUse<'_> {
    /// How plans and errors name it; no secrets. The schema counts for PostgreSQL only.
    #[must_use]
    pub fn label(&self) -> String {
        let url = self.target.url.masked();
        if url.starts_with("sqlite:") { url } else { format!("{url} schema {}", self.target.schema) }
    }
}

/// The databases of `topology`, each once, in the order of the first consumer that uses it; none for the
/// programs of others ([`Consumer::runs_here`]). Indexes of [`Step::Tables`] and [`Step::Schema`] count in this
/// list.
#[must_use]
pub fn stores(topology: &Topology) -> Vec<StoreUse<'_>> {
    let mut stores: Vec<StoreUse<'_>> = Vec::new();
    for consumer in topology.consumers.values().filter(|consumer| consumer.runs_here()) {
        let target = topology.store_of(consumer);
        match stores.iter_mut().find(|store| store.target == target) {
            Some(store) => store.consumers.push(consumer),
            None => stores.push(StoreUse { target, consumers: vec![consumer] }),
        }
    }
    stores
}

/// What stands in one database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreObserved {
    /// Its name in plans.
    pub label: String,
    /// Version of topo's tables; `None`: none yet.
    pub version: Option<u32>,
    /// The version this program makes.
    pub wanted: u32,
    /// The recorded shard rule of the topology's generation; `None`: none yet.
    pub rule: Option<ShardRule>,
    /// The schema.sql of its consumers.
    pub scripts: Vec<ScriptObserved>,
}

/// One consumer's schema.sql.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptObserved {
    /// The consumer.
    pub consumer: String,
    /// The file, for display.
    pub path: String,
    /// Digest of the file as it is now.
    pub wanted: String,
    /// Digest under which it was last run; `None`: never.
    pub found: Option<String>,
}

/// Adds what is missing in `stores` to `plan`.
pub(super) fn diff(topology: &Topology, stores: &[StoreObserved], plan: &mut Plan) {
    // One topology has one rule, however many stores recorded it.
    let refusal = |store: &StoreObserved| rule::refusal(topology, store.rule.as_ref()?);
    plan.changes.extend(stores.iter().find_map(refusal));
    for (index, store) in stores.iter().enumerate() {
        tables(index, store, plan);
        for script in &store.scripts {
            schema(index, script, plan);
        }
    }
}

fn tables(index: usize, store: &StoreObserved, plan: &mut Plan) {
    let (action, hazard, step) = match store.version {
        Some(version) if version == store.wanted => {
            plan.keep += 1;
            return;
        }
        Some(version) if version > store.wanted => (Action::Replace, Some(Code::SchemaNewer), None),
        Some(_) => (Action::Update, None, Some(Step::Tables { store: index })),
        None => (Action::Create, None, Some(Step::Tables { store: index })),
    };
    let number = |version: u32| Value::Integer(i64::from(version));
    let version = FieldChange {
        field: "schema_version".to_owned(),
        from: store.version.map(number),
        to: Some(number(store.wanted)),
    };
    plan.changes.push(Change {
        action,
        kind: Kind::Store,
        name: store.label.clone(),
        fields: vec![version],
        hazard,
        step,
    });
}

fn schema(index: usize, script: &ScriptObserved, plan: &mut Plan) {
    if script.found.as_ref() == Some(&script.wanted) {
        plan.keep += 1;
        return;
    }
    let digest = FieldChange {
        field: "digest".to_owned(),
        from: script.found.clone().map(Value::Text),
        to: Some(Value::Text(script.wanted.clone())),
    };
    plan.changes.push(Change {
        action: if script.found.is_some() { Action::Update } else { Action::Create },
        kind: Kind::Store,
        name: script.path.clone(),
        fields: vec![digest],
        hazard: None,
        step: Some(Step::Schema { store: index, consumer: script.consumer.clone() }),
    });
}
