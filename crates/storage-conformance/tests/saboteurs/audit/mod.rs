//! Stores with an audit log that has one fault each.

mod fault;
mod keys;
mod log;

use std::sync::Arc;

use domain::memory::{MemoryAuditLog, MemorySessionStore, MemoryWebhookStore};
use domain::ports::AuditWatchers;
use fault::Fault;
use keys::AuditedKeys;
use log::FaultyLog;
use storage_conformance::audit::{AuditedStores, PROMISES};

use crate::bites::{Broken, all_are_kept, check, each_is_broken, every_fault_is_seen};

/// Each fault, with each promise that must detect it.
const SABOTEURS: &Broken<Fault> = &[
    (Fault::LosesAddresses, "every_field_of_an_event_comes_back"),
    (Fault::LosesChanges, "every_field_of_an_event_comes_back"),
    (Fault::LosesChanges, "changes_of_keys_leave_their_events"),
    (Fault::HidesLaterEvents, "what_a_later_version_has_written_comes_back"),
    (Fault::ForgetsTheEventsOfKeys, "changes_of_keys_leave_their_events"),
    (Fault::ForgetsTheEventsOfKeys, "parallel_revocations_leave_one_event"),
    (Fault::ForgetsTheEventsOfSessions, "changes_of_sessions_leave_their_events"),
    (Fault::ForgetsTheEventsOfSubscriptions, "changes_of_subscriptions_leave_their_events"),
    (Fault::ForgetsTheEventsOfSubscriptions, "parts_of_a_recovery_leave_their_events"),
    (Fault::ForgetsTheEventsOfSubscriptions, "moves_of_consumers_leave_their_events"),
    (Fault::ForgetsTheEventsOfSubscriptions, "a_subscription_that_is_disabled_by_the_service_leaves_an_event"),
    (Fault::ForgetsTheEventsOfDeliveries, "changes_of_deliveries_leave_their_events"),
    (Fault::RecordsWhatItRefuses, "calls_that_change_no_key_leave_no_event"),
    (Fault::RecordsWhatItRefuses, "parallel_revocations_leave_one_event"),
    (Fault::InventsEvents, "calls_that_change_no_session_leave_no_event"),
    (Fault::InventsEvents, "calls_that_change_no_subscription_leave_no_event"),
    (Fault::RecordsInAnotherStep, "a_cancelled_creation_and_its_event_are_one"),
    (Fault::RecordsInAnotherStep, "a_cancelled_revocation_and_its_event_are_one"),
    (Fault::ShowsOtherUsersEvents, "lists_are_what_the_reference_selects"),
    (Fault::ShowsOtherUsersEvents, "look_alike_owners_are_told_apart"),
    (Fault::IgnoresCase, "look_alike_owners_are_told_apart"),
    (Fault::ListsOldestFirst, "lists_are_what_the_reference_selects"),
    (Fault::ShowsEventsAtTheEnd, "lists_are_what_the_reference_selects"),
    (Fault::IgnoresTargets, "lists_are_what_the_reference_selects"),
    (Fault::ForgetsTheNextPage, "pages_come_to_their_end"),
    (Fault::ForgetsTheNextPage, "lists_are_what_the_reference_selects"),
    (Fault::RepeatsTheLastOfAPage, "pages_come_to_their_end"),
    (Fault::PurgesTheBoundary, "events_before_an_instant_are_deleted"),
    (Fault::PurgesEverything, "events_before_an_instant_are_deleted"),
    (Fault::IgnoresPurgeMax, "at_most_max_events_are_deleted"),
    (Fault::CountsThenRecordsNew, "parallel_records_of_the_same_events_count_each_once"),
    (Fault::ShowsNothing, "changes_of_keys_leave_their_events"),
    (Fault::ShowsNothing, "only_new_events_are_recorded"),
    (Fault::ShowsInAnotherStep, "a_cancelled_creation_and_its_event_are_one"),
    (Fault::ShowsInAnotherStep, "a_cancelled_revocation_and_its_event_are_one"),
    (Fault::ShowsTwice, "calls_that_change_no_key_leave_no_event"),
    (Fault::ShowsTwice, "calls_that_change_no_session_leave_no_event"),
    (Fault::RecordsNewTwice, "only_new_events_are_recorded"),
    (Fault::AnnouncesEverything, "events_are_listed_until_they_are_announced"),
    (Fault::AnnouncesByTime, "an_event_that_is_stored_late_is_listed"),
    (Fault::IgnoresAnnouncedMax, "events_are_listed_until_they_are_announced"),
    (Fault::MarksNothing, "events_are_listed_until_they_are_announced"),
    (Fault::MarksEverything, "events_are_listed_until_they_are_announced"),
    (Fault::ForgetsTheLimit, "the_last_key_that_fits_leaves_another_event"),
    (Fault::ForgetsTurns, "a_subscription_that_fails_and_recovers_leaves_its_events"),
    (Fault::ForgetsExpiring, "a_key_that_loses_its_successor_leaves_another_event"),
    (Fault::CountsThenPurges, "parallel_purges_count_each_event_once"),
];

fn stores(fault: Fault) -> Arc<AuditedStores> {
    let (log, later) = (MemoryAuditLog::default(), Arc::<AuditWatchers>::default());
    Arc::new(AuditedStores::new(
        Arc::new(AuditedKeys::new(fault, log.clone(), Arc::clone(&later))),
        Arc::new(MemorySessionStore::default().writing_to(log.clone())),
        Arc::new(MemoryWebhookStore::default().writing_to(log.clone())),
        Arc::new(FaultyLog::new(fault, log, later)),
    ))
}

/// Only faults break promises: without one, the same stores keep them all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_a_fault_every_promise_is_kept() {
    all_are_kept(PROMISES, || stores(Fault::None)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_fault_breaks_its_promises() {
    every_fault_is_seen(SABOTEURS, |name, fault| check(PROMISES, name, stores(fault))).await;
}

#[test]
fn every_promise_is_broken_by_some_fault() {
    each_is_broken(SABOTEURS, PROMISES.iter().map(|promise| promise.name));
}
