//! Where a colon begins a parameter.

use topo::domain::sql::Dialect::{Postgres, Sqlite};

use super::{names, read};

#[test]
fn every_occurrence_gets_its_own_number() {
    let script = read("INSERT INTO t VALUES (:key, :sequence, :key)", Postgres);
    let rendered = script.statements[0].numbered();
    assert_eq!(rendered.sql, "INSERT INTO t VALUES ($1, $2, $3)");
    let names: Vec<_> = rendered.parameters.iter().map(|p| p.as_str()).collect();
    assert_eq!(names, ["key", "sequence", "key"]);
}

#[test]
fn quotes_comments_and_dollar_quotes_are_left_alone() {
    for text in [
        "SELECT ':key', 'it''s :key'",
        "SELECT \":key\", \"a\"\":key\"",
        "SELECT 1 -- :key\n",
        "SELECT /* :key /* :key */ :key */ 1",
        "SELECT $$ :key $$, $tag$ :key $$ :key $tag$",
        "SELECT E'\\':key', e'\\\\' || 'x:key'",
        "SELECT U&'\\0061:key', B'01', X'ff'",
        "DO $body$ BEGIN x := ':key'; END $body$",
    ] {
        assert!(names(text, Postgres).is_empty(), "{text}");
    }
    for text in ["SELECT `:key`, [a :key] FROM t", "SELECT ':key' -- :key\n", "SELECT \":key\" /* :key */"] {
        assert!(names(text, Sqlite).is_empty(), "{text}");
    }
}

#[test]
fn casts_assignments_and_slices_are_left_alone() {
    for text in [
        "SELECT a::text, '1'::int, f(b => 1), f(b := 2)",
        "SELECT a[1:2], a[:key], a[1 : key], a[lower:key], (a)[:key]",
        "SELECT '{1,2}'::int[], a[b[1]:key]",
    ] {
        assert!(names(text, Postgres).is_empty(), "{text}");
    }
}

#[test]
fn a_parameter_stands_next_to_anything_else() {
    assert_eq!(
        names("SELECT (:key)::text, :sequence::bigint, -:shard", Postgres),
        ["key", "sequence", "shard"]
    );
    assert_eq!(
        names("SELECT ARRAY[:key, :type], ARRAY[[:key],[:type]]", Postgres),
        ["key", "type", "key", "type"]
    );
    assert_eq!(names("SELECT a[(:shard):(:sequence)]", Postgres), ["shard", "sequence"]);
    assert_eq!(
        names("SELECT :body->>'a', :body @> '{}', :headers ? 'x'", Postgres),
        ["body", "body", "headers"]
    );
    assert_eq!(names("SELECT :body->>'a', '' || :key||:type", Sqlite), ["body", "key", "type"]);
}

#[test]
fn comments_nest_on_postgresql_only() {
    assert!(names("SELECT 1 /* /* */ :key */", Postgres).is_empty());
    assert_eq!(names("SELECT /* /* */ :key", Sqlite), ["key"]);
}

#[test]
fn the_same_handler_has_the_same_parameters_on_both_engines() {
    let text = "INSERT INTO ledger (order_id, version, amount)\n\
                VALUES (:key, :sequence, CAST(:body ->> 'amount' AS integer));";
    assert_eq!(names(text, Postgres), ["key", "sequence", "body"]);
    assert_eq!(names(text, Sqlite), ["key", "sequence", "body"]);
}

#[test]
fn a_character_of_the_numbered_form_leads_back_to_its_place() {
    let script = read("\n  SELECT 'é', :correlation_id,\n  :key + wrong", Postgres);
    let statement = &script.statements[0];
    let sql = statement.numbered().sql;
    let place = |needle: &str| {
        let at = sql[..sql.find(needle).unwrap()].chars().count() + 1;
        statement.place_in_numbered(at).to_string()
    };
    assert_eq!(place("SELECT"), "2:3");
    assert_eq!(place("'é'"), "2:10");
    assert_eq!(place("$1"), "2:15");
    assert_eq!(place("$2"), "3:3");
    assert_eq!(place("wrong"), "3:10");
}
