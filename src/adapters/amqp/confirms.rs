//! Which confirms may be believed: the answer to returned messages that sit on the wrong confirm.
//!
//! The client library keeps returned messages in a queue and hands the oldest one to whichever confirm
//! is completed next (T2). The broker sends a return before the confirm of its own message (seen on every
//! version), and each completed confirm takes one return from the queue while there is one. Hence:
//!
//! - A confirm that carries its own message: returned.
//! - A confirm that carries nothing: the queue was empty when it was completed, so a return of its own was
//!   taken by a confirm completed before it. It is believed once everything that was completed before it
//!   has been booked, which is why the caller drains completely before it asks.
//! - A confirm that carries somebody else's message: its own return may still be in the queue. The queue
//!   never holds more returns than there are returned and unresolved messages, so it is believed once
//!   every publish that was unresolved at that moment is resolved.
//!
//! A return is matched by message id and routing key, never by position.
//!
//! Invariant: confirm-or-report.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::ports::publisher::{Outcome, Ticket, Verdict};

/// Position of a publish on its channel, from 0.
pub(super) type Sequence = u64;

/// What tells messages in flight apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) message_id: String,
    pub(super) routing_key: String,
}

/// The books of one confirm channel.
#[derive(Debug, Default)]
pub(super) struct Confirms {
    next: Sequence,
    unresolved: BTreeSet<Sequence>,
    resolved: VecDeque<Resolved>,
    returned: BTreeMap<Identity, Returned>,
}

#[derive(Debug)]
struct Resolved {
    ticket: Ticket,
    identity: Identity,
    acked: bool,
    /// Believed once every sequence up to this one is resolved; `None`: as soon as the books are complete.
    barrier: Option<Sequence>,
}

#[derive(Debug)]
struct Returned {
    text: String,
    count: u32,
}

impl Confirms {
    /// Notes a publish, in the order of the wire.
    pub(super) fn sent(&mut self) -> Sequence {
        let sequence = self.next;
        self.next += 1;
        self.unresolved.insert(sequence);
        sequence
    }

    /// Notes the confirm of one publish and the return it happened to carry.
    pub(super) fn resolve(
        &mut self,
        sequence: Sequence,
        ticket: Ticket,
        identity: Identity,
        acked: bool,
        carried: Option<(Identity, String)>,
    ) {
        self.unresolved.remove(&sequence);
        let foreign = carried.as_ref().is_some_and(|(returned, _)| *returned != identity);
        if let Some((returned, text)) = carried {
            self.returned.entry(returned).or_insert(Returned { text, count: 0 }).count += 1;
        }
        let barrier = foreign.then(|| self.next.saturating_sub(1));
        self.resolved.push_back(Resolved { ticket, identity, acked, barrier });
    }

    /// Takes the verdicts that may be believed by now. Everything that is completed must be booked.
    pub(super) fn believed(&mut self) -> Vec<Verdict> {
        let lowest = self.unresolved.first().copied().unwrap_or(Sequence::MAX);
        let mut verdicts = Vec::with_capacity(self.resolved.len());
        for resolved in std::mem::take(&mut self.resolved) {
            if resolved.barrier.is_none_or(|barrier| barrier < lowest) {
                verdicts.push(Verdict { ticket: resolved.ticket, outcome: self.outcome(&resolved) });
            } else {
                self.resolved.push_back(resolved);
            }
        }
        verdicts
    }

    fn outcome(&mut self, resolved: &Resolved) -> Outcome {
        // A nack that was returned too is a return: the route is what must be mended.
        let Some(returned) = self.returned.get_mut(&resolved.identity) else {
            return if resolved.acked { Outcome::Confirmed } else { Outcome::Nacked };
        };
        let outcome = Outcome::Returned(returned.text.clone());
        returned.count = returned.count.saturating_sub(1);
        if returned.count == 0 {
            self.returned.remove(&resolved.identity);
        }
        outcome
    }
}

#[cfg(test)]
mod tests;
