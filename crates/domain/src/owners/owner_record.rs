use super::owner_text::{OwnerEmail, OwnerName, SuspensionReason};
use crate::{Metadata, RateLimit, Timestamp};

/// What a host has set for an owner. An owner of whom the store knows nothing has the default record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerRecord {
    /// The name, for people: it identifies nothing.
    pub name: Option<OwnerName>,
    /// The e-mail address, for people: it identifies nothing.
    pub email: Option<OwnerEmail>,
    /// Pairs for the application.
    pub metadata: Metadata,
    /// The limits that differ from those of the service.
    pub limits: OwnerLimits,
    /// The rate limits that differ from those of the service.
    pub rates: OwnerRates,
    /// Since when and why the owner may not act; `None` for an active owner.
    pub suspension: Option<Suspension>,
    /// Since when the owner is being erased; such an owner is suspended too, and stays so.
    pub erasing_since: Option<Timestamp>,
    /// When the last suspension ended. A delivery that waited then has the whole schedule from then on.
    pub rested_until: Option<Timestamp>,
    /// The last sign-in of the user, up to a day late; `None` without [`Absences`](crate::Absences).
    pub seen_at: Option<Timestamp>,
    /// The announced time of a suspension by [`Absences`](crate::Absences).
    pub suspends_at: Option<Timestamp>,
}

/// The limits of an owner; `None` where that of the service holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnerLimits {
    /// The most active keys.
    pub max_active_keys: Option<u32>,
    /// The most subscriptions.
    pub max_subscriptions: Option<u32>,
}

/// The rate limits of an owner; `None` where that of the service holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnerRates {
    /// How often each key may be used: see [`KeySettings::rate_limit_for`](crate::KeySettings::rate_limit_for).
    pub key_rate_limit: Option<RateLimit>,
    /// How often the owner may call the API, with all credentials together.
    pub request_rate_limit: Option<RateLimit>,
}

impl OwnerRecord {
    /// Whether a change to `after` affects verification, which caches the state and the rate limits.
    pub fn verification_differs(&self, after: &Self) -> bool {
        let is_same = self.suspension == after.suspension && self.erasing_since == after.erasing_since;
        !is_same || self.rates != after.rates
    }
}

impl OwnerLimits {
    /// The most active keys, if the service allows `default`.
    pub fn active_keys_or(self, default: u32) -> u32 {
        self.max_active_keys.unwrap_or(default)
    }

    /// The most subscriptions, if the service allows `default`.
    pub fn subscriptions_or(self, default: u32) -> u32 {
        self.max_subscriptions.unwrap_or(default)
    }
}

/// An owner who may not act: no key, session or ID token of the owner is accepted, and nothing is sent to the owner's
/// receivers. Events are accepted and wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// Since when.
    pub since: Timestamp,
    /// Why, if the host has said so.
    pub reason: Option<SuspensionReason>,
    /// Who has suspended the owner.
    pub by: SuspendedBy,
}

/// Who has suspended an owner. Each ends its own suspension only, and the owner acts when none is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendedBy {
    /// The host.
    Host,
    /// The identity provider, which has deactivated the user.
    Provider,
    /// Both.
    Both,
}

impl SuspendedBy {
    /// Whether the host is one of them.
    pub fn has_host(self) -> bool {
        self != Self::Provider
    }

    /// Whether the identity provider is one of them.
    pub fn has_provider(self) -> bool {
        self != Self::Host
    }

    /// These; `None` if there is neither.
    pub(super) fn of(has_host: bool, has_provider: bool) -> Option<Self> {
        match (has_host, has_provider) {
            (false, false) => None,
            (true, false) => Some(Self::Host),
            (false, true) => Some(Self::Provider),
            (true, true) => Some(Self::Both),
        }
    }
}

impl Suspension {
    /// Why, for people; `None` if nobody has said so.
    pub fn shown_reason(&self) -> Option<String> {
        const DEACTIVATED: &str = "deactivated by the identity provider";
        let reason = self.reason.as_ref().map(|reason| reason.as_str().to_owned());
        match (reason, self.by.has_provider()) {
            (reason, false) => reason,
            (None, true) => Some(DEACTIVATED.to_owned()),
            (Some(reason), true) => Some(format!("{reason}; {DEACTIVATED}")),
        }
    }
}
