//! What every store must do, whatever the engine.
//!
//! `store_conformance!` makes one test per behaviour from a function that makes a [`Fixture`];
//! `sql_conformance!` adds what only SQL engines have.

pub(crate) mod claims;
pub(crate) mod fence;
pub(crate) mod handler;
pub(crate) mod ledger;
pub(crate) mod tables;
pub(crate) mod transactions;

use std::sync::Arc;

use async_trait::async_trait;
use topo::{
    domain::{
        consumer::SqlFile,
        key::OrderingKey,
        message::{Message, ShardId, digest},
    },
    ports::store::{Claim, Epoch, Session, Store, StoreError},
};

/// The message id for which every fixture's handler fails.
pub(crate) const POISON: &str = "poison";

/// An empty store of one engine. Its handler appends each message to a list of effects.
#[async_trait]
pub(crate) trait Fixture: Send + Sync {
    /// The store, without tables.
    fn store(&self) -> Arc<dyn Store>;

    /// A schema.sql that makes the table of effects, fit to be run twice.
    fn schema(&self) -> SqlFile {
        file("schema.sql", "")
    }

    /// The handler.
    fn handler(&self) -> SqlFile {
        file("handler.sql", "")
    }

    /// Message ids of the committed effects in order.
    async fn effects(&self) -> Vec<String>;

    /// Shard, position and message id of every processed message of consumer `ledger`, in that order.
    async fn positions(&self) -> Vec<(u32, u64, String)>;

    /// Makes the tables look like those of a later program.
    async fn make_newer(&self);
}

/// A fixture whose database can be asked anything.
#[async_trait]
pub(crate) trait SqlFixture: Fixture {
    /// The first column of every row, as text.
    async fn query(&self, sql: &str) -> Vec<Option<String>>;

    /// How SQL names one of topo's tables.
    fn table(&self, name: &str) -> String;

    /// A handler of mode batch that appends message ids and amounts to the effects.
    fn batch_handler(&self) -> SqlFile;
}

/// One test per behaviour.
macro_rules! store_conformance {
    ($make:path) => {
        $crate::suite::store::store_tests! { $make;
            claims { a_first_message_is_fresh, a_processed_message_is_a_duplicate, an_id_with_another_body_is_a_conflict,
                an_id_with_another_key_is_a_conflict_on_any_shard, of_an_id_twice_in_a_batch_the_first_is_fresh,
                an_id_belongs_to_its_consumer, positions_have_no_gaps_over_duplicates_and_rollbacks,
                positions_follow_the_order_of_application, nothing_to_claim_is_nothing_claimed,
                a_message_without_sequence_type_and_times_is_claimed, unicode_survives }
            transactions { a_commit_keeps_claim_and_effect, a_rollback_leaves_nothing, a_dropped_session_leaves_nothing,
                a_failed_handler_names_its_message, after_a_failure_a_commit_is_refused, a_failure_can_be_rolled_back_and_left_out,
                a_rollback_without_a_transaction_is_nothing, a_commit_without_a_transaction_is_refused,
                two_shards_commit_side_by_side }
            fence { the_first_epoch_is_one_and_each_take_over_raises_it, an_old_epoch_can_not_begin,
                a_fenced_session_can_take_the_shard_again, a_take_over_waits_for_the_running_transaction,
                another_shard_is_not_fenced, an_unowned_shard_can_not_begin }
            tables { an_empty_store_has_no_version, migrating_twice_is_migrating_once, without_tables_there_is_no_session,
                a_newer_schema_is_refused, a_schema_is_run_twice_and_its_digest_kept, shards_are_listed }
        }
    };
}
pub(crate) use store_conformance;

