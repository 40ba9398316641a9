//! One row of the table of drifts, and its run.

use topo::domain::{plan::Plan, topology::QueueKind};

use super::delete;
use crate::{
    harness::rabbitmq::Vhost,
    ways::{Look, Ways, orders, snapshot},
};

/// What becomes of a drift.
pub(super) enum Mended {
    /// `apply` does it.
    ByApply,
    /// Arguments are fixed: `apply` refuses it until this object of another kind is gone.
    Anew(&'static str, &'static str),
    /// It is somebody else's: `apply` leaves it until this is done.
    ByOthers(fn(&Vhost<'_>)),
}

pub(super) struct Drift {
    pub(super) what: &'static str,
    pub(super) make: fn(&Vhost<'_>),
    /// Every line of the plan.
    pub(super) expected: &'static [&'static str],
    pub(super) mended: Mended,
}

fn lines(plan: &Plan) -> Vec<String> {
    let line = |change: &topo::domain::plan::Change| {
        let code = change.hazard.map_or(String::new(), |code| format!(" {code}"));
        format!("{} {} {}{code}", change.action.as_str(), change.kind.as_str(), change.name)
    };
    plan.changes.iter().map(line).collect()
}

pub(super) async fn run(name: &str, drifts: impl IntoIterator<Item = &Drift>) {
    let vhost = Vhost::fresh(name);
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
    ways.apply(&topology, Look::Management).await.expect("an apply");
    let whole = snapshot(&vhost);
    for drift in drifts {
        let what = drift.what;
        (drift.make)(&vhost);
        let plan = ways.plan(&topology, Look::Management).await;
        // From 4.0 on every vhost has a default type, which is told when it explains the queue's.
        let named: Vec<_> = lines(&plan).into_iter().filter(|line| !line.ends_with("TOPO0219")).collect();
        assert_eq!(named, drift.expected, "{what}");
        // A new queue is counted only after the statistics interval.
        let checked = plan.unchecked.iter().all(|said| said.contains("can't be counted now"));
        assert!(!plan.is_empty() && checked, "{what}: {:?}", plan.unchecked);
        match drift.mended {
            Mended::ByApply => {}
            Mended::Anew(kind, object) => {
                assert!(plan.approve().is_none(), "{what}");
                delete(&vhost, kind, object);
            }
            Mended::ByOthers(undo) => {
                let before = plan.has_work().then(|| snapshot(&vhost));
                let left = ways.apply(&topology, Look::Management).await.expect("an apply");
                assert!(!left.is_empty() && !left.has_work(), "{what}: {left:?}");
                assert_ne!(before, Some(snapshot(&vhost)), "{what}: its own part is done");
                undo(&vhost);
            }
        }
        let left = ways.apply(&topology, Look::Management).await.expect("an apply");
        assert!(left.changes.is_empty(), "{what}: {left:?}");
        assert_eq!(snapshot(&vhost), whole, "{what}");
        let through_amqp = ways.plan(&topology, Look::Amqp).await;
        assert!(through_amqp.changes.is_empty(), "{what}: {through_amqp:?}");
    }
    ways.amqp.close().await;
}
