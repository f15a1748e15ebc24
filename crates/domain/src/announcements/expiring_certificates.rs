use std::time::Duration;

use super::announce::Announcements;
use crate::audit::{AuditEvent, Cause};
use crate::ports::StoreError;
use crate::webhooks::Subscription;
use crate::{SubscriptionId, Timestamp};

const DAY: Duration = Duration::from_hours(24);
/// How long before a certificate expires its notices are due.
const NOTICES: [Duration; 3] = [Duration::from_hours(30 * 24), Duration::from_hours(7 * 24), DAY];
/// How many subscriptions one step reads.
const SUBSCRIPTIONS_AT_ONCE_MAX: u32 = 500;

impl Announcements {
    /// Records, and so announces, that client certificates expire in 30 days, in seven days and in one day. Reads the next
    /// subscriptions behind `after`, and returns where the next step continues; `None` at the end of a round. An enabled
    /// subscription gets each notice that is due after the certificate was set once, however many instances call this. See
    /// decision 145.
    ///
    /// # Errors
    ///
    /// If the store fails. Another call with the same `after` repeats the step.
    pub async fn note_expiring_certificates(
        &self,
        after: Option<SubscriptionId>,
    ) -> Result<Option<SubscriptionId>, StoreError> {
        let now = self.webhooks.clock.now();
        let page = self.webhooks.stores.operator_log.subscriptions(after, SUBSCRIPTIONS_AT_ONCE_MAX).await?;
        let due: Vec<AuditEvent> = page.iter().filter_map(|one| notice_due(one, now)).collect();
        if !due.is_empty() {
            self.audit.record_new(&due).await?;
        }
        // A page may be short, because the store leaves out damaged subscriptions.
        Ok(page.last().map(|last| last.id))
    }
}

/// The notice that is due, at most a day late: no notice is repeated after the audit log has deleted it, which is a day later
/// at least.
fn notice_due(subscription: &Subscription, now: Timestamp) -> Option<AuditEvent> {
    let certificate = subscription.options.certificate.as_ref().filter(|_| subscription.status.is_enabled())?;
    let due_at = NOTICES.map(|notice| certificate.facts.expires_at.minus(notice)).into_iter();
    let is_due = |due_at: &Timestamp| (*due_at..due_at.plus(DAY)).contains(&now) && certificate.value.set_at < *due_at;
    due_at.filter(is_due).find_map(|at| Cause::of_service(at, subscription.id).certificate_expiring(subscription))
}
