//! The Rust client library of the REST API
