use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::{status_code, status_of, subscription_id};
use domain::ports::DisableSetByRequest;
use domain::webhooks::SubscriptionStatus;
use domain::{OwnerId, SubscriptionId, Timestamp};

use super::close_lane::disable;
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`SubscriptionStore::disable_set_by`](domain::ports::SubscriptionStore::disable_set_by).
pub(super) fn disable_set_by(connection: &mut SqliteConnection, request: &DisableSetByRequest) -> Result<u32, Undo> {
    let &DisableSetByRequest { ref keys, reason, at, max, ref cause } = request;
    let status = SubscriptionStatus::DisabledByService(reason);
    let keys = keys.iter().map(|key| Some(key.as_bytes().as_slice()));
    let ids: Vec<Vec<u8>> = webhook_subscriptions::table
        .filter(webhook_subscriptions::url_set_by.eq_any(keys))
        .filter(webhook_subscriptions::status.ne(status_code(status)))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .limit(max.into())
        .select(webhook_subscriptions::id)
        .load(connection)?;
    let mut disabled = Vec::new();
    for id in &ids {
        let id = subscription_id("webhook_subscriptions", "id", id)?;
        match disable(connection, id, reason, at)? {
            Some(owner) => disabled.push((id, owner, SubscriptionStatus::Enabled)),
            None => disabled.extend(replace_reason(connection, id, status, at)?),
        }
    }
    write_events(connection, &cause.subscriptions_disabled_from(status, disabled))?;
    Ok(u32::try_from(ids.len()).unwrap_or(max))
}

/// Gives a disabled subscription this status. Returns its owner and its earlier status; `None` if one of them is
/// damaged.
fn replace_reason(
    connection: &mut SqliteConnection,
    id: SubscriptionId,
    status: SubscriptionStatus,
    at: Timestamp,
) -> Result<Option<(SubscriptionId, OwnerId, SubscriptionStatus)>, Undo> {
    let subscription = webhook_subscriptions::table.filter(webhook_subscriptions::id.eq(id.as_bytes().as_slice()));
    let (issuer, subject, before): (String, String, String) = subscription
        .select((
            webhook_subscriptions::owner_issuer,
            webhook_subscriptions::owner_subject,
            webhook_subscriptions::status,
        ))
        .get_result(connection)?;
    let change = (
        webhook_subscriptions::status.eq(status_code(status)),
        webhook_subscriptions::updated_at.eq(StoredInstant::from(at)),
    );
    diesel::update(subscription).set(change).execute(connection)?;
    let owner = OwnerId::new(issuer, subject).ok();
    Ok(owner.zip(status_of(&before)).map(|(owner, before)| (id, owner, before)))
}
