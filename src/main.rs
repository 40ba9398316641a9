//! The `topo` command.
fn main() {}
