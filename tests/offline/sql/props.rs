//! Properties over generated text.

use proptest::prelude::*;
use topo::domain::sql::{Dialect, handler_of_any_mode};

/// Text that holds no parameter, whatever colons are in it.
fn plain() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,5}",
        "[0-9]{1,4}",
        "'([a-z :]|''){0,8}'",
        "\"([a-z :]|\"\"){0,8}\"",
        "--[a-z :']{0,8}\n",
        "/\\*[a-z :']{0,8}\\*/",
        "[ \n\t]{1,3}",
        Just("(é, 'ü:key')".to_owned()),
    ]
}

fn dialect() -> impl Strategy<Value = Dialect> {
    prop_oneof![Just(Dialect::Postgres), Just(Dialect::Sqlite)]
}

fn parameter() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("key"), Just("message_id"), Just("body"), Just("sequence")]
}

proptest! {
    #[test]
    fn any_text_at_all_is_read_without_a_panic(text in "\\PC{0,60}", dialect in dialect()) {
        drop(handler_of_any_mode(&text, dialect));
    }

    #[test]
    fn text_full_of_marks_is_read_without_a_panic(text in "[a-zE:;'\"$/*\\-\\[\\]()`\\\\é \n]{0,60}", dialect in dialect()) {
        drop(handler_of_any_mode(&text, dialect));
    }

    #[test]
    fn text_outside_the_parameters_is_kept_byte_for_byte(
        parts in prop::collection::vec((plain(), parameter()), 1..8),
        dialect in dialect(),
    ) {
        let mut text = "SELECT ".to_owned();
        let mut numbered = text.clone();
        for (index, (plain, name)) in parts.iter().enumerate() {
            text.push_str(&format!("{plain} , :{name} "));
            numbered.push_str(&format!("{plain} , ${} ", index + 1));
        }
        let script = handler_of_any_mode(&text, dialect).expect("no problems");
        prop_assert_eq!(script.statements.len(), 1);
        let statement = &script.statements[0];
        prop_assert_eq!(statement.text(), text.trim_end());
        let names: Vec<_> = statement.occurrences().iter().map(|o| o.parameter.as_str()).collect();
        let expected: Vec<_> = parts.iter().map(|(_, name)| *name).collect();
        prop_assert_eq!(names, expected);
        prop_assert_eq!(statement.numbered().sql, numbered.trim_end());
    }

    #[test]
    fn statements_are_pieces_of_the_text(parts in prop::collection::vec(plain(), 1..6), dialect in dialect()) {
        let text = parts.iter().map(|part| format!("SELECT {part};")).collect::<Vec<_>>().join("\n");
        let script = handler_of_any_mode(&text, dialect).expect("no problems");
        prop_assert_eq!(script.statements.len(), parts.len());
        for statement in &script.statements {
            prop_assert!(text.contains(statement.text()));
        }
    }
}
