use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Origin;
use domain::memory::{
    ManualClock, MemoryChangeFeed, MemoryKeyStore, MemoryOwnerStore, MemoryOwners, MemorySessionStore, SeededEntropy,
    unique_cause,
};
use domain::ports::{
    BoxError, ChangeFeed, ChangeKeyRequest, ChangedKey, Clock as _, CredentialChanges, CredentialStore, FeedPosition,
    FeedRead, Found, InsertKeyRequest, Insertion, KeyStore, KeyStores, KeyUsageStore, ListExpiringRequest, OwnerStore,
    Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation,
    SessionStores, StoreError, UsageRequest,
};
use domain::sessions::Sessions;
use domain::{
    ApiKey, CreateKey, CreatedKey, CredentialDigest, FullKey, Hour, KeyChange, KeyId, KeyPolicy, KeyPolicySettings,
    KeyUsage, KeyUse, Keys, Label, ListView, OwnerId, RotateKey, RotateKeyError, Timestamp, UsageCounts, WebhookAccess,
};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};
use verifier::{CredentialStores, Verifier, VerifierSettings};

use crate::session_link::{SessionLink, fail_if};

/// One instance's connection to the store. Counts the calls, and can make them wait or fail.
#[derive(Default)]
pub(crate) struct Link {
    store: Arc<MemoryKeyStore>,
    pub(crate) finds: AtomicUsize,
    /// The number of digests in each read of several digests.
    pub(crate) batches: Mutex<Vec<usize>>,
    pub(crate) fails_look_ups: AtomicBool,
    pub(crate) writes_of_uses: Mutex<Vec<Vec<KeyId>>>,
    /// Whether every call fails, except reads of the feed.
    pub(crate) is_down: AtomicBool,
    pub(crate) refuses_uses: AtomicBool,
    pub(crate) refuses_usage: AtomicBool,
    /// How long a write of uses takes.
    pub(crate) writing_takes: Mutex<Duration>,
    /// Whether revocations are committed, but return an error.
    pub(crate) loses_answers: AtomicBool,
    /// Blocks look-ups after they have read, and revocations before they begin.
    pub(crate) gate: Gate,
    pub(crate) at_gate: AtomicUsize,
    /// Blocks lists after they have read.
    pub(crate) list_gate: Gate,
    list_read: Notify,
    pub(crate) feed: Mutex<Feed>,
    pub(crate) hint: Notify,
    pub(crate) reads: AtomicUsize,
    /// The positions before which the verifier has deleted changes.
    pub(crate) forgotten: Mutex<Vec<FeedPosition>>,
}

/// How reads of the feed behave.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Feed {
    #[default]
    Works,
    Fails,
    Hangs,
    /// Reads succeed, but their changes are missing. A correct feed would return [`CredentialChanges::OfAny`] instead.
    ListsNothing,
    Overflows,
}

/// Blocks calls while a test keeps it closed.
pub(crate) struct Gate(Semaphore);

impl Gate {
    const OPEN: usize = Semaphore::MAX_PERMITS / 2;

    pub(crate) fn close(&self) {
        self.0.forget_permits(Self::OPEN);
    }

    pub(crate) fn open(&self) {
        self.0.add_permits(Self::OPEN);
    }

    async fn pass(&self) {
        drop(self.0.acquire().await.unwrap());
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(Self::OPEN))
    }
}

impl Link {
    fn to(store: &Arc<MemoryKeyStore>) -> Arc<Self> {
        Arc::new(Self { store: store.clone(), ..Self::default() })
    }

    pub(crate) fn finds(&self) -> usize {
        self.finds.load(Ordering::SeqCst)
    }

    pub(crate) fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    pub(crate) fn set_feed(&self, feed: Feed) {
        *self.feed.lock().unwrap() = feed;
    }

    /// Waits until a list has read the keys that it will return.
    pub(crate) async fn list_has_read(&self) {
        self.list_read.notified().await;
    }

    /// Waits until `count` calls in total have reached the gate.
    pub(crate) async fn arrived(&self, count: usize) {
        while self.at_gate.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    }

    async fn pass_gate(&self) {
        self.at_gate.fetch_add(1, Ordering::SeqCst);
        self.gate.pass().await;
    }

    fn check(&self) -> Result<(), StoreError> {
        fail_if(&self.is_down)
    }
}

