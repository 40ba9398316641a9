//! Waiting for conditions: the only place where tests let time pass.

use std::time::{Duration, Instant};

/// How often a condition is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Waits until `condition` gives a value; fails the test after `limit`, naming `what`.
pub(crate) async fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut condition: impl AsyncFnMut() -> Option<T>,
) -> T {
    let mut tick = tokio::time::interval(POLL);
    let found = tokio::time::timeout(limit, async {
        loop {
            tick.tick().await;
            if let Some(value) = condition().await {
                return value;
            }
        }
    });
    found.await.unwrap_or_else(|_| panic!("waited {limit:?} in vain for: {what}"))
}

/// The same for code that can't be asynchronous, such as starting the shared servers.
#[expect(clippy::disallowed_methods, reason = "tests wait in real time")]
pub(crate) fn wait_blocking<T>(what: &str, limit: Duration, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(start.elapsed() < limit, "waited {limit:?} in vain for: {what}");
        std::thread::sleep(POLL);
    }
}
