use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::KeyStore;

/// A promise that takes longer is broken: a call was blocked by another one, for good. Healthy stores need about a
/// second for the slowest promise.
const PROMISE_DURATION_MAX: Duration = Duration::from_mins(1);

/// Threads that call the store: more than one, so that calls run in parallel on any machine.
const CALLING_THREADS: usize = 4;

/// One promise of a store: of [`KeyStore`], or of [`WebhookStore`](crate::webhooks::WebhookStore).
pub struct Promise<Store: ?Sized = dyn KeyStore> {
    /// The name of the function that checks it.
    pub name: &'static str,
    /// Checks it on a fresh store, within a tokio runtime of several threads. Panics where it is broken.
    pub check: fn(Arc<Store>) -> Check,
}

/// The check of one promise under way.
pub type Check = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<Store: ?Sized> fmt::Debug for Promise<Store> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// A store that holds nothing yet, and what must outlive it: a folder, a server.
pub struct FreshStore<Store: ?Sized = dyn KeyStore> {
    store: Arc<Store>,
    _guard: Box<dyn Any + Send>,
}

impl<Store: ?Sized> From<Arc<Store>> for FreshStore<Store> {
    fn from(store: Arc<Store>) -> Self {
        Self { store, _guard: Box::new(()) }
    }
}

impl<Store: ?Sized, Guard: Any + Send> From<(Arc<Store>, Guard)> for FreshStore<Store> {
    fn from((store, guard): (Arc<Store>, Guard)) -> Self {
        Self { store, _guard: Box::new(guard) }
    }
}

/// Makes a store and holds it against the promise, on a runtime of its own. Panics where it is broken.
pub fn keep<Store: ?Sized, Fresh: Into<FreshStore<Store>>>(
    promise: &Promise<Store>,
    fresh: impl Future<Output = Fresh>,
) {
    in_time(promise.name, async {
        let fresh: FreshStore<Store> = fresh.await.into();
        (promise.check)(Arc::clone(&fresh.store)).await;
    });
}

/// Runs the check of a promise to its end, which must come within [`PROMISE_DURATION_MAX`].
pub(crate) fn in_time(promise: &str, check: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(CALLING_THREADS)
        .enable_all()
        .build()
        .expect("a runtime can be built");
    let ended = runtime.block_on(async { tokio::time::timeout(PROMISE_DURATION_MAX, check).await });
    // Not dropped, which would wait for threads that the store has blocked.
    runtime.shutdown_background();
    assert!(ended.is_ok(), "{promise}: no end after {PROMISE_DURATION_MAX:?}, calls block each other");
}

/// Names every promise as a `#[test]` of the module it is used in. Takes a future that makes a fresh store: an
/// `Arc<dyn KeyStore>`, or a pair of it and a guard that is dropped after it.
#[macro_export]
macro_rules! key_store_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_key_store_promises! { [$crate::key_store_tests_of] ($fresh) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! key_store_tests_of {
    (($fresh:expr) $($group:ident::$name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let promise = $crate::Promise {
                    name: stringify!($name),
                    check: |store| ::std::boxed::Box::pin($crate::$group::$name(store)),
                };
                $crate::keep(&promise, $fresh);
            }
        )*
    };
}

macro_rules! table_of {
    (() $($group:ident::$name:ident)*) => {
        /// Every promise of [`KeyStore`], in the order of its methods.
        pub const PROMISES: &[Promise] = &[
            $(Promise { name: stringify!($name), check: |store| Box::pin(crate::$group::$name(store)) }),*
        ];
    };
}

/// The one list of promises: hands it to another macro, behind that one's own arguments.
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
            limit::insertions_stop_at_the_limit
            limit::only_active_keys_count
            limit::keys_being_replaced_are_shown_and_do_not_count
            limit::other_owners_keys_do_not_count
            limit::insertion_answers_with_the_list
            limit::parallel_insertions_fill_the_room_exactly
            limit::parallel_insertions_of_two_owners_fill_both_rooms
            limit::parallel_insertions_and_revocations_keep_the_limit
            duplicates::a_stored_id_is_refused
            duplicates::a_stored_digest_is_refused
            duplicates::duplicates_at_the_limit_change_nothing
            duplicates::parallel_duplicates_store_once
            listing::an_owner_without_keys_has_an_empty_list
            listing::lists_are_newest_first
            listing::lists_show_every_active_key_and_a_hundred_ended
            listing::the_most_recently_ended_keys_are_shown
            listing::lists_are_decided_at_their_instant
            listing::lists_are_what_the_reference_selects
            revocation::revocation_sets_its_time_and_nothing_else
            revocation::the_first_revocation_stays
            revocation::parallel_revocations_set_one_time
            revocation::an_unknown_key_is_not_found
            revocation::another_users_key_stays_as_it_is
            revocation::revocation_frees_a_place
            revocation::revocation_answers_with_the_list
            revocation::revocation_answers_with_the_digest
            rotation::rotation_puts_a_successor_in_the_place_of_a_key
            rotation::rotation_needs_no_room
            rotation::an_ended_key_is_not_rotated
            rotation::a_key_is_rotated_once
            rotation::overlaps_stop_at_their_limit
            rotation::rotating_an_unknown_key_changes_nothing
            rotation::rotating_another_users_key_changes_nothing
            rotation::a_stored_successor_is_refused
            rotation::a_successor_may_be_purged_first
            rotation::rotation_answers_with_the_list
            rotation_races::parallel_rotations_of_one_key_store_one_successor
            rotation_races::parallel_rotations_of_an_owner_keep_the_overlap_limit
            rotation_races::parallel_rotations_and_insertions_keep_the_limit
            rotation_races::parallel_rotations_and_revocations_come_one_after_the_other
            revocation_by_digests::keys_of_any_owner_are_revoked_by_digests
            revocation_by_digests::unknown_digests_are_passed_over
            revocation_by_digests::a_digest_given_twice_is_answered_once
            revocation_by_digests::the_first_revocation_stays_by_digests_too
            revocation_by_digests::a_thousand_digests_are_taken
            revocation_by_digests::parallel_revocations_by_digests_set_one_time_each
            lookup::a_digest_finds_its_key_in_any_state
            lookup::an_unknown_digest_finds_nothing
            uses::uses_move_forward_only
            uses::the_latest_of_several_uses_counts
            uses::uses_of_unknown_keys_are_passed_over
            uses::uses_change_nothing_else
            uses::large_batches_of_uses_are_taken
            uses::parallel_batches_of_uses_all_count
            uses::uses_and_revocations_in_parallel_both_count
            purge::keys_that_ended_earlier_are_deleted
            purge::at_most_max_keys_are_deleted
            purge::deleted_keys_leave_nothing
            purge::parallel_purges_count_each_key_once
            cancellation::a_cancelled_insertion_is_whole_or_nothing
            cancellation::a_cancelled_revocation_is_whole_or_nothing
            cancellation::a_cancelled_rotation_is_whole_or_nothing
            cancellation::a_cancelled_revocation_by_digests_is_whole_or_nothing
            cancellation::a_cancelled_batch_of_uses_is_whole_or_nothing
            cancellation::a_cancelled_purge_is_whole_or_nothing
        }
    };
}

with_key_store_promises! { [table_of] () }
