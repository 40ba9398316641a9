//! Claims stay index look-ups while the table grows under a session's prepared plans.

use std::time::Duration;

use crate::{
    conformance::make,
    harness::wait::wait_for,
    suite::store::{SqlFixture, Worker, file, message, shard},
};

#[tokio::test]
async fn a_claim_reads_the_rows_of_its_own_ids_only() {
    let f = make().await;
    let mut worker = Worker::start_with(&f, &file("h.sql", "SELECT :key"), shard(0)).await;
    let batch = |round: usize| (0..50).map(|n| message(&format!("{round}-{n}"))).collect::<Vec<_>>();
    // The plans are fixed by the sixth run, when the table is young; the later runs show what they cost.
    for round in 0..30 {
        worker.run(&batch(round)).await;
        worker.run(&batch(round / 2)).await;
    }
    drop(worker);
    let stats = "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables \
                 WHERE relname = 'processed_messages' AND n_tup_ins = 1500";
    let read = wait_for("the ended session's statistics", Duration::from_secs(20), async || {
        f.query(stats).await.pop().flatten()
    })
    .await;
    // Two for each of the 1500 duplicates; a claim that read the table would fetch some 45 000.
    let read: u64 = read.parse().unwrap();
    assert!(read < 6000, "{read} rows were read");
}
