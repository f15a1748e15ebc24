use domain::ports::{
    DeliveryCommands, DeliveryLog, DeliveryQueue, EventStore, OperatorLog, PulledEvents, Retention, SealedSecretStore,
    StoreFigures, SubscriptionStore,
};

use crate::Promise;
use crate::suite::promise_table;

/// The eight webhook ports, the figures of the queue and the purge, which one store implements.
pub trait WebhookStore:
    SubscriptionStore
    + SealedSecretStore
    + EventStore
    + DeliveryQueue
    + DeliveryLog
    + DeliveryCommands
    + PulledEvents
    + OperatorLog
    + StoreFigures
    + Retention
{
}

impl<
    Store: SubscriptionStore
        + SealedSecretStore
        + EventStore
        + DeliveryQueue
        + DeliveryLog
        + DeliveryCommands
        + PulledEvents
        + OperatorLog
        + StoreFigures
        + Retention,
> WebhookStore for Store
{
}

/// Adds every promise of the webhook ports as a `#[test]` to the current module. Takes a future that creates a fresh store:
/// an `Arc<dyn WebhookStore>`, or a pair of the store and a guard that is dropped after it.
#[macro_export]
macro_rules! webhook_store_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_webhook_store_promises! {
            [$crate::promise_tests] ($crate::keep, $crate::webhooks::PROMISES, $fresh)
        }
    };
}

