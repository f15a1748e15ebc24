use std::time::Duration;

use crate::{RateLimit, Timestamp};

const DAY: Duration = Duration::from_hours(24);

/// The settings of the key lifecycle. [`KeyPolicy::new`] checks them.
#[derive(Clone, Debug)]
pub struct KeyPolicySettings {
    /// The maximum number of active keys for each user.
    pub max_active: u32,
    /// The prefix of every new key.
    pub prefix: String,
    /// The length of a key's preview in characters, without the ellipsis.
    pub preview_length: usize,
    /// How many days ahead a key's expiry time may be.
    pub max_ttl_days: u32,
    /// How many days a revoked or expired key stays listed before it is deleted.
    pub retention_days: u32,
    /// Whether each new key must have an expiry time.
    pub requires_expiry: bool,
    /// After how many days a new key expires if its creator names no expiry time; `None` if it does not expire.
    pub default_ttl_days: Option<u32>,
    /// How often each key may be used, unless another limit is set for it; `None` means without a limit.
    pub rate_limit: Option<RateLimit>,
}

/// A field of [`KeyPolicySettings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPolicyField {
    /// [`KeyPolicySettings::max_active`]
    MaxActive,
    /// [`KeyPolicySettings::prefix`]
    Prefix,
    /// [`KeyPolicySettings::preview_length`]
    PreviewLength,
    /// [`KeyPolicySettings::max_ttl_days`]
    MaxTtlDays,
    /// [`KeyPolicySettings::retention_days`]
    RetentionDays,
    /// [`KeyPolicySettings::default_ttl_days`]
    DefaultTtlDays,
}

impl Default for KeyPolicySettings {
    fn default() -> Self {
        Self {
            max_active: 10,
            prefix: "svc_live_".into(),
            preview_length: 12,
            max_ttl_days: 3650,
            retention_days: 90,
            requires_expiry: false,
            default_ttl_days: None,
            rate_limit: None,
        }
    }
}

/// A field has a value that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidKeyPolicy {
    /// The field.
    pub field: KeyPolicyField,
    /// The allowed values, to follow "must be".
    pub allowed: String,
}

/// The expiry time of a new key is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidExpiry {
    /// It is not in the future, or too far ahead.
    #[error("must be in the future, and at most {max_days} days ahead")]
    OutOfRange {
        /// How many days ahead it may be.
        max_days: u32,
    },
    /// There must be one.
    #[error("is required")]
    Missing,
}

/// The limits of the key lifecycle, checked.
#[derive(Clone, Debug, Default)]
pub struct KeyPolicy(KeyPolicySettings);

