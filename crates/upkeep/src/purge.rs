use std::time::Duration;

use domain::ports::StoreError;
use tokio_util::sync::CancellationToken;

/// How often expired data is deleted.
const PURGE_INTERVAL: Duration = Duration::from_hours(1);

/// The wait after a failed purge.
const RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// Deletes data that is past its retention, now and every [`PURGE_INTERVAL`], until `stop` is cancelled. `purge`
/// deletes one batch and returns its size; 0 means that nothing is left.
pub async fn purge_hourly<Purging>(what: &'static str, purge: impl Fn() -> Purging, stop: CancellationToken)
where
    Purging: Future<Output = Result<u32, StoreError>>,
{
    let hourly = async {
        loop {
            tokio::time::sleep(purge_or_report(what, &purge).await).await;
        }
    };
    stop.run_until_cancelled(hourly).await;
}

/// Purges, and returns the wait until the next purge.
async fn purge_or_report<Purging>(what: &'static str, purge: impl Fn() -> Purging) -> Duration
where
    Purging: Future<Output = Result<u32, StoreError>>,
{
    match purge_all(purge).await {
        Ok(0) => PURGE_INTERVAL,
        Ok(deleted) => {
            tracing::info!(deleted, what, "deleted expired data");
            PURGE_INTERVAL
        }
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, what, "cannot delete expired data, retrying in a minute");
            RETRY_INTERVAL
        }
    }
}

/// Deletes in batches, so that no transaction is long.
async fn purge_all<Purging>(purge: impl Fn() -> Purging) -> Result<u64, StoreError>
where
    Purging: Future<Output = Result<u32, StoreError>>,
{
    let mut deleted = 0;
    loop {
        match purge().await? {
            0 => return Ok(deleted),
            batch => deleted += u64::from(batch),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::audit::Origin;
    use domain::memory::{ManualClock, MemoryKeyStore, SeededEntropy};
    use domain::ports::KeyStores;
    use domain::{
        CreateKey, KeyPolicy, KeyPolicySettings, Keys, Label, PURGE_BATCH_MAX, Scopes, Timestamp, UserId, WebhookAccess,
    };

    use super::*;

    #[tokio::test]
    async fn a_purge_goes_on_until_nothing_is_left_to_delete() {
        let created = PURGE_BATCH_MAX + 1;
        let policy = KeyPolicy::new(KeyPolicySettings { max_active: created + 1, ..KeyPolicySettings::default() });
        let now = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        let clock = Arc::new(ManualClock::new(now));
        let stores = KeyStores::of(&Arc::new(MemoryKeyStore::default()));
        let keys =
            Keys::new(stores, Arc::new(()), Arc::clone(&clock) as _, Arc::new(SeededEntropy::new(1)), policy.unwrap());
        let owner = UserId::new("https://id.example", "alice").unwrap();
        let label = Label::parse("CI").unwrap();
        let expires_at = Some(now.plus(Duration::from_secs(1)));
        for _ in 0..created {
            keys.create(
                &owner,
                CreateKey {
                    label: label.clone(),
                    expires_at,
                    scopes: Scopes::default(),
                    webhooks_max: Some(WebhookAccess::Write),
                },
                &Origin::SERVICE,
            )
            .await
            .unwrap();
        }
        keys.create(
            &owner,
            CreateKey { label, expires_at: None, scopes: Scopes::default(), webhooks_max: Some(WebhookAccess::Write) },
            &Origin::SERVICE,
        )
        .await
        .unwrap();
        assert_eq!(purge_all(|| keys.purge()).await.unwrap(), 0);
        clock.advance(Duration::from_hours(24 * 91));
        assert_eq!(purge_all(|| keys.purge()).await.unwrap(), u64::from(created));
        assert_eq!(keys.list(&owner).await.unwrap().len(), 1);
    }
}
