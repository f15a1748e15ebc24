use std::sync::Arc;

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::Timestamp;

/// A kind of data that is deleted after its retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retained {
    /// API keys, since they ended ([`ApiKey::ended_at`](crate::ApiKey::ended_at)). Good keys stay.
    Keys,
    /// The verifications of a key in an hour. The whole hour must be before the hour of `before`.
    KeyUsage,
    /// Sessions, since they expired or became idle ([`Session::ends_at`](crate::sessions::Session::ends_at)).
    Sessions,
    /// Events of the audit log, since they were written.
    AuditEvents,
    /// Webhooks, since they were published: ended deliveries, their attempts, events and their publication keys. Also
    /// subscriptions that were deleted before `before` and have no deliveries.
    ///
    /// - Time is counted in days (UTC): webhooks that were published earlier on the day of `before` may be deleted or
    ///   not. A store that keeps its history in periods keeps each period until its last day has ended.
    /// - Deliveries that have not ended stay, with their attempts and events. Other webhooks of the
    ///   same day are deleted.
    /// - One call does a small part: about `max` rows, where a period that is deleted as a whole is one row. The work
    ///   grows with the number of rows, and no faster.
    /// - A delivery is deleted together with all of its attempts.
    /// - [`StoreError::Unavailable`] if another program uses the data for too long. Other calls do not wait.
    Webhooks,
    /// The outcomes of a subscription's deliveries in an hour. The whole hour must be before the hour of `before`.
    Outcomes,
}

impl Retained {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Keys, Self::KeyUsage, Self::Sessions, Self::AuditEvents, Self::Webhooks, Self::Outcomes];
}

/// Deletes data of any owners after its retention. See decision 121.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Deletes at most `max` rows of this kind from before `before`, and returns their number; 0 if none remains. Data
    /// from exactly `before` stays. Parallel calls together count each deleted row once.
    ///
    /// The answer of a store without data of this kind is 0.
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError>;

    /// Prepares the store for webhooks that are published from `at` on, some days ahead. A store that keeps its history
    /// in periods, and deletes a period as a whole, makes new periods of `days` whole days (UTC).
    ///
    /// Any number of processes call this from time to time. Events are accepted without it too: it only makes
    /// publications faster. A store without periods keeps this default, which returns at once.
    async fn prepare_history(&self, _at: Timestamp, _days: u32) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Several stores, each with data of other kinds.
#[async_trait]
impl Retention for Vec<Arc<dyn Retention>> {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut purged = 0_u32;
        for store in self {
            // A store may delete somewhat more than `max`.
            purged = purged.saturating_add(store.purge(what, before, max.saturating_sub(purged)).await?);
        }
        Ok(purged)
    }
}
