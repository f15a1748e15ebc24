use std::collections::HashMap;
use std::sync::Arc;

use domain::webhooks::{RequestHeaders, SealedSecrets, Signer, UnsealError};
use domain::{SealingKeys, SubscriptionId, Timestamp};

/// The most subscriptions in one generation of [`SecretCache`].
const GENERATION_MAX: usize = 1_024;

/// The opened secrets of a subscription.
#[derive(Debug)]
pub(crate) struct OpenedSecrets {
    current: Arc<[Signer]>,
    /// The current and the previous signer, and when the previous one stops signing.
    overlapping: Option<(Arc<[Signer]>, Timestamp)>,
    headers: RequestHeaders,
}

impl OpenedSecrets {
    /// Fails if one of the secrets that sign now does not open, or a header: a receiver that checks it would reject the
    /// webhook.
    fn open(
        keys: &SealingKeys,
        subscription: SubscriptionId,
        sealed: &SealedSecrets,
        now: Timestamp,
    ) -> Result<Self, UnsealError> {
        let current = keys.unseal(&sealed.current, subscription)?.signer;
        let overlapping = match sealed.previous.as_ref().filter(|(_, until)| now < *until) {
            Some((previous, until)) => {
                let previous = keys.unseal(previous, subscription)?.signer;
                Some((Arc::from([current.clone(), previous]), *until))
            }
            None => None,
        };
        Ok(Self { current: Arc::from([current]), overlapping, headers: sealed.options.open(keys, subscription)? })
    }

    /// The signers at `at`, newest first.
    pub(crate) fn signing_at(&self, at: Timestamp) -> Arc<[Signer]> {
        let overlapping = self.overlapping.as_ref().filter(|(_, until)| at < *until);
        Arc::clone(overlapping.map_or(&self.current, |(both, _)| both))
    }

    /// The headers that the requests carry.
    pub(crate) fn headers(&self) -> RequestHeaders {
        self.headers.clone()
    }
}

type Generation = HashMap<SubscriptionId, (SealedSecrets, Arc<OpenedSecrets>)>;

/// The opened secrets of the subscriptions that were served last. A rotated secret has other sealed bytes, so it is opened
/// again.
///
/// There are two generations. When the younger one is full, it becomes the older one, and entries that were not used since
/// are dropped.
#[derive(Default)]
pub(crate) struct SecretCache {
    younger: Generation,
    older: Generation,
}

impl SecretCache {
    /// The opened form of `sealed`.
    ///
    /// # Errors
    ///
    /// When one of the secrets that sign at `now` does not open.
    pub(crate) fn open(
        &mut self,
        keys: &SealingKeys,
        subscription: SubscriptionId,
        sealed: SealedSecrets,
        now: Timestamp,
    ) -> Result<Arc<OpenedSecrets>, UnsealError> {
        if let Some((known, opened)) = self.younger.get(&subscription)
            && *known == sealed
        {
            return Ok(Arc::clone(opened));
        }
        let opened = match self.older.remove(&subscription) {
            Some((known, opened)) if known == sealed => opened,
            _ => Arc::new(OpenedSecrets::open(keys, subscription, &sealed, now)?),
        };
        if self.younger.len() >= GENERATION_MAX {
            self.older = std::mem::take(&mut self.younger);
        }
        self.younger.insert(subscription, (sealed, Arc::clone(&opened)));
        Ok(opened)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::memory::SeededEntropy;
    use domain::webhooks::{SealedSecret, SigningSecret};
    use zeroize::Zeroizing;

    use super::*;

    const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_bytes([9; 16]);

    fn keys() -> SealingKeys {
        SealingKeys::new(vec![Zeroizing::new([1; 32])]).unwrap()
    }

    fn at(unix_millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(unix_millis).unwrap()
    }

    fn seal(text: &str) -> SealedSecret {
        keys().seal(&SigningSecret::parse(text).unwrap().into(), SUBSCRIPTION, &SeededEntropy::new(1))
    }

    fn texts(opened: &OpenedSecrets, now: Timestamp) -> Vec<String> {
        opened.signing_at(now).iter().map(|signer| signer.secret().unwrap().expose().to_owned()).collect()
    }

    #[test]
    fn the_secret_before_a_rotation_signs_until_the_overlap_ends() {
        let sealed = SealedSecrets { previous: Some((seal("old"), at(1_000))), ..SealedSecrets::of(seal("new")) };
        let opened = SecretCache::default().open(&keys(), SUBSCRIPTION, sealed, at(0)).unwrap();
        assert_eq!(texts(&opened, at(999)), ["new", "old"]);
        assert_eq!(texts(&opened, at(1_000)), ["new"]);
    }

    #[test]
    fn a_rotated_secret_is_opened_anew() {
        let mut cache = SecretCache::default();
        for text in ["first", "second", "second", "first"] {
            let sealed = SealedSecrets::of(seal(text));
            assert_eq!(texts(&cache.open(&keys(), SUBSCRIPTION, sealed, at(0)).unwrap(), at(0)), [text]);
        }
    }

    #[test]
    fn what_does_not_open_is_an_error_unless_it_signs_no_more() {
        let damaged = SealedSecret::from_bytes(vec![1; 40]);
        let mut cache = SecretCache::default();
        let alone = SealedSecrets::of(damaged.clone());
        assert!(cache.open(&keys(), SUBSCRIPTION, alone, at(0)).is_err());
        let as_previous = SealedSecrets { previous: Some((damaged, at(1_000))), ..SealedSecrets::of(seal("new")) };
        assert!(cache.open(&keys(), SUBSCRIPTION, as_previous.clone(), at(999)).is_err());
        assert!(cache.open(&keys(), SUBSCRIPTION, as_previous, at(1_000)).is_ok());
    }

    #[test]
    fn remembers_what_is_in_use_and_no_more_than_two_generations() {
        let (mut cache, now) = (SecretCache::default(), at(0));
        let in_use = SealedSecrets::of(seal("kept"));
        let opened = cache.open(&keys(), SUBSCRIPTION, in_use.clone(), now).unwrap();
        let entropy = SeededEntropy::new(2);
        for n in 0..3 * GENERATION_MAX as u64 {
            let other = SubscriptionId::mint(now.plus(Duration::from_millis(n)), &entropy);
            let current = keys().seal(&SigningSecret::parse("other").unwrap().into(), other, &entropy);
            cache.open(&keys(), other, SealedSecrets::of(current), now).unwrap();
            assert!(Arc::ptr_eq(&cache.open(&keys(), SUBSCRIPTION, in_use.clone(), now).unwrap(), &opened));
        }
        assert!(cache.younger.len() + cache.older.len() <= 2 * GENERATION_MAX);
    }
}