/// One test per behaviour of SQL engines.
macro_rules! sql_conformance {
    ($make:path) => {
        $crate::suite::store::store_tests! { $make;
            tables { a_sealed_shard_has_no_owner, shards_with_parked_messages_are_listed }
            handler { json_fields_are_read_with_a_cast, every_parameter_is_bound, absent_fields_are_null,
                an_unknown_parameter_is_refused_with_its_place, a_statement_that_can_not_be_prepared_is_refused,
                a_value_of_the_wrong_type_is_its_message_s_fault, a_body_that_is_not_json_is_its_message_s_fault,
                a_batch_handler_sees_the_messages_in_order, a_body_can_not_forge_its_neighbours, a_handler_of_several_statements_runs_them_in_order,
                a_statement_that_returns_rows_is_run_to_its_end, a_bad_schema_is_refused_and_leaves_nothing }
            ledger { the_shipped_ledger_keeps_orders_and_every_change, the_shipped_ledger_shows_a_change_out_of_order,
                the_shipped_ledger_is_harmless_without_the_claim, the_shipped_ledger_refuses_what_it_can_not_record }
        }
    };
}
pub(crate) use sql_conformance;

macro_rules! store_tests {
    ($make:path; $($module:ident { $($name:ident),* $(,)? })*) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::suite::store::$module::$name($make().await).await;
            }
        )*)*
    };
}
pub(crate) use store_tests;

/// A file with `text`.
pub(crate) fn file(path: &str, text: &str) -> SqlFile {
    SqlFile { path: path.into(), text: text.to_owned() }
}

/// The shard of consumer `ledger`.
pub(crate) fn shard(number: u32) -> ShardId {
    ShardId { consumer: "ledger".to_owned(), generation: 1, shard: number }
}

/// A message of key `k` with an amount.
pub(crate) fn message(id: &str) -> Message {
    message_with(id, "k", r#"{"amount":"7"}"#)
}

/// A message with a key and a body.
pub(crate) fn message_with(id: &str, key: &str, body: &str) -> Message {
    let key = OrderingKey::new(key).expect("a key");
    Message {
        message_id: id.to_owned(),
        digest: digest(&key, body.as_bytes()),
        key,
        event_type: Some("OrderPlaced".to_owned()),
        correlation_id: Some("c-1".to_owned()),
        sequence: Some(3),
        published_at_ms: Some(1_796_040_000_123),
        trace_id: None,
        headers: std::collections::BTreeMap::new(),
        body: body.as_bytes().to_vec(),
        redelivered: false,
    }
}

/// A worker of one shard.
pub(crate) struct Worker {
    pub(crate) session: Box<dyn Session>,
    pub(crate) shard: ShardId,
    pub(crate) epoch: Epoch,
}

impl Worker {
    /// Makes all tables and takes the shard.
    pub(crate) async fn start(fixture: &dyn Fixture, number: u32) -> Self {
        Self::start_with(fixture, &fixture.handler(), shard(number)).await
    }

    /// The same with another handler.
    pub(crate) async fn start_with(fixture: &dyn Fixture, handler: &SqlFile, shard: ShardId) -> Self {
        let store = fixture.store();
        store.migrate().await.expect("tables");
        store.run_schema("ledger", &fixture.schema()).await.expect("the consumer's tables");
        let mut session = store.session(handler).await.expect("a session");
        let epoch = session.acquire(&shard, "me").await.expect("an epoch");
        Self { session, shard, epoch }
    }

    /// Begins with its epoch.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        self.session.begin(&self.shard, self.epoch).await
    }

    /// Begins and claims.
    pub(crate) async fn claim(&mut self, messages: &[Message]) -> Vec<Claim> {
        self.begin().await.expect("a transaction");
        self.session.claim(messages).await.expect("claims")
    }

    /// One whole transaction: claim, apply what is fresh, commit.
    pub(crate) async fn run(&mut self, messages: &[Message]) -> Vec<Claim> {
        let claims = self.claim(messages).await;
        let fresh: Vec<&Message> =
            messages.iter().zip(&claims).filter(|(_, c)| **c == Claim::Fresh).map(|(m, _)| m).collect();
        self.session.apply(&fresh).await.map_err(|e| e.error).expect("effects");
        self.session.commit().await.expect("a commit");
        claims
    }
}
