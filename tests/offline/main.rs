//! Tests that need nothing but the library and the binary.

mod golden;
