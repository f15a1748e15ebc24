//! Stores of sessions with one fault each.

mod fault;
mod liar;
mod store;

use std::sync::Arc;

use fault::Fault;
use storage_conformance::sessions::{PROMISES, SHARED_PROMISES};
use store::Saboteur;

use crate::bites::{Broken, all_are_kept, check, check_shared, each_is_broken, every_fault_is_seen};
use crate::liar::Lie;

/// Each fault, with each promise that must detect it.
const SABOTEURS: &Broken<Fault> = &[
    (Fault::LosesMilliseconds, "every_field_comes_back"),
    (Fault::ForgetsRoles, "every_field_comes_back"),
    (Fault::ForgetsMemberships, "memberships_come_back"),
    (Fault::ForgetsAddresses, "every_field_comes_back"),
    (Fault::CutsUserAgents, "every_field_comes_back"),
    (Fault::IgnoresIssuers, "look_alike_owners_are_told_apart"),
    (Fault::IgnoresCase, "look_alike_owners_are_told_apart"),
    (Fault::ForgetsTheMaximum, "the_oldest_sessions_end_beyond_the_maximum"),
    (Fault::ForgetsTheMaximum, "parallel_openings_leave_the_maximum"),
    (Fault::CountsOneTooFew, "the_oldest_sessions_end_beyond_the_maximum"),
    (Fault::CountsOneTooFew, "only_good_sessions_count"),
    (Fault::EndsTheLeastSeen, "the_oldest_sessions_end_beyond_the_maximum"),
    (Fault::EndsTheNewOne, "the_new_session_stays_whenever_it_was_created"),
    (Fault::CountsEnded, "only_good_sessions_count"),
    (Fault::CountsIdleAtTheInstant, "only_good_sessions_count"),
    (Fault::CountsThenOpens, "parallel_openings_leave_the_maximum"),
    (Fault::NamesWhatItKeeps, "the_oldest_sessions_end_beyond_the_maximum"),
    (Fault::CountsLinks, "links_and_sessions_are_counted_apart"),
    (Fault::ListsLinks, "links_and_sessions_are_counted_apart"),
    (Fault::OverwritesIds, "a_stored_id_or_digest_is_refused"),
    (Fault::OverwritesDigests, "a_stored_id_or_digest_is_refused"),
    (Fault::EndsBeforeItChecks, "a_stored_id_or_digest_is_refused"),
    (Fault::ListsEnded, "lists_show_good_sessions_newest_first"),
    (Fault::ListsIdleAtTheInstant, "lists_show_good_sessions_newest_first"),
    (Fault::ListsOldestFirst, "lists_show_good_sessions_newest_first"),
    (Fault::ListsEverybody, "an_owner_without_sessions_has_an_empty_list"),
    (Fault::ListsEverybody, "lists_show_good_sessions_newest_first"),
    (Fault::EndsAnybodys, "another_users_session_stays"),
    (Fault::EndsInName, "an_ended_session_is_gone"),
    (Fault::EndsInName, "all_sessions_of_a_user_end_but_the_kept"),
    (Fault::EndsAllOfTheOwner, "an_ended_session_is_gone"),
    (Fault::KeepsEndedDigests, "an_ended_session_is_gone"),
    (Fault::KeepsEndedDigests, "uses_bring_no_session_back"),
    (Fault::FindsThenEnds, "parallel_ends_name_the_session_once"),
    (Fault::FindsThenEnds, "parallel_ends_of_all_name_each_session_once"),
    (Fault::ReadsThenEndsAll, "an_end_of_all_misses_no_visit"),
    (Fault::EndsAllOfEverybody, "all_sessions_of_a_user_end_but_the_kept"),
    (Fault::EndsAllOfEverybody, "another_users_session_stays"),
    (Fault::EndsAllButTheIdle, "all_sessions_of_a_user_end_but_the_kept"),
    (Fault::EndsTheKept, "all_sessions_of_a_user_end_but_the_kept"),
    (Fault::HidesEnded, "a_digest_finds_its_session_in_any_state"),
    (Fault::ComparesHalfTheDigest, "an_unknown_digest_finds_nothing"),
    (Fault::FindsManyUnderOneDigest, "many_digests_find_their_sessions"),
    (Fault::UsesMoveBack, "uses_move_forward_only"),
    (Fault::UsesMoveBack, "the_latest_of_several_uses_counts"),
    (Fault::LastInBatchCounts, "the_latest_of_several_uses_counts"),
    (Fault::FailsOnUnknownUses, "uses_bring_no_session_back"),
    (Fault::UsesBringBack, "uses_bring_no_session_back"),
    (Fault::UsesProlong, "uses_move_forward_only"),
    (Fault::WritesWholeRows, "parallel_batches_of_uses_all_count"),
    (Fault::CountsAllStored, "good_sessions_are_counted"),
    (Fault::CountsOnlyUnexpired, "good_sessions_are_counted"),
    (Fault::CountsGoodAtTheirEnd, "good_sessions_are_counted"),
    (Fault::IgnoresCountMax, "good_sessions_are_counted"),
    (Fault::PurgesTheBoundary, "sessions_that_ended_earlier_are_deleted"),
    (Fault::PurgesOnlyExpired, "sessions_that_ended_earlier_are_deleted"),
    (Fault::PurgesOnlyIdle, "sessions_that_ended_earlier_are_deleted"),
    (Fault::IgnoresPurgeMax, "at_most_max_sessions_are_deleted"),
    (Fault::SelectsThenPurges, "parallel_purges_count_each_session_once"),
    (Fault::OpensInTwoSteps, "a_cancelled_opening_is_whole_or_nothing"),
    (Fault::EndsOneByOne, "a_cancelled_end_of_all_is_whole_or_nothing"),
    (Fault::WritesUsesOneByOne, "a_cancelled_batch_of_uses_is_whole_or_nothing"),
];

/// Each lie of a feed, with each promise that must detect it.
const LIARS: &Broken<Lie> = &[
    (Lie::LeavesOutTheSurplus, "ended_sessions_reach_every_instance_once"),
    (Lie::LeavesOutEndsOfAll, "ended_sessions_reach_every_instance_once"),
    (Lie::ListsTwice, "ended_sessions_reach_every_instance_once"),
    (Lie::ListsOpenings, "what_ends_no_session_is_not_in_the_feed"),
    (Lie::ListsPurges, "what_ends_no_session_is_not_in_the_feed"),
    (Lie::ListsBeforeItChanges, "an_end_and_its_place_in_the_feed_are_one"),
    (Lie::ListsAfterItChanges, "an_end_and_its_place_in_the_feed_are_one"),
];

/// Only faults break promises: without one, the same store keeps them all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_a_fault_every_promise_is_kept() {
    all_are_kept(PROMISES, || Arc::new(Saboteur::new(Fault::None))).await;
    for promise in SHARED_PROMISES {
        (promise.check)(liar::instances(Lie::None)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_fault_breaks_its_promises() {
    every_fault_is_seen(SABOTEURS, |name, fault| check(PROMISES, name, Arc::new(Saboteur::new(fault)))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_lie_breaks_its_promises() {
    every_fault_is_seen(LIARS, |name, lie| check_shared(SHARED_PROMISES, name, liar::instances(lie))).await;
}

#[test]
fn every_promise_is_broken_by_some_fault() {
    each_is_broken(SABOTEURS, PROMISES.iter().map(|promise| promise.name));
    each_is_broken(LIARS, SHARED_PROMISES.iter().map(|promise| promise.name));
}
