//! The promises of the dispatcher, over the reference store, in paused time: a store that fails, receivers that
//! misbehave, processes that die.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod changes;
mod claiming;
mod faulty_queue;
mod limits;
mod moods;
mod oracle;
mod orders;
mod outcomes;
mod owners;
mod process_clock;
mod process_death;
mod published;
mod rates;
mod receivers;
mod simulation;
mod stopping;
mod store_faults;
mod traces;
mod unreachable;
mod world;
