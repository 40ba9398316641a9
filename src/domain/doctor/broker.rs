//! One broker: alarms, feature flags, limits, what its URL asks for.

use super::{Check, facts::Flag, listed};
use crate::domain::{
    code::Code,
    desired::Desired,
    doctor::facts::BrokerFacts,
    topology::{QueueKind, Topology},
    version::BrokerVersion,
};

/// Differences of clocks below this are of no consequence, seconds.
const CLOCK_WARNING: i64 = 5;
/// From here on ages and deadlines mislead, seconds.
const CLOCK_PROBLEM: i64 = 30;

/// Heartbeats below this end connections that are alive, seconds (T30).
const HEARTBEAT_MIN: u64 = 5;
/// Above this a dead peer is noticed too late, seconds.
const HEARTBEAT_MAX: u64 = 60;

/// Everything about the broker that is not its version, cluster or users. `now_ms` is this machine's clock.
#[must_use]
pub fn checks(topology: &Topology, facts: &BrokerFacts, now_ms: i64) -> Vec<Check> {
    let mut checks = vec![alarms(facts), flags(topology, facts)];
    checks.extend(body_size(topology, facts));
    checks.push(limits(topology, facts));
    checks.push(match facts.clock_seconds {
        // Cut to whole seconds: half a second later on average.
        Some(seconds) => clock("broker.clock", seconds * 1000 + 500, now_ms),
        None => Check::unchecked("broker.clock", "the management API told no date"),
    });
    checks
}

/// Compares another clock with ours, both in milliseconds since the Unix epoch.
#[must_use]
pub fn clock(name: &'static str, theirs: i64, ours: i64) -> Check {
    let off = theirs.saturating_sub(ours);
    let seconds = off.abs() / 1000;
    let text =
        format!("{seconds} s {}", if off < 0 { "behind this machine" } else { "ahead of this machine" });
    match seconds {
        0 => Check::ok(name, "no difference to this machine"),
        seconds if seconds > CLOCK_PROBLEM => Check::problem(name, Code::ClockSkew, text),
        seconds if seconds > CLOCK_WARNING => Check::warning(name, Code::ClockSkew, text),
        _ => Check::ok(name, text),
    }
}

/// What the URL asks for; `None` when it asks for nothing unusual.
#[must_use]
pub fn heartbeat(url: &str) -> Option<Check> {
    const NAME: &str = "broker.heartbeat";
    let (_, query) = url.split_once('?')?;
    let value = query.split('&').find_map(|pair| pair.strip_prefix("heartbeat="))?;
    let seconds: u64 = value.parse().ok()?;
    let bad = |text: String| Some(Check::warning(NAME, Code::Heartbeat, text));
    match seconds {
        0 => bad("switched off: a dead connection is noticed by the operating system alone".to_owned()),
        1..HEARTBEAT_MIN => bad(format!("{seconds} s: a short pause of either side ends the connection")),
        HEARTBEAT_MIN..=HEARTBEAT_MAX => Some(Check::ok(NAME, format!("{seconds} s"))),
        _ => bad(format!("{seconds} s: a dead peer is noticed only after twice that")),
    }
}

fn alarms(facts: &BrokerFacts) -> Check {
    const NAME: &str = "broker.alarms";
    match &facts.alarms {
        Ok(alarms) if alarms.is_empty() => Check::ok(NAME, "none in force"),
        Ok(alarms) => Check::problem(NAME, Code::BrokerAlarm, listed(alarms.iter().map(String::as_str))),
        Err(why) => Check::unchecked(NAME, why),
    }
}

fn flags(topology: &Topology, facts: &BrokerFacts) -> Check {
    const NAME: &str = "broker.feature_flags";
    let disabled = match &facts.disabled_flags {
        Ok(disabled) => disabled,
        Err(why) => return Check::unchecked(NAME, why),
    };
    let is = |flag: &Flag, name: &str| flag.name == name;
    // On 3.10 at-least-once dead-lettering needs the flag of streams (T70).
    let needed: Vec<_> = match topology.queues.kind {
        QueueKind::Quorum => disabled
            .iter()
            .filter(|flag| is(flag, "quorum_queue") || is(flag, "stream_queue"))
            .map(|flag| flag.name.as_str())
            .collect(),
        QueueKind::Classic => Vec::new(),
    };
    if !needed.is_empty() {
        let text = format!("needed by quorum queues and not enabled: {}", needed.join(", "));
        return Check::problem(NAME, Code::FeatureFlag, text);
    }
    // Which store the metadata lives in is a decision, not an omission.
    let left = disabled.iter().filter(|flag| !flag.experimental && !is(flag, "khepri_db"));
    let left: Vec<_> = left.map(|flag| flag.name.as_str()).collect();
    if left.is_empty() {
        Check::ok(NAME, "all that matter are enabled")
    } else {
        let text = format!("stable and not enabled: {}", listed(left));
        Check::warning(NAME, Code::FeatureFlag, text)
    }
}

/// The broker's own limit can't be seen; its default can be known.
fn body_size(topology: &Topology, facts: &BrokerFacts) -> Option<Check> {
    let version = BrokerVersion::parse(facts.version.as_deref()?)?;
    let mebibytes: u64 = if version.at_least(4, 0) { 16 } else { 128 };
    let wanted = topology.publish.max_body;
    (wanted > mebibytes << 20).then(|| {
        let text = format!(
            "publish.max_body is {wanted} bytes; unless max_message_size was raised, {version} refuses more than \
             {mebibytes} MiB"
        );
        Check::warning("broker.body_size", Code::Oversized, text)
    })
}

fn limits(topology: &Topology, facts: &BrokerFacts) -> Check {
    const NAME: &str = "broker.queue_limit";
    let limit = match &facts.max_queues {
        Ok(limit) => *limit,
        Err(why) => return Check::unchecked(NAME, why),
    };
    // A negative one is none.
    let Some(limit) = limit.and_then(|limit| u64::try_from(limit).ok()) else {
        return Check::ok(NAME, "the vhost has none");
    };
    let missing =
        Desired::of(topology).all_queues().filter(|queue| !facts.queues.contains_key(&queue.name)).count();
    let needed = facts.queue_count + u64::try_from(missing).unwrap_or(u64::MAX);
    let text =
        format!("the vhost may hold {limit} queues, has {} and needs {missing} more", facts.queue_count);
    if needed > limit { Check::problem(NAME, Code::QueueLimit, text) } else { Check::ok(NAME, text) }
}
