//! Replaying the cases of a consumer for `topo check`.
//!
//! Each case gets a SQLite store of its own in a folder that is removed afterwards.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    adapters::sqlite::SqliteStore,
    cli::{
        cases::{Case, Query, read},
        context::Process,
        exit::Exit,
        failure::{Failure, chain},
        project::fields,
        view::check::CaseResult,
    },
    domain::{
        code::Code,
        consumer::{Consumer, Handler, SqlFile},
        route::ShardMap,
        topology::Topology,
    },
    flows::replay::{Job, replay},
    ports::store::Store as _,
};

/// Replays every case of `consumer`.
///
/// # Errors
/// The cases can't be read, or there is no room for a store.
pub(super) async fn run(
    process: &Process,
    topology: &Topology,
    consumer: &Consumer,
) -> Result<Vec<CaseResult>, Failure> {
    let base = process.global.file.parent().unwrap_or_else(|| Path::new(""));
    let dir = base.join("consumers").join(consumer.name.as_str()).join("cases");
    let cases = read(&dir).map_err(|error| Failure::of(Exit::Usage, Code::FileInvalid, &error))?;
    let Some(Handler::Sql(handler)) = &consumer.handler else { return Ok(Vec::new()) };
    let mut results = Vec::new();
    for case in cases {
        let folder = Folder::new(process).map_err(|error| {
            Failure::new(Exit::Failed, Code::StoreFailed, "can't make a folder for a throw-away store")
                .because(Some(&error))
        })?;
        let failure = one(topology, consumer, handler, &case, &folder).await.err();
        results.push(CaseResult {
            consumer: consumer.name.as_str().to_owned(),
            name: case.name,
            messages: case.bodies.len(),
            failure,
        });
    }
    Ok(results)
}

/// A failure is told in words: it is the case's result.
async fn one(
    topology: &Topology,
    consumer: &Consumer,
    handler: &SqlFile,
    case: &Case,
    folder: &Folder,
) -> Result<(), String> {
    let store = SqliteStore::new(folder.path.join("case.db"), consumer.timeout);
    store.migrate().await.map_err(|error| chain(&error))?;
    if let Some(schema) = &consumer.schema {
        store.run_schema(consumer.name.as_str(), schema).await.map_err(|error| chain(&error))?;
    }
    let (fields, map) = (fields(topology), ShardMap::new(topology));
    let job = Job {
        consumer: consumer.name.as_str(),
        handler,
        map: &map,
        max_body: topology.publish.max_body,
        fields: fields.as_ref(),
        store: &store,
    };
    replay(job, &case.bodies).await.map_err(|error| chain(&error))?;
    for query in &case.queries {
        compare(query, &store).await?;
    }
    Ok(())
}

async fn compare(query: &Query, store: &SqliteStore) -> Result<(), String> {
    let rows = store.rows(&query.sql).await.map_err(|error| format!("{}: {}", query.place, chain(&error)))?;
    let found: Vec<String> = rows.iter().map(|row| row.join(" | ")).collect();
    if found == query.rows {
        return Ok(());
    }
    let listed = |rows: &[String]| {
        if rows.is_empty() { "  (no rows)".to_owned() } else { format!("  {}", rows.join("\n  ")) }
    };
    Err(format!(
        "{}: {}\nexpected:\n{}\nfound:\n{}",
        query.place,
        query.sql,
        listed(&query.rows),
        listed(&found)
    ))
}

/// A folder that is removed when dropped.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new(process: &Process) -> io::Result<Self> {
        let path = process.temporary(&format!("topo-check-{:016x}", process.clock.random()));
        // Fails when it exists: nobody else's folder is ever used, nor removed.
        fs::create_dir(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left behind at worst, in the system's folder for such things.
        drop(fs::remove_dir_all(&self.path));
    }
}
