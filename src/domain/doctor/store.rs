//! One store: what weakens the promise that a committed effect stays (T118, T120, T126).

use super::{
    Check,
    broker::clock,
    facts::{PostgresFacts, SqliteFacts, StoreFacts},
};
use crate::domain::code::Code;

/// The oldest PostgreSQL that topo works with.
const POSTGRES_MIN: i32 = 140_000;
/// Strengths of a commit that a crash of the server can undo, or that a standby may not have.
const WEAK: [&str; 3] = ["off", "local", "remote_write"];

/// Everything about one store. `now_ms` is this machine's clock when the facts were read.
#[must_use]
pub fn checks(facts: &StoreFacts, now_ms: i64) -> Vec<Check> {
    match facts {
        StoreFacts::Postgres(facts) => postgres(facts, now_ms),
        StoreFacts::Sqlite(facts) => sqlite(facts),
    }
}

fn postgres(facts: &PostgresFacts, now_ms: i64) -> Vec<Check> {
    let version = format!("PostgreSQL {}", facts.version);
    let old = facts.version_number < POSTGRES_MIN;
    let mut checks = vec![
        if old {
            unfit("store.version", format!("{version}; 14 is the oldest that works"))
        } else {
            Check::ok("store.version", version)
        },
        switch("store.fsync", facts.fsync, "a crash of the machine can damage the database or lose commits"),
        switch(
            "store.full_page_writes",
            facts.full_page_writes,
            "a crash of the machine can damage pages for good",
        ),
        commits(facts),
        standbys(facts),
        writable(facts),
        if facts.pooled {
            unfit(
                "store.sessions",
                "a pooler hands out connections by transaction: settings and locks of a session get lost",
            )
            .help("Connect to the server directly, or let the pooler pool by session.")
        } else {
            Check::ok("store.sessions", "a connection stays with its server process")
        },
        rights(facts),
    ];
    if facts.idle_session_timeout_ms > 0 {
        let text = format!("idle sessions are ended after {} ms", facts.idle_session_timeout_ms);
        checks.push(
            Check::warning("store.idle_session_timeout", Code::StoreUnfit, text)
                .help("A consumer on a quiet shard connects again each time. Set idle_session_timeout to 0 for its role."),
        );
    }
    checks.push(clock("store.clock", facts.clock_ms, now_ms));
    checks
}

fn unfit(name: &'static str, text: impl Into<String>) -> Check {
    Check::problem(name, Code::StoreUnfit, text)
}

fn switch(name: &'static str, on: bool, harm: &str) -> Check {
    if on { Check::ok(name, "on") } else { Check::problem(name, Code::StoreWeak, format!("off: {harm}")) }
}

fn commits(facts: &PostgresFacts) -> Check {
    const NAME: &str = "store.synchronous_commit";
    let (own, default) = (&facts.synchronous_commit, &facts.synchronous_commit_default);
    if WEAK.contains(&own.as_str()) {
        let text = format!("{own}: a commit can be gone after a crash although its message was acknowledged");
        Check::problem(NAME, Code::StoreWeak, text)
    } else if WEAK.contains(&default.as_str()) {
        let text = format!(
            "{default} by default; topo's own transactions work with {own}, others' may be lost in a crash"
        );
        Check::warning(NAME, Code::StoreWeak, text)
    } else {
        Check::ok(NAME, own)
    }
}

/// Whether to have a standby that commits wait for is a decision; its consequence is said.
fn standbys(facts: &PostgresFacts) -> Check {
    const NAME: &str = "store.synchronous_standbys";
    match facts.synchronous_standbys.as_str() {
        "" => Check::ok(
            NAME,
            "none: after a fail-over to an asynchronous standby the last commits can be missing",
        ),
        names => Check::ok(NAME, format!("commits wait for {names}")),
    }
}

fn writable(facts: &PostgresFacts) -> Check {
    const NAME: &str = "store.writable";
    if facts.in_recovery {
        unfit(NAME, "this server is a standby and takes no writes").help("Let store.url name the primary.")
    } else if facts.read_only {
        unfit(NAME, "transactions are read-only by default")
            .help("Set default_transaction_read_only to off for the role or the database.")
    } else {
        Check::ok(NAME, "it takes writes")
    }
}

fn rights(facts: &PostgresFacts) -> Check {
    const NAME: &str = "store.rights";
    let user = &facts.user;
    let lacks = |what: &str| Check::problem(NAME, Code::PermissionMissing, format!("{user} {what}"));
    match (facts.may_use, facts.may_write) {
        (None, _) if facts.may_create => Check::ok(NAME, format!("{user} may create topo's schema")),
        (None, _) => lacks("may not create topo's schema, which is missing"),
        (Some(false), _) => lacks("may not use topo's schema"),
        (Some(true), Some(false)) => Check::ok(
            NAME,
            format!("{user} may read topo's tables and not write them: enough for plan and status"),
        ),
        (Some(true), None) => Check::ok(NAME, format!("{user} may use topo's schema")),
        (Some(true), Some(true)) => Check::ok(NAME, format!("{user} may write topo's tables")),
    }
}

fn sqlite(facts: &SqliteFacts) -> Vec<Check> {
    let mut checks = vec![Check::ok("store.version", format!("SQLite {}", facts.version))];
    checks.push(match &facts.network {
        Some(kind) => {
            unfit("store.file_system", format!("the file lies on {kind}: locks of two machines can overlap"))
                .help("Keep the file on a local disk, or use PostgreSQL.")
        }
        None => Check::ok("store.file_system", "local"),
    });
    let Some(file) = &facts.file else {
        checks.push(Check::unchecked("store.file", "the file does not exist yet: `topo apply` makes it"));
        return checks;
    };
    checks.push(match file.journal_mode.as_str() {
        "wal" => Check::ok("store.journal_mode", "wal"),
        other => Check::warning(
            "store.journal_mode",
            Code::StoreUnfit,
            format!("{other}: readers and the writer wait for each other"),
        )
        .help("`PRAGMA journal_mode = WAL` changes it; on a file system without shared memory it can't be."),
    });
    checks.push(if file.synchronous >= 2 {
        Check::ok("store.synchronous", "full")
    } else {
        Check::problem("store.synchronous", Code::StoreWeak, "a power cut can lose commits")
    });
    checks.push(match &file.writable {
        Ok(()) => Check::ok("store.writable", "it takes writes"),
        Err(why) => unfit("store.writable", why),
    });
    checks.push(match &file.integrity {
        Ok(said) if said == "ok" => Check::ok("store.integrity", "quick_check finds nothing"),
        Ok(said) => {
            Check::problem("store.integrity", Code::StoreFailed, format!("the file is damaged: {said}"))
                .help("Stop everything that uses the file and bring back a backup.")
        }
        Err(why) => Check::unchecked("store.integrity", why),
    });
    checks
}
