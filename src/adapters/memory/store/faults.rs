//! What goes wrong on demand.

use std::collections::BTreeMap;

/// Faults still to come; each is used up by happening.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// So many `begin` calls lose the connection.
    pub begins: u32,
    /// So many commits are lost before they reach the store: nothing is applied, the session is dead.
    pub commits_lost_before: u32,
    /// So many commits are applied and their answer is lost: the session is dead.
    pub commits_lost_after: u32,
    /// So many commits fail with a serialization failure and are rolled back.
    pub commits_refused: u32,
    /// How often the handler still fails for a message id; `u32::MAX` is for ever.
    pub handler: BTreeMap<String, u32>,
}

impl Faults {
    /// Whether the handler fails for this message now.
    pub(super) fn handler_fails(&mut self, message_id: &str) -> bool {
        match self.handler.get_mut(message_id) {
            Some(&mut u32::MAX) => true,
            Some(left) => take(left),
            None => false,
        }
    }
}

/// Uses up one of `count`.
pub(super) const fn take(count: &mut u32) -> bool {
    let any = *count > 0;
    *count = count.saturating_sub(1);
    any
}
