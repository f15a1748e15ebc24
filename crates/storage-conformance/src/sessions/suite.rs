use crate::suite::promise_table;
use crate::{Promise, SessionPorts};

/// Adds every promise of the ports of sessions as a `#[test]` to the current module. Takes a future that creates a fresh
/// store: an `Arc<dyn SessionPorts>`, or a pair of the store and a guard that is dropped after it.
#[macro_export]
macro_rules! session_store_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_session_store_promises! {
            [$crate::promise_tests] ($crate::keep, $crate::sessions::PROMISES, $fresh)
        }
    };
}

/// The list of promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_session_store_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            round_trip::every_field_comes_back
            round_trip::memberships_come_back
            round_trip::look_alike_owners_are_told_apart
            open_session::the_oldest_sessions_end_beyond_the_maximum
            open_session::only_good_sessions_count
            open_session::the_new_session_stays_whenever_it_was_created
            open_session::parallel_openings_leave_the_maximum
            open_session::links_and_sessions_are_counted_apart
            open_session::a_stored_id_or_digest_is_refused
            list_sessions::lists_show_good_sessions_newest_first
            list_sessions::an_owner_without_sessions_has_an_empty_list
            list_sessions::good_sessions_are_counted
            end_session::an_ended_session_is_gone
            end_session::another_users_session_stays
            end_session::parallel_ends_name_the_session_once
            end_session::all_sessions_of_a_user_end_but_the_kept
            end_session::parallel_ends_of_all_name_each_session_once
            end_session::an_end_of_all_misses_no_visit
            find_session::a_digest_finds_its_session_in_any_state
            find_session::an_unknown_digest_finds_nothing
            find_session::many_digests_find_their_sessions
            record_uses::uses_move_forward_only
            record_uses::the_latest_of_several_uses_counts
            record_uses::uses_bring_no_session_back
            record_uses::parallel_batches_of_uses_all_count
            purge_sessions::sessions_that_ended_earlier_are_deleted
            purge_sessions::at_most_max_sessions_are_deleted
            purge_sessions::parallel_purges_count_each_session_once
            cancellation::a_cancelled_opening_is_whole_or_nothing
            cancellation::a_cancelled_end_of_all_is_whole_or_nothing
            cancellation::a_cancelled_batch_of_uses_is_whole_or_nothing
        }
    };
}

with_session_store_promises! {
    [promise_table] (
        /// Every promise of the ports of sessions, in the order of its methods.
        PROMISES: Promise<dyn SessionPorts>
    )
}
