//! Catalogues with one fault each.

mod store;

use std::sync::Arc;

use domain::memory::MemoryAuditLog;
use storage_conformance::catalogue::{CatalogueStore, PROMISES};
use store::{Fault, Saboteur};

use crate::bites::{Broken, all_are_kept, check, each_is_broken, every_fault_is_seen};

/// Each fault, with each promise that must detect it.
const SABOTEURS: &Broken<Fault> = &[
    (Fault::ForgetsDescriptions, "every_field_of_an_entry_comes_back"),
    (Fault::DropsSpacesOfJson, "every_field_of_an_entry_comes_back"),
    (Fault::KeepsOldExamples, "every_field_of_an_entry_comes_back"),
    (Fault::FoldsCase, "names_are_told_apart_by_case"),
    (Fault::ListsAsInserted, "entries_are_sorted_by_name"),
    (Fault::IgnoresBefore, "a_change_needs_the_entry_that_was_read"),
    (Fault::ChecksThenWrites, "parallel_changes_of_an_entry_lose_none"),
    (Fault::ChecksThenWrites, "the_maximum_of_entries_is_exact"),
    (Fault::CountsByEntry, "each_change_has_the_next_revision"),
    (Fault::IgnoresTheMaximum, "the_maximum_of_entries_is_exact"),
    (Fault::RefusesChangesWhenFull, "the_maximum_of_entries_is_exact"),
    (Fault::WritesNoEvent, "a_change_of_the_catalogue_and_its_audit_event_are_one"),
    (Fault::WritesEventsOfRefusals, "a_change_of_the_catalogue_and_its_audit_event_are_one"),
];

fn store(fault: Fault) -> Arc<CatalogueStore> {
    let audit = MemoryAuditLog::default();
    Arc::new(CatalogueStore::new(Arc::new(Saboteur::new(fault, audit.clone())), Arc::new(audit)))
}

/// The faults are what breaks promises: without one, the same store keeps them all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_a_fault_every_promise_is_kept() {
    all_are_kept(PROMISES, || store(Fault::None)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_fault_breaks_its_promises() {
    every_fault_is_seen(SABOTEURS, |name, fault| check(PROMISES, name, store(fault))).await;
}

#[test]
fn every_promise_is_broken_by_some_fault() {
    each_is_broken(SABOTEURS, PROMISES.iter().map(|promise| promise.name));
}
