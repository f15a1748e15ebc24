//! The rules of sessions through their use cases, on the memory store.

#![expect(clippy::unwrap_used, reason = "a test fails with a panic")]

mod portal_links;
mod sign_in;