impl KeyPolicy {
    /// The most characters of a key's random body that a preview may show.
    pub const PREVIEW_BODY_MAX: usize = 8;
    /// The longest prefix, in characters.
    pub const PREFIX_LENGTH_MAX: usize = 32;
    /// The largest maximum number of active keys: a list has all of them.
    pub const MAX_ACTIVE_MAX: u32 = 10_000;
    /// The longest lifetime and retention: a hundred years.
    pub const DAYS_MAX: u32 = 36_500;

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// Every field with a value that is not allowed. A limit that is refused itself counts with its default.
    pub fn new(settings: KeyPolicySettings) -> Result<Self, Vec<InvalidKeyPolicy>> {
        let mut refused = Vec::new();
        let mut refuse = |field, allowed: String| refused.push(InvalidKeyPolicy { field, allowed });
        let prefix = settings.prefix.as_bytes();
        if !(1..=Self::MAX_ACTIVE_MAX).contains(&settings.max_active) {
            refuse(KeyPolicyField::MaxActive, format!("1 to {}", Self::MAX_ACTIVE_MAX));
        }
        let prefix_fits = (1..=Self::PREFIX_LENGTH_MAX).contains(&prefix.len());
        let preview_length_max = prefix.len() + Self::PREVIEW_BODY_MAX;
        if !prefix_fits || !prefix.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
            refuse(KeyPolicyField::Prefix, format!("1 to {} of A-Z a-z 0-9 _ -", Self::PREFIX_LENGTH_MAX));
        } else if !(1..=preview_length_max).contains(&settings.preview_length) {
            let allowed = format!("1 to {preview_length_max}, so that at most 8 random characters of a key show");
            refuse(KeyPolicyField::PreviewLength, allowed);
        }
        let days = 1..=Self::DAYS_MAX;
        let is_ttl_max = days.contains(&settings.max_ttl_days);
        if !is_ttl_max {
            refuse(KeyPolicyField::MaxTtlDays, format!("1 to {}", Self::DAYS_MAX));
        }
        if !days.contains(&settings.retention_days) {
            refuse(KeyPolicyField::RetentionDays, format!("1 to {}", Self::DAYS_MAX));
        }
        let ttl_max = if is_ttl_max { settings.max_ttl_days } else { KeyPolicySettings::default().max_ttl_days };
        if settings.default_ttl_days.is_some_and(|days| !(1..=ttl_max).contains(&days)) {
            refuse(KeyPolicyField::DefaultTtlDays, format!("1 to {ttl_max}"));
        }
        if refused.is_empty() { Ok(Self(settings)) } else { Err(refused) }
    }

    /// The maximum number of active keys for each user.
    pub fn max_active(&self) -> u32 {
        self.0.max_active
    }

    /// The prefix of every new key.
    pub fn prefix(&self) -> &str {
        &self.0.prefix
    }

    /// How many characters of a key its preview shows.
    pub fn preview_length(&self) -> usize {
        self.0.preview_length
    }

    /// The search for keys by the [`ApiKey::prefix`](crate::ApiKey::prefix) that lists show: the start of the prefix, or the
    /// whole prefix and `true`. A string without the prefix of this policy is whole, because it may be of an earlier policy.
    pub(crate) fn preview_query(&self, text: &str) -> (String, bool) {
        let start = text.trim_end_matches("...").trim_end_matches('…');
        let is_start = start == text && start.starts_with(self.prefix()) && start.len() > self.prefix().len();
        if is_start {
            return (start.get(..self.preview_length()).unwrap_or(start).to_owned(), false);
        }
        (format!("{start}..."), true)
    }

    /// The expiry time of a key that is created at `now`, if its creator asks for `asked`.
    ///
    /// # Errors
    ///
    /// See [`InvalidExpiry`].
    pub fn expiry(&self, asked: Option<Timestamp>, now: Timestamp) -> Result<Option<Timestamp>, InvalidExpiry> {
        match asked.or_else(|| self.0.default_ttl_days.map(|days| now.plus(DAY * days))) {
            None if self.0.requires_expiry => Err(InvalidExpiry::Missing),
            Some(at) if at <= now || at > now.plus(self.max_ttl()) => {
                Err(InvalidExpiry::OutOfRange { max_days: self.0.max_ttl_days })
            }
            expires_at => Ok(expires_at),
        }
    }

    /// How often each key may be used, unless another limit is set for it.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.0.rate_limit
    }

    /// How far ahead an expiry time may be.
    pub fn max_ttl(&self) -> Duration {
        DAY * self.0.max_ttl_days
    }

    /// The lifetime of a new key that must expire and has no other lifetime; `None` if it need not expire.
    pub fn required_ttl(&self) -> Option<Duration> {
        self.0.requires_expiry.then(|| DAY * self.0.default_ttl_days.unwrap_or(self.0.max_ttl_days))
    }

    /// How long a key is kept after it ended.
    pub fn retention(&self) -> Duration {
        DAY * self.0.retention_days
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut KeyPolicySettings)) -> Option<KeyPolicyField> {
        let mut settings = KeyPolicySettings::default();
        change(&mut settings);
        let refused = KeyPolicy::new(settings).err()?;
        assert_eq!(refused.len(), 1, "{refused:?}");
        Some(refused[0].field)
    }

    #[test]
    fn the_defaults_are_allowed() {
        assert_eq!(refused(|_| ()), None);
    }

    #[test]
    fn names_the_field_that_is_not_allowed() {
        assert_eq!(refused(|s| s.max_active = 0), Some(KeyPolicyField::MaxActive));
        assert_eq!(refused(|s| s.prefix = String::new()), Some(KeyPolicyField::Prefix));
        let of_default = refused(|s| (s.max_ttl_days, s.default_ttl_days) = (0, Some(7)));
        assert_eq!(of_default, Some(KeyPolicyField::MaxTtlDays), "a refused limit counts with its default");
        assert_eq!(refused(|s| s.prefix = "a".repeat(33)), Some(KeyPolicyField::Prefix));
        assert_eq!(refused(|s| s.prefix = "a.b".into()), Some(KeyPolicyField::Prefix));
        assert_eq!(refused(|s| s.preview_length = 0), Some(KeyPolicyField::PreviewLength));
        assert_eq!(refused(|s| s.preview_length = 17), None);
        assert_eq!(refused(|s| s.preview_length = 18), Some(KeyPolicyField::PreviewLength));
        assert_eq!(refused(|s| s.max_ttl_days = 0), Some(KeyPolicyField::MaxTtlDays));
        assert_eq!(refused(|s| s.retention_days = 36_501), Some(KeyPolicyField::RetentionDays));
        assert_eq!(refused(|s| s.default_ttl_days = Some(0)), Some(KeyPolicyField::DefaultTtlDays));
        assert_eq!(refused(|s| s.default_ttl_days = Some(3_651)), Some(KeyPolicyField::DefaultTtlDays));
    }

    #[test]
    fn a_new_key_expires_as_asked_or_by_default() {
        let now = Timestamp::from_unix_millis(0).unwrap();
        let expiry = |requires_expiry, default_ttl_days, asked: Option<Duration>| {
            let settings =
                KeyPolicySettings { requires_expiry, default_ttl_days, max_ttl_days: 30, ..Default::default() };
            let policy = KeyPolicy::new(settings).unwrap();
            policy.expiry(asked.map(|ttl| now.plus(ttl)), now)
        };
        let out = Err(InvalidExpiry::OutOfRange { max_days: 30 });
        for (requires, default, asked, expected) in [
            (false, None, None, Ok(None)),
            (true, None, None, Err(InvalidExpiry::Missing)),
            (true, Some(7), None, Ok(Some(now.plus(DAY * 7)))),
            (false, Some(30), None, Ok(Some(now.plus(DAY * 30)))),
            (false, Some(7), Some(DAY), Ok(Some(now.plus(DAY)))),
            (true, None, Some(DAY * 30), Ok(Some(now.plus(DAY * 30)))),
            (false, None, Some(DAY * 30 + Duration::from_millis(1)), out),
            (false, Some(7), Some(Duration::ZERO), out),
        ] {
            assert_eq!(expiry(requires, default, asked), expected, "{requires} {default:?} {asked:?}");
        }
    }

    #[test]
    fn names_every_field_at_once() {
        let settings = KeyPolicySettings {
            max_active: 0,
            prefix: "a.b".into(),
            preview_length: 99,
            max_ttl_days: 0,
            retention_days: 0,
            default_ttl_days: Some(0),
            ..KeyPolicySettings::default()
        };
        let refused: Vec<_> = KeyPolicy::new(settings).unwrap_err().into_iter().map(|one| one.field).collect();
        let expected = [
            KeyPolicyField::MaxActive,
            KeyPolicyField::Prefix,
            KeyPolicyField::MaxTtlDays,
            KeyPolicyField::RetentionDays,
            KeyPolicyField::DefaultTtlDays,
        ];
        assert_eq!(refused, expected, "the preview depends on the prefix");
    }
}
