use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::SecretsRow;
use domain::ports::DeleteSubscriptionRequest;
use domain::webhooks::DeliveryEnd;

use super::close_lane::close;
use super::subscription_queries::{delete_patterns, of};
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`SubscriptionStore::delete`](domain::ports::SubscriptionStore::delete).
pub(super) fn delete_subscription(
    connection: &mut SqliteConnection,
    request: &DeleteSubscriptionRequest,
) -> Result<bool, Undo> {
    let &DeleteSubscriptionRequest { ref owner, id, at, ref cause } = request;
    let at_deletion = webhook_subscriptions::deleted_at.eq(Some(StoredInstant::from(at)));
    if diesel::update(of(owner, &id)).set((SecretsRow::NONE, at_deletion)).execute(connection)? == 0 {
        return Ok(false);
    }
    delete_patterns(connection, owner, id)?;
    close(connection, id, DeliveryEnd::SubscriptionDeleted, at)?;
    write_events(connection, [&cause.subscription_deleted(id, owner)])?;
    Ok(true)
}
