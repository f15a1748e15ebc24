//! Where a user's events go.

pub(super) mod change_subscription;
pub(super) mod create_subscription;
pub(super) mod delete_subscription;
pub(super) mod find_subscription;
pub(super) mod list_subscriptions;
pub(super) mod recover_subscription;
pub(super) mod subscribed_events;
pub(super) mod subscription;
pub(super) mod test_subscription;
