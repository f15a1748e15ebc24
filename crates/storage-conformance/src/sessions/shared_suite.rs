#[cfg(doc)]
use domain::ports::ChangeFeed;

use crate::{SharedPromise, SharedSessionStore};

/// Adds the promises of [`ChangeFeed`] for sessions as `#[test]`s to the current module. Takes a future that opens two
/// [`Instances`](crate::Instances) of a fresh store and returns them with a guard that is dropped after them.
#[macro_export]
macro_rules! session_feed_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_session_feed_promises! { [$crate::session_feed_tests_of] ($fresh) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! session_feed_tests_of {
    (($fresh:expr) $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let promise = $crate::SharedPromise::<dyn $crate::SharedSessionStore> {
                    name: stringify!($name),
                    check: |instances| ::std::boxed::Box::pin($crate::sessions::change_feed::$name(instances)),
                };
                $crate::keep_shared(&promise, $fresh);
            }
        )*
    };
}

macro_rules! table_of {
    (() $($name:ident)*) => {
        /// Every promise of [`ChangeFeed`] for sessions.
        pub const SHARED_PROMISES: &[SharedPromise<dyn SharedSessionStore>] = &[
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
macro_rules! with_session_feed_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            ended_sessions_reach_every_instance_once
            what_ends_no_session_is_not_in_the_feed
            an_end_and_its_place_in_the_feed_are_one
        }
    };
}

with_session_feed_promises! { [table_of] () }
