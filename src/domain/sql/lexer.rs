//! Text to tokens: every byte of the text belongs to exactly one token.
//!
//! Knows where a `:name` is a parameter and where a colon is something else. Statements are the business
//! of `split`, judgement that of `check`.

use super::{Dialect, quote};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// White space.
    Space,
    /// A comment.
    Comment,
    /// A quoted string or identifier, dollar quotes included.
    Quoted,
    /// A quote or comment that never ends.
    Unterminated,
    /// A keyword or bare identifier.
    Word,
    /// A number.
    Number,
    /// `:name`, on SQLite with whatever SQLite takes as part of the name.
    Parameter,
    /// A parameter of a form that is not ours: `$1`, `?`, `?1`, `@name`, `$name`.
    Foreign,
    /// `;`
    Semicolon,
    /// `(` or `[`
    Open,
    /// `)` or `]`
    Close,
    /// Anything else: operators, commas, `::`, `:=`, the colon of a slice.
    Symbol,
}

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// Whether it is neither space nor comment.
    pub(super) const fn is_significant(self) -> bool {
        !matches!(self.kind, Kind::Space | Kind::Comment)
    }

    /// Its text within `text`.
    pub(super) fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// An open bracket. Inside a subscript a colon separates the bounds of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Round,
    Array,
    Subscript,
}

struct Lexer<'a> {
    text: &'a str,
    dialect: Dialect,
    at: usize,
    open: Vec<Bracket>,
    /// The last significant token.
    last: Option<Token>,
}

/// Reads the whole text.
pub(super) fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut lexer = Lexer { text, dialect, at: 0, open: Vec::new(), last: None };
    let mut tokens = Vec::new();
    while lexer.at < text.len() {
        let start = lexer.at;
        let (kind, length) = lexer.next();
        lexer.at = start + length.max(1);
        while !text.is_char_boundary(lexer.at) {
            lexer.at += 1;
        }
        let token = Token { kind, start, end: lexer.at };
        if token.is_significant() {
            lexer.last = Some(token);
        }
        tokens.push(token);
    }
    tokens
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Kind and length of the token at the current place.
    fn next(&mut self) -> (Kind, usize) {
        let postgres = self.dialect == Dialect::Postgres;
        match self.byte(0) {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => {
                (Kind::Space, run(self.rest(), |b| b.is_ascii_whitespace() || b == 0x0b))
            }
            b'-' if self.byte(1) == b'-' => {
                (Kind::Comment, self.rest().find('\n').unwrap_or(self.rest().len()))
            }
            b'/' if self.byte(1) == b'*' => quote::block_comment(self.rest(), postgres),
            b'\'' => quote::quoted(self.rest(), 0, b'\'', false),
            b'"' => quote::quoted(self.rest(), 0, b'"', false),
            b'`' if !postgres => quote::quoted(self.rest(), 0, b'`', false),
            b'[' if !postgres => match self.rest().find(']') {
                Some(end) => (Kind::Quoted, end + 1),
                None => (Kind::Unterminated, self.rest().len()),
            },
            b'e' | b'E' if postgres && self.byte(1) == b'\'' => quote::quoted(self.rest(), 1, b'\'', true),
            b'$' => quote::dollar(self.rest(), postgres),
            b'?' if !postgres => (Kind::Foreign, 1 + run(&self.rest()[1..], |b| b.is_ascii_digit())),
            b'@' | b'#' if !postgres && is_name_byte(self.byte(1)) => {
                (Kind::Foreign, 1 + run(&self.rest()[1..], is_name_byte))
            }
            b':' => self.colon(),
            b';' => (Kind::Semicolon, 1),
            b'(' => self.bracket(Bracket::Round),
            b'[' => self.bracket(self.kind_of_square()),
            b')' | b']' => {
                self.open.pop();
                (Kind::Close, 1)
            }
            b'0'..=b'9' => {
                (Kind::Number, run(self.rest(), |b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_'))
            }
            b if is_name_byte(b) => (Kind::Word, run(self.rest(), is_name_byte)),
            _ => (Kind::Symbol, 1),
        }
    }

    fn bracket(&mut self, bracket: Bracket) -> (Kind, usize) {
        self.open.push(bracket);
        (Kind::Open, 1)
    }

    /// `ARRAY[…]`, and `[…]` nested in it, hold values; any other square bracket is a subscript.
    fn kind_of_square(&self) -> Bracket {
        let before = self.last.map_or("", |token| token.of(self.text));
        let nested = self.open.last() == Some(&Bracket::Array) && matches!(before, "[" | ",");
        if nested || before.eq_ignore_ascii_case("array") { Bracket::Array } else { Bracket::Subscript }
    }

    fn colon(&self) -> (Kind, usize) {
        let rest = self.rest();
        if self.dialect == Dialect::Sqlite {
            return sqlite_variable(rest).map_or((Kind::Symbol, 1), |length| (Kind::Parameter, length));
        }
        if matches!(self.byte(1), b':' | b'=') {
            return (Kind::Symbol, 2);
        }
        let adjacent = self.at > 0 && is_name_byte(self.text.as_bytes()[self.at - 1]);
        let slice = self.open.last() == Some(&Bracket::Subscript);
        let name = run(&rest[1..], is_name_byte);
        if name == 0 || self.byte(1).is_ascii_digit() || self.byte(1) == b'$' || adjacent || slice {
            return (Kind::Symbol, 1);
        }
        (Kind::Parameter, 1 + name)
    }
}

/// SQLite takes `::name` and one `(…)` as part of the name, as TCL would; so `:key::int` is one parameter,
/// which nobody binds, hence NULL for ever. Read the same way, it is found.
fn sqlite_variable(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut i = 1;
    loop {
        match (bytes.get(i), bytes.get(i + 1)) {
            (Some(b), _) if is_name_byte(*b) => i += 1,
            (Some(b':'), Some(b':')) => i += 2,
            (Some(b'('), _) if i > 1 => return Some(rest.find(')').map_or(i, |end| end + 1)),
            _ => return (i > 1 && is_name_byte(bytes[1])).then_some(i),
        }
    }
}

/// Letters, digits, `_`, `$` and everything beyond ASCII.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// How many bytes at the start of `text` satisfy `test`.
pub(super) fn run(text: &str, test: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| test(*b)).count()
}
