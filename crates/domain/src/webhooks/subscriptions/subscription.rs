use std::fmt;

use super::subscribed_events::SubscribedEvents;
use crate::webhooks::{AttemptRecord, Breaker, DisableReason, SealedSecret, TargetUrl};
use crate::{SubscriptionId, Timestamp, UserId};

/// A user's wish to have events sent to a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its id, by which it is sorted: ids sort by creation.
    pub id: SubscriptionId,
    /// Whose it is.
    pub owner: UserId,
    /// Where to.
    pub url: TargetUrl,
    /// What for.
    pub events: SubscribedEvents,
    /// Free text; empty when none was given.
    pub description: Description,
    /// Whether it receives events, and why not.
    pub status: SubscriptionStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its owner, or the service, last changed it. Deliveries do not.
    pub updated_at: Timestamp,
}

/// Whether a subscription receives events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    /// It does.
    Enabled,
    /// Its owner switched it off.
    DisabledByOwner,
    /// The service switched it off.
    DisabledByService(DisableReason),
}

impl SubscriptionStatus {
    /// Whether it receives events.
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }
}

/// What a subscription's owner calls it: up to 1,000 characters without control characters other than line breaks and tabs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description(String);

/// Why a text is no [`Description`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDescription {
    /// More than [`Description::LENGTH_MAX`] characters.
    #[error("must have at most {} characters", Description::LENGTH_MAX)]
    TooLong,
    /// A control character.
    #[error("must not contain control characters other than line breaks and tabs")]
    ControlCharacter,
}

impl Description {
    /// The longest description, in characters.
    pub const LENGTH_MAX: usize = 1_000;

    /// Takes a text as it is.
    ///
    /// # Errors
    ///
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidDescription> {
        if text.chars().nth(Self::LENGTH_MAX).is_some() {
            return Err(InvalidDescription::TooLong);
        }
        if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t')) {
            return Err(InvalidDescription::ControlCharacter);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Description {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What an owner changes of a subscription; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// Where to.
    pub url: Option<TargetUrl>,
    /// What for.
    pub events: Option<SubscribedEvents>,
    /// What it is called.
    pub description: Option<Description>,
    /// Switches it on or off. Switching on what the service switched off closes the breaker.
    pub enabled: Option<bool>,
}

impl SubscriptionChange {
    /// The subscription after the change at `at`. A change of nothing leaves `updated_at` as well.
    #[must_use]
    pub fn applied_to(&self, subscription: &Subscription, at: Timestamp) -> Subscription {
        let mut changed = subscription.clone();
        if let Some(url) = &self.url {
            changed.url = url.clone();
        }
        if let Some(events) = &self.events {
            changed.events = events.clone();
        }
        if let Some(description) = &self.description {
            changed.description = description.clone();
        }
        changed.status = match (self.enabled, subscription.status) {
            (Some(true), _) => SubscriptionStatus::Enabled,
            (Some(false), SubscriptionStatus::Enabled) => SubscriptionStatus::DisabledByOwner,
            (_, status) => status,
        };
        if changed != *subscription {
            changed.updated_at = at;
        }
        changed
    }
}

/// A subscription's signing secrets as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecrets {
    /// Signs.
    pub current: SealedSecret,
    /// Signs as well, until then (exclusive): the secret before the last rotation.
    pub previous: Option<(SealedSecret, Timestamp)>,
}

impl SealedSecrets {
    /// Those that sign at `at`, the newest first.
    pub fn signing_at(&self, at: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| at < *until);
        [&self.current].into_iter().chain(previous.map(|(secret, _)| secret))
    }
}

/// How a subscription fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionHealth {
    /// What its lane knows of the receiver.
    pub breaker: Breaker,
    /// Deliveries that are waiting or being sent, counted up to [`SubscriptionHealth::WAITING_COUNT_MAX`].
    pub waiting: u32,
    /// The attempt that ended last, its answer's excerpt left out; `None` before the first, and once it is purged.
    pub last_attempt: Option<AttemptRecord>,
}

impl SubscriptionHealth {
    /// How far waiting deliveries are counted: the count of a longer queue would take as long as reading it.
    pub const WAITING_COUNT_MAX: u32 = 100_000;
}
