use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

/// What an operator may set of the key lifecycle; [`KeyPolicy::new`] says what cannot be.
#[derive(Clone, Debug)]
pub struct KeyPolicySettings {
    /// `API_KEYS_MAX_ACTIVE`: active keys for each user.
    pub max_active: u32,
    /// `API_KEY_PREFIX`: what every new key starts with.
    pub prefix: String,
    /// `API_KEY_PREFIX_LENGTH`: characters of the preview, without its ellipsis.
    pub preview_length: usize,
    /// `API_KEYS_MAX_TTL_DAYS`: how far ahead a key's expiry may lie.
    pub max_ttl_days: u32,
    /// `API_KEYS_RETENTION_DAYS`: how long a revoked or expired key stays listed before it is deleted.
    pub retention_days: u32,
}

impl Default for KeyPolicySettings {
    fn default() -> Self {
        Self { max_active: 10, prefix: "svc_live_".into(), preview_length: 12, max_ttl_days: 3650, retention_days: 90 }
    }
}

/// A setting that cannot be, by the name that operators know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
pub struct InvalidKeyPolicy {
    /// The setting's name.
    pub name: &'static str,
    /// What is allowed.
    pub allowed: String,
}

/// The limits of the key lifecycle, checked.
#[derive(Clone, Debug, Default)]
pub struct KeyPolicy(KeyPolicySettings);

impl KeyPolicy {
    /// The most characters of a key's random body that a preview may show.
    pub const PREVIEW_BODY_MAX: usize = 8;
    /// The longest prefix, in characters.
    pub const PREFIX_LENGTH_MAX: usize = 32;
    /// The largest maximum of active keys: a list holds them all.
    pub const MAX_ACTIVE_MAX: u32 = 10_000;
    /// The longest expiry and retention: a hundred years.
    pub const DAYS_MAX: u32 = 36_500;

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// Names the first setting that cannot be, and what is allowed.
    pub fn new(settings: KeyPolicySettings) -> Result<Self, InvalidKeyPolicy> {
        let refuse = |name, allowed: String| Err(InvalidKeyPolicy { name, allowed });
        let prefix = settings.prefix.as_bytes();
        if !(1..=Self::MAX_ACTIVE_MAX).contains(&settings.max_active) {
            return refuse("API_KEYS_MAX_ACTIVE", format!("1 to {}", Self::MAX_ACTIVE_MAX));
        }
        let prefix_fits = (1..=Self::PREFIX_LENGTH_MAX).contains(&prefix.len());
        if !prefix_fits || !prefix.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
            return refuse("API_KEY_PREFIX", format!("1 to {} of A-Z a-z 0-9 _ -", Self::PREFIX_LENGTH_MAX));
        }
        let preview_length_max = prefix.len() + Self::PREVIEW_BODY_MAX;
        if !(1..=preview_length_max).contains(&settings.preview_length) {
            let allowed = format!("1 to {preview_length_max}, so that at most 8 random characters of a key show");
            return refuse("API_KEY_PREFIX_LENGTH", allowed);
        }
        for (name, days) in
            [("API_KEYS_MAX_TTL_DAYS", settings.max_ttl_days), ("API_KEYS_RETENTION_DAYS", settings.retention_days)]
        {
            if !(1..=Self::DAYS_MAX).contains(&days) {
                return refuse(name, format!("1 to {}", Self::DAYS_MAX));
            }
        }
        Ok(Self(settings))
    }

    /// Active keys for each user, at most.
    pub fn max_active(&self) -> u32 {
        self.0.max_active
    }

    /// What every new key starts with.
    pub fn prefix(&self) -> &str {
        &self.0.prefix
    }

    /// Characters of a full key that its preview shows.
    pub fn preview_length(&self) -> usize {
        self.0.preview_length
    }

    /// How far ahead an expiry may lie, in days.
    pub fn max_ttl_days(&self) -> u32 {
        self.0.max_ttl_days
    }

    /// How far ahead an expiry may lie.
    pub fn max_ttl(&self) -> Duration {
        DAY * self.0.max_ttl_days
    }

    /// How long a key is kept after it was revoked or has expired.
    pub fn retention(&self) -> Duration {
        DAY * self.0.retention_days
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut KeyPolicySettings)) -> Option<&'static str> {
        let mut settings = KeyPolicySettings::default();
        change(&mut settings);
        KeyPolicy::new(settings).err().map(|error| error.name)
    }

    #[test]
    fn the_defaults_are_allowed() {
        assert_eq!(refused(|_| ()), None);
    }

    #[test]
    fn names_the_setting_that_cannot_be() {
        assert_eq!(refused(|s| s.max_active = 0), Some("API_KEYS_MAX_ACTIVE"));
        assert_eq!(refused(|s| s.prefix = String::new()), Some("API_KEY_PREFIX"));
        assert_eq!(refused(|s| s.prefix = "a".repeat(33)), Some("API_KEY_PREFIX"));
        assert_eq!(refused(|s| s.prefix = "a.b".into()), Some("API_KEY_PREFIX"));
        assert_eq!(refused(|s| s.preview_length = 0), Some("API_KEY_PREFIX_LENGTH"));
        assert_eq!(refused(|s| s.preview_length = 17), None);
        assert_eq!(refused(|s| s.preview_length = 18), Some("API_KEY_PREFIX_LENGTH"));
        assert_eq!(refused(|s| s.max_ttl_days = 0), Some("API_KEYS_MAX_TTL_DAYS"));
        assert_eq!(refused(|s| s.retention_days = 36_501), Some("API_KEYS_RETENTION_DAYS"));
    }
}
