//! `cargo xtask`: what developers run.

fn main() {}
