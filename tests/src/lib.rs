//! Black-box and cross-adapter tests: see `suite.rs`.
