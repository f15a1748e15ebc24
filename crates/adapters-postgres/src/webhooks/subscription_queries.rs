//! Conditions and statements about subscriptions that several use cases share.

use diesel::QueryResult;
use diesel::dsl::{auto_type, delete};
use diesel::prelude::*;
use diesel::sql_types::{Array, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_patterns, webhook_subscriptions};
use diesel_mapping::{Kept, owner_statement};
use domain::webhooks::Subscription;
use domain::{OwnerId, SubscriptionId};

use crate::transaction::on_its_node;

const INSERT_PATTERNS: &str = on_its_node!(
    "INSERT INTO webhook_patterns (owner_issuer, owner_subject, pattern, subscription_id)
    SELECT $1, $2, pattern, $4 FROM unnest($3) AS pattern"
);

/// A condition: the subscription belongs to this owner and is not deleted.
#[auto_type]
pub(super) fn owned_by<'a>(owner: &'a OwnerId) -> _ {
    let issuer: &'a str = owner.issuer();
    let subject: &'a str = owner.subject();
    let is_theirs =
        webhook_subscriptions::owner_issuer.eq(issuer).and(webhook_subscriptions::owner_subject.eq(subject));
    is_theirs.and(webhook_subscriptions::deleted_at.is_null())
}

/// The owner's subscription, if it is not deleted.
#[auto_type]
pub(super) fn subscription_of<'a>(owner: &'a OwnerId, id: &'a SubscriptionId) -> _ {
    let is_theirs: owned_by<'a> = owned_by(owner);
    let id: &'a [u8] = id.as_bytes();
    webhook_subscriptions::table.filter(is_theirs).filter(webhook_subscriptions::id.eq(id))
}

/// Stores the patterns of the subscription.
pub(super) async fn insert_patterns(connection: &AsyncPgConnection, subscription: &Subscription) -> QueryResult<usize> {
    let patterns = subscription.events.names();
    let insertion = owner_statement(INSERT_PATTERNS, &subscription.owner)
        .bind::<Array<Text>, _>(patterns)
        .bind::<Binary, _>(subscription.id.as_bytes().as_slice());
    Kept(insertion).execute(&mut &*connection).await
}

/// Deletes the patterns of the owner's subscription.
pub(super) async fn delete_patterns(
    connection: &AsyncPgConnection,
    owner: &OwnerId,
    id: SubscriptionId,
) -> QueryResult<usize> {
    let patterns = webhook_patterns::table
        .filter(webhook_patterns::owner_issuer.eq(owner.issuer()))
        .filter(webhook_patterns::owner_subject.eq(owner.subject()))
        .filter(webhook_patterns::subscription_id.eq(id.as_bytes().as_slice()));
    delete(patterns).execute(&mut &*connection).await
}
