//! Settings of stores.

use topo::domain::doctor::{
    Status::{Problem, Unchecked, Warning},
    facts::{PostgresFacts, SqliteFacts, SqliteFile, StoreFacts},
    store,
};

use super::findings;

fn postgres() -> PostgresFacts {
    PostgresFacts {
        version: "15.4".to_owned(),
        version_number: 150_004,
        user: "app".to_owned(),
        fsync: true,
        full_page_writes: true,
        synchronous_commit_default: "on".to_owned(),
        synchronous_commit: "on".to_owned(),
        may_use: Some(true),
        may_write: Some(true),
        ..PostgresFacts::default()
    }
}

#[test]
fn each_setting_that_breaks_a_promise_is_named_alone() {
    type Change = fn(&mut PostgresFacts);
    let cases: &[(Change, &str, topo::domain::doctor::Status, u16)] = &[
        (|f| f.version_number = 130_009, "store.version", Problem, 243),
        (|f| f.fsync = false, "store.fsync", Problem, 236),
        (|f| f.full_page_writes = false, "store.full_page_writes", Problem, 236),
        (|f| f.synchronous_commit = "off".to_owned(), "store.synchronous_commit", Problem, 236),
        (|f| f.synchronous_commit = "local".to_owned(), "store.synchronous_commit", Problem, 236),
        (|f| f.synchronous_commit_default = "off".to_owned(), "store.synchronous_commit", Warning, 236),
        (|f| f.in_recovery = true, "store.writable", Problem, 243),
        (|f| f.read_only = true, "store.writable", Problem, 243),
        (|f| f.pooled = true, "store.sessions", Problem, 243),
        (|f| f.may_use = Some(false), "store.rights", Problem, 235),
        (|f| f.may_use = None, "store.rights", Problem, 235),
        (|f| f.idle_session_timeout_ms = 1000, "store.idle_session_timeout", Warning, 243),
        (|f| f.clock_ms = -60_000, "store.clock", Problem, 237),
    ];
    assert_eq!(findings(&store::checks(&StoreFacts::Postgres(postgres()), 0)), []);
    for (change, name, status, code) in cases {
        let mut facts = postgres();
        change(&mut facts);
        assert_eq!(findings(&store::checks(&StoreFacts::Postgres(facts), 0)), [(*name, *status, *code)]);
    }
}

#[test]
fn who_may_only_read_and_who_may_make_the_schema_are_well() {
    for (may_create, may_use, may_write) in
        [(true, None, None), (false, Some(true), None), (false, Some(true), Some(false))]
    {
        let facts = PostgresFacts { may_create, may_use, may_write, ..postgres() };
        assert_eq!(findings(&store::checks(&StoreFacts::Postgres(facts), 0)), []);
    }
}

#[test]
fn a_sqlite_file_is_judged_by_what_it_says() {
    let file = || SqliteFile {
        journal_mode: "wal".to_owned(),
        synchronous: 2,
        writable: Ok(()),
        integrity: Ok("ok".to_owned()),
    };
    let judge = |network: Option<&str>, file: Option<SqliteFile>| {
        let network = network.map(str::to_owned);
        let checks =
            store::checks(&StoreFacts::Sqlite(SqliteFacts { version: String::new(), network, file }), 0);
        findings(&checks)
            .iter()
            .map(|(name, status, code)| ((*name).to_owned(), *status, *code))
            .collect::<Vec<_>>()
    };
    let one = |name: &str, status, code| vec![(name.to_owned(), status, code)];
    assert_eq!(judge(None, Some(file())), []);
    assert_eq!(judge(None, None), one("store.file", Unchecked, 239));
    assert_eq!(judge(Some("NFS"), Some(file())), one("store.file_system", Problem, 243));
    let delete = SqliteFile { journal_mode: "delete".to_owned(), ..file() };
    assert_eq!(judge(None, Some(delete)), one("store.journal_mode", Warning, 243));
    let normal = SqliteFile { synchronous: 1, ..file() };
    assert_eq!(judge(None, Some(normal)), one("store.synchronous", Problem, 236));
    let locked = SqliteFile { writable: Err("attempt to write".to_owned()), ..file() };
    assert_eq!(judge(None, Some(locked)), one("store.writable", Problem, 243));
    let torn = SqliteFile { integrity: Ok("row 1 missing".to_owned()), ..file() };
    assert_eq!(judge(None, Some(torn)), one("store.integrity", Problem, 505));
}
