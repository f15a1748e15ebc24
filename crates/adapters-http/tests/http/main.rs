//! The API as a client sees it: whole answers of a bound server over the memory store, with a fixed clock and seeded
//! entropy.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod boundary;
mod callers;
mod connections;
mod documentation;
mod doubles;
mod gateways;
mod health;
mod keys;
mod operator;
mod server;
mod sessions;
mod transcript;
mod webhooks;
