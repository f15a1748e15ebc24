use std::time::Duration;

use crate::{ApiKey, KeyId, KeySettings, OwnerId, OwnerLimits, Timestamp, WebhookAccess};

/// Why a key in its present state cannot be rotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RotationRefusal {
    /// It was revoked.
    #[error("the key is revoked")]
    Revoked,
    /// It has expired.
    #[error("the key has expired")]
    Expired,
    /// It is disabled, and its successor would be good.
    #[error("the key is disabled: enable it first")]
    Disabled,
    /// It was rotated already, to this key. See decision 56.
    #[error("the key was rotated already, to {0}; if the answer with the new key was lost, rotate {0}")]
    Replaced(KeyId),
    /// The owner already has the maximum number of keys in an overlap.
    #[error("as many keys as may be active are being replaced")]
    OverlapLimitReached,
    /// It has more access to webhooks than the caller, to whom the answer would give the secret of the successor. See
    /// decision 106.
    #[error("the key has more access to webhooks than the caller")]
    ExceedsCaller,
}

/// Everything about a rotation except the key to rotate. The store reads that key under its lock and calls
/// [`KeyRotation::decide`]. See decision 25.
#[derive(Clone, Debug)]
pub struct KeyRotation {
    /// The new key's id.
    pub successor: KeyId,
    /// The new key's preview.
    pub prefix: String,
    /// The instant of the rotation.
    pub at: Timestamp,
    /// How long the old key stays good.
    pub overlap: Duration,
    /// How many of the owner's keys may be in an overlap at the same time.
    /// [`OwnerLimits::max_active_keys`] takes its place.
    pub overlapping_max: u32,
    /// How far ahead the new key's expiry time may be.
    pub ttl_max: Duration,
    /// The new key's lifetime if the old one has no expiry time; `None` leaves the new one without.
    pub ttl_if_endless: Option<Duration>,
    /// The access to webhooks of the caller.
    pub webhooks_max: Option<WebhookAccess>,
    /// The member who rotates the key, if its owner is an organization and a member rotates it.
    pub created_by: Option<OwnerId>,
}

/// Both keys as they are after the rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The old key.
    pub replaced: ApiKey,
    /// The new key.
    pub successor: ApiKey,
}

impl KeyRotation {
    /// The rotation for an owner with these limits.
    #[must_use]
    pub fn of(&self, limits: OwnerLimits) -> Self {
        Self { overlapping_max: limits.active_keys_or(self.overlapping_max), ..self.clone() }
    }

    /// Rotates `key`, if `overlapping` of its owner's keys are in an overlap already.
    ///
    /// - Without an overlap the old key is revoked rather than expired: an instance with a slow clock would still
    ///   accept an expired key. With an overlap, the old key expires when the overlap ends, or at its own expiry time
    ///   if that is earlier.
    /// - The new key has the owner, the label, the scopes and the settings of the old one, and the same lifetime,
    ///   counted from now. A user who rotates a 90-day key every 90 days never has to create another one. If each new key
    ///   must expire, so must the successor of a key without an expiry time.
    /// - The creator of the new key is the member who rotates: the creator of the old key does not know the new one.
    ///
    /// # Errors
    ///
    /// See [`RotationRefusal`].
    pub fn decide(&self, key: &ApiKey, overlapping: u32) -> Result<Rotated, RotationRefusal> {
        // First, so that a repeated rotation names the successor also when there was no overlap, or it is over.
        if let Some(successor) = key.replaced_by {
            return Err(RotationRefusal::Replaced(successor));
        }
        if key.revoked_at.is_some() {
            return Err(RotationRefusal::Revoked);
        }
        if key.has_ended(self.at) {
            return Err(RotationRefusal::Expired);
        }
        if key.settings.disabled_at.is_some() {
            return Err(RotationRefusal::Disabled);
        }
        if WebhookAccess::of_key(&key.scopes) > self.webhooks_max {
            return Err(RotationRefusal::ExceedsCaller);
        }
        if !self.overlap.is_zero() && overlapping >= self.overlapping_max {
            return Err(RotationRefusal::OverlapLimitReached);
        }
        Ok(Rotated { replaced: self.replaced(key), successor: self.successor(key) })
    }

    fn replaced(&self, key: &ApiKey) -> ApiKey {
        let mut replaced = ApiKey { replaced_by: Some(self.successor), ..key.clone() };
        if self.overlap.is_zero() {
            replaced.revoked_at = Some(self.at);
        } else {
            let overlap_ends_at = self.at.plus(self.overlap);
            replaced.expires_at = Some(key.expires_at.map_or(overlap_ends_at, |at| at.min(overlap_ends_at)));
        }
        replaced
    }

    fn successor(&self, key: &ApiKey) -> ApiKey {
        let lifetime = key.expires_at.map(|expires_at| expires_at.since(key.created_at).min(self.ttl_max));
        let lifetime = lifetime.or(self.ttl_if_endless);
        ApiKey {
            id: self.successor,
            owner: key.owner.clone(),
            label: key.label.clone(),
            prefix: self.prefix.clone(),
            created_at: self.at,
            last_used_at: None,
            expires_at: lifetime.map(|lifetime| self.at.plus(lifetime)),
            revoked_at: None,
            scopes: key.scopes.clone(),
            replaced_by: None,
            settings: KeySettings { disabled_at: None, ..key.settings.clone() },
            created_by: self.created_by.clone(),
        }
    }
}
