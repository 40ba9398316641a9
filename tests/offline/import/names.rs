//! What names are read as.

use topo::domain::{import::Draft, topology::QueueKind};

use super::{draft, renamed, survey};
use crate::support::{consumer, name, topology};

fn read(
    count: u32,
    consumers: &[&str],
    queue: impl Fn(&str) -> String,
    key: impl Fn(&str) -> String,
) -> Draft {
    let mut topology = topology("amqp://localhost", count, QueueKind::Quorum);
    topology.consumers = consumers.iter().map(|text| (name(text), consumer(text))).collect();
    draft(&renamed(&survey(&topology), queue, key))
}

fn templates(draft: &Draft) -> [&str; 3] {
    [&draft.routing_key, &draft.queue, &draft.dead_letter].map(String::as_str)
}

fn same(text: &str) -> String {
    text.to_owned()
}

#[test]
fn default_names_are_read_as_the_default_templates() {
    for (count, consumers) in [(1, &["ledger"][..]), (8, &["ledger"]), (8, &["a", "ab", "b.c"])] {
        let draft = read(count, consumers, same, same);
        let expected = [
            "{topology}.g{generation}.{shard}of{count}",
            "{topology}.{consumer}.g{generation}.{shard}",
            "{topology}.{consumer}.dead",
        ];
        assert_eq!(templates(&draft), expected);
        assert_eq!((draft.generation, draft.count), (1, count));
        assert_eq!(draft.consumers, consumers);
    }
}

#[test]
fn a_generation_that_equals_the_count_is_told_by_its_sign() {
    let draft = read(4, &["ledger"], |queue| queue.replace("g1", "g4"), |key| key.replace("g1", "g4"));
    assert_eq!(draft.generation, 4);
    assert_eq!(draft.routing_key, "{topology}.g{generation}.{shard}of{count}");
}

#[test]
fn the_number_may_stand_anywhere_and_twice() {
    let queue = |text: &str| match text.rsplit_once('.') {
        Some((_, "dead")) => text.to_owned(),
        Some((_, shard)) => format!("s{shard}-of-ledger-r1-{shard}"),
        None => unreachable!("{text}"),
    };
    let draft = read(3, &["ledger"], queue, |key| key.replace("orders.g1.", "r1/"));
    assert_eq!(draft.routing_key, "r{generation}/{shard}of{count}");
    assert_eq!(draft.queue, "s{shard}-of-{consumer}-r{generation}-{shard}");
    assert_eq!(draft.consumers, ["ledger"]);
}

#[test]
fn a_consumer_alone_is_the_word_of_its_dead_letter_queue() {
    let queue =
        |text: &str| text.replace("orders.ledger.dead", "failed.of.books").replace("ledger", "work.books");
    let draft = read(3, &["ledger"], queue, same);
    assert_eq!(draft.queue, "{topology}.work.{consumer}.g{generation}.{shard}");
    assert_eq!((&*draft.dead_letter, &*draft.consumers), ("failed.of.{consumer}", &["books".to_owned()][..]));
}
