//! Which confirms may be believed: the answer to returned messages that sit on the wrong confirm.
//!
//! The client library keeps returned messages in a queue and hands the oldest one to whichever confirm
//! is completed next (T2). So `Ack` without a message proves nothing yet: the return may still be on its
//! way to another confirm. The rule that holds: a resolved confirm is believed once every publish that
//! was unresolved at that moment has been resolved too. Each return precedes the confirm of its own
//! message (seen on every broker version), each completed confirm takes one return from the queue, so the
//! queue never holds more returns than there are returned and unresolved messages; once those are
//! resolved, every return of that moment has been seen. The return is then matched by message id.
//!
//! Invariant: confirm-or-report.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::ports::publisher::{Outcome, Ticket, Verdict};

/// Position of a publish on its channel, from 0.
pub(super) type Sequence = u64;

/// The books of one confirm channel.
#[derive(Debug, Default)]
pub(super) struct Confirms {
    next: Sequence,
    unresolved: BTreeSet<Sequence>,
    resolved: VecDeque<Resolved>,
    returned: BTreeMap<String, Returned>,
}

#[derive(Debug)]
struct Resolved {
    ticket: Ticket,
    message_id: String,
    acked: bool,
    /// Believed once every sequence up to this one is resolved.
    barrier: Sequence,
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
        message_id: String,
        acked: bool,
        carried: Option<(String, String)>,
    ) {
        self.unresolved.remove(&sequence);
        if let Some((returned_id, text)) = carried {
            self.returned.entry(returned_id).or_insert(Returned { text, count: 0 }).count += 1;
        }
        let barrier = self.next.saturating_sub(1);
        self.resolved.push_back(Resolved { ticket, message_id, acked, barrier });
    }

    /// Takes the verdicts that may be believed by now.
    pub(super) fn believed(&mut self) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let lowest = self.unresolved.first().copied().unwrap_or(Sequence::MAX);
        // Barriers never fall, so the first one that must wait makes the rest wait.
        while self.resolved.front().is_some_and(|r| r.barrier < lowest) {
            let Some(resolved) = self.resolved.pop_front() else { break };
            verdicts.push(Verdict { ticket: resolved.ticket, outcome: self.outcome(&resolved) });
        }
        verdicts
    }

    fn outcome(&mut self, resolved: &Resolved) -> Outcome {
        // A nack that was returned too is a return: the route is what must be mended.
        let Some(returned) = self.returned.get_mut(&resolved.message_id) else {
            return if resolved.acked { Outcome::Confirmed } else { Outcome::Nacked };
        };
        let outcome = Outcome::Returned(returned.text.clone());
        returned.count = returned.count.saturating_sub(1);
        if returned.count == 0 {
            self.returned.remove(&resolved.message_id);
        }
        outcome
    }
}

#[cfg(test)]
mod tests;
