//! Stores of webhooks with one fault each.

mod claims;
mod commands;
mod completions;
mod direct_claims;
mod events;
mod fault;
mod log;
mod operator_log;
mod pulls;
mod queue;
mod rules;
mod store;
mod subscriptions;

use std::sync::Arc;

use fault::Fault;
use storage_conformance::webhooks::PROMISES;
use store::Saboteur;

use crate::bites::{Broken, all_are_kept, check, each_is_broken, every_fault_is_seen};

/// Each fault, and promises that it breaks.
const SABOTEURS: &Broken<Fault> = &[
    (
        Fault::LosesMilliseconds,
        &[
            "times_of_subscriptions_keep_their_milliseconds",
            "times_of_events_keep_their_milliseconds",
            "rotation_keeps_the_secret_before",
            "every_field_of_an_attempt_comes_back",
        ],
    ),
    (
        Fault::ForgetsStatus,
        &["every_field_of_a_subscription_comes_back", "closed_and_foreign_subscriptions_get_nothing"],
    ),
    (Fault::ForgetsWhoCreatedIt, &["every_field_of_a_subscription_comes_back"]),
    (Fault::ForgetsWhoSetTheUrl, &["every_field_of_a_subscription_comes_back", "urls_set_by_these_keys_are_disabled"]),
    (Fault::KeepsWhoSetTheUrl, &["a_changed_url_is_of_the_key_that_changed_it"]),
    (Fault::PassesOverDisabled, &["disabled_subscriptions_get_the_reason_of_these_keys"]),
    (Fault::IgnoresDisableMax, &["at_most_max_subscriptions_are_disabled"]),
    (Fault::CutsDescriptions, &["texts_of_subscriptions_come_back_byte_for_byte"]),
    (
        Fault::KeepsTheFirstPattern,
        &["every_field_of_a_subscription_comes_back", "an_event_goes_to_every_subscription_that_matches"],
    ),
    (Fault::ForgetsOptions, &["options_come_back_and_go_with_claims", "changed_options_are_what_the_rules_say"]),
    (Fault::ClaimsWithoutOptions, &["options_come_back_and_go_with_claims"]),
    (Fault::ListsHealthWithoutOptions, &["options_come_back_and_go_with_claims"]),
    (Fault::RotatesOptionsAway, &["changed_options_are_what_the_rules_say"]),
    (Fault::KeepsOptionsAtAnotherOrigin, &["changed_options_are_what_the_rules_say"]),
    (Fault::ClearsWhatItRefuses, &["refused_options_change_nothing"]),
    (Fault::IgnoresStoredOptions, &["options_are_replaced_if_they_are_what_is_stored"]),
    (Fault::CutsSecretsAtZero, &["secrets_come_back_byte_for_byte"]),
    (
        Fault::StoresPayloadsAsText,
        &["an_event_comes_back_with_every_field", "events_are_pulled_in_order_without_a_gap"],
    ),
    (Fault::CutsExcerpts, &["every_field_of_an_attempt_comes_back"]),
    (Fault::LosesHeaders, &["every_field_of_an_attempt_comes_back"]),
    (Fault::IgnoresCaseOfOwners, &["look_alike_owners_have_subscriptions_of_their_own"]),
    (Fault::CountsDeleted, &["subscriptions_stop_at_the_maximum"]),
    (Fault::IgnoresDeletedMax, &["deleted_subscriptions_stop_at_their_maximum"]),
    (Fault::CountsThenInserts, &["parallel_subscriptions_fill_the_maximum_exactly"]),
    (Fault::OverwritesStoredIds, &["a_stored_subscription_id_is_refused", "a_stored_event_id_is_refused"]),
    (
        Fault::ListsOldestFirst,
        &["subscriptions_are_listed_newest_first_in_pages", "deliveries_are_listed_newest_first_in_pages"],
    ),
    (Fault::TouchesUnchanged, &["a_change_is_what_the_rules_say"]),
    (Fault::WritesWholeRows, &["parallel_changes_all_count"]),
    (
        Fault::KeepsOldWishes,
        &[
            "changed_patterns_decide_from_then_on",
            "a_changed_filter_decides_from_then_on",
            "a_changed_url_is_where_claims_go_from_then_on",
        ],
    ),
    (
        Fault::ForgetsFilters,
        &[
            "every_field_of_a_subscription_comes_back",
            "events_pass_filters_as_the_vectors_say",
            "a_log_collects_what_passes",
        ],
    ),
    (Fault::IgnoresFilters, &["events_pass_filters_as_the_vectors_say", "each_event_of_a_call_is_filtered_alone"]),
    (Fault::FiltersByTheFirstEvent, &["each_event_of_a_call_is_filtered_alone"]),
    (Fault::KeepsTheBreaker, &["enabling_starts_with_a_breaker_as_new"]),
    (Fault::KeepsSecretsOfDeleted, &["a_deleted_subscription_is_found_by_no_method", "secrets_are_found_by_id_alone"]),
    (Fault::ForgetsPublicKeys, &["public_keys_come_back_with_subscriptions", "a_rotation_changes_what_signs"]),
    (
        Fault::IgnoresKindsOfSigners,
        &["a_rotation_changes_what_signs", "a_rotation_for_a_kind_beside_its_end_undoes_nothing"],
    ),
    (Fault::ReadsKindsOfSignersFirst, &["a_rotation_for_a_kind_beside_its_end_undoes_nothing"]),
    (Fault::ChangesAnybodys, &["other_owners_subscriptions_are_not_seen_nor_touched"]),
    (
        Fault::IgnoresDisabling,
        &[
            "closed_and_foreign_subscriptions_get_nothing",
            "disabling_ends_what_waits",
            "publications_beside_a_disabling_all_end",
            "thousands_that_wait_all_end",
            "a_disabled_subscription_collects_nothing",
        ],
    ),
    (
        Fault::DeletesWithoutClosing,
        &["deleting_ends_what_waits", "at_most_max_deliveries_are_ended", "publications_beside_a_deletion_all_end"],
    ),
    (Fault::EnablingRecovers, &["enabling_again_brings_nothing_back"]),
    (Fault::ForgetsThePrevious, &["rotation_keeps_the_secret_before"]),
    (
        Fault::RotatesInTheOverlap,
        &["an_overlap_allows_only_a_rotation_without_one", "parallel_rotations_of_a_secret_store_one"],
    ),
    (Fault::RefusesEveryRotationInTheOverlap, &["an_overlap_allows_only_a_rotation_without_one"]),
    (Fault::OverwritesChecks, &["a_check_is_replaced_if_it_is_what_is_stored"]),
    (Fault::AnswersWithTheNewCheck, &["a_check_is_replaced_if_it_is_what_is_stored", "parallel_calls_keep_one_check"]),
    (Fault::HidesTheCheck, &["a_check_is_replaced_if_it_is_what_is_stored"]),
    (Fault::IgnoresSecretPages, &["secrets_are_listed_by_id_in_pages"]),
    (Fault::IgnoresPagesOfAll, &["secrets_are_listed_by_id_in_pages"]),
    (Fault::ComparesCurrentOnly, &["secrets_are_replaced_if_they_are_what_is_stored"]),
    (
        Fault::ReadsThenReplaces,
        &["parallel_replacements_of_secrets_succeed_once", "a_replacement_beside_a_rotation_undoes_nothing"],
    ),
    (Fault::CountsEachPattern, &["an_event_goes_to_every_subscription_that_matches"]),
    (
        Fault::IgnoresOnly,
        &["an_event_for_one_subscription_goes_there_alone", "an_event_for_one_subscription_needs_no_filter"],
    ),
    (Fault::StoresWhatItRefuses, &["a_refused_event_for_one_subscription_leaves_nothing"]),
    (Fault::RefusesLargePublications, &["the_most_events_at_once_are_taken"]),
    (Fault::TakesTheFirstOwner, &["events_of_several_owners_go_each_to_their_own"]),
    (
        Fault::FailsInRaces,
        &[
            "parallel_publications_all_arrive",
            "parallel_repetitions_are_accepted_once",
            "parallel_repetitions_in_opposite_orders_all_end",
            "parallel_retries_make_one_delivery",
        ],
    ),
    (
        Fault::MatchesThenStores,
        &[
            "publications_beside_a_deletion_all_end",
            "publications_beside_a_disabling_all_end",
            "a_publication_beside_an_enabling_is_claimed",
        ],
    ),
    (
        Fault::ForgetsPublisherIds,
        &["a_repetition_is_a_duplicate", "repetitions_within_one_call_are_seen", "publisher_ids_are_each_owners_own"],
    ),
    (Fault::KeepsUnheardPayloads, &["a_repetition_is_a_duplicate"]),
    (Fault::IgnoresContent, &["another_event_under_the_same_id_is_a_conflict", "repetitions_within_one_call_are_seen"]),
    (Fault::IgnoresCaseOfIds, &["publisher_ids_are_each_owners_own"]),
    (
        Fault::ChecksThenPublishes,
        &["parallel_repetitions_are_accepted_once", "parallel_repetitions_in_opposite_orders_all_end"],
    ),
    (
        Fault::PublishesOneByOne,
        &[
            "a_publication_is_all_or_nothing",
            "a_cancelled_publication_is_whole_or_nothing",
            "a_change_comes_wholly_before_or_after_a_publication",
        ],
    ),
    (Fault::ForgetsTraces, &["a_claim_brings_the_trace_of_the_event"]),
    (Fault::TracesFirstAttempts, &["a_claim_brings_the_trace_of_the_event"]),
    (Fault::TracesOneDelivery, &["a_claim_brings_the_trace_of_the_event"]),
    (
        Fault::HandsNothingOver,
        &[
            "what_is_handed_over_is_claimed",
            "an_offer_keeps_its_limits",
            "repetitions_hand_nothing_over",
            "parallel_publications_and_claims_share_out",
        ],
    ),
    (Fault::HandsOverWhatWaits, &["what_is_handed_over_is_claimed", "parallel_publications_and_claims_share_out"]),
    (Fault::IgnoresOfferedRoom, &["an_offer_keeps_its_limits"]),
    (Fault::KeepsOffers, &["an_offer_ends"]),
    (Fault::HandsOverPaused, &["an_offer_takes_what_a_claim_would"]),
    (Fault::HandsOverRepetitions, &["repetitions_hand_nothing_over"]),
    (
        Fault::ClaimsEarly,
        &["a_due_delivery_is_claimed_with_all_that_it_needs", "a_paused_lane_waits_until_its_instant"],
    ),
    (
        Fault::LeaseEndsLate,
        &[
            "a_claim_ends_at_its_instant",
            "a_due_delivery_is_claimed_with_all_that_it_needs",
            "a_lease_ends_at_its_instant",
        ],
    ),
    (Fault::LastComeFirst, &["a_lane_keeps_its_order"]),
    (Fault::IgnoresRooms, &["rooms_limit_lanes", "a_lane_gives_as_many_as_there_is_room_for"]),
    (Fault::RoundsRooms, &["rooms_limit_lanes", "a_lane_gives_as_many_as_there_is_room_for"]),
    (Fault::ClaimsTwice, &["a_claim_ends_at_its_instant", "parallel_claims_share_out_what_is_due"]),
    (
        Fault::GlobalOldestFirst,
        &["a_long_lane_holds_up_no_other", "lanes_take_turns", "the_lane_served_longest_ago_comes_first"],
    ),
    (Fault::RoomlessTakePlaces, &["a_lane_without_room_takes_no_place"]),
    (Fault::IgnoresShares, &["owners_share_the_room_of_a_claim", "what_an_owner_has_taken_counts"]),
    (Fault::ForgetsWhatIsTaken, &["what_an_owner_has_taken_counts", "lanes_of_a_full_owner_take_no_place"]),
    (
        Fault::FullOwnersTakePlaces,
        &["lanes_of_a_full_owner_take_no_place", "an_owner_who_fills_up_within_a_claim_hides_nobody"],
    ),
    (Fault::NamesNoOwner, &["a_due_delivery_is_claimed_with_all_that_it_needs"]),
    (Fault::PausedTakePlaces, &["lanes_that_wait_take_no_place"]),
    (
        Fault::IgnoresProbes,
        &["a_probe_goes_alone", "no_probe_goes_beside_an_older_claim", "each_failed_probe_pauses_longer"],
    ),
    (
        Fault::KeepsPauses,
        &["a_success_ends_the_pause_at_once", "recovering_ends_a_pause", "a_publication_beside_a_recovery_is_claimed"],
    ),
    (Fault::ForgetsRuns, &["a_waiting_delivery_is_due_at_once", "recovering_brings_back_what_failed"]),
    (Fault::IgnoresPayloads, &["payloads_fit_into_the_room_for_them"]),
    (Fault::RoundsPayloads, &["payloads_fit_into_the_room_for_them"]),
    (
        Fault::IgnoresRates,
        &[
            "a_lane_with_a_rate_rests_between_claims",
            "claims_keep_the_rate",
            "parallel_claims_keep_the_rate",
            "publications_leave_lanes_with_a_rate_to_claims",
        ],
    ),
    (
        Fault::ForgetsRests,
        &["a_lane_with_a_rate_rests_between_claims", "claims_keep_the_rate", "every_claim_counts_for_the_rate"],
    ),
    (
        Fault::IgnoresOrders,
        &[
            "deliveries_in_order_leave_one_after_the_other",
            "an_end_frees_the_next_in_order",
            "replays_are_out_of_order_and_recoveries_are_not",
            "recoveries_in_parts_keep_the_order",
            "publications_leave_lanes_with_an_order_to_claims",
            "parallel_workers_keep_the_order",
        ],
    ),
    (Fault::NumbersReplays, &["replays_are_out_of_order_and_recoveries_are_not"]),
    (Fault::NeverStops, &["a_stopped_order_disables_the_subscription"]),
    (Fault::KeepsRests, &["a_changed_rate_holds_for_the_next_claim"]),
    (Fault::PassesOverEvents, &["events_are_pulled_in_order_without_a_gap", "a_consumer_gets_each_event_once"]),
    (Fault::IgnoresPulledBytes, &["pages_of_a_log_keep_their_limits"]),
    (
        Fault::IgnoresLeases,
        &["a_consumer_gets_each_event_once", "a_lease_ends_at_its_instant", "parallel_readers_get_one_lease"],
    ),
    (Fault::SaysCommitted, &["only_what_was_received_is_committed", "a_lease_ends_at_its_instant"]),
    (Fault::SharesOnePlace, &["consumers_have_their_own_places"]),
    (Fault::SeeksNowhere, &["a_seek_moves_a_consumer"]),
    (Fault::ReadsAnybodysLog, &["a_log_is_of_its_owner_alone", "a_log_collects_what_passes"]),
    (Fault::HidesExpired, &["what_is_purged_is_expired", "no_read_passes_over_a_gap"]),
    (Fault::IgnoresConsumersMax, &["consumers_are_limited"]),
    (Fault::CountsTheFirstLog, &["a_log_collects_what_passes"]),
    (Fault::DeliversPulled, &["what_is_pulled_is_never_claimed"]),
    (Fault::OverlooksWhatComesLate, &["what_comes_late_is_claimed"]),
    (
        Fault::LosesAWake,
        &[
            "everything_that_was_accepted_is_delivered",
            "a_publication_beside_a_claim_is_claimed",
            "a_retry_beside_a_claim_is_claimed",
            "a_retry_by_hand_beside_a_claim_is_claimed",
        ],
    ),
    (Fault::ForgetsFencing, &["a_lost_claim_ends_nothing", "an_old_claim_means_nothing_to_a_new_run"]),
    (Fault::RefusesLateCompletions, &["a_claim_that_ran_out_holds_until_another_claims"]),
    (Fault::CountsWhatIsGivenBack, &["attempts_are_counted_by_claims", "what_is_given_back_keeps_its_place"]),
    (Fault::UncountsUnrecorded, &["an_attempt_without_a_record_counts"]),
    (
        Fault::SaysHeld,
        &[
            "a_batch_is_answered_one_by_one",
            "a_batch_of_successes_is_answered_one_by_one",
            "parallel_completions_of_a_claim_end_it_once",
        ],
    ),
    (Fault::EndsAsDelivered, &["a_delivery_ends_as_it_is_told"]),
    (Fault::RetriesAtOnce, &["a_failed_delivery_waits_for_its_time"]),
    (Fault::RecordsAgain, &["an_attempt_is_recorded_once", "an_attempt_is_reported_once"]),
    (Fault::CompletesOneByOne, &["a_cancelled_completion_is_whole_or_nothing"]),
    (Fault::ReportsBackwards, &["reports_are_taken_in_their_order"]),
    (Fault::IgnoresRetryAfter, &["retry_after_pauses_the_whole_lane", "reports_are_taken_in_their_order"]),
    (Fault::CountsOurFaults, &["faults_of_ours_are_not_counted"]),
    (Fault::LosesReports, &["parallel_reports_are_all_taken"]),
    (Fault::ReportsToTheFirstLane, &["completions_of_many_lanes_are_taken_at_once"]),
    (Fault::NeverDisables, &["gone_disables_the_subscription", "nothing_but_failures_disables_the_subscription"]),
    (Fault::OverrulesTheOwner, &["the_owners_word_stays"]),
    (Fault::EndsWhatIsSent, &["what_is_being_sent_is_left_to_its_claim", "claims_beside_a_disabling_lose_nothing"]),
    (Fault::IgnoresEndMax, &["at_most_max_deliveries_are_ended"]),
    (Fault::RewritesEnds, &["the_first_end_stays"]),
    (Fault::RetriesOnlyWhatWaits, &["an_ended_delivery_is_brought_back"]),
    (Fault::RetriesWhatIsSent, &["what_is_being_sent_is_not_retried"]),
    (Fault::RetriesToClosed, &["a_retry_needs_an_open_lane"]),
    (Fault::RetriesOld, &["an_old_event_is_not_retried", "recovering_brings_back_what_failed"]),
    (Fault::CancelsOnlyWhatWaits, &["a_cancelled_delivery_ends", "cancelling_beside_claims_holds"]),
    (Fault::RecoversEverything, &["recovering_sends_what_was_missed"]),
    (Fault::RecoversEveryType, &["recovering_leaves_out_other_events"]),
    (Fault::CountsEveryType, &["recovering_leaves_out_other_events"]),
    (Fault::IgnoresRecoverMax, &["recovering_takes_the_oldest_first"]),
    (
        Fault::RestEnables,
        &["recovering_the_rest_needs_an_enabled_subscription", "recovering_the_rest_leaves_the_pause"],
    ),
    (Fault::RetriesWhatIsNamed, &["failed_deliveries_are_retried_at_once"]),
    (Fault::RetriesOneByOne, &["parallel_retries_of_failed_deliveries_make_each_due_once"]),
    (Fault::RetriesForAnybody, &["a_retry_of_failed_deliveries_needs_an_open_lane"]),
    (Fault::ShowsNoCauses, &["failed_deliveries_are_shown_with_their_last_attempt"]),
    (Fault::ShowsTheOldestFailed, &["the_newest_failed_deliveries_are_shown"]),
    (Fault::ShowsOldFailures, &["only_what_can_be_retried_is_shown_as_failed"]),
    (Fault::CountsWhatIsTooOld, &["what_a_recovery_would_retry_is_counted"]),
    (Fault::ShowsOthersDeliveries, &["other_owners_deliveries_are_not_touched"]),
    (Fault::IgnoresStates, &["filters_pick_what_the_reference_picks"]),
    (Fault::IncludesUntil, &["filters_pick_what_the_reference_picks"]),
    (Fault::EndsSearchesEarly, &["a_search_for_what_is_rare_comes_to_its_end"]),
    (Fault::HidesDeleted, &["deliveries_to_deleted_subscriptions_stay"]),
    (Fault::SkipsTies, &["attempts_come_in_the_order_of_their_ends"]),
    (Fault::ShowsOneAttemptEach, &["attempts_at_one_delivery_all_come"]),
    (Fault::HidesTheLastOfMany, &["a_delivery_is_shown_with_its_newest_attempts"]),
    (Fault::ListsTheFirstAttempt, &["listed_deliveries_have_their_last_attempt"]),
    (Fault::ListsWholeAttempts, &["listed_deliveries_have_their_last_attempt"]),
    (Fault::ListsTheLatestFailingFirst, &["failing_subscriptions_come_the_longest_first"]),
    (Fault::RepeatsFailing, &["failing_subscriptions_come_the_longest_first"]),
    (Fault::HidesPausedFailing, &["only_enabled_subscriptions_are_failing"]),
    (Fault::ShowsPayloadsInLists, &["events_are_listed_newest_first_in_pages"]),
    (Fault::IgnoresEventTypes, &["filters_of_events_pick_what_the_reference_picks"]),
    (Fault::EndsEventSearchesEarly, &["a_search_for_rare_events_comes_to_its_end"]),
    (Fault::HidesEventPayloads, &["an_event_is_found_with_its_payload"]),
    (Fault::CountsOncePerCall, &["outcomes_add_up"]),
    (Fault::HidesTheLastHour, &["outcomes_are_read_by_the_hour"]),
    (Fault::ShowsAnybodysOutcomes, &["outcomes_are_shown_to_their_owner"]),
    (Fault::LosesCountsInRaces, &["parallel_outcomes_all_add_up"]),
    (Fault::RefusesLargeBatches, &["large_batches_of_outcomes_are_taken"]),
    (Fault::PurgesTheHourItself, &["old_outcomes_are_deleted"]),
    (Fault::IgnoresCountsMax, &["old_outcomes_are_deleted"]),
    (Fault::AddsOneByOne, &["a_cancelled_addition_of_outcomes_is_whole_or_nothing"]),
    (Fault::CountsNoClaims, &["waiting_deliveries_are_counted"]),
    (Fault::ListsTheNewestHealth, &["subscriptions_are_listed_with_their_health"]),
    (Fault::ShowsTheLastRecorded, &["the_attempt_that_ended_last_is_shown"]),
    (
        Fault::CountsBeyondTheMax,
        &["deliveries_are_counted_up_to_the_maximum", "lanes_and_subscriptions_are_counted_by_their_states"],
    ),
    (Fault::FindsDueEarly, &["the_oldest_due_delivery_is_found"]),
    (Fault::KeepsEndedPauses, &["lanes_and_subscriptions_are_counted_by_their_states"]),
    (
        Fault::PurgesTheBoundary,
        &[
            "what_was_published_earlier_is_forgotten",
            "purging_beside_publications_loses_nothing",
            "deleted_subscriptions_go_with_their_last_delivery",
        ],
    ),
    (Fault::PurgesWhatWaits, &["what_has_not_ended_stays"]),
    (Fault::KeepsWhatEndedBeside, &["what_has_not_ended_stays", "a_purge_in_small_steps_comes_to_its_end"]),
    (Fault::KeepsAnEndedDay, &["what_was_published_earlier_is_forgotten"]),
    (Fault::PreparingForgets, &["preparing_history_changes_nothing"]),
    (Fault::IgnoresPurgeMax, &["a_purge_in_small_steps_comes_to_its_end"]),
    (Fault::KeepsDeletedForever, &["deleted_subscriptions_go_with_their_last_delivery"]),
    (Fault::StoresSecretsLater, &["a_cancelled_subscription_is_whole_or_nothing"]),
    (Fault::HidesSecretsFirst, &["a_cancelled_deletion_is_whole_or_nothing"]),
    (Fault::PurgesAttemptsFirst, &["a_cancelled_purge_leaves_whole_deliveries"]),
    (
        Fault::LeavesItsLockBehind,
        &[
            "what_a_cancelled_claim_took_is_due_again",
            "a_cancelled_change_is_whole_or_nothing",
            "a_hint_may_be_dropped_at_any_time",
        ],
    ),
];

/// Only faults break promises: without one, the same store keeps them all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_a_fault_every_promise_is_kept() {
    all_are_kept(PROMISES, || Arc::new(Saboteur::new(Fault::None))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_fault_breaks_its_promises() {
    every_fault_is_seen(SABOTEURS, |name, fault| check(PROMISES, name, Arc::new(Saboteur::new(fault)))).await;
}

#[test]
fn every_promise_is_broken_by_some_fault() {
    each_is_broken(SABOTEURS, PROMISES.iter().map(|promise| promise.name));
}
