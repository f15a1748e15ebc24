//! Stores of keys with one fault each.

mod fault;
mod liar;
mod rules;
mod store;

use std::sync::Arc;

use fault::Fault;
use storage_conformance::keys::{PROMISES, SHARED_PROMISES};
use store::Saboteur;

use crate::bites::{Broken, all_are_kept, check, check_shared, each_is_broken, every_fault_is_seen};
use crate::liar::Lie;

/// Each fault, with each promise that must detect it.
const SABOTEURS: &Broken<Fault> = &[
    (Fault::LosesMilliseconds, "times_keep_their_milliseconds"),
    (Fault::LosesMilliseconds, "every_field_comes_back"),
    (Fault::LosesMilliseconds, "only_active_keys_count"),
    (Fault::ForgetsExpiry, "every_field_comes_back"),
    (Fault::ForgetsSettings, "a_change_is_stored_as_it_decides"),
    (Fault::ForgetsSettings, "settings_come_back"),
    (Fault::ChangesAnybodys, "changing_another_users_key_changes_nothing"),
    (Fault::ChangesEnded, "an_ended_key_is_not_changed"),
    (Fault::ChecksThenChanges, "parallel_changes_of_different_fields_are_all_kept"),
    (Fault::CountsOnlyEnabled, "a_disabled_key_counts_towards_the_limit"),
    (Fault::ForgetsScopes, "every_field_comes_back"),
    (Fault::ForgetsScopes, "scopes_come_back"),
    (Fault::ForgetsCreators, "every_field_comes_back"),
    (Fault::ForgetsSuccessors, "every_field_comes_back"),
    (Fault::ForgetsSuccessors, "replaced_by_comes_back"),
    (Fault::CutsLabelsAt64, "texts_come_back_byte_for_byte"),
    (Fault::IgnoresIssuers, "look_alike_owners_are_told_apart"),
    (Fault::IgnoresCase, "look_alike_owners_are_told_apart"),
    (Fault::TrimsSubjects, "look_alike_owners_are_told_apart"),
    (Fault::JoinsIssuerAndSubject, "look_alike_owners_are_told_apart"),
    (Fault::ForgetsTheLimit, "insertions_stop_at_the_limit"),
    (Fault::ForgetsTheLimit, "parallel_insertions_fill_the_room_exactly"),
    (Fault::StoresWhatItRefuses, "insertions_stop_at_the_limit"),
    (Fault::CountsOneTooFew, "insertions_stop_at_the_limit"),
    (Fault::CountsOneTooFew, "revocation_frees_a_place"),
    (Fault::CountsExpiredAtTheInstant, "only_active_keys_count"),
    (Fault::CountsExpiredAtTheInstant, "lists_are_decided_at_their_instant"),
    (Fault::CountsExpiredAtTheInstant, "lists_are_what_the_reference_selects"),
    (Fault::CountsRevoked, "only_active_keys_count"),
    (Fault::CountsRevoked, "revocation_frees_a_place"),
    (Fault::CountsRevokedAhead, "only_active_keys_count"),
    (Fault::CountsRevokedAhead, "lists_are_decided_at_their_instant"),
    (Fault::CountsReplaced, "only_active_keys_count"),
    (Fault::CountsReplaced, "keys_being_replaced_are_shown_and_do_not_count"),
    (Fault::CountsEverybody, "other_owners_keys_do_not_count"),
    (Fault::CountsEverybody, "parallel_insertions_of_two_owners_fill_both_rooms"),
    (Fault::CountsOnlyKeysOfMembers, "members_and_the_host_fill_the_room_exactly"),
    (Fault::CountsThenInserts, "parallel_insertions_fill_the_room_exactly"),
    (Fault::CountsThenInserts, "parallel_insertions_and_revocations_keep_the_limit"),
    (Fault::FailsInRaces, "parallel_insertions_fill_the_room_exactly"),
    (Fault::FailsInRaces, "parallel_rotations_of_one_key_store_one_successor"),
    (Fault::IsFullInRaces, "parallel_insertions_of_two_owners_fill_both_rooms"),
    (Fault::ListsAfterCommit, "parallel_insertions_fill_the_room_exactly"),
    (Fault::AnswersWithTheListBefore, "insertion_answers_with_the_list"),
    (Fault::AnswersWithTheListBefore, "revocation_answers_with_the_list"),
    (Fault::AnswersWithTheListBefore, "rotation_answers_with_the_list"),
    (Fault::AnswersWithTheListBefore, "keys_of_any_owner_are_revoked_by_digests"),
    (Fault::OverwritesStoredIds, "a_stored_id_is_refused"),
    (Fault::OverwritesStoredIds, "a_stored_successor_is_refused"),
    (Fault::OverwritesStoredIds, "duplicates_at_the_limit_change_nothing"),
    (Fault::OverwritesStoredDigests, "a_stored_digest_is_refused"),
    (Fault::OverwritesStoredDigests, "a_stored_successor_is_refused"),
    (Fault::OverwritesStoredDigests, "duplicates_at_the_limit_change_nothing"),
    (Fault::ChecksDuplicatesThenInserts, "parallel_duplicates_store_once"),
    (Fault::ListsEverybody, "an_owner_without_keys_has_an_empty_list"),
    (Fault::ListsEverybody, "lists_are_what_the_reference_selects"),
    (Fault::ListsOldestFirst, "lists_are_newest_first"),
    (Fault::BreaksTiesBackwards, "lists_are_newest_first"),
    (Fault::BreaksTiesBackwards, "lists_are_what_the_reference_selects"),
    (Fault::ListsEndedMaxInAll, "lists_show_every_active_key_and_a_hundred_ended"),
    (Fault::ListsAllEnded, "lists_show_every_active_key_and_a_hundred_ended"),
    (Fault::ListsAllEnded, "the_most_recently_ended_keys_are_shown"),
    (Fault::HidesReplaced, "keys_being_replaced_are_shown_and_do_not_count"),
    (Fault::HidesReplaced, "lists_are_what_the_reference_selects"),
    (Fault::PicksEndedByCreation, "the_most_recently_ended_keys_are_shown"),
    (Fault::PicksEndedByCreation, "lists_are_what_the_reference_selects"),
    (Fault::EndsByRevocationBeforeExpiry, "the_most_recently_ended_keys_are_shown"),
    (Fault::EndsByRevocationBeforeExpiry, "lists_are_what_the_reference_selects"),
    (Fault::MixesParallelLists, "parallel_lists_are_what_the_reference_selects"),
    (Fault::JoinsEarlierReads, "parallel_lists_show_what_was_stored_before_them"),
    (Fault::OverwritesRevocations, "the_first_revocation_stays"),
    (Fault::OverwritesRevocations, "the_first_revocation_stays_by_digests_too"),
    (Fault::OverwritesRevocations, "parallel_revocations_set_one_time"),
    (Fault::ChecksThenRevokes, "parallel_revocations_set_one_time"),
    (Fault::ChecksThenRevokes, "parallel_revocations_by_digests_set_one_time_each"),
    (Fault::ChecksThenRevokes, "parallel_revocations_of_a_user_name_each_key_once"),
    (Fault::RevokesAllOfTheOwner, "revocation_sets_its_time_and_nothing_else"),
    (Fault::RevokesOnlyUnexpired, "revocation_sets_its_time_and_nothing_else"),
    (Fault::RevocationIsAUse, "revocation_sets_its_time_and_nothing_else"),
    (Fault::UnknownIsNotOwned, "an_unknown_key_is_not_found"),
    (Fault::UnknownIsNotOwned, "rotating_an_unknown_key_changes_nothing"),
    (Fault::RevokesAnybodys, "another_users_key_stays_as_it_is"),
    (Fault::HidesOthersKeys, "another_users_key_stays_as_it_is"),
    (Fault::AnswersWithAnotherDigest, "revocation_answers_with_the_digest"),
    (Fault::AnswersWithAnotherDigest, "rotation_puts_a_successor_in_the_place_of_a_key"),
    (Fault::RevokesDespiteOverlap, "rotation_puts_a_successor_in_the_place_of_a_key"),
    (Fault::ExtendsExpiry, "rotation_puts_a_successor_in_the_place_of_a_key"),
    (Fault::RotationNeedsRoom, "rotation_needs_no_room"),
    (Fault::RotatesEnded, "an_ended_key_is_not_rotated"),
    (Fault::RotatesAgain, "a_key_is_rotated_once"),
    (Fault::RotatesForAnybody, "a_key_beyond_the_caller_is_not_rotated"),
    (Fault::ForgetsTheOverlapLimit, "overlaps_stop_at_their_limit"),
    (Fault::ForgetsTheOverlapLimit, "parallel_rotations_of_an_owner_keep_the_overlap_limit"),
    (Fault::CountsOverlapsThatAreOver, "overlaps_stop_at_their_limit"),
    (Fault::CountsEverybodysOverlaps, "overlaps_stop_at_their_limit"),
    (Fault::RotatesAnybodys, "rotating_another_users_key_changes_nothing"),
    (Fault::StoresRefusedSuccessors, "an_ended_key_is_not_rotated"),
    (Fault::StoresRefusedSuccessors, "a_key_is_rotated_once"),
    (Fault::MarksBeforeItChecks, "a_stored_successor_is_refused"),
    (Fault::ChecksThenRotates, "parallel_rotations_of_one_key_store_one_successor"),
    (Fault::ChecksThenRotates, "parallel_rotations_of_an_owner_keep_the_overlap_limit"),
    (Fault::ChecksThenRotates, "parallel_rotations_and_revocations_come_one_after_the_other"),
    (Fault::RotatesInTwoSteps, "parallel_rotations_and_insertions_keep_the_limit"),
    (Fault::RotatesInTwoSteps, "a_cancelled_rotation_is_whole_or_nothing"),
    (Fault::RevokesDigestsOfOneOwner, "keys_of_any_owner_are_revoked_by_digests"),
    (Fault::FailsOnUnknownDigests, "unknown_digests_are_passed_over"),
    (Fault::AnswersDigestsTwice, "a_digest_given_twice_is_answered_once"),
    (Fault::RevokesDigestsOneByOne, "a_cancelled_revocation_by_digests_is_whole_or_nothing"),
    (Fault::RevokesDigestsOneByOne, "a_cancelled_revocation_of_a_user_is_whole_or_nothing"),
    (Fault::RevokesUsersOfOneSubject, "all_keys_of_a_user_are_revoked"),
    (Fault::RevokesWhatMembersOwn, "keys_that_a_member_made_are_revoked"),
    (Fault::TakesMembersForOwners, "keys_that_a_member_made_are_revoked"),
    (Fault::RevokesOnlyUnexpiredOfUsers, "all_keys_of_a_user_are_revoked"),
    (Fault::RevokesTheInstantOfCreation, "keys_created_before_an_instant_are_revoked"),
    (Fault::IgnoresRevokeMax, "at_most_max_keys_of_a_user_are_revoked"),
    (Fault::HidesRevoked, "a_digest_finds_its_key_in_any_state"),
    (Fault::ComparesHalfTheDigest, "an_unknown_digest_finds_nothing"),
    (Fault::FindsManyButTheRevoked, "many_digests_find_their_keys"),
    (Fault::FindsManyUnderOneDigest, "many_digests_find_their_keys"),
    (Fault::UsesMoveBack, "uses_move_forward_only"),
    (Fault::UsesMoveBack, "the_latest_of_several_uses_counts"),
    (Fault::LastInBatchCounts, "the_latest_of_several_uses_counts"),
    (Fault::FailsOnUnknownUses, "uses_of_unknown_keys_are_passed_over"),
    (Fault::UsesSkipRevoked, "uses_change_nothing_else"),
    (Fault::UsesRevive, "uses_change_nothing_else"),
    (Fault::RefusesLargeBatches, "large_batches_of_uses_are_taken"),
    (Fault::RefusesLargeBatches, "a_thousand_digests_are_taken"),
    (Fault::RefusesLargeBatches, "large_batches_of_counts_are_taken"),
    (Fault::TakesAThousandUses, "large_batches_of_uses_are_taken"),
    (Fault::WritesWholeRows, "parallel_batches_of_uses_all_count"),
    (Fault::WritesWholeRows, "uses_and_revocations_in_parallel_both_count"),
    (Fault::PurgesTheBoundary, "keys_that_ended_earlier_are_deleted"),
    (Fault::PurgesOnlyRevoked, "keys_that_ended_earlier_are_deleted"),
    (Fault::PurgesByCreation, "keys_that_ended_earlier_are_deleted"),
    (Fault::PurgesOnlyOneOwner, "keys_that_ended_earlier_are_deleted"),
    (Fault::IgnoresPurgeMax, "at_most_max_keys_are_deleted"),
    (Fault::MiscountsPurges, "at_most_max_keys_are_deleted"),
    (Fault::KeepsPurgedDigests, "deleted_keys_leave_nothing"),
    (Fault::SelectsThenPurges, "parallel_purges_count_each_key_once"),
    (Fault::PurgeUnlinksSuccessors, "a_successor_may_be_purged_first"),
    (Fault::WarnsOfRevokedKeys, "keys_that_expire_in_an_interval_are_listed"),
    (Fault::WarnsOfReplacedKeys, "keys_that_expire_in_an_interval_are_listed"),
    (Fault::MissesTheLastInstant, "keys_that_expire_in_an_interval_are_listed"),
    (Fault::ListsExpiringInAnyOrder, "keys_that_expire_in_an_interval_are_listed"),
    (Fault::SkipsKeysOfOneInstant, "lists_of_expiring_keys_go_on"),
    (Fault::IgnoresExpiringMax, "lists_of_expiring_keys_go_on"),
    (Fault::OverwritesCounts, "counts_of_a_key_add_up"),
    (Fault::OverwritesCounts, "parallel_counts_of_keys_all_add_up"),
    (Fault::CountsOncePerCall, "counts_of_a_key_add_up"),
    (Fault::HidesTheLastHour, "counts_of_a_key_are_read_by_the_hour"),
    (Fault::ShowsAnybodysUsage, "counts_of_a_key_are_shown_to_its_owner"),
    (Fault::AddsInTwoSteps, "parallel_counts_of_keys_all_add_up"),
    (Fault::PurgesTheHourItself, "old_counts_of_keys_are_deleted"),
    (Fault::IgnoresCountsMax, "old_counts_of_keys_are_deleted"),
    (Fault::AddsOneByOne, "a_cancelled_addition_of_counts_is_whole_or_nothing"),
    (Fault::StoresDigestsLater, "a_cancelled_insertion_is_whole_or_nothing"),
    (Fault::WritesUsesOneByOne, "a_cancelled_batch_of_uses_is_whole_or_nothing"),
    (Fault::PurgesOneByOne, "a_cancelled_purge_is_whole_or_nothing"),
    (Fault::LeavesItsLockBehind, "a_cancelled_insertion_is_whole_or_nothing"),
    (Fault::LeavesItsLockBehind, "a_cancelled_revocation_is_whole_or_nothing"),
    (Fault::LeavesItsLockBehind, "a_cancelled_rotation_is_whole_or_nothing"),
];

