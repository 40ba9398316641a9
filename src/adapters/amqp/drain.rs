//! Everything that is completed by now, out of a set of futures.
//!
//! "Not ready" is no proof of that: the set also says so when it yields to others. Only when it did not ask
//! to be polled again at once is nothing completed left. Neither may the runtime's budget of polls end a
//! drain early. Believing confirms needs the proof.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};

/// Notes that it was woken.
#[derive(Default)]
struct Again(AtomicBool);

impl Wake for Again {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Takes the results of all futures that are completed. The caller polls the set again before it waits.
pub(super) fn completed<F: Future>(waiting: &mut FuturesUnordered<F>) -> Vec<F::Output> {
    let draining = std::future::poll_fn(|_| Poll::Ready(drain(waiting)));
    tokio::task::unconstrained(draining).now_or_never().unwrap_or_default()
}

fn drain<F: Future>(waiting: &mut FuturesUnordered<F>) -> Vec<F::Output> {
    let again = Arc::new(Again::default());
    let waker = Waker::from(Arc::clone(&again));
    let mut context = Context::from_waker(&waker);
    let mut results = Vec::new();
    loop {
        again.0.store(false, Ordering::SeqCst);
        match waiting.poll_next_unpin(&mut context) {
            Poll::Ready(Some(result)) => results.push(result),
            Poll::Pending if again.0.load(Ordering::SeqCst) => {}
            Poll::Ready(None) | Poll::Pending => return results,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::BoxFuture;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_set_that_yields_is_drained_all_the_same() {
        let mut waiting: FuturesUnordered<BoxFuture<'static, usize>> = FuturesUnordered::new();
        let mut senders = Vec::new();
        for number in 0..500 {
            let (sender, receiver) = oneshot::channel::<()>();
            senders.push(sender);
            // Many of them are woken several times before they are done, as a publish is before its confirm.
            let future = async move {
                let mut turns = number % 3;
                std::future::poll_fn(|cx| {
                    if turns == 0 {
                        return Poll::Ready(());
                    }
                    turns -= 1;
                    cx.waker().wake_by_ref();
                    Poll::Pending
                })
                .await;
                drop(receiver.await);
                number
            };
            waiting.push(future.boxed());
        }
        assert_eq!(completed(&mut waiting), Vec::<usize>::new());
        for sender in senders {
            sender.send(()).expect("its receiver waits");
        }
        assert_eq!(completed(&mut waiting).len(), 500);
    }
}
