use crate::{ApiKey, InvalidMetadata, Label, MetadataPatch, Patch, RateLimit, Timestamp};

/// A change of a key. Absent fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyChange {
    /// The new name.
    pub label: Option<Label>,
    /// The change of the metadata.
    pub metadata: Option<MetadataPatch>,
    /// The new rate limit.
    pub rate_limit: Patch<RateLimit>,
    /// Whether the host makes the change, and not the owner.
    pub is_by_host: bool,
    /// Whether the key is disabled.
    pub is_disabled: Option<bool>,
    /// The new expiry time, which is not later than the present one.
    pub expires_at: Option<Timestamp>,
}

/// The owner has set a rate limit above that of the owner's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be within {0}, in the rate and in the count")]
pub struct RateLimitTooHigh(pub RateLimit);

impl RateLimitTooHigh {
    /// Checks a limit that is to be set against the highest one that may be; `None` means any.
    pub(crate) fn check(own: Option<RateLimit>, highest: Option<RateLimit>) -> Result<(), Self> {
        match (own, highest) {
            (Some(own), Some(highest)) if !own.is_within(highest) => Err(Self(highest)),
            _ => Ok(()),
        }
    }
}

/// Why a key in its present state cannot have this change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyChangeRefusal {
    /// It was revoked.
    #[error("the key is revoked")]
    Revoked,
    /// It has expired.
    #[error("the key has expired")]
    Expired,
    /// The new expiry time is in the past, or later than the present one.
    #[error("must be in the future, and not later than the present expiry time")]
    ExpiryOutOfRange,
    /// The metadata would break a limit.
    #[error(transparent)]
    Metadata(InvalidMetadata),
}

impl KeyChange {
    /// The key after the change at `at`. The store reads the key under its lock and calls this function.
    ///
    /// # Errors
    ///
    /// See [`KeyChangeRefusal`].
    pub fn decide(&self, key: &ApiKey, at: Timestamp) -> Result<ApiKey, KeyChangeRefusal> {
        if key.revoked_at.is_some() {
            return Err(KeyChangeRefusal::Revoked);
        }
        if key.has_ended(at) {
            return Err(KeyChangeRefusal::Expired);
        }
        let is_later = |new: Timestamp| key.expires_at.is_some_and(|present| new > present);
        if self.expires_at.is_some_and(|new| new <= at || is_later(new)) {
            return Err(KeyChangeRefusal::ExpiryOutOfRange);
        }
        let mut settings = key.settings.clone();
        if let Some(patch) = &self.metadata {
            settings.metadata = patch.apply_to(&key.settings.metadata).map_err(KeyChangeRefusal::Metadata)?;
        }
        settings.rate_limit = self.rate_limit.apply_to(key.settings.rate_limit.as_ref());
        if self.rate_limit != Patch::Keep {
            settings.is_rate_limit_of_host = self.is_by_host && settings.rate_limit.is_some();
        }
        match self.is_disabled {
            Some(true) => settings.disabled_at = settings.disabled_at.or(Some(at)),
            Some(false) => settings.disabled_at = None,
            None => {}
        }
        let label = self.label.as_ref().unwrap_or(&key.label).clone();
        Ok(ApiKey { label, expires_at: self.expires_at.or(key.expires_at), settings, ..key.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::test_samples::{self, at};
    use crate::{KeySettings, Metadata};

    fn key(expires_at: Option<i64>) -> ApiKey {
        ApiKey { expires_at: expires_at.map(at), ..test_samples::key() }
    }

    #[test]
    fn a_key_ends_earlier_and_never_later() {
        let ends = |present: Option<i64>, new: i64| {
            let change = KeyChange { expires_at: Some(at(new)), ..KeyChange::default() };
            change.decide(&key(present), at(50)).map(|key| key.expires_at)
        };
        for (present, new) in [(None, 51), (Some(100), 99), (Some(100), 100)] {
            assert_eq!(ends(present, new), Ok(Some(at(new))), "{present:?} {new}");
        }
        for (present, new) in [(None, 50), (Some(100), 101), (Some(100), 50), (Some(100), 1)] {
            assert_eq!(ends(present, new), Err(KeyChangeRefusal::ExpiryOutOfRange), "{present:?} {new}");
        }
    }

    #[test]
    fn a_key_that_has_ended_does_not_change() {
        let change = KeyChange { is_disabled: Some(false), ..KeyChange::default() };
        assert_eq!(change.decide(&key(Some(50)), at(50)), Err(KeyChangeRefusal::Expired));
        let revoked = ApiKey { revoked_at: Some(at(60)), ..key(Some(50)) };
        assert_eq!(change.decide(&revoked, at(50)), Err(KeyChangeRefusal::Revoked));
    }

    #[test]
    fn what_is_absent_stays_and_disabling_twice_keeps_the_first_time() {
        let plan: BTreeMap<_, _> = [("plan".to_owned(), Some("pro".to_owned()))].into();
        let all = KeyChange {
            label: Label::parse("new").ok(),
            metadata: Some(MetadataPatch { replaces_all: false, pairs: plan }),
            rate_limit: Patch::Set("5/s".parse().unwrap()),
            is_by_host: true,
            is_disabled: Some(true),
            expires_at: Some(at(90)),
        };
        let changed = all.decide(&key(None), at(50)).unwrap();
        let metadata = Metadata::new([("plan".to_owned(), "pro".to_owned())].into()).unwrap();
        let rate_limit = "5/s".parse().ok();
        let settings = KeySettings { metadata, rate_limit, is_rate_limit_of_host: true, disabled_at: Some(at(50)) };
        assert_eq!((changed.label.as_str(), changed.expires_at, &changed.settings), ("new", Some(at(90)), &settings));
        assert!(!changed.is_good(at(51)) && changed.is_active(at(51)), "it counts towards the maximum");

        assert_eq!(KeyChange::default().decide(&changed, at(60)).as_ref(), Ok(&changed));
        let again = KeyChange { is_disabled: Some(true), ..KeyChange::default() };
        assert_eq!(again.decide(&changed, at(60)).as_ref(), Ok(&changed));
        let back = KeyChange { is_disabled: Some(false), rate_limit: Patch::Reset, ..KeyChange::default() };
        let back = back.decide(&changed, at(60)).unwrap();
        assert_eq!((back.settings.disabled_at, back.settings.rate_limit), (None, None));
        assert!(!back.settings.is_rate_limit_of_host);
        let by_owner = KeyChange { is_by_host: false, ..all.clone() }.decide(&changed, at(60)).unwrap();
        assert!(!by_owner.settings.is_rate_limit_of_host, "the owner has set it last");
        assert!(back.is_good(at(61)));
    }
}
