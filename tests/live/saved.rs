//! Saved plans through the command line: `topo plan --out` and `topo apply FILE`.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::{
    harness::{ports, rabbitmq::Vhost, topo::Workdir},
    ways::{put_queue, snapshot},
};

async fn example(vhost: &Vhost<'_>) -> Workdir {
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url());
    work.topo(&["init"]).await.expect_code(0);
    work
}

#[tokio::test]
async fn plan_is_what_runs_a_saved_plan_is_run_without_a_question_while_nothing_changed() {
    let vhost = Vhost::fresh("saved");
    let work = example(&vhost).await;
    // A plan that stands there already is replaced, and its permissions with it.
    let file = work.path().join("agreed.json");
    fs::write(&file, "old").expect("a writable directory");
    let planned = work.topo(&["plan", "--out", "agreed.json"]).await.expect_code(3);
    let saved = fs::read_to_string(&file).expect("a file");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(!saved.contains("guest"), "a login in {saved}");
    assert_eq!(
        fs::read_dir(work.path())
            .expect("a directory")
            .filter(|entry| {
                entry.as_ref().expect("an entry").file_name().to_string_lossy().contains("agreed")
            })
            .count(),
        1
    );

    let applied = work.topo(&["apply", "agreed.json"]).await.expect_code(0);
    let shown = planned.stdout.replace("changes pending", "to do");
    assert!(applied.stdout.starts_with(&shown), "{}\n{shown}", applied.stdout);
    let end = "done: 20 steps\na probe came through every queue of 8 shards\n";
    assert!(applied.stdout.ends_with(end), "{}", applied.stdout);

    // What it would make is there: it is no longer the plan.
    let again = work.topo(&["apply", "agreed.json"]).await.expect_code(5);
    assert!(again.stderr.contains("TOPO0208"), "{}", again.stderr);
    assert!(again.stderr.contains("- create queue orders.ledger.dead: durable true"), "{}", again.stderr);
}

#[tokio::test]
async fn plan_is_what_runs_a_saved_plan_that_is_stale_is_refused_and_says_what_differs() {
    let vhost = Vhost::fresh("stale");
    let work = example(&vhost).await;
    work.topo(&["plan", "--out", "agreed.json"]).await.expect_code(3);
    put_queue(&vhost, "orders.ledger.g1.3", r#"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#);
    let before = snapshot(&vhost);
    let refused = work.topo(&["apply", "agreed.json"]).await.expect_code(5);
    for said in ["TOPO0208", "- create queue orders.ledger.g1.3", "+ replace queue orders.ledger.g1.3"] {
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    assert_eq!((snapshot(&vhost), refused.stdout.as_str()), (before, ""));

    // A plan for another vhost is another plan, even when it reads the same.
    let other = Vhost::fresh("elsewhere");
    let elsewhere = example(&other).await;
    fs::copy(work.path().join("agreed.json"), elsewhere.path().join("agreed.json")).expect("a copy");
    let refused = elsewhere.topo(&["apply", "agreed.json"]).await.expect_code(5);
    assert!(refused.stderr.contains(&format!("- vhost {}", vhost.name())), "{}", refused.stderr);

    for (name, text) in
        [("none.json", None), ("topology.json", Some("{}")), ("half.json", Some("{\"format\": 1,"))]
    {
        if let Some(text) = text {
            fs::write(work.path().join(name), text).expect("a writable directory");
        }
        let refused = work.topo(&["apply", name]).await.expect_code(2);
        assert!(refused.stderr.contains(name) && refused.stderr.contains("--out"), "{}", refused.stderr);
    }
}

#[tokio::test]
async fn a_plan_that_only_the_management_api_could_make_is_no_plan() {
    let vhost = Vhost::fresh("half-dead");
    let url = vhost.amqp_url_via(ports::free());
    let work =
        Workdir::new().env("TOPO_BROKER_URL", &url).env("TOPO_MANAGEMENT_URL", &vhost.management_url());
    work.topo(&["init"]).await.expect_code(0);
    let refused = work.topo(&["plan", "--out", "agreed.json"]).await.expect_code(4);
    assert!(refused.stderr.contains("TOPO0601"), "{}", refused.stderr);
    assert!(!work.path().join("agreed.json").exists());
}
