//! Many pieces of work at a time, on one task.

use std::{future::poll_fn, pin::Pin, task::Poll};

/// Runs `work` for every item, at most `limit` at a time, and tells `done` of each success.
///
/// After a failure nothing new is started, what is in flight is run to its end, and the first failure is
/// given with its item.
pub(super) async fn each<T: Copy, E, F: Future<Output = Result<(), E>>>(
    items: impl IntoIterator<Item = T>,
    limit: usize,
    work: impl Fn(T) -> F,
    mut done: impl FnMut(T),
) -> Result<(), (T, E)> {
    let mut items = items.into_iter().fuse();
    let mut running: Vec<(T, Pin<Box<F>>)> = Vec::new();
    let mut failed = None;
    poll_fn(|context| {
        loop {
            while failed.is_none() && running.len() < limit {
                let Some(item) = items.next() else { break };
                running.push((item, Box::pin(work(item))));
            }
            let before = running.len();
            running.retain_mut(|(item, future)| match future.as_mut().poll(context) {
                Poll::Pending => true,
                Poll::Ready(result) => {
                    match result {
                        Ok(()) => done(*item),
                        Err(error) => failed = failed.take().or(Some((*item, error))),
                    }
                    false
                }
            });
            if running.is_empty() && before == 0 {
                return Poll::Ready(());
            }
            // Room for more was made; what is new has to be polled before anybody can wake this task.
            if running.len() == before {
                return Poll::Pending;
            }
        }
    })
    .await;
    failed.map_or(Ok(()), Err)
}
