//! One transaction: fence, claim, handler, commit.
//!
//! Every step is run to its end; nothing here is raced against a timer (T86). After any failure the
//! transaction is rolled back, and a session whose connection is in doubt is dropped: the claim finds out
//! what it did.
//!
//! Invariants: effect-once, one-owner.

use std::time::Duration;

use super::{
    Error,
    tell::{self, chain},
    worker::{Serve, Worker},
};
use crate::{
    domain::{
        message::Message,
        retry::{backoff, jitter},
    },
    ports::{
        observer::{Level, Status},
        store::{Claim, Committed, Epoch, Session, StoreError, StoreKind},
    },
};

/// Pause after a transaction that the store asked to run again.
const AGAIN_MIN: Duration = Duration::from_millis(10);
/// How often a store that is in the way is said.
const SAY_EVERY: Duration = Duration::from_secs(10);
/// Pause after the store could not be reached.
const UNREACHABLE: Duration = Duration::from_secs(1);

/// Why a transaction did not commit.
pub(super) enum Trouble {
    /// This message failed.
    Message {
        /// Its place in the batch.
        index: usize,
        /// `Retrying` when the handler failed, `Conflict` when its id is known with another body.
        status: Status,
        /// Why.
        reason: String,
    },
    /// The store asks to try again, or is away.
    Pause(Duration),
    /// Serving must end.
    End(Serve),
}

impl Worker {
    /// Opens the store session if there is none: before subscribing, so that a missing table is an error and
    /// not a held message.
    pub(super) async fn ready_store(&mut self) -> Result<(), Serve> {
        loop {
            if self.session.is_some() {
                return Ok(());
            }
            match self.job.store.session(&self.job.handler).await {
                Ok(session) => {
                    self.store_seen = true;
                    self.session = Some(session);
                }
                Err(error) => match self.store_trouble(error) {
                    Trouble::Pause(_) if self.shared.halted() => return Err(Serve::Stop),
                    Trouble::Pause(pause) => self.pause(pause).await,
                    Trouble::End(end) => return Err(end),
                    Trouble::Message { reason, .. } => {
                        let source = StoreError::new(StoreKind::Handler, reason);
                        return Err(self.failed(source));
                    }
                },
            }
        }
    }

    /// Runs `messages` as one transaction.
    pub(super) async fn transact(
        &mut self,
        messages: &[Message],
        attempt: u32,
    ) -> Result<Committed, Trouble> {
        let started = self.job.clock.elapsed();
        if self.session.is_none() {
            match self.job.store.session(&self.job.handler).await {
                Ok(session) => self.session = Some(session),
                Err(error) => return Err(self.store_trouble(error)),
            }
        }
        let Some(mut session) = self.session.take() else { return Err(Trouble::Pause(UNREACHABLE)) };
        let result = self.steps(session.as_mut(), messages).await;
        match result {
            Ok((proof, claims)) => {
                self.session = Some(session);
                self.counts.transactions += 1;
                self.again = (0, None);
                let took = self.job.clock.elapsed().saturating_sub(started);
                self.count(messages, &claims, attempt, took);
                Ok(proof)
            }
            Err(failure) => {
                // A connection that can't roll back is in doubt: dropping it ends its transaction.
                let broken = matches!(&failure, Failure::Store(e) if e.kind == StoreKind::Unreachable);
                if !broken && session.rollback().await.is_ok() {
                    self.session = Some(session);
                }
                Err(match failure {
                    Failure::Store(error) => self.store_trouble(error),
                    Failure::Message(index, error) => {
                        Trouble::Message { index, status: Status::Retrying, reason: chain(&error) }
                    }
                    Failure::Conflict(index) => Trouble::Message {
                        index,
                        status: Status::Conflict,
                        reason: "its id was processed before with another key or body".to_owned(),
                    },
                })
            }
        }
    }

