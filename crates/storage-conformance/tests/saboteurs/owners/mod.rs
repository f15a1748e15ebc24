//! Stores with one fault each in what they do with the records of owners.

mod store;

use std::sync::Arc;

use domain::memory::{
    MemoryAuditLog, MemoryChangeFeed, MemoryKeyStore, MemoryOwnerStore, MemoryOwners, MemorySessionStore,
    MemoryWebhookStore,
};
use storage_conformance::owners::{OwnedStores, PROMISES};
use store::{Fault, FaultyOwners};

use crate::bites::{Broken, all_are_kept, check, each_is_broken, every_fault_is_seen};

/// Each fault, with each promise that must detect it.
const SABOTEURS: &Broken<Fault> = &[
    (Fault::LosesEmail, "every_field_of_a_record_comes_back"),
    (Fault::LosesRequestRates, "every_field_of_a_record_comes_back"),
    (Fault::LosesRequestRates, "credentials_are_found_with_the_rates_of_their_owner"),
    (Fault::IgnoresOrganizations, "every_field_of_a_record_comes_back"),
    (Fault::KeepsTheState, "a_record_can_have_its_defaults_again"),
    (Fault::KeepsTheState, "changes_of_records_leave_their_events"),
    (Fault::WritesWhatItRefuses, "a_refused_change_of_a_record_changes_nothing"),
    (Fault::ReadsThenWrites, "parallel_changes_of_a_record_are_all_kept"),
    (Fault::ForgetsSignIns, "who_signs_in_is_not_suspended_as_absent"),
    (Fault::SuspendsWhoIsThere, "who_signs_in_is_not_suspended_as_absent"),
    (Fault::RecordsRepetitions, "changes_of_records_leave_their_events"),
    (Fault::IgnoresLimitsOfKeys, "a_changed_maximum_holds_for_the_next_key"),
    (Fault::IgnoresLimitsOfKeys, "a_changed_maximum_holds_for_the_next_rotation"),
    (Fault::IgnoresLimitsOfKeys, "parallel_creations_fill_a_changed_maximum_exactly"),
    (Fault::IgnoresLimitsOfKeys, "a_maximum_that_changes_in_a_race_holds_afterwards"),
    (Fault::IgnoresLimitsOfKeys, "credentials_are_found_with_the_rates_of_their_owner"),
    (Fault::IgnoresLimitsOfSubscriptions, "a_changed_maximum_holds_for_the_next_subscription"),
    (Fault::ForgetsSessions, "credentials_of_a_suspended_owner_are_marked"),
    (Fault::ForgetsSessions, "credentials_are_found_with_the_rates_of_their_owner"),
    (Fault::ForgetsTheProvider, "each_ends_its_own_suspension_only"),
    (Fault::ReportsNothing, "a_change_of_the_state_is_one_change_in_the_feed"),
    (Fault::ReportsNothing, "a_change_of_rates_is_one_change_in_the_feed"),
    (Fault::ReportsNames, "a_change_of_rates_is_one_change_in_the_feed"),
    (Fault::ReportsRepetitions, "a_change_of_the_state_is_one_change_in_the_feed"),
    (Fault::SendsForSuspended, "deliveries_of_a_suspended_owner_wait"),
    (Fault::SendsForSuspended, "publications_to_a_suspended_owner_claim_nothing"),
    (Fault::FindsByIdOnly, "owners_are_found_by_id_name_address_and_key"),
    (Fault::ListsRecordsOnly, "every_owner_of_anything_is_listed"),
    (Fault::CountsNothing, "owners_are_listed_with_what_they_have"),
    (Fault::IgnoresTheState, "owners_are_listed_by_their_state"),
    (Fault::SkipsAPlace, "pages_of_owners_neither_repeat_nor_miss"),
    (Fault::CountsTheRest, "days_of_suspension_are_not_days_of_failure"),
    (Fault::EndsErasureTooEarly, "an_erasure_ends_when_nothing_is_left"),
    (Fault::ErasesAgain, "nothing_of_an_erased_owner_is_found"),
    (Fault::KeepsSessions, "nothing_of_an_erased_owner_is_found"),
    (Fault::KeepsLanes, "attempts_that_run_leave_nothing_behind"),
];

/// Every store obeys the same records, but for the one with the fault.
fn stores(fault: Fault) -> Arc<OwnedStores> {
    let (log, feed, records) = (MemoryAuditLog::default(), MemoryChangeFeed::default(), MemoryOwners::default());
    let obeyed_unless =
        |faults: &[Fault]| if faults.contains(&fault) { MemoryOwners::default() } else { records.clone() };
    let of_keys = obeyed_unless(&[Fault::IgnoresLimitsOfKeys]);
    let of_webhooks = obeyed_unless(&[Fault::IgnoresLimitsOfSubscriptions, Fault::SendsForSuspended]);
    let keys = MemoryKeyStore::reporting_to(feed.clone()).obeying(of_keys).writing_to(log.clone());
    let sessions = MemorySessionStore::default().obeying(obeyed_unless(&[Fault::ForgetsSessions]));
    let webhooks = MemoryWebhookStore::default().obeying(of_webhooks).writing_to(log.clone());
    let reported = if fault == Fault::ReportsNothing { MemoryChangeFeed::default() } else { feed.clone() };
    let owners = MemoryOwnerStore::of(records).counting(&keys).reporting_to(reported).writing_to(log.clone());
    let (other_sessions, other_webhooks) = (MemorySessionStore::default(), MemoryWebhookStore::default());
    let owners = match fault {
        Fault::CountsTheRest | Fault::KeepsLanes => owners.beside(&other_webhooks, &sessions),
        Fault::KeepsSessions => owners.beside(&webhooks, &other_sessions),
        _ => owners.beside(&webhooks, &sessions),
    };
    let owners = FaultyOwners { fault, records: owners, log: log.clone(), feed: feed.clone() };
    Arc::new(OwnedStores {
        owners: Arc::new(owners),
        keys: Arc::new(keys),
        sessions: Arc::new(sessions),
        webhooks: Arc::new(webhooks),
        audit: Arc::new(log),
        feed: Some(Arc::new(feed)),
    })
}

/// The faults are what breaks promises: without one, the same stores keep them all.
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
