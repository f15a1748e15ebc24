use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::SecretsRow;
use domain::ports::DeleteSubscriptionRequest;

use super::change_subscription::lock_subscription;
use super::close_lane::{close, end_lane};
use super::subscription_queries::delete_patterns;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, rolled_back, settle};

/// Deletes a subscription: its row stays for the log, without secrets, and its lane is closed.
impl Work for DeleteSubscriptionRequest {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        if lock_subscription(connection, &self.owner, self.id).await?.is_none() {
            return rolled_back(connection, false).await;
        }
        let row = webhook_subscriptions::table.filter(webhook_subscriptions::id.eq(self.id.as_bytes().as_slice()));
        let deleted_at = webhook_subscriptions::deleted_at.eq(StoredInstant::from(self.at));
        diesel::update(row).set((deleted_at, SecretsRow::NONE)).execute(&mut &*connection).await?;
        delete_patterns(connection, &self.owner, self.id).await?;
        close(connection, self.id, self.at).await?;
        end_lane(connection, self.id, self.at).await?;
        write_events(connection, &[self.cause.subscription_deleted(self.id, &self.owner)]).await?;
        settle(Ok(true), Commit.execute(&mut &*connection).await)
    }
}
