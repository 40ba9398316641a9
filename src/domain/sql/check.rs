//! What a handler or a schema must not hold.

use super::{
    Dialect, Place, Problem,
    lexer::{Kind, Token},
    name::{Parameter, nearest},
    place,
    split::Piece,
};
use crate::domain::consumer::Mode;

/// Statements that begin or end a transaction, or change the session's part in one: the claim and the
/// effect would no longer be one.
const CONTROL: &[&str] = &["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE"];

/// Statements of SQLite that do not belong in a transaction.
const SQLITE_ONLY: &[&str] = &["PRAGMA", "ATTACH", "DETACH", "VACUUM"];

/// All problems in the order of the text. `mode` is `None` for a schema, which has no parameters.
pub(super) fn problems(
    text: &str,
    tokens: &[Token],
    pieces: &[Piece],
    dialect: Dialect,
    mode: Option<Mode>,
) -> Vec<Problem> {
    let mut found = Vec::new();
    for token in tokens {
        let at = place(text, token.start);
        match token.kind {
            Kind::Unterminated => {
                let what = if token.of(text).starts_with("/*") { "comment" } else { "quote" };
                found.push(problem(at, format!("this {what} never ends"), None));
            }
            Kind::Foreign => found.push(problem(
                at,
                format!("{} is not bound by anything", token.of(text)),
                Some("values are bound by name, such as :key".to_owned()),
            )),
            Kind::Space
            | Kind::Comment
            | Kind::Quoted
            | Kind::Word
            | Kind::Number
            | Kind::Parameter
            | Kind::Semicolon
            | Kind::Open
            | Kind::Close
            | Kind::Symbol => {}
        }
    }
    for piece in pieces {
        found.extend(control(text, piece, dialect));
        found.extend(piece.parameters.iter().filter_map(|token| parameter(text, *token, mode)));
    }
    if mode.is_some() && pieces.is_empty() {
        found.push(problem(Place { line: 1, column: 1 }, "there is no statement".to_owned(), None));
    }
    let names_messages = |piece: &Piece| piece.parameters.iter().any(|t| t.of(text) == ":messages");
    if found.is_empty() && mode == Some(Mode::Batch) && !pieces.iter().any(names_messages) {
        let text = "a handler of mode batch must name :messages, or it never sees one".to_owned();
        found.push(problem(Place { line: 1, column: 1 }, text, None));
    }
    found.sort_by_key(|problem| problem.place);
    found
}

fn problem(place: Place, text: String, help: Option<String>) -> Problem {
    Problem { place, text, help }
}

fn control(text: &str, piece: &Piece, dialect: Dialect) -> Option<Problem> {
    let head: Vec<&str> = piece.head.iter().map(String::as_str).collect();
    let first = *head.first()?;
    let refused = match dialect {
        _ if CONTROL.contains(&first) => true,
        Dialect::Sqlite => SQLITE_ONLY.contains(&first),
        Dialect::Postgres => {
            let durability = matches!(first, "SET" | "RESET") && head.contains(&"SYNCHRONOUS_COMMIT");
            let two_phase = first == "PREPARE" && head.get(1) == Some(&"TRANSACTION");
            let mode = first == "SET" && (head.contains(&"TRANSACTION") || head.contains(&"CHARACTERISTICS"));
            durability || two_phase || mode || matches!(first, "DISCARD" | "VACUUM" | "COPY")
        }
    };
    refused.then(|| {
        problem(
            place(text, piece.start),
            format!("{first} can't be used here"),
            Some("the statements run inside one transaction that topo begins and commits".to_owned()),
        )
    })
}

fn parameter(text: &str, token: Token, mode: Option<Mode>) -> Option<Problem> {
    let known = match mode {
        None => &[],
        Some(Mode::Each) => Parameter::EACH,
        Some(Mode::Batch) => Parameter::BATCH,
    };
    let name = &text[token.start + 1..token.end];
    let at = place(text, token.start);
    if known.iter().any(|p| p.as_str() == name) {
        return None;
    }
    if let (Some((bare, cast)), Some(_)) = (name.split_once("::"), mode) {
        return Some(problem(
            at,
            format!("SQLite reads :{name} as the name of a parameter, which nothing binds"),
            Some(format!("write CAST(:{bare} AS {cast})")),
        ));
    }
    let (text, help) = match (mode, Parameter::parse(name)) {
        (None, _) => (format!("a schema has no parameters, :{name} is one"), None),
        (Some(Mode::Each), Some(_)) => {
            (format!(":{name} is for handlers of mode batch"), Some("set mode: batch".to_owned()))
        }
        (Some(Mode::Batch), Some(_)) => (
            format!("a batch has no single :{name}"),
            Some("read it from the elements of :messages".to_owned()),
        ),
        (Some(_), None) => (format!("unknown parameter :{name}"), Some(suggestion(name, known))),
    };
    Some(problem(at, text, help))
}

fn suggestion(name: &str, known: &[Parameter]) -> String {
    match nearest(name, known) {
        Some(parameter) => format!("did you mean :{}?", parameter.as_str()),
        None => {
            let names: Vec<String> = known.iter().map(|p| format!(":{}", p.as_str())).collect();
            format!("the names are {}", names.join(" "))
        }
    }
}
