//! Whatever the names: an import describes the very same objects, or refuses.

use std::path::Path;

use proptest::prelude::*;
use topo::{
    domain::{
        hash::HashKind,
        import::infer,
        key::KeyRule,
        template::Template,
        topology::{ExchangeKind, QueueKind, Topology},
    },
    spec,
};

use super::{objects, survey};
use crate::support::{consumer, name, topology};

/// Made of what YAML, templates, references, URLs and name templates read as signs, and of digits.
const WILD: &str = "[a-z0-9.:/%'\"{}$ é#*\\[\\]&!,~0-3-]{1,12}";
const PLAIN: &str = "[a-z][a-z]{0,6}";

fn orders(
    exchange: &str,
    consumers: &[String],
    count: u32,
    generation: u32,
    kind: QueueKind,
) -> Option<Topology> {
    let mut topology = topology("amqp://localhost", count, kind);
    topology.name = topo::domain::name::Name::new(exchange).ok()?;
    topology.exchange.name = topology.name.clone();
    topology.shards.generation = generation;
    topology.consumers.clear();
    for text in consumers {
        topology.consumers.insert(topo::domain::name::Name::new(text.as_str()).ok()?, consumer("any"));
    }
    Some(topology)
}

/// The topology that the written text means; `None` when it was refused.
fn imported(original: &Topology) -> Option<Topology> {
    let draft = infer(&survey(original)).ok()?;
    let key = KeyRule::parse("/key").unwrap();
    let text = spec::imported(&draft, None, &key, HashKind::Xxh64);
    spec::load_text(Path::new("nowhere/topology.yaml"), &text, &|_| None).topology
}

proptest! {
    #[test]
    fn plan_is_what_runs_an_import_means_the_same_objects_or_is_refused(
        exchange in WILD,
        consumers in prop::collection::btree_set(WILD, 1..4),
        count in 1..13_u32,
        generation in 1..30_u32,
        classic in any::<bool>(),
        topic in any::<bool>(),
    ) {
        let consumers: Vec<_> = consumers.into_iter().collect();
        let kind = if classic { QueueKind::Classic } else { QueueKind::Quorum };
        let Some(mut original) = orders(&exchange, &consumers, count, generation, kind) else { return Ok(()) };
        original.exchange.kind = if topic { ExchangeKind::Topic } else { ExchangeKind::Direct };
        if let Some(again) = imported(&original) {
            prop_assert_eq!(objects(&again), objects(&original));
        }
    }

    #[test]
    fn plain_names_are_never_refused(
        exchange in PLAIN,
        consumers in prop::collection::btree_set(PLAIN, 1..5),
        count in 1..40_u32,
        generation in 1..30_u32,
        template in prop::sample::select(vec![
            ("{topology}.{consumer}.g{generation}.{shard}", "{topology}.g{generation}.{shard}of{count}"),
            ("{topology}-{consumer}-v{generation}-{shard}", "v{generation}.{count}.{shard}"),
            ("q{shard}/{generation}/{consumer}", "{shard}/{count}/{generation}"),
            ("{consumer}:{generation}:{shard}:{count}", "key {generation} {shard} {count}"),
        ]),
    ) {
        let consumers: Vec<_> = consumers.into_iter().collect();
        let mut original = orders(&exchange, &consumers, count, generation, QueueKind::Quorum).unwrap();
        original.queues.name = Template::parse(template.0).unwrap();
        original.shards.routing_key = Template::parse(template.1).unwrap();
        original.queues.max_length = Some(u64::from(count) * 1000);
        let again = imported(&original);
        prop_assert!(again.is_some(), "{:?}", infer(&survey(&original)));
        prop_assert_eq!(objects(&again.unwrap()), objects(&original));
    }
}

#[test]
fn a_thousand_shards_of_two_consumers_are_read_at_once() {
    let original = orders("orders", &["a".to_owned(), "b".to_owned()], 1024, 1, QueueKind::Quorum).unwrap();
    let again = imported(&original).expect("an import");
    assert_eq!(objects(&again), objects(&original));
    assert_eq!(again.consumers.keys().collect::<Vec<_>>(), [&name("a"), &name("b")]);
}
