//! Black-box and cross-adapter tests.