    async fn steps(
        &mut self,
        session: &mut dyn Session,
        messages: &[Message],
    ) -> Result<(Committed, Vec<Claim>), Failure> {
        let epoch = self.epoch(session).await?;
        session.begin(&self.id, epoch).await?;
        let claims = session.claim(messages).await?;
        if let Some(index) = claims.iter().position(|claim| *claim == Claim::Conflict) {
            return Err(Failure::Conflict(index));
        }
        let fresh: Vec<usize> = claims
            .iter()
            .enumerate()
            .filter(|(_, claim)| **claim == Claim::Fresh)
            .map(|(index, _)| index)
            .collect();
        let chosen: Vec<&Message> = fresh.iter().filter_map(|index| messages.get(*index)).collect();
        if !chosen.is_empty()
            && let Err(failed) = session.apply(&chosen).await
        {
            let index = fresh.get(failed.index).copied().unwrap_or(0);
            return Err(match failed.error.kind {
                StoreKind::Unreachable | StoreKind::Fenced => Failure::Store(failed.error),
                // A deadlock or time-out in the handler counts against the message, else it could go on for ever.
                _ => Failure::Message(index, failed.error),
            });
        }
        match session.commit().await {
            Ok(proof) => Ok((proof, claims)),
            // A constraint that is checked at commit: one of these messages broke it, the head goes alone first.
            Err(error) if error.kind == StoreKind::Failed => {
                Err(Failure::Message(fresh.first().copied().unwrap_or(0), error))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The epoch is taken at the first delivery of a channel, never before: a standby must not fence the
    /// active owner.
    async fn epoch(&mut self, session: &mut dyn Session) -> Result<Epoch, StoreError> {
        if let Some(epoch) = self.epoch {
            return Ok(epoch);
        }
        let epoch = session.acquire(&self.id, &self.job.owner).await?;
        self.notice(Level::Info, &format!("owner of the shard, epoch {}", epoch.0));
        self.epoch = Some(epoch);
        Ok(epoch)
    }

    fn store_trouble(&mut self, error: StoreError) -> Trouble {
        match error.kind {
            StoreKind::Retryable => self.store_again(&error),
            StoreKind::Unreachable if !self.store_seen => Trouble::End(self.failed(error)),
            StoreKind::Unreachable => self.store_away(&error),
            StoreKind::Fenced => Trouble::End(Serve::Fenced),
            StoreKind::Refused
            | StoreKind::SchemaMissing
            | StoreKind::SchemaNewer
            | StoreKind::Handler
            | StoreKind::Failed => Trouble::End(self.failed(error)),
        }
    }

    /// Once is normal, again and again is somebody's lock or a full disk: said, and tried more slowly.
    fn store_again(&mut self, error: &StoreError) -> Trouble {
        self.again.0 += 1;
        let times = self.again.0;
        if times > 1 {
            self.say_at_times(&format!("{}, attempt {times} of this transaction follows", chain(error)));
        }
        Trouble::Pause(jitter(backoff(times, AGAIN_MIN, UNREACHABLE), self.job.clock.random()))
    }

    /// Said at once; an outage of an hour is not a line per second and shard.
    fn store_away(&mut self, error: &StoreError) -> Trouble {
        self.say_at_times(&format!("{}, trying again", chain(error)));
        Trouble::Pause(jitter(UNREACHABLE, self.job.clock.random()))
    }

    /// Says what is in the way, and again while it lasts.
    fn say_at_times(&mut self, text: &str) {
        let now = self.job.clock.elapsed();
        if self.again.1.is_none_or(|said| now.saturating_sub(said) >= SAY_EVERY) {
            self.again.1 = Some(now);
            self.notice(Level::Warn, text);
        }
    }

    fn failed(&self, source: StoreError) -> Serve {
        Serve::Failed(Error::Store { consumer: self.id.consumer.clone(), source })
    }

    fn count(&mut self, messages: &[Message], claims: &[Claim], attempt: u32, took: Duration) {
        for (message, claim) in messages.iter().zip(claims) {
            match claim {
                Claim::Fresh => self.counts.committed += 1,
                Claim::Duplicate | Claim::Conflict => self.counts.duplicates += 1,
            }
            tell::committed(self, message, *claim == Claim::Fresh, attempt, took);
        }
    }
}

enum Failure {
    Store(StoreError),
    Message(usize, StoreError),
    Conflict(usize),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
