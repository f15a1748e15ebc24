//! Stores that are composed of several in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::{
    MemoryAuditLog, MemoryChangeFeed, MemoryEventTypes, MemoryKeyStore, MemoryOwnerStore, MemoryOwners,
    MemorySessionStore, MemoryWebhookStore,
};
use domain::ports::{
    ChangeFeed, ChangeKeyRequest, ChangedKey, Close, CredentialChanges, CredentialStore, FeedPosition, FeedRead, Found,
    InsertKeyRequest, Insertion, KeyStore, KeyStores, KeyUsageStore, ListExpiringRequest, Retained, Retention,
    Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, Schema,
    SessionStore, SessionStores, Store, StoreError, StoredCredential, UsageRequest, WebhookStores,
};
use domain::sessions::{Session, SessionUse};
use domain::webhooks::DirectClaims;
use domain::{
    ApiKey, CredentialDigest, CredentialUse, Hour, KeyUsage, KeyUse, ListView, OwnerId, SessionId, Timestamp,
    UsageCounts,
};
use futures_util::future::try_join_all;
use sharded_store::ShardedStore;
use storage_conformance::{KeyPorts, SessionPorts};

struct Nothing;

impl Schema for Nothing {}
impl Close for Nothing {}

/// A store in memory, with all ports.
pub(crate) fn memory_store() -> Store {
    memory_shard(&Arc::default())
}

/// The same, as one of several in a process with a dispatcher that offers its room here.
fn memory_shard(claims: &Arc<DirectClaims>) -> Store {
    let (log, records) = (MemoryAuditLog::default(), MemoryOwners::default());
    let changes = MemoryChangeFeed::default();
    let keys = MemoryKeyStore::reporting_to(changes.clone()).obeying(records.clone()).writing_to(log.clone());
    let sessions = MemorySessionStore::reporting_to(changes.clone()).obeying(records.clone()).writing_to(log.clone());
    let webhooks = MemoryWebhookStore::default().obeying(records.clone()).writing_to(log.clone());
    let webhooks = Arc::new(webhooks.claiming_for(Arc::clone(claims)));
    let owners = MemoryOwnerStore::of(records).beside(&webhooks, &sessions).counting(&keys);
    let owners = Arc::new(owners.reporting_to(changes.clone()).writing_to(log.clone()));
    let (keys, sessions) = (Arc::new(keys), Arc::new(sessions));
    let event_types = MemoryEventTypes::default().writing_to(log.clone());
    let parts: Vec<Arc<dyn Retention>> = vec![keys.clone(), sessions.clone(), webhooks.clone(), Arc::new(log.clone())];
    Store {
        keys: KeyStores::of(&keys),
        sessions: SessionStores::of(&sessions),
        owners: Arc::clone(&owners) as _,
        erasure: owners,
        audit: Arc::new(log),
        retention: Arc::new(parts),
        changes: vec![Arc::new(changes)],
        webhooks: WebhookStores::of(&webhooks),
        event_types: Arc::new(event_types),
        queue: Arc::clone(&webhooks) as _,
        figures: webhooks,
        readiness: keys,
        schema: Arc::new(Nothing),
        closing: Arc::new(Nothing),
    }
}

/// This number of stores in memory, as one.
pub(crate) fn of_memory(shards: usize) -> Arc<ShardedStore> {
    let claims = Arc::default();
    Arc::new(ShardedStore::new((0..shards).map(|_| memory_shard(&claims))))
}

/// The feeds of all shards as one. The service reads each alone; the promises hold for all together.
pub(crate) struct AllFeeds(pub(crate) Vec<Arc<dyn ChangeFeed>>);

#[async_trait]
impl ChangeFeed for AllFeeds {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let places: Vec<Option<FeedPosition>> = match since {
            Some(since) => since.as_str().split('\n').map(|place| Some(FeedPosition::new(place))).collect(),
            None => vec![None; self.0.len()],
        };
        let reads = self.0.iter().zip(&places).map(|(feed, place)| feed.changes_since(place.as_ref(), max));
        let reads = try_join_all(reads).await?;
        let at = reads[0].at;
        let places: Vec<&str> = reads.iter().map(|read| read.position.as_str()).collect();
        let position = FeedPosition::new(places.join("\n"));
        let mut all = Vec::new();
        for read in reads {
            match read.changes {
                CredentialChanges::Of(changes) => all.extend(changes),
                CredentialChanges::OfAny => return Ok(FeedRead { changes: CredentialChanges::OfAny, position, at }),
            }
        }
        let are_few = all.len() <= max as usize;
        let changes = if are_few { CredentialChanges::Of(all) } else { CredentialChanges::OfAny };
        Ok(FeedRead { changes, position, at })
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        for (feed, place) in self.0.iter().zip(before.as_str().split('\n')) {
            feed.forget_changes(&FeedPosition::new(place)).await?;
        }
        Ok(())
    }
}

