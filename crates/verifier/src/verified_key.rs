use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{KeyUsageStore, StoreError};
use domain::{ApiKey, KeyId, KeyUsage, Label, Metadata, OwnerId, OwnerRates, RateLimit, Scopes, Timestamp};
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed, StateStore};

use crate::credential::{Confirmation, Credential};
use crate::last_use::{LastUse, Used};
use crate::limiter::{Allowance, OwnLimit, hand_over};

/// A good key, with everything that an answer about the key needs. Shared, so that an answer does not copy it.
#[derive(Debug)]
pub struct VerifiedKey {
    /// Identifies the key.
    pub id: KeyId,
    /// The owner of the key.
    pub owner: OwnerId,
    /// The name that the owner gave the key.
    pub label: Label,
    /// The scopes of the key.
    pub scopes: Scopes,
    /// When the key was created.
    pub created_at: Timestamp,
    /// The expiry time: from then on the key is not good. `None` if it does not expire.
    pub expires_at: Option<Timestamp>,
    /// Pairs for the application.
    pub metadata: Metadata,
    /// The subject of the member that created the key, if an organization owns it.
    pub created_by: Option<Box<str>>,
    last_use: LastUse,
    confirmation: Confirmation,
    /// How much of the rate limit of the service the bearer has spent.
    spent: InMemoryState,
    /// The rate limit of this key, if it is not that of the service, and how much of it the bearer has spent.
    own_limit: Option<Box<OwnLimit>>,
    /// The last rate limit of this key, if it has none now.
    earlier_limit: Option<Box<OwnLimit>>,
    /// See [`domain::KeySettings::yields_to_service`].
    yields_to_service: bool,
    /// Boxed, because few owners have one.
    request_rate_limit: Option<Box<RateLimit>>,
}

impl VerifiedKey {
    /// How often the owner may call, if the owner's record says it.
    pub fn request_rate_limit(&self) -> Option<RateLimit> {
        self.request_rate_limit.as_deref().copied()
    }

    /// Counts one use against the rate limit of the key; `None` if this limit of the service holds, or there is none.
    pub(crate) fn spend_own(&self, of_service: Option<RateLimit>) -> Option<Allowance> {
        let own = self.own_limit.as_ref()?;
        let holds = !self.yields_to_service || of_service.is_none_or(|most| own.limit().is_within(most));
        holds.then(|| own.spend())
    }
}

impl Used for VerifiedKey {
    type Id = KeyId;

    fn id(&self) -> KeyId {
        self.id
    }

    fn last_use(&self) -> &LastUse {
        &self.last_use
    }
}

impl Credential for VerifiedKey {
    type Stored = ApiKey;
    type Counts = dyn KeyUsageStore;
    const NAME: &'static str = "keys";
    const IS_COUNTED: bool = true;

    fn owner(&self) -> &OwnerId {
        &self.owner
    }

    fn member(&self) -> Option<OwnerId> {
        self.owner.fellow(self.created_by.as_deref()?).ok()
    }

    fn stored_id(key: &ApiKey) -> KeyId {
        key.id
    }

    fn new(key: ApiKey, rates: OwnerRates, age: Duration) -> Self {
        let own_limit = key.settings.rate_limit_for(rates.key_rate_limit);
        Self {
            earlier_limit: None,
            yields_to_service: key.settings.yields_to_service(rates.key_rate_limit),
            confirmation: Confirmation::at(age),
            last_use: LastUse::new(key.last_used_at),
            spent: InMemoryState::default(),
            own_limit: own_limit.map(OwnLimit::new).map(Box::new),
            request_rate_limit: rates.request_rate_limit.map(Box::new),
            metadata: key.settings.metadata,
            id: key.id,
            owner: key.owner,
            label: key.label,
            scopes: key.scopes,
            created_at: key.created_at,
            expires_at: key.expires_at,
            created_by: key.created_by.map(|member| member.subject().into()),
        }
    }

    fn is_good(key: &ApiKey, at: Timestamp) -> bool {
        key.is_good(at)
    }

    fn stored_use(key: &ApiKey) -> Option<Timestamp> {
        key.last_used_at
    }

    /// The part of [`ApiKey::is_good`] that is about the fields kept here.
    fn has_expired(&self, at: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= at)
    }

    fn says_the_same_as(&self, key: &ApiKey, rates: OwnerRates) -> bool {
        let own_limit = self.own_limit.as_ref().map(|own| own.limit());
        let stored_limit = key.settings.rate_limit_for(rates.key_rate_limit);
        (self.id, self.expires_at, own_limit) == (key.id, key.expires_at, stored_limit)
            && self.request_rate_limit() == rates.request_rate_limit
            && self.yields_to_service == key.settings.yields_to_service(rates.key_rate_limit)
            && (&self.label, &self.metadata) == (&key.label, &key.settings.metadata)
    }

    fn continue_from(&mut self, before: &Self) {
        hand_over(&before.spent, &self.spent);
        let Some(earlier) = before.own_limit.as_ref().or(before.earlier_limit.as_ref()) else { return };
        match &mut self.own_limit {
            Some(own) => **own = earlier.changed_to(own.limit()),
            None => self.earlier_limit = Some(Box::new(earlier.changed_to(earlier.limit()))),
        }
    }

    fn confirmation(&self) -> &Confirmation {
        &self.confirmation
    }

    async fn add_usage(counts: &Self::Counts, usage: &[KeyUsage]) -> Result<(), StoreError> {
        counts.add_usage(usage).await
    }
}

/// Keeps the state in the cached key, so there is no table of keys to share or to clean up, and only good keys have
/// state. See decision 10.
pub(crate) struct InTheKey;

impl StateStore for InTheKey {
    type Key = Arc<VerifiedKey>;

    fn measure_and_replace<T, F, E>(&self, key: &Self::Key, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        key.spent.measure_and_replace(&NotKeyed::NonKey, decide)
    }
}

/// Compares ids only: two copies of one key are equal.
impl PartialEq for VerifiedKey {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for VerifiedKey {}

impl Hash for VerifiedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
