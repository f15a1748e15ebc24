use crate::suite::promise_table;
use crate::{KeyPorts, Promise};

/// Adds every promise as a `#[test]` to the current module. Takes a future that creates a fresh store: an
/// `Arc<dyn KeyPorts>`, or a pair of the store and a guard that is dropped after it.
#[macro_export]
macro_rules! key_store_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_key_store_promises! { [$crate::promise_tests] ($crate::keep, $crate::keys::PROMISES, $fresh) }
    };
}

/// The list of promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_key_store_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            round_trip::every_field_comes_back
            round_trip::times_keep_their_milliseconds
            round_trip::scopes_come_back
            round_trip::replaced_by_comes_back
            round_trip::texts_come_back_byte_for_byte
            owners::look_alike_owners_are_told_apart
            create_key::insertions_stop_at_the_limit
            create_key::only_active_keys_count
            create_key::keys_being_replaced_are_shown_and_do_not_count
            create_key::other_owners_keys_do_not_count
            create_key::insertion_answers_with_the_list
            create_key::parallel_insertions_fill_the_room_exactly
            create_key::members_and_the_host_fill_the_room_exactly
            create_key::parallel_insertions_of_two_owners_fill_both_rooms
            create_key::parallel_insertions_and_revocations_keep_the_limit
            duplicates::a_stored_id_is_refused
            duplicates::a_stored_digest_is_refused
            duplicates::duplicates_at_the_limit_change_nothing
            duplicates::parallel_duplicates_store_once
            list_keys::an_owner_without_keys_has_an_empty_list
            list_keys::lists_are_newest_first
            list_keys::lists_show_every_active_key_and_a_hundred_ended
            list_keys::the_most_recently_ended_keys_are_shown
            list_keys::lists_are_decided_at_their_instant
            list_keys::lists_are_what_the_reference_selects
            list_keys::parallel_lists_are_what_the_reference_selects
            list_keys::parallel_lists_show_what_was_stored_before_them
            revoke_key::revocation_sets_its_time_and_nothing_else
            revoke_key::the_first_revocation_stays
            revoke_key::parallel_revocations_set_one_time
            revoke_key::an_unknown_key_is_not_found
            revoke_key::another_users_key_stays_as_it_is
            revoke_key::revocation_frees_a_place
            revoke_key::revocation_answers_with_the_list
            revoke_key::revocation_answers_with_the_digest
            change_key::settings_come_back
            change_key::a_change_is_stored_as_it_decides
            change_key::an_ended_key_is_not_changed
            change_key::changing_another_users_key_changes_nothing
            change_key::a_disabled_key_counts_towards_the_limit
            change_key::parallel_changes_of_different_fields_are_all_kept
            rotate_key::rotation_puts_a_successor_in_the_place_of_a_key
            rotate_key::rotation_needs_no_room
            rotate_key::an_ended_key_is_not_rotated
            rotate_key::a_key_is_rotated_once
            rotate_key::a_key_beyond_the_caller_is_not_rotated
            rotate_key::overlaps_stop_at_their_limit
            rotate_key::rotating_an_unknown_key_changes_nothing
            rotate_key::rotating_another_users_key_changes_nothing
            rotate_key::a_stored_successor_is_refused
            rotate_key::a_successor_may_be_purged_first
            rotate_key::rotation_answers_with_the_list
            rotate_key_races::parallel_rotations_of_one_key_store_one_successor
            rotate_key_races::parallel_rotations_of_an_owner_keep_the_overlap_limit
            rotate_key_races::parallel_rotations_and_insertions_keep_the_limit
            rotate_key_races::parallel_rotations_and_revocations_come_one_after_the_other
            report_leaks::keys_of_any_owner_are_revoked_by_digests
            report_leaks::unknown_digests_are_passed_over
            report_leaks::a_digest_given_twice_is_answered_once
            report_leaks::the_first_revocation_stays_by_digests_too
            report_leaks::a_thousand_digests_are_taken
            report_leaks::parallel_revocations_by_digests_set_one_time_each
            revoke_user_keys::all_keys_of_a_user_are_revoked
            revoke_user_keys::keys_created_before_an_instant_are_revoked
            revoke_user_keys::keys_that_a_member_made_are_revoked
            revoke_user_keys::at_most_max_keys_of_a_user_are_revoked
            revoke_user_keys::parallel_revocations_of_a_user_name_each_key_once
            find_key::a_digest_finds_its_key_in_any_state
            find_key::an_unknown_digest_finds_nothing
            find_key::many_digests_find_their_keys
            record_uses::uses_move_forward_only
            record_uses::the_latest_of_several_uses_counts
            record_uses::uses_of_unknown_keys_are_passed_over
            record_uses::uses_change_nothing_else
            record_uses::large_batches_of_uses_are_taken
            record_uses::parallel_batches_of_uses_all_count
            record_uses::uses_and_revocations_in_parallel_both_count
            purge_keys::keys_that_ended_earlier_are_deleted
            purge_keys::at_most_max_keys_are_deleted
            purge_keys::deleted_keys_leave_nothing
            purge_keys::parallel_purges_count_each_key_once
            list_expiring::keys_that_expire_in_an_interval_are_listed
            list_expiring::lists_of_expiring_keys_go_on
            key_usage::counts_of_a_key_add_up
            key_usage::counts_of_a_key_are_read_by_the_hour
            key_usage::counts_of_a_key_are_shown_to_its_owner
            key_usage::parallel_counts_of_keys_all_add_up
            key_usage::large_batches_of_counts_are_taken
            key_usage::old_counts_of_keys_are_deleted
            key_usage::a_cancelled_addition_of_counts_is_whole_or_nothing
            cancellation::a_cancelled_insertion_is_whole_or_nothing
            cancellation::a_cancelled_revocation_is_whole_or_nothing
            cancellation::a_cancelled_rotation_is_whole_or_nothing
            cancellation::a_cancelled_revocation_by_digests_is_whole_or_nothing
            cancellation::a_cancelled_revocation_of_a_user_is_whole_or_nothing
            cancellation::a_cancelled_batch_of_uses_is_whole_or_nothing
            cancellation::a_cancelled_purge_is_whole_or_nothing
        }
    };
}

with_key_store_promises! {
    [promise_table] (
        /// Every promise of the ports of keys, in the order of its methods.
        PROMISES: Promise<dyn KeyPorts>
    )
}
