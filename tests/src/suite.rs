//! The suite: the proofs that need several crates. Most tests run the real binary, over HTTP and the command line, on
//! both databases; some read the source, the pages and the image.
//!
//! | module | proves |
//! |---|---|
//! | `architecture` | dependencies point inward; both databases have the same migrations |
//! | `audit` | each operation leaves its event in the audit log, and a killed process no change without one |
//! | `contract` | `/api/api-keys` and its neighbours, to the letter |
//! | `copying` | a copy of a database answers as its source did, in both directions; a copy that is cut off leaves no data |
//! | `concurrency` | the exact maximum, from one process and from two |
//! | `revocation` | every instance refuses a revoked key in time, whichever connection is cut; good keys stay good |
//! | `owners` | a suspended customer is refused by every instance in time, and waits; a changed maximum holds at once |
//! | `reload` | certificates, operator tokens and the log change without a restart |
//! | `sign_in` | a browser signs in and out, on one instance and on two; a session survives a restart |
//! | `survival` | `kill -9` loses no answered change; a database outage heals; graceful shutdown |
//! | `upgrade` | two versions at the same time on one Postgres: no request fails, and no event is lost |
//! | `command_line` | `dev`, and the error for every wrong configuration |
//! | `cli` | the client's commands as a person and as a script meet them: every call, profiles, terminals, exit codes, and each example of `--help` |
//! | `client_library` | the client's calls as operator, and how soon it refuses a revoked key |
//! | `image` | the container image: the same each time, whole, and healthy without rights on a read-only root |
//! | `keys_command` | `gatepost keys`, as user, as operator and as bearer of a key |
//! | `webhooks_command` | `gatepost webhooks`, `events` and `listen`, as consumer and as operator |
//! | `doctor` | planted faults are found, and named with their cure |
//! | `shards` | three servers as one store: the exact maximum, revocations and webhooks across them, and the effect of a stopped one |
//! | `service_unit` | the messages to systemd, and the confinement by the unit |
//! | `metrics` | the figures are exact, name no user, and include all that alerts and dashboards ask for |
//! | `traces` | sampled requests and attempts arrive at a collector, and no others; the loss of the collector has no effect |
//! | `console` | the files of the console: its policy, and how browsers may keep them |
//! | `portal` | the brand of the host application, and which answers may be in a frame |
//! | `canary` | no secret in logs, files or errors |
//! | `gateways` | the configurations in `docs/gateways/` work with real gateways |
//! | `browser` | the console in a real browser: journeys, the keyboard alone, accessibility, the policy, and its types |
//! | `bad_input` | ten thousand malformed requests |
//! | `webhooks` | subscribing, publishing and receiving: signatures, retries, `kill -9`, and every kind of receiver |
//! | `pages` | the README and `docs/`: every page is linked, and every command runs in the order of the page |
//! | `documents` | the OpenAPI document is valid, and the committed file equals the binary's output |
//!
//! `GATEPOST_BIN` names the binary under test; without it the suite builds it.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod architecture;
mod audit;
mod bad_input;
mod browser;
mod canary;
mod cli;
mod client_library;
mod command_line;
mod concurrency;
mod console;
mod contract;
mod copying;
mod doctor;
mod documents;
mod gateways;
mod harness;
mod image;
mod keys_command;
mod metrics;
mod owners;
mod pages;
mod portal;
mod reload;
mod revocation;
mod service_unit;
mod shards;
mod sign_in;
mod survival;
mod traces;
mod upgrade;
mod webhooks;
mod webhooks_command;
