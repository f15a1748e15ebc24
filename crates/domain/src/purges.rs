use std::sync::Arc;
use std::time::Duration;

use crate::audit::AuditRetention;
use crate::ports::{Clock, Retained, Retention, StoreError};
use crate::sessions::SESSION_RETENTION;
use crate::webhooks::WebhookPolicy;
use crate::{COUNTS_KEPT, KeyPolicy};

/// About how many rows one transaction deletes, so that a purge does not block other writers for long.
pub const PURGED_AT_ONCE_MAX: u32 = 1_000;
/// The same for rows of counts, which are small.
const PURGED_COUNTS_MAX: u32 = 5_000;

/// Deletes data that is past its retention.
#[derive(Clone)]
pub struct Purges {
    /// The data.
    pub store: Arc<dyn Retention>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// How long keys are kept.
    pub keys: KeyPolicy,
    /// How long webhooks are kept.
    pub webhooks: WebhookPolicy,
    /// How long events of the audit log are kept.
    pub audit: AuditRetention,
}

impl Purges {
    /// Deletes one batch of the data that is past its retention, and returns the number of rows; 0 when none is left.
    /// Before it deletes webhooks, it prepares the store for the next days.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge(&self, what: Retained) -> Result<u32, StoreError> {
        let now = self.clock.now();
        if what == Retained::Webhooks {
            self.store.prepare_history(now, self.webhooks.history_period_days()).await?;
        }
        let (kept, max) = match what {
            Retained::Keys => (self.keys.retention(), PURGED_AT_ONCE_MAX),
            Retained::Sessions => (SESSION_RETENTION, PURGED_AT_ONCE_MAX),
            Retained::AuditEvents => (Duration::from_hours(24) * self.audit.days(), PURGED_AT_ONCE_MAX),
            Retained::Webhooks => (self.webhooks.retention(), PURGED_AT_ONCE_MAX),
            Retained::KeyUsage | Retained::Outcomes => (COUNTS_KEPT, PURGED_COUNTS_MAX),
        };
        self.store.purge(what, now.minus(kept), max).await
    }
}
