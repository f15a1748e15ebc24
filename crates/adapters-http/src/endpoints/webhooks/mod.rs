//! Webhook subscriptions and deliveries, for users.
//!
//! See decision 35.

mod change_subscription;
mod create_subscription;
mod deliveries;
mod failures;
mod figures;
mod pull;
mod recovery;
mod rotate_secret;
mod stream_attempts;
mod subscriptions;
mod trials;

endpoints! {
    create_subscription::create_subscription,
    subscriptions::list_subscriptions,
    subscriptions::find_subscription,
    change_subscription::change_subscription,
    subscriptions::delete_subscription,
    rotate_secret::rotate_secret,
    trials::test_subscription,
    trials::test_url,
    trials::test_filter,
    figures::show_attempt_times,
    figures::show_outcomes,
    figures::show_subscription_outcomes,
    recovery::count_recoverable,
    recovery::recover_subscription,
    pull::receive_events,
    pull::commit_events,
    pull::seek_consumer,
    pull::read_events,
    pull::list_consumers,
    pull::delete_consumer,
    failures::list_failures,
    failures::retry_failures,
    deliveries::list_deliveries,
    stream_attempts::stream_attempts,
    deliveries::find_delivery,
    deliveries::retry_delivery,
    deliveries::cancel_delivery,
}
