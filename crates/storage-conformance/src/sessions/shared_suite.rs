#[cfg(doc)]
use domain::ports::ChangeFeed;

use crate::suite::promise_table;
use crate::{SharedPromise, SharedSessionStore};

/// Adds the promises of [`ChangeFeed`] for sessions as `#[test]`s to the current module. Takes a future that opens two
/// [`Instances`](crate::Instances) of a fresh store and returns them with a guard that is dropped after them.
#[macro_export]
macro_rules! session_feed_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_session_feed_promises! {
            [$crate::promise_tests] ($crate::keep_shared, $crate::sessions::SHARED_PROMISES, $fresh)
        }
    };
}

/// The list of these promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_session_feed_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            change_feed::ended_sessions_reach_every_instance_once
            change_feed::what_ends_no_session_is_not_in_the_feed
            change_feed::an_end_and_its_place_in_the_feed_are_one
        }
    };
}

with_session_feed_promises! {
    [promise_table] (
        /// Every promise of [`ChangeFeed`] for sessions.
        SHARED_PROMISES: SharedPromise<dyn SharedSessionStore>
    )
}
