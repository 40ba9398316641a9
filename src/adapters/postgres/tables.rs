//! topo's tables and the consumers' own.

use tokio_postgres::Client;

use super::{
    error::{position, store_error},
    schema::Schema,
};
use crate::{
    domain::{
        consumer::SqlFile,
        rule::ShardRule,
        sql::{self, Dialect},
    },
    ports::store::{StoreError, StoreKind},
};

/// Each takes the tables one version further. History: never edited after a release.
const MIGRATIONS: &[(i32, &str)] = &[(1, include_str!("migrations/0001_tables.sql"))];

/// The version that this program makes.
pub(super) const WANTED: u32 = 1;

/// Changing tables may take longer than a handler's statement, waiting for their locks may not.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \
                     SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'";

/// The version of the tables; `None`: no tables.
pub(super) async fn version(client: &Client, schema: &Schema) -> Result<Option<u32>, StoreError> {
    let fail = |e| store_error("can't read the schema version", e);
    let has =
        client.query_one(include_str!("queries/has_version.sql"), &[&schema.name()]).await.map_err(fail)?;
    if !has.get::<_, bool>(0) {
        return Ok(None);
    }
    let row = client.query_one(&schema.sql(include_str!("queries/version.sql")), &[]).await.map_err(fail)?;
    Ok(row.get::<_, Option<i32>>(0).map(i32::unsigned_abs))
}

/// Refuses tables that this program doesn't know.
pub(super) async fn check_version(client: &Client, schema: &Schema) -> Result<(), StoreError> {
    let missing = |text: String| Err(StoreError::new(StoreKind::SchemaMissing, text));
    match version(client, schema).await? {
        Some(WANTED) => Ok(()),
        Some(newer) if newer > WANTED => Err(is_newer(newer)),
        Some(older) => {
            missing(format!("the store's tables have version {older}, this program needs {WANTED}"))
        }
        None => missing(format!("the schema {} has no tables of topo yet", schema.quoted())),
    }
}

fn is_newer(version: u32) -> StoreError {
    StoreError::new(
        StoreKind::SchemaNewer,
        format!("the store's tables have version {version}, this program knows {WANTED}"),
    )
}

/// Creates or upgrades the tables, one program at a time.
pub(super) async fn migrate(client: &Client, schema: &Schema) -> Result<(), StoreError> {
    let fail = |e| store_error("can't create the store's tables", e);
    client.batch_execute(BEGIN).await.map_err(fail)?;
    client.batch_execute(include_str!("queries/migration_lock.sql")).await.map_err(fail)?;
    // CREATE SCHEMA IF NOT EXISTS asks for a right on the database even when there is nothing to do.
    let has =
        client.query_one(include_str!("queries/has_schema.sql"), &[&schema.name()]).await.map_err(fail)?;
    if !has.get::<_, bool>(0) {
        client.batch_execute(&schema.sql("CREATE SCHEMA {schema}")).await.map_err(fail)?;
    }
    let current = match version(client, schema).await? {
        Some(version) => version,
        None => {
            let create = schema.sql(include_str!("migrations/schema_version.sql"));
            client.batch_execute(&create).await.map_err(fail)?;
            0
        }
    };
    if current > WANTED {
        return Err(is_newer(current));
    }
    let record = schema.sql(include_str!("queries/record_version.sql"));
    for (version, script) in MIGRATIONS.iter().filter(|(version, _)| version.unsigned_abs() > current) {
        client.batch_execute(&schema.sql(script)).await.map_err(fail)?;
        client.execute(&record, &[version]).await.map_err(fail)?;
    }
    // Every error above has returned: nothing can have aborted the transaction unseen.
    client.batch_execute("COMMIT").await.map_err(fail)
}

/// Runs a consumer's script and records its digest, in one transaction.
pub(super) async fn run_schema(
    client: &Client,
    schema: &Schema,
    consumer: &str,
    script: &SqlFile,
) -> Result<(), StoreError> {
    check_version(client, schema).await?;
    let file = script.path.display();
    sql::schema(&script.text, Dialect::Postgres).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|problem| format!("{file}:{problem}")).collect();
        StoreError::new(StoreKind::Handler, lines.join("\n"))
    })?;
    let fail = |e| store_error("can't record the schema", e);
    client.batch_execute(BEGIN).await.map_err(fail)?;
    // Whole, never split: the server reports the place within the whole text.
    client.batch_execute(&script.text).await.map_err(|error| {
        let place = position(&error).map_or_else(String::new, |position| {
            format!(":{}", sql::place_of_character(&script.text, position))
        });
        let mut failure = store_error(&format!("{file}{place}"), error);
        if failure.kind == StoreKind::Failed {
            failure.kind = StoreKind::Handler;
        }
        failure
    })?;
    let record = schema.sql(include_str!("queries/run_schema.sql"));
    client.execute(&record, &[&consumer, &script.digest()]).await.map_err(fail)?;
    client.batch_execute("COMMIT").await.map_err(fail)
}

/// The digest recorded by the last [`run_schema`].
pub(super) async fn schema_digest(
    client: &Client,
    schema: &Schema,
    consumer: &str,
) -> Result<Option<String>, StoreError> {
    check_version(client, schema).await?;
    let row = client
        .query_opt(&schema.sql(include_str!("queries/schema_digest.sql")), &[&consumer])
        .await
        .map_err(|e| store_error("can't read the schema's digest", e))?;
    Ok(row.map(|row| row.get(0)))
}

/// The recorded shard rule.
pub(super) async fn shard_rule(
    client: &Client,
    schema: &Schema,
    topology: &str,
    generation: u32,
) -> Result<Option<ShardRule>, StoreError> {
    check_version(client, schema).await?;
    let sql = schema.sql(include_str!("queries/shard_rule.sql"));
    let row = client
        .query_opt(&sql, &[&topology, &signed(generation)])
        .await
        .map_err(|e| store_error("can't read the shard rule", e))?;
    Ok(row.map(|row| ShardRule {
        count: u32::try_from(row.get::<_, i32>(0)).unwrap_or(0),
        hash: row.get(1),
        key: row.get(2),
    }))
}

/// Records a shard rule, unless there is one.
pub(super) async fn record_shard_rule(
    client: &Client,
    schema: &Schema,
    topology: &str,
    generation: u32,
    rule: &ShardRule,
) -> Result<(), StoreError> {
    check_version(client, schema).await?;
    let sql = schema.sql(include_str!("queries/record_shard_rule.sql"));
    client
        .execute(&sql, &[&topology, &signed(generation), &signed(rule.count), &rule.hash, &rule.key])
        .await
        .map_err(|e| store_error("can't record the shard rule", e))?;
    Ok(())
}

/// Counts and generations are far below the limit.
fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
