//! What is refused, with its place and a way out.

use topo::domain::{
    consumer::Mode,
    sql::{
        Dialect::{self, Postgres, Sqlite},
        handler, schema,
    },
};

fn each(text: &str, dialect: Dialect) -> Vec<String> {
    handler(text, dialect, Mode::Each).map_or_else(strings, |_| Vec::new())
}

fn strings(problems: Vec<topo::domain::sql::Problem>) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_misspelt_name_is_found_with_its_place_and_the_nearest_name() {
    let found = each("SELECT 1;\nSELECT :mesage_id, :correlationId, :foo", Postgres);
    assert_eq!(found[0], "2:8: unknown parameter :mesage_id (did you mean :message_id?)");
    assert_eq!(found[1], "2:20: unknown parameter :correlationId (did you mean :correlation_id?)");
    assert!(
        found[2].starts_with("2:36: unknown parameter :foo (the names are :message_id :key"),
        "{}",
        found[2]
    );
}

#[test]
fn a_cast_that_sqlite_takes_as_part_of_the_name_is_found() {
    let found = each("SELECT :sequence::int", Sqlite);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("write CAST(:sequence AS int)"), "{}", found[0]);
    assert!(each("SELECT :sequence::int", Postgres).is_empty());
}

#[test]
fn a_handler_can_not_end_its_transaction() {
    for text in [
        "COMMIT",
        "begin",
        "END",
        "rollback to savepoint a",
        "/* x */ Savepoint a",
        "START TRANSACTION",
        "ABORT",
        "RELEASE a",
        "SELECT 1; commit",
    ] {
        assert_eq!(each(text, Postgres).len(), 1, "{text}");
        assert_eq!(each(text, Sqlite).len(), 1, "{text}");
    }
    for text in [
        "PREPARE TRANSACTION 'a'",
        "SET LOCAL synchronous_commit = off",
        "SET TRANSACTION READ ONLY",
        "COPY t FROM STDIN",
    ] {
        assert_eq!(each(text, Postgres).len(), 1, "{text}");
    }
    assert_eq!(each("PRAGMA synchronous = OFF", Sqlite).len(), 1);
    assert!(each("SET LOCAL lock_timeout = 1; SET CONSTRAINTS ALL DEFERRED", Postgres).is_empty());
}

#[test]
fn parameters_of_other_forms_are_refused() {
    assert_eq!(each("SELECT $1", Postgres).len(), 1);
    for text in ["SELECT ?", "SELECT ?1", "SELECT @key", "SELECT $key"] {
        assert_eq!(each(text, Sqlite).len(), 1, "{text}");
    }
}

#[test]
fn what_never_ends_is_refused() {
    for text in ["SELECT 'a", "SELECT \"a", "SELECT /* a", "SELECT $a$ x $b$", "SELECT E'\\'"] {
        assert_eq!(each(text, Postgres).len(), 1, "{text}");
    }
    assert_eq!(each("SELECT [a", Sqlite).len(), 1);
}

#[test]
fn the_mode_decides_which_names_there_are() {
    assert!(each("SELECT :messages", Postgres)[0].contains("mode: batch"));
    let batch = |text| handler(text, Postgres, Mode::Batch).map_or_else(strings, |_| Vec::new());
    assert!(batch("SELECT :messages, :shard").is_empty());
    assert!(batch("SELECT :messages, :key")[0].contains(":messages"));
    assert_eq!(batch("SELECT 1"), ["1:1: a handler of mode batch must name :messages, or it never sees one"]);
}

#[test]
fn an_empty_handler_is_a_problem_and_an_empty_schema_is_not() {
    assert_eq!(each(" -- nothing\n;", Postgres), ["1:1: there is no statement"]);
    assert!(schema("-- nothing", Postgres).is_ok());
}

#[test]
fn a_schema_has_no_parameters() {
    let found = schema("CREATE TABLE t (a text DEFAULT :key)", Sqlite).map_or_else(strings, |_| Vec::new());
    assert_eq!(found, ["1:32: a schema has no parameters, :key is one"]);
}
