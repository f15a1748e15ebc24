use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{
    ChangeFeed, Clock, KeyStores, NotReady, OwnerStore, ReadinessCheck, RecentUses, SessionStores, StoreError,
};
use domain::{CredentialDigest, KeyId, KeyPolicy, SessionId, Timestamp, is_mistyped};
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::answers::{Limits, Remembered};
use crate::counts::VerifierCounts;
use crate::evicting_sessions::EvictingSessions;
use crate::evicting_store::EvictingStore;
use crate::feed_reader::FeedReader;
use crate::fence::{Fence, Trust};
use crate::limiter::{Allowance, Limiter};
use crate::members::KeysOfMembers;
use crate::owner_states::OwnerStates;
use crate::register::Register;
use crate::verified_key::InTheKey;
use crate::when_stale::WhenStale;
#[cfg(doc)]
use crate::{FLUSH_AT_STOP_MAX, FLUSH_INTERVAL};
use crate::{VerifiedKey, VerifiedSession};

/// The most good sessions in the cache, and the most digests without a good session.
const SESSIONS_CACHED_MAX: usize = 10_000;

/// The settings of verification that an operator may change.
#[derive(Clone, Debug)]
pub struct VerifierSettings {
    /// The form of new keys, and their rate limit. A key of this form with a wrong check is refused without a look-up.
    pub key_policy: KeyPolicy,
    /// The most good keys in the cache. The actual limit differs by a few per cent, because it applies to each shard.
    pub keys_max: usize,
    /// The most digests without a good key that the cache remembers.
    pub unknown_max: usize,
    /// How old an answer may become before the store must confirm it. At least a few seconds.
    pub max_age: Duration,
    /// The treatment of cached keys while reads of the change feed fail.
    pub when_stale: WhenStale,
}

impl Default for VerifierSettings {
    fn default() -> Self {
        Self {
            key_policy: KeyPolicy::default(),
            keys_max: 200_000,
            unknown_max: 50_000,
            max_age: Duration::from_mins(10),
            when_stale: WhenStale::Refuse,
        }
    }
}

/// The stores of the credentials that are verified.
#[derive(Clone)]
pub struct CredentialStores {
    /// Stores API keys.
    pub keys: KeyStores,
    /// Stores sessions.
    pub sessions: SessionStores,
    /// The records of users, if a key of an organization is suspended with the member who made it.
    pub members: Option<Arc<dyn OwnerStore>>,
}

/// Answers whether a key or a session is good, and remembers when it was used.
pub struct Verifier {
    stores: CredentialStores,
    keys: Register<VerifiedKey>,
    key_policy: KeyPolicy,
    sessions: Register<VerifiedSession>,
    clock: Arc<dyn Clock>,
    /// The feeds of changes by other processes; none if only this process changes keys and sessions.
    feeds: Vec<Arc<dyn ChangeFeed>>,
    limiter: Option<Limiter<InTheKey>>,
}

impl Verifier {
    /// Verifies the credentials of these stores. `feeds` holds one change feed for each shard, in the order of the
    /// shards. The verifier trusts its cache of a shard while [`Verifier::run`] succeeds in reading the feed. Until
    /// [`Verifier::run`] has read the feed, every key is read from the store.
    ///
    /// Without feeds, only this process may use the stores. The verifier then always trusts its cache, because every
    /// change goes through [`Verifier::key_stores`] and [`Verifier::session_stores`]. If other processes change the
    /// stores too, revoked keys stay good in this process.
    pub fn new(
        mut stores: CredentialStores,
        feeds: Vec<Arc<dyn ChangeFeed>>,
        clock: Arc<dyn Clock>,
        settings: VerifierSettings,
    ) -> Arc<Self> {
        let VerifierSettings { key_policy, keys_max, unknown_max, max_age, when_stale } = settings;
        let fences = |stale_max| feeds.iter().map(|_| Fence::new(stale_max)).collect();
        let with_members = stores.members.is_some();
        let of_keys = Limits { good_max: keys_max, unknown_max, max_age, with_members };
        let of_sessions = Limits { good_max: SESSIONS_CACHED_MAX, unknown_max: SESSIONS_CACHED_MAX, ..of_keys };
        // A session is useless while the database is down, so sessions are never served from a stale cache.
        let (of_key_fence, of_session_fence) = (fences(when_stale.serve_max()), fences(Duration::ZERO));
        if let Some(members) = stores.members.clone() {
            let keys = Arc::clone(&stores.keys.credentials);
            stores.keys.credentials = Arc::new(KeysOfMembers { keys, members });
        }
        let (keys, usage) = (Arc::clone(&stores.keys.credentials), Arc::clone(&stores.keys.usage));
        let sessions = Arc::clone(&stores.sessions.credentials);
        Arc::new(Self {
            keys: Register::new(keys, usage, Arc::clone(&clock), of_key_fence, of_keys),
            sessions: Register::new(sessions, Arc::new(()), Arc::clone(&clock), of_session_fence, of_sessions),
            stores,
            clock,
            feeds,
            limiter: key_policy.rate_limit().map(|limit| Limiter::new(limit, InTheKey)),
            key_policy,
        })
    }

