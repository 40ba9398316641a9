//! Where one statement ends and the next begins.

use topo::domain::{
    consumer::Mode,
    sql::Dialect::{self, Postgres, Sqlite},
};

use super::read;

fn texts(text: &str, dialect: Dialect) -> Vec<String> {
    read(text, dialect).statements.iter().map(|s| s.text().to_owned()).collect()
}

#[test]
fn semicolons_separate_and_empty_statements_vanish() {
    assert_eq!(texts(";; SELECT 1 ; -- end;\n ;SELECT 2", Postgres), ["SELECT 1", "SELECT 2"]);
    assert_eq!(texts("SELECT ';' ; SELECT $$;$$;", Postgres), ["SELECT ';'", "SELECT $$;$$"]);
}

#[test]
fn each_statement_knows_where_it_begins() {
    let script = read("-- first\nSELECT 1;\n\n  SELECT 2;", Postgres);
    let places: Vec<_> = script.statements.iter().map(|s| s.place().to_string()).collect();
    assert_eq!(places, ["2:1", "4:3"]);
}

#[test]
fn a_body_keeps_its_semicolons() {
    let function = "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC \
                    SELECT CASE WHEN true THEN 1 END; SELECT 2; END";
    assert_eq!(texts(&format!("{function}; SELECT 3"), Postgres), [function, "SELECT 3"]);
    let trigger = "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN \
                   UPDATE b SET x = CASE WHEN 1 THEN 2 END; DELETE FROM c; END";
    assert_eq!(texts(&format!("{trigger}; SELECT 3"), Sqlite), [trigger, "SELECT 3"]);
    let rule = "CREATE RULE r AS ON INSERT TO a DO ALSO (DELETE FROM b; DELETE FROM c)";
    assert_eq!(texts(&format!("{rule}; SELECT 3"), Postgres), [rule, "SELECT 3"]);
}

#[test]
fn naming_the_batch_makes_a_handler_run_once_per_batch() {
    let batch = "INSERT INTO t SELECT m ->> 'key' FROM jsonb_array_elements(:messages) m";
    assert_eq!(read(batch, Postgres).mode, Mode::Batch);
    assert_eq!(read("SELECT ':messages', :key", Postgres).mode, Mode::Each);
}