#[async_trait]
impl KeyStore for Link {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.check()?;
        self.store.insert_within(request).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.check()?;
        let listed = self.store.list(owner, view).await;
        self.list_read.notify_one();
        self.list_gate.pass().await;
        listed
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        self.check()?;
        self.pass_gate().await;
        let revocation = self.store.revoke(request).await;
        fail_if(&self.loses_answers)?;
        revocation
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        self.check()?;
        self.store.rotate(request).await
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        self.check()?;
        self.store.change(request).await
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        self.check()?;
        self.store.revoke_by_digests(request).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        self.check()?;
        let revoked = self.store.revoke_user_keys(request).await;
        fail_if(&self.loses_answers)?;
        revoked
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        self.store.list_expiring(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for Link {
    /// A look-up of one digest counts as a find, and of several as a batch.
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        if digests.len() == 1 {
            self.finds.fetch_add(1, Ordering::SeqCst);
        } else {
            self.batches.lock().unwrap().push(digests.len());
        }
        if let Err(error) = fail_if(&self.fails_look_ups) {
            return Found::from(Err(error));
        }
        let found = self.store.find_by_digests(digests).await;
        self.pass_gate().await;
        self.check().map_or_else(|error| Found::from(Err(error)), |()| found)
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.writes_of_uses.lock().unwrap().push(uses.iter().map(|used| used.id).collect());
        let writing_takes = *self.writing_takes.lock().unwrap();
        if !writing_takes.is_zero() {
            tokio::time::sleep(writing_takes).await;
        }
        self.check()?;
        fail_if(&self.refuses_uses)?;
        self.store.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for Link {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        self.check()?;
        fail_if(&self.refuses_usage)?;
        self.store.add_usage(usage).await
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.store.usage(request).await
    }
}

#[async_trait]
impl ChangeFeed for Link {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let feed = *self.feed.lock().unwrap();
        let read = self.store.changes_since(since, max).await?;
        let is_first = since.is_none();
        match feed {
            Feed::Fails => Err(StoreError::Unavailable(BoxError::from("switched off"))),
            Feed::Hangs => std::future::pending().await,
            Feed::ListsNothing if !is_first => Ok(FeedRead { changes: CredentialChanges::Of(Vec::new()), ..read }),
            Feed::Works | Feed::ListsNothing => Ok(read),
            Feed::Overflows => Ok(FeedRead { changes: CredentialChanges::OfAny, ..read }),
        }
    }

    async fn hint(&self) {
        self.hint.notified().await;
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        self.forgotten.lock().unwrap().push(before.clone());
        Ok(())
    }
}

/// The store and the clock, which all instances share.
pub(crate) struct World {
    pub(crate) store: Arc<MemoryKeyStore>,
    pub(crate) sessions: Arc<MemorySessionStore>,
    pub(crate) owners: Arc<MemoryOwnerStore>,
    /// The records with which keys of organizations are suspended, if they are.
    pub(crate) members: Option<Arc<dyn OwnerStore>>,
    pub(crate) clock: Arc<ManualClock>,
    entropy: Arc<SeededEntropy>,
    pub(crate) owner: OwnerId,
}

/// One process with its verifier.
pub(crate) struct Instance {
    pub(crate) link: Arc<Link>,
    pub(crate) session_link: Arc<SessionLink>,
    pub(crate) verifier: Arc<Verifier>,
    pub(crate) keys: Keys,
    pub(crate) sessions: Sessions,
    pub(crate) owner: OwnerId,
}

impl World {
    pub(crate) fn new() -> Self {
        let now = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        let (feed, records) = (MemoryChangeFeed::default(), MemoryOwners::default());
        Self {
            store: Arc::new(MemoryKeyStore::reporting_to(feed.clone()).obeying(records.clone())),
            sessions: Arc::new(MemorySessionStore::reporting_to(feed.clone()).obeying(records.clone())),
            owners: Arc::new(MemoryOwnerStore::of(records).reporting_to(feed)),
            members: None,
            clock: Arc::new(ManualClock::new(now)),
            entropy: Arc::new(SeededEntropy::new(1)),
            owner: OwnerId::new("https://id.example", "alice").unwrap(),
        }
    }

    /// A world with an instance that is its only process.
    pub(crate) fn with_single() -> (Self, Instance) {
        let world = Self::new();
        let instance = world.single(VerifierSettings::default());
        (world, instance)
    }

    /// A world with two processes. The first one runs its verifier.
    pub(crate) async fn with_two() -> (Self, (Instance, DropGuard), Instance) {
        let world = Self::new();
        let (here, other) = (world.running().await, world.shared(VerifierSettings::default()));
        (world, here, other)
    }

    /// An instance that is the only process to use the store.
    pub(crate) fn single(&self, settings: VerifierSettings) -> Instance {
        self.instance(settings, |_| Vec::new())
    }

    /// One of several processes. Its verifier does not run yet.
    pub(crate) fn shared(&self, settings: VerifierSettings) -> Instance {
        self.instance(settings, |link| vec![link as Arc<dyn ChangeFeed>])
    }

    /// One of several processes on two stores that are composed into one. The feed of the first can fail, and that of
    /// the second works.
    pub(crate) fn of_two_shards(&self) -> Instance {
        let works = Arc::new(MemoryChangeFeed::default());
        self.instance(VerifierSettings::default(), |link| vec![link as Arc<dyn ChangeFeed>, works])
    }

