use diesel::prelude::*;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::{status_code, subscription_id};
use domain::audit::Cause;
use domain::webhooks::{DisableReason, SubscriptionStatus};
use domain::{KeyId, Timestamp};

use super::close_lane::disable;
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`SubscriptionStore::disable_set_by`](domain::ports::SubscriptionStore::disable_set_by).
pub(super) fn disable_set_by(
    connection: &mut SqliteConnection,
    keys: &[KeyId],
    reason: DisableReason,
    at: Timestamp,
    max: u32,
    cause: &Cause,
) -> Result<u32, Undo> {
    let keys = keys.iter().map(|key| Some(key.as_bytes().as_slice()));
    let ids: Vec<Vec<u8>> = webhook_subscriptions::table
        .filter(webhook_subscriptions::url_set_by.eq_any(keys))
        .filter(webhook_subscriptions::status.eq(status_code(SubscriptionStatus::Enabled)))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .limit(max.into())
        .select(webhook_subscriptions::id)
        .load(connection)?;
    let mut disabled = Vec::new();
    for id in &ids {
        let id = subscription_id("webhook_subscriptions", "id", id)?;
        disabled.extend(disable(connection, id, reason, at)?.map(|owner| (id, owner)));
    }
    let status = SubscriptionStatus::DisabledByService(reason);
    write_events(connection, &cause.subscriptions_disabled(status, disabled))?;
    Ok(u32::try_from(ids.len()).unwrap_or(max))
}
