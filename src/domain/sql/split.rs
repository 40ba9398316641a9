//! Tokens to statements, without cutting what holds semicolons of its own.
//!
//! Those are `BEGIN ATOMIC … END` and parenthesised rules on PostgreSQL, and triggers on SQLite.

use super::{
    Dialect,
    lexer::{Kind, Token},
};

/// One statement as ranges of the whole text.
#[derive(Debug)]
pub(super) struct Piece {
    /// First byte of its first significant token.
    pub(super) start: usize,
    /// After its last significant token; the semicolon is not part of it.
    pub(super) end: usize,
    /// Its first words in upper case, at most three.
    pub(super) head: Vec<String>,
    /// Its parameter tokens outside of bodies.
    pub(super) parameters: Vec<Token>,
}

/// Where in a statement the reader is.
#[derive(Default)]
struct State {
    /// Open parentheses.
    parens: usize,
    /// Open blocks of a body: its `BEGIN` and each `CASE` in it.
    body: usize,
    /// The last significant token was BEGIN.
    after_begin: bool,
}

/// Every statement that is not empty.
pub(super) fn statements(text: &str, tokens: &[Token], dialect: Dialect) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut current: Option<Piece> = None;
    let mut state = State::default();
    for token in tokens.iter().copied().filter(|token| token.is_significant()) {
        if token.kind == Kind::Semicolon && state.body == 0 && state.parens == 0 {
            pieces.extend(current.take());
            state = State::default();
            continue;
        }
        let piece = current.get_or_insert_with(|| Piece {
            start: token.start,
            end: token.end,
            head: Vec::new(),
            parameters: Vec::new(),
        });
        piece.end = token.end;
        if token.kind == Kind::Word {
            let word = token.of(text).to_ascii_uppercase();
            state.word(&word, piece, dialect);
            if piece.head.len() < 3 {
                piece.head.push(word);
            }
        } else {
            state.after_begin = false;
            state.mark(token, piece, text, dialect);
        }
    }
    pieces.extend(current);
    pieces
}

impl State {
    fn word(&mut self, word: &str, piece: &Piece, dialect: Dialect) {
        let begins = match dialect {
            Dialect::Postgres => word == "ATOMIC" && self.after_begin,
            Dialect::Sqlite => word == "BEGIN" && is_trigger(&piece.head),
        };
        match word {
            _ if self.body == 0 => self.body = usize::from(begins),
            "CASE" => self.body += 1,
            "END" => self.body -= 1,
            _ => {}
        }
        self.after_begin = word == "BEGIN";
    }

    fn mark(&mut self, token: Token, piece: &mut Piece, text: &str, dialect: Dialect) {
        if token.kind == Kind::Parameter && self.body == 0 {
            piece.parameters.push(token);
        }
        if dialect == Dialect::Postgres {
            match token.of(text) {
                "(" => self.parens += 1,
                ")" => self.parens = self.parens.saturating_sub(1),
                _ => {}
            }
        }
    }
}

fn is_trigger(head: &[String]) -> bool {
    let mut words = head.iter().map(String::as_str);
    words.next() == Some("CREATE") && words.any(|word| word == "TRIGGER")
}
