use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::audit::{AuditRetention, Origin};
use domain::memory::{ManualClock, MemoryKeyStore, MemoryOwnerStore, SeededEntropy};
use domain::ports::{Clock, KeyStores, RecentUses, Retained, Retention, StoreError};
use domain::webhooks::WebhookPolicy;
use domain::{
    ApiKey, CreateKey, CreateKeyError, CreatedKey, KeyId, KeyPolicy, KeyPolicySettings, Keys, Label, OwnerId, Purges,
    Timestamp,
};

pub(crate) const MILLISECOND: Duration = Duration::from_millis(1);
pub(crate) const DAY: Duration = Duration::from_hours(24);

/// The use cases and their ports. At most 3 active keys, a lifetime of at most 30 days, a retention of 10 days.
pub(crate) struct Desk {
    pub(crate) keys: Keys,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<MemoryKeyStore>,
    pub(crate) noted: Arc<NotedUses>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with_max_active(3)
    }

    pub(crate) fn with_max_active(max_active: u32) -> Self {
        let store = Arc::new(MemoryKeyStore::default());
        let start = Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").expect("a valid time");
        let clock = Arc::new(ManualClock::new(start));
        let noted = Arc::new(NotedUses::default());
        Self { keys: keys(KeyStores::of(&store), noted.clone(), clock.clone(), max_active), clock, store, noted }
    }

    /// The use cases on the same store, where each new key must expire, by default after this number of days.
    pub(crate) fn where_keys_must_expire(&self, default_ttl_days: Option<u32>) -> Keys {
        let settings =
            KeyPolicySettings { max_ttl_days: 30, requires_expiry: true, default_ttl_days, ..Default::default() };
        let (owners, entropy) = (Arc::new(MemoryOwnerStore::default()), Arc::new(SeededEntropy::new(6)));
        let policy = KeyPolicy::new(settings).expect("valid settings");
        Keys::new(KeyStores::of(&self.store), owners, self.noted.clone(), self.clock.clone(), entropy, policy)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn create(&self, owner: &OwnerId, expires_at: Option<Timestamp>) -> Result<CreatedKey, CreateKeyError> {
        pollster::block_on(self.keys.create(owner, request(expires_at), &Origin::SERVICE))
    }

    pub(crate) fn purge(&self) -> u32 {
        purge(self.store.clone(), self.clock.clone()).expect("the memory store does not fail")
    }

    pub(crate) fn list(&self, owner: &OwnerId) -> Vec<ApiKey> {
        pollster::block_on(self.keys.list(owner)).expect("the memory store does not fail")
    }
}

pub(crate) fn request(expires_at: Option<Timestamp>) -> CreateKey {
    let label = Label::parse("CI deploy").expect("a valid label");
    CreateKey { expires_at, ..CreateKey::named(label) }
}

pub(crate) fn user(subject: &str) -> OwnerId {
    OwnerId::new("https://id.example", subject).expect("a valid subject")
}

pub(crate) fn keys(
    stores: KeyStores,
    noted: Arc<dyn RecentUses<KeyId>>,
    clock: Arc<ManualClock>,
    max_active: u32,
) -> Keys {
    let owners = Arc::new(MemoryOwnerStore::default());
    Keys::new(stores, owners, noted, clock, Arc::new(SeededEntropy::new(5)), policy(max_active))
}

fn policy(max_active: u32) -> KeyPolicy {
    let settings =
        KeyPolicySettings { max_active, max_ttl_days: 30, retention_days: 10, ..KeyPolicySettings::default() };
    KeyPolicy::new(settings).expect("valid settings")
}

pub(crate) fn purge(store: Arc<dyn Retention>, clock: Arc<ManualClock>) -> Result<u32, StoreError> {
    let (keys, webhooks, audit) = (policy(3), WebhookPolicy::default(), AuditRetention::default());
    pollster::block_on(Purges { store, clock, keys, webhooks, audit }.purge(Retained::Keys))
}

/// Uses that are noted and not stored.
#[derive(Default)]
pub(crate) struct NotedUses(Mutex<HashMap<KeyId, Timestamp>>);

impl NotedUses {
    pub(crate) fn note(&self, id: KeyId, at: Timestamp) {
        self.0.lock().expect("no test panics with the lock").insert(id, at);
    }
}

impl RecentUses<KeyId> for NotedUses {
    fn last_uses(&self, ids: &[KeyId]) -> HashMap<KeyId, Timestamp> {
        let noted = self.0.lock().expect("no test panics with the lock");
        ids.iter().filter_map(|id| Some((*id, *noted.get(id)?))).collect()
    }
}