    /// One of several processes. Its verifier runs and has read the feed.
    pub(crate) async fn running(&self) -> (Instance, DropGuard) {
        let instance = self.shared(VerifierSettings::default());
        let stop = instance.run();
        tokio::time::sleep(Duration::from_millis(1)).await;
        (instance, stop)
    }

    /// Revokes a key without notifying any instance, as SQL or a restored backup does.
    pub(crate) async fn revoke_by_sql(&self, id: KeyId) {
        let (owner, at) = (self.owner.clone(), self.clock.now());
        let request = RevokeKeyRequest { owner, id, at, view: ListView::at(at), cause: unique_cause() };
        self.store.revoke(&request).await.unwrap();
    }

    /// Whether the clock is still before this instant.
    pub(crate) fn clock_is_before(&self, at: Timestamp) -> bool {
        self.clock.now() < at
    }

    /// One process. It reads the feeds that `feeds` makes of its link.
    fn instance(
        &self,
        settings: VerifierSettings,
        feeds: impl FnOnce(Arc<Link>) -> Vec<Arc<dyn ChangeFeed>>,
    ) -> Instance {
        let (link, session_link) = (Link::to(&self.store), SessionLink::to(&self.sessions));
        let (keys, sessions) = (KeyStores::of(&link), SessionStores::of(&session_link));
        let stores = CredentialStores { keys, sessions, members: self.members.clone() };
        let verifier = Verifier::new(stores, feeds(link.clone()), self.clock.clone(), settings);
        let settings = KeyPolicySettings { max_active: 10_000, ..KeyPolicySettings::default() };
        let policy = KeyPolicy::new(settings).unwrap();
        let (clock, entropy) = (self.clock.clone(), self.entropy.clone());
        let keys = Keys::new(verifier.key_stores(), self.owners.clone(), verifier.clone(), clock, entropy, policy);
        let (clock, entropy) = (self.clock.clone(), self.entropy.clone());
        let sessions = Sessions::new(verifier.session_stores(), verifier.clone(), clock, entropy);
        Instance { link, session_link, verifier, keys, sessions, owner: self.owner.clone() }
    }
}

/// The request of a key that does not expire.
fn key() -> CreateKey {
    CreateKey::named(Label::parse("CI").unwrap())
}

impl Instance {
    /// Runs the verifier until the guard is dropped.
    pub(crate) fn run(&self) -> DropGuard {
        let stop = CancellationToken::new();
        tokio::spawn(self.verifier.clone().run(stop.clone()));
        stop.drop_guard()
    }

    pub(crate) async fn create(&self) -> CreatedKey {
        self.create_until(None).await
    }

    pub(crate) async fn create_until(&self, expires_at: Option<Timestamp>) -> CreatedKey {
        self.keys.create(&self.owner, CreateKey { expires_at, ..key() }, &Origin::SERVICE).await.unwrap()
    }

    /// Creates a key of an organization, which this member makes.
    pub(crate) async fn create_as(&self, member: &OwnerId, organization: &str) -> FullKey {
        let owner = OwnerId::organization(member.issuer(), organization).unwrap();
        let key = CreateKey { created_by: Some(member.clone()), ..key() };
        self.keys.create(&owner, key, &Origin::SERVICE).await.unwrap().full_key
    }

    /// Creates each key for another user, because a user's number of keys is limited.
    pub(crate) async fn create_many(&self, count: usize) -> Vec<FullKey> {
        let mut keys = Vec::with_capacity(count);
        for n in 0..count {
            let owner = OwnerId::new(self.owner.issuer(), format!("user-{n}")).unwrap();
            keys.push(self.keys.create(&owner, key(), &Origin::SERVICE).await.unwrap().full_key);
        }
        keys
    }

    pub(crate) async fn change(&self, key: &CreatedKey, change: KeyChange) {
        let origin = if change.is_by_host { Origin::of_operator("host") } else { Origin::SERVICE };
        self.keys.change(&self.owner, key.id, change, &origin).await.unwrap();
    }

    pub(crate) async fn revoke(&self, key: &CreatedKey) {
        self.keys.revoke(&self.owner, key.id, &Origin::SERVICE).await.unwrap();
    }

    pub(crate) async fn rotate(&self, id: KeyId, overlap: Duration) -> Result<CreatedKey, RotateKeyError> {
        let request = RotateKey { id, overlap, webhooks_max: Some(WebhookAccess::Write), created_by: None };
        self.keys.rotate(&self.owner, request, &Origin::SERVICE).await
    }

    pub(crate) async fn is_good(&self, full_key: &FullKey) -> bool {
        self.verifier.verify(full_key.expose()).await.unwrap().is_some()
    }
}
