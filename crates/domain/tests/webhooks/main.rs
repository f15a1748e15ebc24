//! The use cases of webhooks on the memory store, with a clock that the tests move and randomness from a seed.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod announcements;
mod attempt_times;
mod deliveries;
mod desk;
mod disabled_after_recovery;
mod follow_attempts;
mod payload_filters;
mod publish_events;
mod pull_events;
mod purge_history;
mod recover_subscription;
mod signers;
mod signing_secrets;
mod subscriptions;
mod test_subscription;
