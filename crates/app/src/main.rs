//! The binary `gatepost`.

fn main() {}
