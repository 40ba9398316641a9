//! Versions of RabbitMQ with defects that matter to a sharded, ordered topology (T49, T54, T67).

use super::{Check, Status};
use crate::domain::{code::Code, topology::QueueKind, version::BrokerVersion};

/// What was looked at.
const NAME: &str = "broker.version";

/// A defect of the versions from `from` up to, not including, `fixed`.
struct Defect {
    from: BrokerVersion,
    fixed: BrokerVersion,
    /// Only topologies with queues of this type; `None`: all.
    queues: Option<QueueKind>,
    status: Status,
    what: &'static str,
}

const fn version(major: u16, minor: u16, patch: u16) -> BrokerVersion {
    BrokerVersion::new(major, minor, patch)
}

const DEFECTS: &[Defect] = &[
    Defect {
        from: version(0, 0, 0),
        fixed: version(4, 0, 0),
        queues: None,
        status: Status::Warning,
        what: "the 3.x series has reached its end of life: no fixes are made for it any more",
    },
    Defect {
        from: version(0, 0, 0),
        fixed: version(3, 11, 0),
        queues: Some(QueueKind::Classic),
        status: Status::Problem,
        what: "a durable classic queue can be lost after a node failed (rabbitmq-server#4563)",
    },
    Defect {
        from: version(0, 0, 0),
        fixed: version(4, 0, 0),
        queues: Some(QueueKind::Quorum),
        status: Status::Warning,
        what: "messages nacked by the dozen come back in another order; topo never nacks, other consumers of these \
               queues must not either",
    },
    Defect {
        from: version(0, 0, 0),
        fixed: version(4, 1, 5),
        queues: Some(QueueKind::Classic),
        status: Status::Problem,
        what: "classic queues can lose messages in their store (rabbitmq-server#14576)",
    },
    Defect {
        from: version(4, 3, 0),
        fixed: version(4, 3, 6),
        queues: Some(QueueKind::Quorum),
        status: Status::Problem,
        what: "a single-active-consumer quorum queue stops for ever when all its consumers time out \
               (rabbitmq-server#17317)",
    },
];

/// Judges what a broker says of its version.
#[must_use]
pub fn check(told: Option<&str>, queues: QueueKind) -> Vec<Check> {
    let Some(told) = told else {
        return vec![Check::unchecked(NAME, "the version is not told: the management API is needed")];
    };
    let Some(version) = BrokerVersion::parse(told) else {
        return vec![Check::unchecked(
            NAME,
            format!("{told:?} is no version of RabbitMQ that topo can read"),
        )];
    };
    let hits = |defect: &&Defect| {
        defect.from <= version && version < defect.fixed && defect.queues.is_none_or(|kind| kind == queues)
    };
    let found = |defect: &Defect| {
        let text = format!("{told}: {}; mended in {}", defect.what, defect.fixed);
        Check::found(defect.status, NAME, Code::BrokerVersionBad, text)
            .help(format!("Upgrade the broker to {} or newer.", defect.fixed))
    };
    let checks: Vec<_> = DEFECTS.iter().filter(hits).map(found).collect();
    if checks.is_empty() { vec![Check::ok(NAME, format!("{told}, no known defect"))] } else { checks }
}
