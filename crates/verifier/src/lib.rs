//! The engine that answers "is this key good?", and remembers when it was used.
//!
//! Uses are noted in memory and written in batches, forward only, so that a verification never waits for a write.
//! What is noted but not written yet is shown to owners through [`RecentUses`].

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ports::{Clock, KeyStore, RecentUses, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyUse, Timestamp};
use tokio::sync::Notify;
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
    /// Wakes [`Verifier::run`] when a key was used for the first time ever.
    first_use: Notify,
}

impl Verifier {
    /// A verifier that has noted nothing yet.
    pub fn new(store: Arc<dyn KeyStore>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock, uses: Mutex::default(), first_use: Notify::new() })
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
            self.note(key, now);
        }
        Ok(good)
    }

    /// Writes noted uses every [`FLUSH_INTERVAL`], a key's first use at once, and a last time when `stop` is cancelled.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(self.wait()).await.is_some() {
            self.flush_or_keep().await;
        }
        self.flush_or_keep().await;
    }

    /// Writes what is noted. What could not be written stays noted.
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

    async fn wait(&self) {
        tokio::select! {
            () = tokio::time::sleep(FLUSH_INTERVAL) => {}
            () = self.first_use.notified() => {}
        }
    }

    fn note(&self, key: &ApiKey, at: Timestamp) {
        let mut uses = self.uses();
        match uses.entry(key.id) {
            Entry::Occupied(mut newest) => {
                newest.insert(at.max(*newest.get()));
            }
            Entry::Vacant(first) => {
                first.insert(at);
                if key.last_used_at.is_none() {
                    self.first_use.notify_one();
                }
            }
        }
    }

    /// Drops what was written. It stays visible until then, so that a list never shows a use and then loses it.
    fn forget(&self, written: &[KeyUse]) {
        let mut uses = self.uses();
        for key_use in written {
            if uses.get(&key_use.id) == Some(&key_use.at) {
                uses.remove(&key_use.id);
            }
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
