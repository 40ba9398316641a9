//! Signals: the first SIGINT or SIGTERM drains, the second exits at once.
//!
//! Exiting at once closes the sockets, and the broker returns what was not acknowledged, in order; so the
//! second signal loses nothing either, it only leaves work to be done again.
//!
//! Invariant: drain-loses-nothing.

use std::{sync::Arc, time::Duration};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use super::exit::Exit;
use crate::ports::{
    clock::Clock,
    observer::{Level, Observer},
};

/// Why a run was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A signal.
    Signal,
    /// `--timeout` ran out.
    Timeout,
}

/// A request to stop, once it comes.
#[derive(Debug)]
pub struct Stop {
    receiver: watch::Receiver<bool>,
    cause: watch::Receiver<Option<Cause>>,
}

impl Stop {
    /// Listens for signals, and for the end of `timeout`, from now on.
    ///
    /// # Errors
    /// The operating system refuses the handlers.
    pub fn listen(
        timeout: Option<Duration>,
        clock: Arc<dyn Clock>,
        observer: Arc<dyn Observer>,
    ) -> std::io::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let (sender, receiver) = watch::channel(false);
        let (why, cause) = watch::channel(None);
        tokio::spawn(async move {
            let ask = |cause: Cause, text: &str| {
                if !sender.send_replace(true) {
                    why.send_replace(Some(cause));
                    observer.notice(Level::Info, None, text);
                    return;
                }
                if cause == Cause::Signal {
                    exit_at_once();
                }
            };
            let over = async {
                match timeout {
                    Some(limit) => clock.sleep(limit).await,
                    None => std::future::pending().await,
                }
            };
            tokio::pin!(over);
            let mut waiting = true;
            loop {
                tokio::select! {
                    Some(()) = interrupt.recv() => ask(Cause::Signal, DRAINING),
                    Some(()) = terminate.recv() => ask(Cause::Signal, DRAINING),
                    () = &mut over, if waiting => {
                        waiting = false;
                        ask(Cause::Timeout, "--timeout is over: finishing what is in flight");
                    }
                }
            }
        });
        Ok(Self { receiver, cause })
    }

    /// Turns true when the run should stop.
    #[must_use]
    pub fn receiver(&self) -> watch::Receiver<bool> {
        self.receiver.clone()
    }

    /// Why it was asked to stop; `None` while it was not.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        *self.cause.borrow()
    }
}

const DRAINING: &str = "stopping: finishing what is in flight; a second signal exits at once";

#[expect(clippy::disallowed_methods, reason = "the second signal asks for exactly this")]
fn exit_at_once() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.number()))
}
