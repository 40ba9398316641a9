//! The YAML on the page about the files can be used as it stands there.

use super::world::{THREE_LINES, World};

#[test]
fn every_block_of_the_page_is_a_good_file() {
    let page = include_str!("../../../docs/topology.md");
    let blocks: Vec<_> =
        page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 3);
    for block in blocks {
        let topology = block.starts_with("topology:");
        let world = World::new(if topology { block } else { THREE_LINES })
            .with("consumers/ledger/handler.sql", "SELECT 1;\n")
            .with("consumers/mail/handler.sql", "SELECT 1;\n");
        // The secret's file is not on this machine.
        let world = if block.contains("/run/secrets") {
            let here = block.replace("/run/secrets/broker", "secret");
            world.with("topology.yaml", &here).with("secret", "x\n")
        } else {
            world
        };
        let world = if topology { world } else { world.with("consumers/ledger/consumer.yaml", block) };
        let loaded = world.load();
        // What has a price may be shown.
        assert_eq!((loaded.problems, loaded.warnings), (Vec::new(), Vec::new()), "{block}");
    }
}
