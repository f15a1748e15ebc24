//! The engine that answers "is this key good?", and remembers when it was used.
//!
//! Uses are noted in memory and written in batches, forward only, so that a verification never waits for a write.
//! What is noted but not written yet is shown to owners through [`RecentUses`].

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ports::{Clock, KeyStore, RecentUses, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyUse, Timestamp};
use tokio_util::sync::CancellationToken;

/// How long a noted use waits at most before it is written.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// The most uses in one statement.
pub const FLUSH_BATCH_MAX: usize = 10_000;

/// Verifies keys against the store.
pub struct Verifier {
    store: Arc<dyn KeyStore>,
    clock: Arc<dyn Clock>,
    /// The newest use of each key that is not stored yet.
    uses: Mutex<HashMap<KeyId, Timestamp>>,
}

impl Verifier {
    /// A verifier that has noted nothing yet.
    pub fn new(store: Arc<dyn KeyStore>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock, uses: Mutex::default() })
    }

    /// The key that `presented` is, if it is good now; its use is noted.
    ///
    /// # Errors
    ///
    /// When the store fails: nobody can tell then.
    pub async fn verify(&self, presented: &str) -> Result<Option<ApiKey>, StoreError> {
        let Some(digest) = KeyDigest::of_presented(presented) else {
            return Ok(None);
        };
        let found = self.store.find_by_digest(&digest).await?;
        let now = self.clock.now();
        let good = found.filter(|key| key.is_active(now));
        if let Some(key) = &good {
            self.note(KeyUse { id: key.id, at: now });
        }
        Ok(good)
    }

    /// Writes noted uses every [`FLUSH_INTERVAL`], and a last time when `stop` is cancelled.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(FLUSH_INTERVAL)).await.is_some() {
            self.flush_or_keep().await;
        }
        self.flush_or_keep().await;
    }

    /// Writes what is noted. On failure it stays noted, unless newer uses of the same keys came in between.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let noted: Vec<KeyUse> = self.uses().iter().map(|(id, at)| KeyUse { id: *id, at: *at }).collect();
        for batch in noted.chunks(FLUSH_BATCH_MAX) {
            self.store.record_uses(batch).await?;
            self.forget(batch);
        }
        Ok(())
    }

    async fn flush_or_keep(&self) {
        if let Err(error) = self.flush().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "last uses of keys could not be written, will retry"
            );
        }
    }

    fn note(&self, used: KeyUse) {
        let mut uses = self.uses();
        let newest = uses.entry(used.id).or_insert(used.at);
        *newest = used.at.max(*newest);
    }

    /// Drops what was written. It stays visible until then, so that a list never shows a use and then loses it.
    fn forget(&self, written: &[KeyUse]) {
        let mut uses = self.uses();
        for used in written {
            if uses.get(&used.id) == Some(&used.at) {
                uses.remove(&used.id);
            }
        }
        if uses.is_empty() {
            drop(mem::take(&mut *uses));
        }
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<KeyId, Timestamp>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecentUses for Verifier {
    fn last_use(&self, id: KeyId) -> Option<Timestamp> {
        self.uses().get(&id).copied()
    }
}
