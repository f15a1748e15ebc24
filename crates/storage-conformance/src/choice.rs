//! A choice of the promises, for stores on which all of them take too long: several schemas, or a pooler.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{FreshStore, Promise, keep};

/// These promises execute each statement of the store on Postgres at least once, by the log of a server. They also have
/// each kind of answer: of one owner, lists that shards share, calls for all owners, and exact counts. A promise that
/// executes a new statement belongs here.
pub const OF_EACH_KIND: &[&str] = &[
    "every_field_comes_back",
    "parallel_insertions_fill_the_room_exactly",
    "lists_are_what_the_reference_selects",
    "revocation_answers_with_the_list",
    "rotation_puts_a_successor_in_the_place_of_a_key",
    "keys_of_any_owner_are_revoked_by_digests",
    "all_keys_of_a_user_are_revoked",
    "many_digests_find_their_keys",
    "large_batches_of_uses_are_taken",
    "at_most_max_keys_are_deleted",
    "lists_of_expiring_keys_go_on",
    "counts_of_a_key_add_up",
    "a_cancelled_insertion_is_whole_or_nothing",
    "parallel_openings_leave_the_maximum",
    "parallel_ends_of_all_name_each_session_once",
    "many_digests_find_their_sessions",
    "at_most_max_sessions_are_deleted",
    "subscriptions_are_listed_newest_first_in_pages",
    "urls_set_by_these_keys_are_disabled",
    "parallel_calls_keep_one_check",
    "secrets_are_replaced_if_they_are_what_is_stored",
    "events_of_several_owners_go_each_to_their_own",
    "parallel_repetitions_are_accepted_once",
    "parallel_claims_share_out_what_is_due",
    "parallel_changes_of_a_record_are_all_kept",
    "pages_of_owners_neither_repeat_nor_miss",
    "days_of_suspension_are_not_days_of_failure",
    "an_erasure_ends_when_nothing_is_left",
    "an_offer_keeps_its_limits",
    "rooms_limit_lanes",
    "parallel_reports_are_all_taken",
    "completions_of_many_lanes_are_taken_at_once",
    "at_most_max_deliveries_are_ended",
    "parallel_retries_make_one_delivery",
    "recovering_takes_the_oldest_first",
    "failed_deliveries_are_retried_at_once",
    "deliveries_are_listed_newest_first_in_pages",
    "filters_of_events_pick_what_the_reference_picks",
    "failing_subscriptions_come_the_longest_first",
    "outcomes_add_up",
    "subscriptions_are_listed_with_their_health",
    "the_oldest_due_delivery_is_found",
    "a_purge_in_small_steps_comes_to_its_end",
    "a_cancelled_publication_is_whole_or_nothing",
    "everything_that_was_accepted_is_delivered",
    "changes_of_keys_leave_their_events",
    "pages_come_to_their_end",
    "parallel_records_of_the_same_events_count_each_once",
    "at_most_max_events_are_deleted",
    "events_are_listed_until_they_are_announced",
    "parallel_changes_of_an_entry_lose_none",
    "preparing_history_changes_nothing",
    "times_of_events_keep_their_milliseconds",
    "what_was_published_earlier_is_forgotten",
    "every_field_of_an_entry_comes_back",
    "consumers_are_limited",
    "a_disabled_subscription_collects_nothing",
    "a_changed_rate_holds_for_the_next_claim",
    "a_check_is_replaced_if_it_is_what_is_stored",
    "good_sessions_are_counted",
    "old_counts_of_keys_are_deleted",
    "old_outcomes_are_deleted",
    "owners_are_listed_by_their_state",
    "secrets_are_listed_by_id_in_pages",
    "an_event_is_found_with_its_payload",
    "secrets_are_found_by_id_alone",
    "a_seek_moves_a_consumer",
    "the_newest_failed_deliveries_are_shown",
    "recoveries_in_parts_keep_the_order",
    "nothing_of_an_erased_owner_is_found",
];

/// Creates a store for each of these promises, and checks it. Returns the names of the broken ones; the message of each
/// is on standard error.
pub fn broken<'a, Store: ?Sized + 'a, Fresh: Into<FreshStore<Store>>>(
    promises: impl IntoIterator<Item = &'a Promise<Store>>,
    fresh: impl AsyncFn() -> Fresh,
) -> Vec<&'static str> {
    let is_kept = |promise| catch_unwind(AssertUnwindSafe(|| keep(promise, fresh()))).is_ok();
    promises.into_iter().filter(|promise| !is_kept(promise)).map(|promise| promise.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{audit, catalogue, keys, owners, sessions, webhooks};

    fn names<Store: ?Sized>(promises: &[Promise<Store>]) -> impl Iterator<Item = &'static str> {
        promises.iter().map(|promise| promise.name)
    }

    #[test]
    fn the_chosen_promises_exist() {
        let of_keys = names(keys::PROMISES).chain(names(sessions::PROMISES)).chain(names(owners::PROMISES));
        let of_webhooks = names(webhooks::PROMISES).chain(names(audit::PROMISES)).chain(names(catalogue::PROMISES));
        let promises: Vec<_> = of_keys.chain(of_webhooks).collect();
        let unknown: Vec<_> = OF_EACH_KIND.iter().filter(|name| !promises.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
