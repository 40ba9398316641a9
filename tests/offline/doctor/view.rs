//! The result as people and programs see it.

use topo::{
    cli::view::doctor::{json, text},
    domain::{
        code::Code,
        doctor::{Check, Diagnosis, Status},
    },
};

fn diagnosis() -> Diagnosis {
    Diagnosis {
        topology: "orders".to_owned(),
        checks: vec![
            Check::ok("broker.amqp", "amqp://localhost"),
            Check::problem("broker.alarms", Code::BrokerAlarm, "memory on rabbit@a"),
            Check::warning("store.idle_session_timeout", Code::StoreUnfit, "ended after\n1 ms")
                .help("Set it to 0."),
            Check::unchecked("cluster.nodes", "nodes are shown to users with the tag monitoring"),
        ],
    }
}

#[test]
fn the_text_names_what_is_wrong_and_what_to_do() {
    insta::assert_snapshot!(anstream::adapter::strip_str(&text(&diagnosis())).to_string());
}

#[test]
fn json_has_every_check_with_the_promised_fields() {
    let document: serde_json::Value = serde_json::from_str(&json(&diagnosis())).unwrap();
    assert_eq!((&document["healthy"], &document["topology"]), (&false.into(), &"orders".into()));
    let alarm = &document["checks"][1];
    assert_eq!(
        [&alarm["name"], &alarm["status"], &alarm["code"], &alarm["text"]],
        ["broker.alarms", "problem", "TOPO0232", "memory on rabbit@a"]
    );
    assert!(document["checks"][0]["help"].is_null() && document["checks"][1]["help"].is_string());
}

#[test]
fn only_problems_make_unhealthy_and_only_silence_unreachable() {
    let one = |check| Diagnosis { topology: String::new(), checks: vec![check] };
    assert!(one(Check::warning("x", Code::FewMembers, "")).healthy());
    assert!(one(Check::unchecked("x", "")).healthy());
    assert!(!one(Check::problem("x", Code::FewMembers, "")).unreachable());
    for code in [Code::BrokerUnreachable, Code::StoreUnreachable] {
        let silent = one(Check::problem("x", code, ""));
        assert!(silent.unreachable() && !silent.healthy());
    }
    assert_eq!(diagnosis().count(Status::Ok), 1);
}