/// Each lie of a feed, with each promise that must detect it.
const LIARS: &Broken<Lie> = &[
    (Lie::ListsOnlyItsOwn, "each_change_reaches_every_instance_once"),
    (Lie::ListsOnlyItsOwn, "an_answered_change_is_in_the_next_read"),
    (Lie::LeavesOutRotations, "each_change_reaches_every_instance_once"),
    (Lie::LeavesOutRotations, "a_change_and_its_place_in_the_feed_are_one"),
    (Lie::LeavesOutAllKeysOfUsers, "each_change_reaches_every_instance_once"),
    (Lie::LeavesOutRepetitions, "a_revocation_that_is_asked_for_again_is_a_change"),
    (Lie::ListsTwice, "each_change_reaches_every_instance_once"),
    (Lie::ListsTwice, "a_chain_of_reads_has_each_change_once"),
    (Lie::ListsRefusals, "what_changes_no_answer_is_not_in_the_feed"),
    (Lie::CutsAtTheMax, "changes_are_never_listed_in_part"),
    (Lie::ForgetsWhatCameAfter, "what_came_after_is_not_forgotten"),
    (Lie::ListsBeforeItChanges, "a_change_and_its_place_in_the_feed_are_one"),
    (Lie::ListsAfterItAnswers, "an_answered_change_is_in_the_next_read"),
    (Lie::ListsAfterItChanges, "a_change_and_its_place_in_the_feed_are_one"),
    (Lie::OrdersByTheBeginning, "a_chain_of_reads_has_each_change_once"),
    (Lie::TellsItsOwnTime, "all_instances_read_one_clock"),
    (Lie::TellsAnOldTime, "all_instances_read_one_clock"),
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
