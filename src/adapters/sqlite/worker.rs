//! A thread that owns one connection and runs one job after the other.
//!
//! SQLite blocks; the async side sends closures through a bounded channel and awaits their answers.
//! Dropping the worker ends the thread, which drops the connection and so rolls its transaction back.

use std::{thread, time::Duration};

use tokio::{
    sync::{mpsc, oneshot},
    time,
};

use crate::ports::store::{StoreError, StoreKind};

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The async side of the thread.
#[derive(Debug)]
pub(super) struct Worker<S> {
    jobs: mpsc::Sender<Job<S>>,
}

impl<S: 'static> Worker<S> {
    /// Starts a thread and runs `open` on it.
    pub(super) async fn start(
        open: impl FnOnce() -> Result<S, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (jobs, mut inbox) = mpsc::channel::<Job<S>>(1);
        let (ready, opened) = oneshot::channel();
        let run = move || {
            let mut state = match open() {
                Ok(state) => state,
                Err(error) => return drop(ready.send(Err(error))),
            };
            if ready.send(Ok(())).is_ok() {
                while let Some(job) = inbox.blocking_recv() {
                    job(&mut state);
                }
            }
        };
        thread::Builder::new().name("topo-sqlite".to_owned()).spawn(run).map_err(|error| {
            StoreError::because(StoreKind::Retryable, "can't start a thread for SQLite", error)
        })?;
        opened.await.map_err(|_| ended())??;
        Ok(Self { jobs })
    }

    /// Runs `job` on the thread and awaits its answer.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.send(job).await?.await.map_err(|_| ended())?
    }

    /// The same; as long as there is no answer, `overdue` is called after every `period`.
    pub(super) async fn watched<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> T + Send + 'static,
        period: Duration,
        mut overdue: impl FnMut() + Send,
    ) -> Result<T, StoreError> {
        let mut answer = self.send(job).await?;
        loop {
            match time::timeout(period, &mut answer).await {
                Ok(answer) => return answer.map_err(|_| ended()),
                Err(_) => overdue(),
            }
        }
    }

    async fn send<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, StoreError> {
        let (reply, answer) = oneshot::channel();
        // Nobody waits for an abandoned answer.
        let job: Job<S> = Box::new(move |state| drop(reply.send(job(state))));
        self.jobs.send(job).await.map_err(|_| ended())?;
        Ok(answer)
    }
}

fn ended() -> StoreError {
    StoreError::new(StoreKind::Unreachable, "the thread of a SQLite connection ended")
}
