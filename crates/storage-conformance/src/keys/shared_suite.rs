#[cfg(doc)]
use domain::ports::ChangeFeed;

use crate::SharedPromise;

/// Adds every promise of [`ChangeFeed`] as a `#[test]` to the current module. Takes a future that opens two [`Instances`]
/// of a fresh store and returns them with a guard that is dropped after them.
#[macro_export]
macro_rules! change_feed_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_change_feed_promises! { [$crate::change_feed_tests_of] ($fresh) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! change_feed_tests_of {
    (($fresh:expr) $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let promise = $crate::SharedPromise {
                    name: stringify!($name),
                    check: |instances| ::std::boxed::Box::pin($crate::keys::change_feed::$name(instances)),
                };
                $crate::keep_shared(&promise, $fresh);
            }
        )*
    };
}

macro_rules! table_of {
    (() $($name:ident)*) => {
        /// Every promise of [`ChangeFeed`] that can be checked without a clock.
        pub const SHARED_PROMISES: &[SharedPromise] = &[
            $(SharedPromise {
                name: stringify!($name),
                check: |instances| Box::pin(super::change_feed::$name(instances)),
            }),*
        ];
    };
}

/// The list of these promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_change_feed_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            each_change_reaches_every_instance_once
            what_changes_no_answer_is_not_in_the_feed
            a_revocation_that_is_asked_for_again_is_a_change
            changes_are_never_listed_in_part
            what_came_after_is_not_forgotten
            an_answered_change_is_in_the_next_read
            a_change_and_its_place_in_the_feed_are_one
            a_chain_of_reads_has_each_change_once
            all_instances_read_one_clock
        }
    };
}

with_change_feed_promises! { [table_of] () }
