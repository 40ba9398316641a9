//! Broker versions: what a server says of itself, as numbers that can be compared.

use std::fmt;

/// A version of RabbitMQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BrokerVersion {
    /// First number.
    pub major: u16,
    /// Second number.
    pub minor: u16,
    /// Third number; 0 when it was not given.
    pub patch: u16,
}

impl BrokerVersion {
    /// A version in numbers.
    #[must_use]
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Reads `4.3`, `3.10.8`, `4.3.6+rc.1` and `RabbitMQ 3.10.8`; `None` when there is no version in `text`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.split_whitespace().next_back()?;
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(str::parse::<u16>);
        let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let patch = numbers.next().and_then(Result::ok).unwrap_or(0);
        Some(Self { major, minor, patch })
    }

    /// Whether it is `major.minor` or newer.
    #[must_use]
    pub const fn at_least(self, major: u16, minor: u16) -> bool {
        self.major > major || (self.major == major && self.minor >= minor)
    }
}

impl fmt::Display for BrokerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
