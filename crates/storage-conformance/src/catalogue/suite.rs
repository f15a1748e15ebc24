use super::CatalogueStore;
use crate::Promise;
use crate::suite::promise_table;

/// Adds every promise of the catalogue as a `#[test]` to the current module. Takes a future that creates a fresh store: an
/// `Arc<CatalogueStore>`, or a pair of the store and a guard that is dropped after it.
#[macro_export]
macro_rules! catalogue_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_catalogue_promises! { [$crate::promise_tests] ($crate::keep, $crate::catalogue::PROMISES, $fresh) }
    };
}

/// The list of promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_catalogue_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            entries::every_field_of_an_entry_comes_back
            entries::names_are_told_apart_by_case
            entries::entries_are_sorted_by_name
            changes::a_change_needs_the_entry_that_was_read
            changes::parallel_changes_of_an_entry_lose_none
            changes::each_change_has_the_next_revision
            changes::the_maximum_of_entries_is_exact
            changes::a_change_of_the_catalogue_and_its_audit_event_are_one
        }
    };
}

with_catalogue_promises! {
    [promise_table] (
        /// Every promise of the catalogue.
        PROMISES: Promise<CatalogueStore>
    )
}
