use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel_mapping::schema::{webhook_patterns, webhook_subscriptions};
use domain::webhooks::{EventPattern, Subscription};
use domain::{OwnerId, SubscriptionId};

use crate::undo::Undo;

/// The owner's subscription, unless it is deleted.
#[auto_type]
pub(super) fn of<'a>(owner: &'a OwnerId, id: &'a SubscriptionId) -> _ {
    let (issuer, subject): (&'a str, &'a str) = (owner.issuer(), owner.subject());
    let id: &'a [u8] = id.as_bytes();
    webhook_subscriptions::table.find((issuer, subject, id)).filter(webhook_subscriptions::deleted_at.is_null())
}

/// The subscription of any owner, unless it is deleted.
#[auto_type]
pub(super) fn live<'a>(id: &'a SubscriptionId) -> _ {
    let id: &'a [u8] = id.as_bytes();
    webhook_subscriptions::table
        .filter(webhook_subscriptions::id.eq(id))
        .filter(webhook_subscriptions::deleted_at.is_null())
}

/// Writes the patterns that match events to the subscription.
pub(super) fn insert_patterns(connection: &mut SqliteConnection, subscription: &Subscription) -> Result<(), Undo> {
    for pattern in subscription.events.patterns() {
        let row = (
            webhook_patterns::owner_issuer.eq(subscription.owner.issuer()),
            webhook_patterns::owner_subject.eq(subscription.owner.subject()),
            webhook_patterns::pattern.eq(EventPattern::as_str(pattern)),
            webhook_patterns::subscription_id.eq(subscription.id.as_bytes().as_slice()),
        );
        diesel::insert_into(webhook_patterns::table).values(row).execute(connection)?;
    }
    Ok(())
}

/// Deletes the patterns of the subscription.
pub(super) fn delete_patterns(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    id: SubscriptionId,
) -> Result<(), Undo> {
    let patterns = webhook_patterns::table
        .filter(webhook_patterns::owner_issuer.eq(owner.issuer()))
        .filter(webhook_patterns::owner_subject.eq(owner.subject()))
        .filter(webhook_patterns::subscription_id.eq(id.as_bytes().as_slice()));
    diesel::delete(patterns).execute(connection)?;
    Ok(())
}
