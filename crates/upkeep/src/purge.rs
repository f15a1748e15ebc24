use std::time::Duration;

use domain::Purges;
use domain::ports::{Retained, StoreError};
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

/// How often expired data is deleted.
const PURGE_INTERVAL: Duration = Duration::from_hours(1);

/// The wait after a failed purge.
const RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// The names of the kinds of data, for the log.
const KINDS: [(Retained, &str); 6] = [
    (Retained::Sessions, "sessions"),
    (Retained::Keys, "keys"),
    (Retained::KeyUsage, "counts of keys"),
    (Retained::AuditEvents, "audit events"),
    (Retained::Webhooks, "webhooks"),
    (Retained::Outcomes, "counts of deliveries"),
];

/// Deletes data that is past its retention, each kind now and every [`PURGE_INTERVAL`], until `stop` is cancelled.
pub async fn purge_hourly(purges: Purges, stop: CancellationToken) {
    let purges = &purges;
    let hourly = KINDS.map(|(kind, name)| async move {
        loop {
            tokio::time::sleep(purge_or_report(purges, kind, name).await).await;
        }
    });
    stop.run_until_cancelled(join_all(hourly)).await;
}

/// Purges, and returns the wait until the next purge.
async fn purge_or_report(purges: &Purges, kind: Retained, name: &'static str) -> Duration {
    match purge_all(purges, kind).await {
        Ok(0) => PURGE_INTERVAL,
        Ok(deleted) => {
            tracing::info!(deleted, what = name, "deleted expired data");
            PURGE_INTERVAL
        }
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, what = name, "cannot delete expired data, retrying in a minute");
            RETRY_INTERVAL
        }
    }
}

/// Deletes in batches, so that no transaction is long.
async fn purge_all(purges: &Purges, kind: Retained) -> Result<u64, StoreError> {
    let mut deleted = 0;
    loop {
        match purges.purge(kind).await? {
            0 => return Ok(deleted),
            batch => deleted += u64::from(batch),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::audit::{AuditRetention, Origin};
    use domain::memory::{ManualClock, MemoryKeyStore, MemoryOwnerStore, SeededEntropy};
    use domain::ports::KeyStores;
    use domain::webhooks::WebhookPolicy;
    use domain::{CreateKey, KeyPolicy, KeyPolicySettings, Keys, Label, OwnerId, PURGED_AT_ONCE_MAX, Timestamp};

    use super::*;

    #[tokio::test]
    async fn a_purge_goes_on_until_nothing_is_left_to_delete() {
        let created = PURGED_AT_ONCE_MAX + 1;
        let policy = KeyPolicy::new(KeyPolicySettings { max_active: created + 1, ..KeyPolicySettings::default() });
        let now = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        let clock = Arc::new(ManualClock::new(now));
        let (store, policy) = (Arc::new(MemoryKeyStore::default()), policy.unwrap());
        let entropy = Arc::new(SeededEntropy::new(1));
        let (stores, owners) = (KeyStores::of(&store), Arc::new(MemoryOwnerStore::default()));
        let keys = Keys::new(stores, owners, Arc::new(()), Arc::clone(&clock) as _, entropy, policy.clone());
        let purges = Purges {
            store,
            clock: Arc::clone(&clock) as _,
            keys: policy,
            webhooks: WebhookPolicy::default(),
            audit: AuditRetention::default(),
        };
        let owner = OwnerId::new("https://id.example", "alice").unwrap();
        let label = Label::parse("CI").unwrap();
        let expires_at = Some(now.plus(Duration::from_secs(1)));
        for _ in 0..created {
            keys.create(&owner, CreateKey { expires_at, ..CreateKey::named(label.clone()) }, &Origin::SERVICE)
                .await
                .unwrap();
        }
        keys.create(&owner, CreateKey::named(label), &Origin::SERVICE).await.unwrap();
        assert_eq!(purge_all(&purges, Retained::Keys).await.unwrap(), 0);
        clock.advance(Duration::from_hours(24 * 91));
        assert_eq!(purge_all(&purges, Retained::Keys).await.unwrap(), u64::from(created));
        assert_eq!(keys.list(&owner).await.unwrap().len(), 1);
    }
}
