//! Saved plans: what is written is what was shown, and every difference of a plan of now is named.

use topo::{
    domain::{
        code::Code,
        diff::diff,
        observed::Value,
        plan::{Action, Change, FieldChange, Kind, Plan},
        saved::{Place, SavedPlan},
        secret::Secret,
        topology::{QueueKind, Topology},
    },
    spec::plan_file,
};

use super::{
    diff::{orders, whole},
    world::nothing,
};

fn of(topology: &Topology, plan: &Plan) -> SavedPlan {
    SavedPlan::of(topology, plan, false)
}

/// A plan with values of every type, and both sides of a field.
fn every_kind() -> Plan {
    let values =
        [Value::Integer(-1), Value::Text("1".to_owned()), Value::Bool(true), Value::Other("1.5".into())];
    let mut plan = Plan { keep: 3, unchecked: vec!["nobody looked".to_owned()], ..Plan::default() };
    for (action, value) in Action::ALL.into_iter().zip(values.iter().cycle()) {
        plan.changes.extend(Kind::ALL.map(|kind| Change {
            action,
            kind,
            name: format!("a \"name\" of {}", kind.as_str()),
            fields: vec![
                FieldChange { field: "f".to_owned(), from: None, to: Some(value.clone()) },
                FieldChange { field: "g".to_owned(), from: Some(value.clone()), to: None },
            ],
            hazard: (action == Action::Replace).then_some(Code::Immutable),
            step: None,
        }));
    }
    plan
}

#[test]
fn what_is_read_back_equals_what_was_written() {
    let topology = orders(QueueKind::Quorum);
    let created = diff(&topology, &nothing(), &[]);
    for plan in [created, diff(&topology, &whole(&topology), &[]), every_kind()] {
        let saved = of(&topology, &plan);
        let read = plan_file::read(&plan_file::write(&saved).unwrap()).unwrap();
        assert_eq!(read, saved);
        assert_eq!(read.differences(&of(&topology, &plan)), Vec::<String>::new());
    }
}

#[test]
fn a_text_that_is_no_plan_is_refused() {
    let good = plan_file::write(&of(&orders(QueueKind::Quorum), &every_kind())).unwrap();
    let cases = [
        (String::new(), "it is not a plan"),
        ("{}".to_owned(), "it is not a plan"),
        (good[..good.len() / 2].to_owned(), "it is not a plan"),
        (good.replacen("\"prune\"", "\"pruned\"", 1), "it is not a plan"),
        (good.replacen("\"format\": 1", "\"format\": 2", 1), "it has format 2"),
        (good.replacen("\"create\"", "\"ruin\"", 1), "it has the action \"ruin\""),
        (good.replacen("TOPO0202", "TOPO0999", 1), "it has the hazard \"TOPO0999\""),
    ];
    for (text, expected) in cases {
        let error = plan_file::read(&text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn every_difference_of_now_is_named() {
    let topology = orders(QueueKind::Quorum);
    let plan = diff(&topology, &nothing(), &[]);
    let saved = of(&topology, &plan);
    let said = |change: &dyn Fn(&mut SavedPlan)| {
        let mut now = saved.clone();
        change(&mut now);
        saved.differences(&now)
    };
    let created = "create exchange orders: type \"direct\", durable true [declare exchange orders]";
    let at = saved.changes.iter().position(|change| change.kind == Kind::Exchange).unwrap();
    assert_eq!(said(&|now| drop(now.changes.remove(at))), [format!("- {created}")]);
    let twice = said(&|now| now.changes.push(saved.changes[at].clone()));
    assert_eq!(twice, [format!("+ {created}")]);
    let typed = said(&|now| now.changes[at].fields[1].to = Some(Value::Text("true".to_owned())));
    assert_eq!(typed, [format!("- {created}"), format!("+ {}", created.replace("true", "\"true\""))]);
    assert_eq!(said(&|now| now.keep = 1), ["0 objects were as they should be, now 1 are"]);
    assert_eq!(said(&|now| now.prune = true), ["saved without --prune, made with --prune"]);
    assert_eq!(said(&|now| now.changes.reverse()), ["the order of the changes differs"]);
    assert_eq!(said(&|now| now.ensure.push("bind".to_owned())), ["+ bind"]);
    assert_eq!(said(&|now| now.unchecked.push("x".to_owned())), ["+ x"]);
    let moved = said(&|now| now.place.vhost = "other".to_owned());
    assert_eq!(moved, ["- vhost /", "+ vhost other"]);
}

#[test]
fn a_place_has_no_login_and_reads_the_vhost() {
    let cases = [
        ("amqp://127.0.0.1", ("amqp://127.0.0.1", "/")),
        ("amqp://me:s3cret@Host:5673/%2f?heartbeat=5", ("amqp://host:5673", "/")),
        ("amqps://me:s3:cr@et@[::1]:1/a%2Fb%25%zz", ("amqps://[::1]:1", "a/b%%zz")),
        ("amqp://me:s3/cr@et@host/v", ("amqp://host", "v")),
    ];
    for (url, (broker, vhost)) in cases {
        let mut topology = orders(QueueKind::Quorum);
        topology.broker.url = Secret::new(url, "${TOPO_BROKER_URL}");
        topology.broker.management_url = Some(Secret::new("http://me:s3cret@api:1", ""));
        let place = Place::of(&topology);
        assert_eq!((place.broker.as_str(), place.vhost.as_str()), (broker, vhost));
        let text = plan_file::write(&of(&topology, &Plan::default())).unwrap();
        assert!(text.contains("http://api:1") && !text.contains("s3") && !text.contains("me:"), "{text}");
    }
}
