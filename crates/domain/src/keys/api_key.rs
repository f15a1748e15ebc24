use crate::{CredentialUse, KeyId, Label, Metadata, OwnerId, RateLimit, Scopes, Timestamp};

/// The record of an API key. The full key is not stored, only its [`CredentialDigest`](crate::CredentialDigest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Identifies the key.
    pub id: KeyId,
    /// The owner.
    pub owner: OwnerId,
    /// The name that its owner gave it.
    pub label: Label,
    /// The preview: the start of the full key and an ellipsis. Fixed at creation.
    pub prefix: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used; `None` if it never was.
    pub last_used_at: Option<Timestamp>,
    /// The expiry time: from then on the key is not good. `None` if it does not expire.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked; `None` if it is not.
    pub revoked_at: Option<Timestamp>,
    /// Its permissions. Fixed at creation.
    pub scopes: Scopes,
    /// Its successor, if it was rotated. The successor may be purged already.
    pub replaced_by: Option<KeyId>,
    /// The settings that may change after the creation.
    pub settings: KeySettings,
    /// The member who created it, if its owner is an organization and a member created it.
    pub created_by: Option<OwnerId>,
}

impl ApiKey {
    /// Whether verification accepts the key at `at`: it has not ended, and it is not disabled.
    pub fn is_good(&self, at: Timestamp) -> bool {
        !self.has_ended(at) && self.settings.disabled_at.is_none()
    }

    /// Whether the key is revoked or has expired at `at`. At the instant `expires_at` it has expired.
    ///
    /// A key with a `revoked_at` in the future is revoked too: another instance with a faster clock has written it.
    pub fn has_ended(&self, at: Timestamp) -> bool {
        self.revoked_at.is_some() || self.expires_at.is_some_and(|expires_at| expires_at <= at)
    }

    /// Whether the key counts towards its owner's maximum at `at`: it has not ended, and it has no successor.
    pub fn is_active(&self, at: Timestamp) -> bool {
        !self.has_ended(at) && self.replaced_by.is_none()
    }

    /// Whether the key has a successor and has not ended at `at`: the overlap of the rotation has not ended.
    pub fn is_being_replaced(&self, at: Timestamp) -> bool {
        !self.has_ended(at) && self.replaced_by.is_some()
    }

    /// When the key ended, as seen at `at`: the earlier of its revocation and its expiry. `None` if it has not ended.
    pub fn ended_at(&self, at: Timestamp) -> Option<Timestamp> {
        let ends_at = self.revoked_at.into_iter().chain(self.expires_at).min();
        ends_at.filter(|_| self.has_ended(at))
    }
}

/// The settings of a key that may change after its creation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySettings {
    /// Pairs for the application.
    pub metadata: Metadata,
    /// How often the key may be used; `None` if the limit of the service holds.
    pub rate_limit: Option<RateLimit>,
    /// Whether the host has set the rate limit. Such a limit may be above that of the owner.
    pub is_rate_limit_of_host: bool,
    /// When the key was disabled; `None` if it is enabled. A disabled key is not good, and counts towards the maximum.
    pub disabled_at: Option<Timestamp>,
}

impl KeySettings {
    /// How often the key may be used, if its owner has this limit for each key; `None` if the limit of the service holds. A
    /// limit that the owner has set gives way to a lower one of the owner. See decision 140.
    pub fn rate_limit_for(&self, of_owner: Option<RateLimit>) -> Option<RateLimit> {
        let own =
            self.rate_limit.filter(|own| self.is_rate_limit_of_host || of_owner.is_none_or(|max| own.is_within(max)));
        own.or(of_owner)
    }

    /// Whether the limit of the key gives way to a lower one of the service: the owner has set it, and has no limit for each key
    /// any more.
    pub fn yields_to_service(&self, of_owner: Option<RateLimit>) -> bool {
        self.rate_limit.is_some() && !self.is_rate_limit_of_host && of_owner.is_none()
    }
}

/// One use of a key.
pub type KeyUse = CredentialUse<KeyId>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{at, key};

    #[test]
    fn the_limit_of_the_owner_bounds_a_limit_that_the_owner_has_set() {
        let limit = |text: &str| text.parse::<RateLimit>().ok();
        for (own, is_rate_limit_of_host, of_owner, expected) in [
            ("", false, "", ""),
            ("", false, "5/s", "5/s"),
            ("9/s", false, "", "9/s"),
            ("9/s", false, "9/s", "9/s"),
            ("4/s", false, "9/s", "4/s"),
            ("9/s", false, "4/s", "4/s"),
            ("60/m", false, "4/s", "4/s"),
            ("9/s", true, "4/s", "9/s"),
            ("9/s", true, "", "9/s"),
        ] {
            let settings = KeySettings { rate_limit: limit(own), is_rate_limit_of_host, ..KeySettings::default() };
            assert_eq!(settings.rate_limit_for(limit(of_owner)), limit(expected), "{settings:?}, {of_owner}");
        }
    }

    #[test]
    fn good_and_ended_are_opposites_at_every_boundary() {
        // (expires, revoked, seen at) -> ended at
        let table = [
            (None, None, 100, None),
            (Some(100), None, 99, None),
            (Some(100), None, 100, Some(100)),
            (Some(100), None, 101, Some(100)),
            (None, Some(50), 100, Some(50)),
            (None, Some(150), 100, Some(150)), // another instance's clock is ahead
            (Some(120), Some(150), 100, Some(120)),
            (Some(100), Some(50), 200, Some(50)),
            (Some(100), Some(150), 200, Some(100)),
            (Some(100), Some(50), 60, Some(50)),
        ];
        for (expires, revoked, seen, ended) in table {
            let key = ApiKey { expires_at: expires.map(at), revoked_at: revoked.map(at), ..key() };
            assert_eq!(key.ended_at(at(seen)), ended.map(at), "{key:?}");
            assert_eq!(key.is_good(at(seen)), ended.is_none(), "{key:?}");
            assert_eq!(key.is_active(at(seen)), ended.is_none(), "{key:?}");

            let replaced = ApiKey { replaced_by: Some(KeyId::from_bytes([1; 16])), ..key };
            assert_eq!(replaced.is_good(at(seen)), ended.is_none(), "a key that is being replaced is still good");
            assert_eq!(replaced.is_being_replaced(at(seen)), ended.is_none());
            assert!(!replaced.is_active(at(seen)), "a key that is being replaced does not count");
        }
    }
}
