#[cfg(doc)]
use domain::ports::ChangeFeed;

use crate::suite::promise_table;
use crate::{SharedPromise, SharedStore};

/// Adds every promise of [`ChangeFeed`] as a `#[test]` to the current module. Takes a future that opens two [`Instances`]
/// of a fresh store and returns them with a guard that is dropped after them.
#[macro_export]
macro_rules! change_feed_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_change_feed_promises! {
            [$crate::promise_tests] ($crate::keep_shared, $crate::keys::SHARED_PROMISES, $fresh)
        }
    };
}

/// The list of these promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_change_feed_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            change_feed::each_change_reaches_every_instance_once
            change_feed::what_changes_no_answer_is_not_in_the_feed
            change_feed::a_revocation_that_is_asked_for_again_is_a_change
            change_feed::changes_are_never_listed_in_part
            change_feed::what_came_after_is_not_forgotten
            change_feed::an_answered_change_is_in_the_next_read
            change_feed::a_change_and_its_place_in_the_feed_are_one
            change_feed::a_chain_of_reads_has_each_change_once
            change_feed::all_instances_read_one_clock
        }
    };
}

with_change_feed_promises! {
    [promise_table] (
        /// Every promise of [`ChangeFeed`] that can be checked without a clock.
        SHARED_PROMISES: SharedPromise<dyn SharedStore>
    )
}
