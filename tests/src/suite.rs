//! The suite: what no crate can prove alone. Everything here is seen from the outside, over HTTP and the command line
//! of the real binary, on both databases.
//!
//! | module | proves |
//! |---|---|
//! | `architecture` | dependencies point inward; both databases have the same migrations |
//! | `contract` | `/api/api-keys` and its neighbours, to the letter |
//! | `concurrency` | the exact maximum, from one process and from two |
//! | `revocation` | a revoked key is refused everywhere in time, whatever line is cut; no good key is refused |
//! | `survival` | nothing answered is lost by `kill -9`; a database outage heals; a graceful end |
//! | `command_line` | `dev`, and every refusal of a configuration |
//! | `client_library` | what the client asks of a real service as operator, and its bound on a revoked key |
//! | `keys_command` | `gatepost keys`, as user, as operator and as bearer of a key |
//! | `webhooks_command` | `gatepost webhooks`, `events` and `listen`, as consumer and as operator |
//! | `canary` | no secret in logs, files or errors |
//! | `gateways` | `docs/gateways/` keeps its word, with real gateways |
//! | `bad_input` | ten thousand malformed requests |
//! | `webhooks` | subscribed, published, received: signed, retried, and not lost by `kill -9`; every kind of receiver |
//! | `pages` | the README and `docs/`: nothing is unlinked, and every command runs in the order in which it is read |
//! | `documents` | the OpenAPI document is valid, and what is committed is what the binary says |
//!
//! `GATEPOST_BIN` names the binary under test; without it the suite builds it.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod architecture;
mod bad_input;
mod canary;
mod client_library;
mod command_line;
mod concurrency;
mod contract;
mod documents;
mod gateways;
mod harness;
mod keys_command;
mod pages;
mod revocation;
mod survival;
mod webhooks;
mod webhooks_command;
