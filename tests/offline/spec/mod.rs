//! topology.yaml and consumer.yaml: what is read, what is refused, what is printed.

mod cases;
mod expanded;
mod forms;
mod page;
mod secrets;
mod world;