/// Counts look-ups of digests, and fails them while it is down.
#[derive(Default)]
pub(crate) struct LookUps {
    pub(crate) count: AtomicUsize,
    pub(crate) is_down: AtomicBool,
}

impl LookUps {
    fn note(&self) -> Result<(), StoreError> {
        self.count.fetch_add(1, Ordering::Relaxed);
        if self.is_down.load(Ordering::Relaxed) { Err(StoreError::Unavailable("down".into())) } else { Ok(()) }
    }
}

/// A store that counts look-ups.
pub(crate) struct Counting<Stored> {
    pub(crate) store: Arc<dyn CredentialStore<Stored>>,
    pub(crate) look_ups: Arc<LookUps>,
}

#[async_trait]
impl<Stored: StoredCredential> CredentialStore<Stored> for Counting<Stored> {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Stored> {
        match self.look_ups.note() {
            Ok(()) => self.store.find_by_digests(digests).await,
            Err(error) => Found::from(Err(error)),
        }
    }

    async fn record_uses(&self, uses: &[CredentialUse<Stored::Id>]) -> Result<(), StoreError> {
        self.store.record_uses(uses).await
    }
}

/// Keys with a feed. A saboteur can send insertions and lists to other stores than all other calls.
pub(crate) struct KeysWithFeed {
    /// Where keys are inserted, one after the other.
    pub(crate) inserting: Vec<Arc<dyn KeyPorts>>,
    pub(crate) inserted: AtomicUsize,
    pub(crate) listing: Arc<dyn KeyPorts>,
    pub(crate) store: Arc<dyn KeyPorts>,
    pub(crate) feed: AllFeeds,
}

impl KeysWithFeed {
    pub(crate) fn of(store: Arc<dyn KeyPorts>, feeds: Vec<Arc<dyn ChangeFeed>>) -> Self {
        let (inserting, listing) = (vec![Arc::clone(&store)], Arc::clone(&store));
        Self { inserting, inserted: AtomicUsize::new(0), listing, store, feed: AllFeeds(feeds) }
    }
}

/// Sessions with a feed.
pub(crate) struct SessionsWithFeed {
    pub(crate) store: Arc<dyn SessionPorts>,
    pub(crate) feed: AllFeeds,
}

macro_rules! reads_its_feed {
    ($name:ident) => {
        #[async_trait]
        impl ChangeFeed for $name {
            async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
                self.feed.changes_since(since, max).await
            }

            async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
                self.feed.forget_changes(before).await
            }
        }
    };
}
reads_its_feed!(KeysWithFeed);
reads_its_feed!(SessionsWithFeed);

#[async_trait]
impl KeyStore for KeysWithFeed {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.inserting[self.inserted.fetch_add(1, Ordering::Relaxed) % self.inserting.len()]
            .insert_within(request)
            .await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.listing.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        self.store.revoke(request).await
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        self.store.rotate(request).await
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        self.store.change(request).await
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        self.store.revoke_by_digests(request).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        self.store.revoke_user_keys(request).await
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        self.store.list_expiring(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for KeysWithFeed {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.store.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.store.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for KeysWithFeed {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        self.store.add_usage(usage).await
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.store.usage(request).await
    }
}

#[async_trait]
impl Retention for KeysWithFeed {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store.purge(what, before, max).await
    }
}

#[async_trait]
impl SessionStore for SessionsWithFeed {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.store.open(session, digest, max, cause).await
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.store.list(owner, at).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        self.store.end(owner, id, cause).await
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.store.end_all(owner, kept, cause).await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store.count_good(at, max).await
    }
}

#[async_trait]
impl Retention for SessionsWithFeed {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store.purge(what, before, max).await
    }
}

#[async_trait]
impl CredentialStore<Session> for SessionsWithFeed {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        self.store.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        self.store.record_uses(uses).await
    }
}
