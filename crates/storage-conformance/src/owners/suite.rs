use std::sync::Arc;

use domain::ports::{AuditLog, ChangeFeed, Erasure, OwnerStore};

use crate::suite::promise_table;
use crate::{KeyPorts, Promise, SessionPorts, WebhookStore};

/// The ports of owners.
pub trait OwnerPorts: OwnerStore + Erasure {}

impl<Adapter: OwnerStore + Erasure> OwnerPorts for Adapter {}

/// The ports of one store.
pub struct OwnedStores {
    /// Its records of owners.
    pub owners: Arc<dyn OwnerPorts>,
    /// Its keys.
    pub keys: Arc<dyn KeyPorts>,
    /// Its sessions.
    pub sessions: Arc<dyn SessionPorts>,
    /// Its webhooks.
    pub webhooks: Arc<dyn WebhookStore>,
    /// Its audit log.
    pub audit: Arc<dyn AuditLog>,
    /// Its feed of changes; `None` for a store of one process.
    pub feed: Option<Arc<dyn ChangeFeed>>,
}

impl OwnedStores {
    /// The ports of this adapter, which has no feed.
    pub fn of<Adapter: OwnerPorts + KeyPorts + SessionPorts + WebhookStore + AuditLog + 'static>(
        adapter: &Arc<Adapter>,
    ) -> Self {
        Self {
            owners: Arc::clone(adapter) as _,
            keys: Arc::clone(adapter) as _,
            sessions: Arc::clone(adapter) as _,
            webhooks: Arc::clone(adapter) as _,
            audit: Arc::clone(adapter) as _,
            feed: None,
        }
    }

    /// The same store, which several processes share.
    #[must_use]
    pub fn shared(self, feed: Arc<dyn ChangeFeed>) -> Self {
        Self { feed: Some(feed), ..self }
    }
}

/// Adds every promise of the records of owners as a `#[test]` to the current module. Takes a future that creates a fresh
/// `Arc<OwnedStores>`, or a pair of it and a guard that is dropped after it.
#[macro_export]
macro_rules! owner_store_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_owner_store_promises! { [$crate::promise_tests] ($crate::keep, $crate::owners::PROMISES, $fresh) }
    };
}

/// The list of promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_owner_store_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            records::every_field_of_a_record_comes_back
            records::a_record_can_have_its_defaults_again
            records::a_refused_change_of_a_record_changes_nothing
            records::parallel_changes_of_a_record_are_all_kept
            records::who_signs_in_is_not_suspended_as_absent
            records::changes_of_records_leave_their_events
            listing::owners_are_found_by_id_name_address_and_key
            listing::every_owner_of_anything_is_listed
            listing::owners_are_listed_with_what_they_have
            listing::owners_are_listed_by_their_state
            listing::pages_of_owners_neither_repeat_nor_miss
            limits::a_changed_maximum_holds_for_the_next_key
            limits::a_changed_maximum_holds_for_the_next_rotation
            limits::a_changed_maximum_holds_for_the_next_subscription
            limits::parallel_creations_fill_a_changed_maximum_exactly
            limits::a_maximum_that_changes_in_a_race_holds_afterwards
            rates::credentials_are_found_with_the_rates_of_their_owner
            rates::a_change_of_rates_is_one_change_in_the_feed
            suspension::credentials_of_a_suspended_owner_are_marked
            suspension::each_ends_its_own_suspension_only
            suspension::a_change_of_the_state_is_one_change_in_the_feed
            suspension::deliveries_of_a_suspended_owner_wait
            suspension::publications_to_a_suspended_owner_claim_nothing
            suspension::days_of_suspension_are_not_days_of_failure
            erasure::nothing_of_an_erased_owner_is_found
            erasure::an_erasure_ends_when_nothing_is_left
            erasure::attempts_that_run_leave_nothing_behind
        }
    };
}

with_owner_store_promises! {
    [promise_table] (
        /// Every promise of [`OwnerStore`] and [`Erasure`].
        PROMISES: Promise<OwnedStores>
    )
}
