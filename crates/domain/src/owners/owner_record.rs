use super::owner_text::{OwnerEmail, OwnerName, SuspensionReason};
use crate::{Metadata, Timestamp};

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
    /// Since when and why the owner may not act; `None` for an active owner.
    pub suspension: Option<Suspension>,
    /// When the last suspension ended. A delivery that waited then has the whole schedule from then on.
    pub rested_until: Option<Timestamp>,
}

/// The limits of an owner; `None` where that of the service holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnerLimits {
    /// The most active keys.
    pub max_active_keys: Option<u32>,
    /// The most subscriptions.
    pub max_subscriptions: Option<u32>,
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
}