    /// The ports through which this process must change keys. Each change evicts the changed keys from the cache before
    /// it returns, and does so even if the caller is dropped.
    pub fn key_stores(&self) -> KeyStores {
        let stores = self.stores.keys.clone();
        let (store, answers) = (Arc::clone(&stores.store), Arc::clone(&self.keys.answers));
        KeyStores { store: Arc::new(EvictingStore { store, answers }), ..stores }
    }

    /// The same for sessions.
    pub fn session_stores(&self) -> SessionStores {
        let stores = self.stores.sessions.clone();
        let (store, answers) = (Arc::clone(&stores.store), Arc::clone(&self.sessions.answers));
        SessionStores { store: Arc::new(EvictingSessions { store, answers }), ..stores }
    }

    /// The records of owners, through which this process must change the states of owners. A change evicts the keys and
    /// the sessions of the owner from the cache before it returns, and does so even if the caller is dropped.
    pub fn owner_states(&self, store: Arc<dyn OwnerStore>) -> Arc<OwnerStates> {
        Arc::new(OwnerStates::new(store, self.answers()))
    }

    /// The cached answers about keys and about sessions.
    fn answers(&self) -> [Arc<dyn Remembered>; 2] {
        [Arc::clone(&self.keys.answers) as _, Arc::clone(&self.sessions.answers) as _]
    }

    /// Returns the key for the `presented` string if the key is good now, and notes its use.
    ///
    /// # Errors
    ///
    /// When the answer requires a read of the store and the read fails. Whether the key is good is unknown then.
    pub async fn verify(&self, presented: &str) -> Result<Option<Arc<VerifiedKey>>, StoreError> {
        self.keys.verify(presented, |text| !is_mistyped(text, &self.key_policy)).await
    }

    /// [`Verifier::verify`] for the secret of a session.
    ///
    /// # Errors
    ///
    /// When the answer requires a read of the store and the read fails. Whether the session is good is unknown then.
    pub async fn verify_session(&self, presented: &str) -> Result<Option<Arc<VerifiedSession>>, StoreError> {
        self.sessions.verify(presented, |_| true).await
    }

    /// Takes one use from the allowance of a key that [`Verifier::verify`] has found good. `None` if there is no rate
    /// limit. Each process counts separately, and the count starts again after the key leaves the cache.
    pub fn spend(&self, key: &Arc<VerifiedKey>) -> Option<Allowance> {
        let of_service = self.limiter.as_ref();
        let own = key.spend_own(of_service.map(Limiter::limit));
        let allowance = own.or_else(|| Some(of_service?.spend(key)))?;
        if allowance.retry_after.is_some() {
            self.keys.note_limited(key);
        }
        Some(allowance)
    }

    /// The counts of answers about keys.
    pub fn counts(&self) -> VerifierCounts {
        self.keys.answers.counts.read(self.cached())
    }

    /// How long ago the last successful read of the change feed began: a key that another process revoked earlier is
    /// refused here. Before the first read it is the age of the verifier. `None` without a feed.
    pub fn feed_age(&self) -> Option<Duration> {
        self.keys.answers.feed_age()
    }

    /// How many digests are cached: of good keys, and without a good key.
    pub fn cached(&self) -> (usize, usize) {
        self.keys.answers.count()
    }

    /// Reads the change feed, if there is one, and confirms cached keys and sessions in rounds. Writes noted uses every
    /// [`FLUSH_INTERVAL`], and a key's first use at once. When `stop` is cancelled, writes as many uses as it can
    /// within [`FLUSH_AT_STOP_MAX`].
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let reading = async {
            let readers = self.feeds.iter().enumerate().map(|(shard, feed)| {
                FeedReader::new((shard, Arc::clone(feed)), self.answers(), Arc::clone(&self.clock)).run(&stop)
            });
            join_all(readers).await;
        };
        tokio::join!(reading, self.keys.run(&stop), self.sessions.run(&stop));
    }

    /// Writes all noted uses. Uses that cannot be written stay noted.
    ///
    /// # Errors
    ///
    /// When a store fails.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let (of_keys, of_sessions) = tokio::join!(self.keys.flush(), self.sessions.flush());
        of_keys.and(of_sessions)
    }
}

/// Ready if a presented key would get an answer. This requires neither a writable database nor the identity provider. One of
/// several shards is enough: a shard that is down must not fail the users of the others.
#[async_trait]
impl ReadinessCheck for Verifier {
    async fn check(&self) -> Result<(), NotReady> {
        let answers = &self.keys.answers;
        let trust = answers.trust_in_best(answers.age());
        if trust == Trust::Full && !self.feeds.is_empty() {
            return Ok(());
        }
        // Any digest works, because only the success of the read matters.
        match answers.look_up(&CredentialDigest::from_bytes([0; 32])).await {
            Err(_) if trust == Trust::Stale => Ok(()),
            Err(error) => {
                Err(NotReady { summary: "cannot look up keys in the database", source: Some(Box::new(error)) })
            }
            Ok(_) => Ok(()),
        }
    }
}

impl RecentUses<KeyId> for Verifier {
    fn last_uses(&self, ids: &[KeyId]) -> HashMap<KeyId, Timestamp> {
        self.keys.last_uses(ids)
    }
}

impl RecentUses<SessionId> for Verifier {
    fn last_uses(&self, ids: &[SessionId]) -> HashMap<SessionId, Timestamp> {
        self.sessions.last_uses(ids)
    }
}
