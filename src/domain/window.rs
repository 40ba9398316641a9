//! The publisher's window: which line may be sent next, and what a verdict means for its followers.
//!
//! Pure: time comes in as a parameter, nothing is sent here. A line is `waiting`, `in flight` or gone. In
//! strict order a key has at most one line in flight, and its followers wait in input order until that
//! one is confirmed, so neither a nack nor a return nor a lost connection lets a follower overtake (T7).
//! Everything in doubt goes back to its own place with its own id.
//!
//! Invariants: per-key-order, confirm-or-report.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::{
    retry::backoff,
    route::Routed,
    topology::{Order, Publish},
};

/// Input order of a line, from 0.
pub type Position = u64;
/// Number of one send; never reused within a run.
pub type Ticket = u64;

/// Lines held for each message that may be in flight: followers of busy keys wait here.
const HELD_PER_IN_FLIGHT: usize = 4;
/// Pause after the first nack or return of a line.
const PAUSE_MIN: Duration = Duration::from_millis(50);
/// Longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// What the broker said, in the window's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It took responsibility.
    Confirmed,
    /// It refused, or no queue is bound: the same line is tried again in its place.
    Refused,
}

/// What a verdict led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// The line is done.
    Confirmed(Position, Arc<Routed>),
    /// The line waits in its place and is sent again after a pause.
    Again(Arc<Routed>),
    /// The line and its held followers were given up.
    GaveUp(GaveUp),
    /// The confirm was read too late to be believed: the outcome of everything in flight is unknown.
    Late,
    /// A verdict for a send that is no longer in doubt.
    Stale,
}

/// A line that was given up, with the followers that were held behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GaveUp {
    /// Its place in the input.
    pub position: Position,
    /// The message.
    pub message: Arc<Routed>,
    /// The followers that were dropped unsent.
    pub skipped: Vec<Position>,
    /// The followers that had been sent (pipelined order only): in doubt as well.
    pub in_doubt: Vec<Position>,
}

#[derive(Debug)]
struct Entry {
    message: Arc<Routed>,
    ticket: Option<Ticket>,
    /// When an unconfirmed attempt first ended.
    trouble_since: Option<Duration>,
    attempts: u32,
}

/// Lines between reading and confirm.
#[derive(Debug)]
pub struct Window {
    settings: Publish,
    held_max: usize,
    entries: BTreeMap<Position, Entry>,
    keys: BTreeMap<String, VecDeque<Position>>,
    ready: BTreeSet<Position>,
    paused: BTreeSet<(Duration, Position)>,
    in_flight: BTreeMap<Ticket, (Position, Duration)>,
    in_flight_bytes: u64,
    held_bytes: u64,
    failed: BTreeSet<String>,
    next_ticket: Ticket,
}

impl Window {
    /// An empty window with these limits.
    #[must_use]
    pub fn new(settings: Publish) -> Self {
        let in_flight = usize::try_from(settings.in_flight.max(1)).unwrap_or(usize::MAX);
        Self {
            settings,
            held_max: in_flight.saturating_mul(HELD_PER_IN_FLIGHT),
            entries: BTreeMap::new(),
            keys: BTreeMap::new(),
            ready: BTreeSet::new(),
            paused: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            in_flight_bytes: 0,
            held_bytes: 0,
            failed: BTreeSet::new(),
            next_ticket: 0,
        }
    }

