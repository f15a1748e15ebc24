//! Subscriptions: the URLs that a user's events are sent to.

pub(super) mod create_subscription;
pub(super) mod description;
pub(super) mod find_subscription;
pub(super) mod health_state;
pub(super) mod list_failing;
pub(super) mod list_subscriptions;
pub(super) mod operator_webhook;
pub(super) mod recover_subscription;
pub(super) mod subscribed_events;
pub(super) mod subscription;
pub(super) mod subscription_change;
pub(super) mod test_subscription;
pub(super) mod test_url;
