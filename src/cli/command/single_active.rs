//! Before consuming: the queues must be single-active-consumer, or order is lost at every crash.
//!
//! Asks the management API, else AMQP. Where neither can tell, that is said; a queue that does not exist is
//! left to the subscription, which names it.

use crate::{
    adapters::amqp::topology::AmqpTopology,
    cli::{exit::Exit, failure::Failure, project::Project},
    domain::{
        code::Code,
        observed::{Observed, ObservedQueue, Value, Verdict},
    },
    ports::{
        observer::{Level, Observer as _},
        topology::TopologyBroker,
    },
};

const ARGUMENT: &str = "x-single-active-consumer";

/// Refuses queues that are not single-active-consumer.
///
/// # Errors
/// Names the first such queue.
pub(super) async fn demand(project: &Project, queues: &[(u32, String)]) -> Result<(), Failure> {
    let Some(observed) = look(project).await? else { return Ok(()) };
    let mut unknown = 0;
    for (_, name) in queues {
        match observed.queues.get(name).map(single_active) {
            Some(Some(false)) => {
                let text = format!("queue {name} is not single-active-consumer");
                return Err(Failure::new(Exit::Refused, Code::NotSingleActive, text).safe_again(true));
            }
            Some(None) => unknown += 1,
            Some(Some(true)) | None => {}
        }
    }
    if unknown > 0 {
        let text = format!("could not see whether {unknown} queues are single-active-consumer");
        project.watch.notice(Level::Warn, None, &text);
    }
    Ok(())
}

/// What can be seen; `None` when the broker can't be reached, which the subscription will say.
async fn look(project: &Project) -> Result<Option<Observed>, Failure> {
    let topology = &project.topology;
    if let Ok(observed) = project.management()?.observe(topology).await {
        return Ok(Some(observed));
    }
    let amqp: AmqpTopology = project.topology_broker()?;
    let observed = amqp.observe(topology).await.ok();
    amqp.close().await;
    Ok(observed)
}

/// `None`: can't be seen.
fn single_active(queue: &ObservedQueue) -> Option<bool> {
    if let Some(details) = &queue.details {
        return Some(details.arguments.get(ARGUMENT) == Some(&Value::Bool(true)));
    }
    match queue.verdict.as_ref()? {
        Verdict::Same => Some(true),
        Verdict::Differs(difference) if difference.field == ARGUMENT => Some(false),
        // The broker names one difference only.
        Verdict::Differs(_) => None,
    }
}