    /// Whether another line may be read: memory is bounded whatever the input's size.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.entries.len() < self.held_max
            && (self.entries.is_empty() || self.held_bytes < self.settings.in_flight_bytes)
    }

    /// Whether every admitted line is gone.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Messages without a verdict.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Keys that were given up, in order.
    #[must_use]
    pub fn failed_keys(&self) -> Vec<String> {
        self.failed.iter().cloned().collect()
    }

    /// Takes a line. `false`: its key was given up before, so it must not be sent.
    pub fn admit(&mut self, position: Position, message: Arc<Routed>) -> bool {
        let key = message.envelope().key.as_str();
        if self.failed.contains(key) {
            return false;
        }
        self.held_bytes += size(&message);
        let queue = self.keys.entry(key.to_owned()).or_default();
        queue.push_back(position);
        if queue.len() == 1 || self.settings.order == Order::Pipelined {
            self.ready.insert(position);
        }
        self.entries.insert(position, Entry { message, ticket: None, trouble_since: None, attempts: 0 });
        true
    }

    /// The next line to send at `now`, first in input order, as `(ticket, message, attempt)`; it counts as
    /// in flight from here on. Note the time before handing it to the client (the confirm deadline is
    /// an acceptance rule).
    pub fn send_next(&mut self, now: Duration) -> Option<(Ticket, Arc<Routed>, u32)> {
        self.wake(now);
        let limit = usize::try_from(self.settings.in_flight.max(1)).unwrap_or(usize::MAX);
        if self.in_flight.len() >= limit {
            return None;
        }
        let position = *self.ready.first()?;
        let entry = self.entries.get_mut(&position)?;
        let bytes = size(&entry.message);
        if !self.in_flight.is_empty() && self.in_flight_bytes + bytes > self.settings.in_flight_bytes {
            return None;
        }
        self.ready.remove(&position);
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        entry.ticket = Some(ticket);
        entry.attempts += 1;
        self.in_flight_bytes += bytes;
        self.in_flight.insert(ticket, (position, now));
        Some((ticket, Arc::clone(&entry.message), entry.attempts))
    }

    fn wake(&mut self, now: Duration) {
        while let Some(&(due, position)) = self.paused.first() {
            if due > now {
                break;
            }
            self.paused.pop_first();
            self.ready.insert(position);
        }
    }

    /// Takes a verdict that was read at `now`.
    pub fn verdict(&mut self, ticket: Ticket, answer: Answer, now: Duration) -> Settled {
        let Some(&(position, sent_at)) = self.in_flight.get(&ticket) else { return Settled::Stale };
        if answer == Answer::Confirmed && now.saturating_sub(sent_at) > self.settings.confirm_timeout {
            return Settled::Late;
        }
        self.land(ticket);
        match answer {
            Answer::Confirmed => {
                self.remove(position).map_or(Settled::Stale, |message| Settled::Confirmed(position, message))
            }
            Answer::Refused => self.again(position, now),
        }
    }

    /// No longer in flight; the entry stays in its place.
    fn land(&mut self, ticket: Ticket) {
        if let Some((position, _)) = self.in_flight.remove(&ticket)
            && let Some(entry) = self.entries.get_mut(&position)
        {
            entry.ticket = None;
            self.in_flight_bytes = self.in_flight_bytes.saturating_sub(size(&entry.message));
        }
    }

    fn again(&mut self, position: Position, now: Duration) -> Settled {
        let Some(entry) = self.entries.get_mut(&position) else { return Settled::Stale };
        let since = *entry.trouble_since.get_or_insert(now);
        if now.saturating_sub(since) >= self.settings.give_up_after {
            return self.give_up(position).map_or(Settled::Stale, Settled::GaveUp);
        }
        let pause = backoff(entry.attempts, PAUSE_MIN, PAUSE_MAX);
        self.paused.insert((now + pause, position));
        Settled::Again(Arc::clone(&entry.message))
    }

    /// The connection is gone: everything in flight is unknown and goes back to its place. Returns the
    /// lines whose time is over.
    pub fn lost(&mut self, now: Duration) -> Vec<GaveUp> {
        let mut expired = Vec::new();
        for (ticket, (position, _)) in self.in_flight.clone() {
            self.land(ticket);
            let Some(entry) = self.entries.get_mut(&position) else { continue };
            let since = *entry.trouble_since.get_or_insert(now);
            if now.saturating_sub(since) >= self.settings.give_up_after {
                expired.push(position);
            } else {
                self.ready.insert(position);
            }
        }
        expired.into_iter().filter_map(|position| self.give_up(position)).collect()
    }

    /// Whether a message is in flight for longer than the confirm deadline.
    #[must_use]
    pub fn is_overdue(&self, now: Duration) -> bool {
        self.deadline().is_some_and(|deadline| deadline < now)
    }

    fn deadline(&self) -> Option<Duration> {
        // Tickets rise with time, so the first one was sent first.
        self.in_flight.first_key_value().map(|(_, (_, sent_at))| *sent_at + self.settings.confirm_timeout)
    }

    /// When something is due next: the end of a pause or a confirm deadline.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        let pause = self.paused.first().map(|(due, _)| *due);
        match (pause, self.deadline()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Gives up a line: its key is closed for this run and its held followers are dropped.
    fn give_up(&mut self, position: Position) -> Option<GaveUp> {
        let key = self.entries.get(&position)?.message.envelope().key.as_str().to_owned();
        let followers: Vec<Position> =
            self.keys.get(&key)?.iter().copied().filter(|p| *p > position).collect();
        let message = self.remove(position)?;
        let (mut skipped, mut in_doubt) = (Vec::new(), Vec::new());
        for follower in followers {
            let sent = self.entries.get(&follower).is_some_and(|e| e.attempts > 0);
            self.remove(follower);
            if sent { in_doubt.push(follower) } else { skipped.push(follower) }
        }
        self.failed.insert(key);
        Some(GaveUp { position, message, skipped, in_doubt })
    }

    /// Ends the run: takes everything that is left, in input order, each with whether it was ever sent.
    pub fn drain(&mut self) -> Vec<(Position, Arc<Routed>, bool)> {
        let positions: Vec<Position> = self.entries.keys().copied().collect();
        let taken = positions.into_iter().filter_map(|position| {
            let sent = self.entries.get(&position).is_some_and(|e| e.attempts > 0);
            Some((position, self.remove(position)?, sent))
        });
        taken.collect()
    }

    fn remove(&mut self, position: Position) -> Option<Arc<Routed>> {
        if let Some(ticket) = self.entries.get(&position).and_then(|e| e.ticket) {
            self.land(ticket);
        }
        let entry = self.entries.remove(&position)?;
        self.held_bytes = self.held_bytes.saturating_sub(size(&entry.message));
        self.ready.remove(&position);
        self.paused.retain(|(_, p)| *p != position);
        let key = entry.message.envelope().key.as_str();
        if let Some(queue) = self.keys.get_mut(key) {
            if queue.front() == Some(&position) {
                queue.pop_front();
            } else {
                queue.retain(|p| *p != position);
            }
            match queue.front() {
                None => {
                    self.keys.remove(key);
                }
                Some(&head) => self.open_gate(head),
            }
        }
        Some(entry.message)
    }

    /// The line that is now first of its key may be sent, unless it pauses or is in flight.
    fn open_gate(&mut self, head: Position) {
        let idle = self.entries.get(&head).is_some_and(|e| e.ticket.is_none());
        if idle && !self.paused.iter().any(|(_, p)| *p == head) {
            self.ready.insert(head);
        }
    }
}

/// Memory of a line, roughly: body, id, key and bookkeeping.
fn size(message: &Routed) -> u64 {
    let envelope = message.envelope();
    let bytes = envelope.body.len() + envelope.message_id.len() + envelope.key.as_str().len() + 256;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