/// The list of promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_webhook_store_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            subscriptions::every_field_of_a_subscription_comes_back
            subscriptions::times_of_subscriptions_keep_their_milliseconds
            subscriptions::texts_of_subscriptions_come_back_byte_for_byte
            subscriptions::look_alike_owners_have_subscriptions_of_their_own
            subscriptions::subscriptions_stop_at_the_maximum
            subscriptions::deleted_subscriptions_stop_at_their_maximum
            subscriptions::parallel_subscriptions_fill_the_maximum_exactly
            subscriptions::a_stored_subscription_id_is_refused
            subscriptions::subscriptions_are_listed_newest_first_in_pages
            change_subscription::a_change_is_what_the_rules_say
            change_subscription::parallel_changes_all_count
            change_subscription::changed_patterns_decide_from_then_on
            change_subscription::a_changed_url_is_where_claims_go_from_then_on
            change_subscription::enabling_starts_with_a_breaker_as_new
            change_subscription::a_deleted_subscription_is_found_by_no_method
            change_subscription::other_owners_subscriptions_are_not_seen_nor_touched
            disable_set_by::urls_set_by_these_keys_are_disabled
            disable_set_by::disabled_subscriptions_get_the_reason_of_these_keys
            disable_set_by::a_changed_url_is_of_the_key_that_changed_it
            disable_set_by::at_most_max_subscriptions_are_disabled
            subscription_secrets::secrets_come_back_byte_for_byte
            subscription_secrets::rotation_keeps_the_secret_before
            subscription_secrets::an_overlap_allows_only_a_rotation_without_one
            subscription_secrets::parallel_rotations_of_a_secret_store_one
            subscription_secrets::a_check_is_replaced_if_it_is_what_is_stored
            subscription_secrets::parallel_calls_keep_one_check
            subscription_secrets::secrets_are_listed_by_id_in_pages
            subscription_secrets::secrets_are_replaced_if_they_are_what_is_stored
            subscription_secrets::parallel_replacements_of_secrets_succeed_once
            subscription_secrets::a_replacement_beside_a_rotation_undoes_nothing
            signers::public_keys_come_back_with_subscriptions
            signers::a_rotation_changes_what_signs
            signers::a_rotation_for_a_kind_beside_its_end_undoes_nothing
            signers::secrets_are_found_by_id_alone
            subscription_options::options_come_back_and_go_with_claims
            subscription_options::changed_options_are_what_the_rules_say
            subscription_options::refused_options_change_nothing
            subscription_options::options_are_replaced_if_they_are_what_is_stored
            publish_events::an_event_comes_back_with_every_field
            publish_events::times_of_events_keep_their_milliseconds
            publish_events::an_event_goes_to_every_subscription_that_matches
            publish_events::closed_and_foreign_subscriptions_get_nothing
            publish_events::an_event_for_one_subscription_goes_there_alone
            publish_events::a_refused_event_for_one_subscription_leaves_nothing
            publish_events::the_most_events_at_once_are_taken
            publish_events::a_stored_event_id_is_refused
            publish_events::events_of_several_owners_go_each_to_their_own
            publish_events::parallel_publications_all_arrive
            filters::events_pass_filters_as_the_vectors_say
            filters::each_event_of_a_call_is_filtered_alone
            filters::a_changed_filter_decides_from_then_on
            filters::an_event_for_one_subscription_needs_no_filter
            publish_again::a_repetition_is_a_duplicate
            publish_again::another_event_under_the_same_id_is_a_conflict
            publish_again::a_publication_is_all_or_nothing
            publish_again::publisher_ids_are_each_owners_own
            publish_again::repetitions_within_one_call_are_seen
            publish_again::parallel_repetitions_are_accepted_once
            publish_again::parallel_repetitions_in_opposite_orders_all_end
            claim::a_due_delivery_is_claimed_with_all_that_it_needs
            claim::a_claim_brings_the_trace_of_the_event
            claim::a_claim_ends_at_its_instant
            claim::a_lost_claim_ends_nothing
            claim::a_claim_that_ran_out_holds_until_another_claims
            claim::attempts_are_counted_by_claims
            claim::payloads_fit_into_the_room_for_them
            claim::what_comes_late_is_claimed
            claim::a_lane_keeps_its_order
            claim::what_is_given_back_keeps_its_place
            claim::rooms_limit_lanes
            claim::a_lane_gives_as_many_as_there_is_room_for
            direct_claims::what_is_handed_over_is_claimed
            direct_claims::an_offer_keeps_its_limits
            direct_claims::an_offer_takes_what_a_claim_would
            direct_claims::an_offer_ends
            direct_claims::repetitions_hand_nothing_over
            direct_claims::parallel_publications_and_claims_share_out
            claim_races::parallel_claims_share_out_what_is_due
            claim_races::parallel_completions_of_a_claim_end_it_once
            fairness::a_long_lane_holds_up_no_other
            fairness::lanes_take_turns
            fairness::the_lane_served_longest_ago_comes_first
            fairness::a_lane_without_room_takes_no_place
            fairness::lanes_that_wait_take_no_place
            owner_shares::owners_share_the_room_of_a_claim
            owner_shares::what_an_owner_has_taken_counts
            owner_shares::lanes_of_a_full_owner_take_no_place
            owner_shares::an_owner_who_fills_up_within_a_claim_hides_nobody
            breakers::reports_are_taken_in_their_order
            breakers::a_paused_lane_waits_until_its_instant
            breakers::a_probe_goes_alone
            breakers::no_probe_goes_beside_an_older_claim
            breakers::each_failed_probe_pauses_longer
            breakers::a_success_ends_the_pause_at_once
            breakers::retry_after_pauses_the_whole_lane
            breakers::faults_of_ours_are_not_counted
            breakers::parallel_reports_are_all_taken
            breakers::an_attempt_is_reported_once
            breakers::gone_disables_the_subscription
            breakers::nothing_but_failures_disables_the_subscription
            breakers::the_owners_word_stays
            rates::a_lane_with_a_rate_rests_between_claims
            rates::claims_keep_the_rate
            rates::every_claim_counts_for_the_rate
            rates::a_changed_rate_holds_for_the_next_claim
            rates::parallel_claims_keep_the_rate
            rates::publications_leave_lanes_with_a_rate_to_claims
            orders::deliveries_in_order_leave_one_after_the_other
            orders::an_end_frees_the_next_in_order
            orders::a_stopped_order_disables_the_subscription
            orders::replays_are_out_of_order_and_recoveries_are_not
            orders::recoveries_in_parts_keep_the_order
            orders::publications_leave_lanes_with_an_order_to_claims
            orders::parallel_workers_keep_the_order
            pulled_events::events_are_pulled_in_order_without_a_gap
            pulled_events::pages_of_a_log_keep_their_limits
            consumers::a_consumer_gets_each_event_once
            consumers::a_lease_ends_at_its_instant
            consumers::only_what_was_received_is_committed
            consumers::parallel_readers_get_one_lease
            consumers::consumers_have_their_own_places
            consumers::a_seek_moves_a_consumer
            pulled_events::a_log_is_of_its_owner_alone
            pulled_events::what_is_purged_is_expired
            pulled_events::no_read_passes_over_a_gap
            pulled_events::a_disabled_subscription_collects_nothing
            consumers::consumers_are_limited
            pulled_events::a_log_collects_what_passes
            pulled_events::what_is_pulled_is_never_claimed
            complete::a_delivery_ends_as_it_is_told
            complete::a_failed_delivery_waits_for_its_time
            complete::every_field_of_an_attempt_comes_back
            complete::an_attempt_without_a_record_counts
            complete::a_batch_is_answered_one_by_one
            complete::a_batch_of_successes_is_answered_one_by_one
            complete::an_attempt_is_recorded_once
            complete::completions_of_many_lanes_are_taken_at_once
            end_closed::disabling_ends_what_waits
            end_closed::deleting_ends_what_waits
            end_closed::the_first_end_stays
            end_closed::what_is_being_sent_is_left_to_its_claim
            end_closed::at_most_max_deliveries_are_ended
            end_closed::thousands_that_wait_all_end
            end_closed::enabling_again_brings_nothing_back
            end_closed_races::publications_beside_a_deletion_all_end
            end_closed_races::publications_beside_a_disabling_all_end
            end_closed_races::claims_beside_a_disabling_lose_nothing
            end_closed_races::a_change_comes_wholly_before_or_after_a_publication
            retry_delivery::a_waiting_delivery_is_due_at_once
            retry_delivery::an_ended_delivery_is_brought_back
            retry_delivery::what_is_being_sent_is_not_retried
            retry_delivery::a_retry_needs_an_open_lane
            retry_delivery::an_old_event_is_not_retried
            retry_delivery::parallel_retries_make_one_delivery
            retry_delivery::a_cancelled_delivery_ends
            retry_delivery::an_old_claim_means_nothing_to_a_new_run
            retry_delivery::cancelling_beside_claims_holds
            retry_delivery::other_owners_deliveries_are_not_touched
            recover_subscription::recovering_brings_back_what_failed
            recover_subscription::recovering_sends_what_was_missed
            recover_subscription::recovering_leaves_out_other_events
            recover_subscription::recovering_takes_the_oldest_first
            recover_subscription::recovering_ends_a_pause
            recover_subscription::recovering_the_rest_needs_an_enabled_subscription
            recover_subscription::recovering_the_rest_leaves_the_pause
            failures::failed_deliveries_are_shown_with_their_last_attempt
            failures::the_newest_failed_deliveries_are_shown
            failures::only_what_can_be_retried_is_shown_as_failed
            failures::failed_deliveries_are_retried_at_once
            failures::a_retry_of_failed_deliveries_needs_an_open_lane
            failures::parallel_retries_of_failed_deliveries_make_each_due_once
            failures::what_a_recovery_would_retry_is_counted
            log::deliveries_are_listed_newest_first_in_pages
            log::filters_pick_what_the_reference_picks
            log::a_search_for_what_is_rare_comes_to_its_end
            log::deliveries_to_deleted_subscriptions_stay
            log::attempts_come_in_the_order_of_their_ends
            log::attempts_at_one_delivery_all_come
            log::a_delivery_is_shown_with_its_newest_attempts
            log::listed_deliveries_have_their_last_attempt
            operator_log::failing_subscriptions_come_the_longest_first
            operator_log::only_enabled_subscriptions_are_failing
            operator_log::events_are_listed_newest_first_in_pages
            operator_log::filters_of_events_pick_what_the_reference_picks
            operator_log::a_search_for_rare_events_comes_to_its_end
            operator_log::an_event_is_found_with_its_payload
            outcomes::outcomes_add_up
            outcomes::outcomes_are_read_by_the_hour
            outcomes::outcomes_are_shown_to_their_owner
            outcomes::parallel_outcomes_all_add_up
            outcomes::large_batches_of_outcomes_are_taken
            outcomes::old_outcomes_are_deleted
            outcomes::a_cancelled_addition_of_outcomes_is_whole_or_nothing
            health::waiting_deliveries_are_counted
            health::the_attempt_that_ended_last_is_shown
            health::subscriptions_are_listed_with_their_health
            figures::deliveries_are_counted_up_to_the_maximum
            figures::the_oldest_due_delivery_is_found
            figures::lanes_and_subscriptions_are_counted_by_their_states
            purge_history::what_was_published_earlier_is_forgotten
            purge_history::what_has_not_ended_stays
            purge_history::a_purge_in_small_steps_comes_to_its_end
            purge_history::deleted_subscriptions_go_with_their_last_delivery
            purge_history::purging_beside_publications_loses_nothing
            purge_history::preparing_history_changes_nothing
            dropped::a_cancelled_subscription_is_whole_or_nothing
            dropped::a_cancelled_publication_is_whole_or_nothing
            dropped::what_a_cancelled_claim_took_is_due_again
            dropped::a_cancelled_completion_is_whole_or_nothing
            dropped::a_cancelled_deletion_is_whole_or_nothing
            dropped::a_cancelled_change_is_whole_or_nothing
            dropped::a_hint_may_be_dropped_at_any_time
            dropped::a_cancelled_purge_leaves_whole_deliveries
            liveness::everything_that_was_accepted_is_delivered
            liveness::a_publication_beside_a_claim_is_claimed
            liveness::a_retry_beside_a_claim_is_claimed
            liveness::a_retry_by_hand_beside_a_claim_is_claimed
            liveness::a_publication_beside_an_enabling_is_claimed
            liveness::a_publication_beside_a_recovery_is_claimed
        }
    };
}

with_webhook_store_promises! {
    [promise_table] (
        /// Every promise of the webhook ports, in the order of their methods.
        PROMISES: Promise<dyn WebhookStore>
    )
}
