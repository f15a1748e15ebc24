use std::collections::BTreeMap;

use zeroize::Zeroizing;

use super::authentication::{AuthKind, Authentication};
use super::client_certificate::{CertificateFacts, ClientCertificate};
use super::header_name::HeaderName;
use super::header_value::HeaderValue;
use super::on_exhausted::OnExhausted;
use super::options_change::{InvalidOptions, OptionsChange, RequestHeaders, check};
use crate::ports::Entropy;
use crate::sealing_keys::SEALED_EXTRA_BYTES;
use crate::webhooks::DeliveryRate;
use crate::webhooks::signing::sealed_secret::{SealedSecret, UnsealError};
use crate::{Patch, SealingKeys, SubscriptionId, Timestamp};

/// A sealed value, and when its owner set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedValue {
    /// The value, bound to its subscription and to its place there.
    pub sealed: SealedSecret,
    /// When its owner set it.
    pub set_at: Timestamp,
}

/// An authentication whose value is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedAuth {
    /// Which kind it is.
    pub kind: AuthKind,
    /// The name of the header.
    pub name: HeaderName,
    /// The value of the header.
    pub value: SealedValue,
}

/// A client certificate that is sealed with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedCertificate {
    /// The public facts about it.
    pub facts: CertificateFacts,
    /// The chain and the key.
    pub value: SealedValue,
}

/// The options of a subscription as stores keep them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SealedOptions {
    /// The values of the headers.
    pub headers: BTreeMap<HeaderName, SealedValue>,
    /// The authentication.
    pub auth: Option<SealedAuth>,
    /// The most deliveries in a second; `None` for as many as the receiver takes.
    pub max_per_second: Option<DeliveryRate>,
    /// The order in which deliveries leave, and its rule; `None` for no order. Only a creation sets or removes it.
    pub order: Option<OnExhausted>,
    /// The client certificate.
    pub certificate: Option<Box<SealedCertificate>>,
}

/// An [`OptionsChange`] for one subscription, with its values sealed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SealedOptionsChange {
    /// Whether all headers go first.
    pub replaces_headers: bool,
    /// The new values; `None` removes the header.
    pub headers: BTreeMap<HeaderName, Option<SealedSecret>>,
    /// The authentication.
    pub auth: Patch<(AuthKind, HeaderName, SealedSecret)>,
    /// The most deliveries in a second.
    pub max_per_second: Patch<DeliveryRate>,
    /// The rule of the order; `None` for no change.
    pub on_exhausted: Option<OnExhausted>,
    /// The client certificate.
    pub certificate: Patch<(CertificateFacts, SealedSecret)>,
}

/// Which options a change removed because the URL has another origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DroppedOptions {
    /// Whether it removed headers.
    pub headers: bool,
    /// Whether it removed the authentication.
    pub auth: bool,
    /// Whether it removed the client certificate.
    pub certificate: bool,
}

impl SealedOptionsChange {
    /// The options after the change at `at`.
    ///
    /// # Errors
    ///
    /// See [`InvalidOptions`].
    pub fn applied_to(&self, before: &SealedOptions, at: Timestamp) -> Result<SealedOptions, InvalidOptions> {
        let value = |sealed: &SealedSecret| SealedValue { sealed: sealed.clone(), set_at: at };
        let mut after = before.clone();
        if self.replaces_headers {
            after.headers.clear();
        }
        for (name, sealed) in &self.headers {
            match sealed {
                Some(sealed) => after.headers.insert(name.clone(), value(sealed)),
                None => after.headers.remove(name),
            };
        }
        let auth = self.auth.clone().map(|(kind, name, sealed)| SealedAuth { kind, name, value: value(&sealed) });
        after.auth = auth.apply_to(before.auth.as_ref());
        after.max_per_second = self.max_per_second.apply_to(before.max_per_second.as_ref());
        if self.on_exhausted.is_some() && before.order.is_none() {
            return Err(InvalidOptions::NotOrdered);
        }
        after.order = self.on_exhausted.or(before.order);
        let certificate = self.certificate.clone();
        let certificate =
            certificate.map(|(facts, sealed)| Box::new(SealedCertificate { facts, value: value(&sealed) }));
        after.certificate = certificate.apply_to(before.certificate.as_ref());
        let lengths = after.headers.iter().map(|(name, value)| (name, value.length()));
        check(lengths, after.auth.as_ref().map(|auth| &auth.name))?;
        Ok(after)
    }

    /// The options of a subscription whose URL gets another origin, and which of `before` they no longer have. The rate
    /// and the order are not secret, and stay.
    ///
    /// # Errors
    ///
    /// See [`InvalidOptions`].
    pub fn at_another_origin(
        &self,
        before: &SealedOptions,
        at: Timestamp,
    ) -> Result<(SealedOptions, DroppedOptions), InvalidOptions> {
        let open =
            SealedOptions { max_per_second: before.max_per_second, order: before.order, ..SealedOptions::default() };
        let after = self.applied_to(&open, at)?;
        let is_dropped = |name: &HeaderName| !self.headers.contains_key(name);
        let dropped = DroppedOptions {
            headers: !self.replaces_headers && before.headers.keys().any(is_dropped),
            auth: self.auth == Patch::Keep && before.auth.is_some(),
            certificate: self.certificate == Patch::Keep && before.certificate.is_some(),
        };
        Ok((after, dropped))
    }
}

impl SealedValue {
    /// The length of the value, in bytes.
    fn length(&self) -> usize {
        self.sealed.as_bytes().len().saturating_sub(SEALED_EXTRA_BYTES)
    }

    fn renewed(
        &self,
        renew: impl FnOnce(&SealedSecret) -> Result<SealedSecret, UnsealError>,
    ) -> Result<Self, UnsealError> {
        Ok(Self { sealed: renew(&self.sealed)?, set_at: self.set_at })
    }
}

impl SealedOptions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The headers that requests of `subscription` carry, and the certificate of their connections.
    ///
    /// # Errors
    ///
    /// If none of the keys opens one of them.
    pub fn open(&self, keys: &SealingKeys, subscription: SubscriptionId) -> Result<RequestHeaders, UnsealError> {
        let text = |value: &SealedValue, purpose: &[u8]| {
            let opened = keys.open_bytes(value.sealed.as_bytes(), purpose).ok_or(UnsealError)?;
            let text = str::from_utf8(&opened.content).map_err(|_| UnsealError)?;
            Ok::<_, UnsealError>(Zeroizing::new(text.to_owned()))
        };
        let open = |name: &HeaderName, value: &SealedValue, purpose: &[u8]| {
            Ok::<_, UnsealError>((name.clone(), HeaderValue::of(&text(value, purpose)?)))
        };
        let headers = self.headers.iter().map(|(name, value)| open(name, value, &of_header(subscription, name)));
        let mut headers = RequestHeaders::new(headers.collect::<Result<_, _>>()?);
        if let Some(SealedCertificate { facts, value }) = self.certificate.as_deref() {
            let pem = text(value, &of_certificate(subscription, facts))?;
            headers = headers.with_certificate(ClientCertificate::of_pem(facts.clone(), pem));
        }
        let Some(SealedAuth { kind, name, value }) = &self.auth else { return Ok(headers) };
        let (name, value) = open(name, value, &of_auth(subscription, *kind, name))?;
        headers.with_auth(Authentication { kind: *kind, name, value }).ok_or(UnsealError)
    }

    /// The options with each value sealed under the newest key.
    ///
    /// # Errors
    ///
    /// If none of the keys opens one of the values.
    pub(in crate::webhooks) fn resealed(
        &self,
        keys: &SealingKeys,
        subscription: SubscriptionId,
        entropy: &dyn Entropy,
    ) -> Result<Self, UnsealError> {
        let renew = |purpose: Vec<u8>| {
            move |sealed: &SealedSecret| {
                let opened = keys.open_bytes(sealed.as_bytes(), &purpose).ok_or(UnsealError)?;
                let renewed = opened.under_older_key.then(|| keys.seal_bytes(&opened.content, &purpose, entropy));
                Ok(renewed.map_or_else(|| sealed.clone(), SealedSecret::from_bytes))
            }
        };
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| Ok((name.clone(), value.renewed(renew(of_header(subscription, name)))?)));
        let auth = self.auth.as_ref().map(|auth| {
            let value = auth.value.renewed(renew(of_auth(subscription, auth.kind, &auth.name)))?;
            Ok(SealedAuth { value, ..auth.clone() })
        });
        let certificate = self.certificate.as_deref().map(|SealedCertificate { facts, value }| {
            let value = value.renewed(renew(of_certificate(subscription, facts)))?;
            Ok(Box::new(SealedCertificate { facts: facts.clone(), value }))
        });
        Ok(Self {
            headers: headers.collect::<Result<_, _>>()?,
            auth: auth.transpose()?,
            max_per_second: self.max_per_second,
            order: self.order,
            certificate: certificate.transpose()?,
        })
    }
}

impl SealingKeys {
    /// Seals the values of `change` for `subscription` under the newest key. Each is bound to its header too, to the kind of
    /// the authentication, or to the facts of the certificate.
    pub(in crate::webhooks) fn seal_options(
        &self,
        change: OptionsChange,
        subscription: SubscriptionId,
        entropy: &dyn Entropy,
    ) -> SealedOptionsChange {
        let seal =
            |value: &str, purpose: &[u8]| SealedSecret::from_bytes(self.seal_bytes(value.as_bytes(), purpose, entropy));
        let header = |(name, value): (HeaderName, Option<HeaderValue>)| {
            let sealed = value.map(|value| seal(value.expose(), &of_header(subscription, &name)));
            (name, sealed)
        };
        let auth = |Authentication { kind, name, value }| {
            let sealed = seal(value.expose(), &of_auth(subscription, kind, &name));
            (kind, name, sealed)
        };
        let certificate = |certificate: ClientCertificate| {
            let sealed = seal(certificate.expose_pem(), &of_certificate(subscription, &certificate.facts));
            (certificate.facts, sealed)
        };
        SealedOptionsChange {
            replaces_headers: change.replaces_headers,
            headers: change.headers.into_iter().map(header).collect(),
            auth: change.auth.map(auth),
            max_per_second: change.max_per_second,
            on_exhausted: change.on_exhausted,
            certificate: change.certificate.map(certificate),
        }
    }
}

fn of_header(subscription: SubscriptionId, name: &HeaderName) -> Vec<u8> {
    [&subscription.as_bytes()[..], b"header ", name.as_str().as_bytes()].concat()
}

fn of_auth(subscription: SubscriptionId, kind: AuthKind, name: &HeaderName) -> Vec<u8> {
    [&subscription.as_bytes()[..], b"auth ", kind.as_str().as_bytes(), b" ", name.as_str().as_bytes()].concat()
}

/// The fingerprint has a fixed length, and so has the time, so that no other facts make the same bytes.
fn of_certificate(subscription: SubscriptionId, facts: &CertificateFacts) -> Vec<u8> {
    let CertificateFacts { subject, expires_at, fingerprint } = facts;
    let expires_at = expires_at.unix_millis().to_be_bytes();
    [&subscription.as_bytes()[..], b"certificate ", fingerprint, &expires_at, subject.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;
    use crate::test_samples::sealing_keys;
    use crate::webhooks::{ClientCredentials, TargetUrl};

    const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_bytes([9; 16]);
    const AT: Timestamp = Timestamp::from_unix_millis(5).unwrap();

    fn name(text: &str) -> HeaderName {
        HeaderName::parse(text).unwrap()
    }

    fn setting(headers: &[(&str, &str)], auth: Option<Authentication>) -> OptionsChange {
        let headers = headers.iter().map(|(key, value)| (name(key), Some(HeaderValue::parse(value).unwrap())));
        OptionsChange {
            headers: headers.collect(),
            auth: auth.map_or(Patch::Keep, Patch::Set),
            ..OptionsChange::default()
        }
    }

    fn sealed(change: OptionsChange) -> SealedOptionsChange {
        sealing_keys(&[1]).seal_options(change, SUBSCRIPTION, &SeededEntropy::new(3))
    }

    fn stored(headers: &[(&str, &str)], auth: Option<Authentication>) -> SealedOptions {
        sealed(setting(headers, auth)).applied_to(&SealedOptions::default(), AT).unwrap()
    }

    fn certificate(subject: &str) -> ClientCertificate {
        let facts = CertificateFacts { subject: subject.to_owned(), expires_at: AT, fingerprint: [7; 32] };
        ClientCertificate::new(facts, "a chain", "a key")
    }

    fn with_certificate() -> OptionsChange {
        OptionsChange { certificate: Patch::Set(certificate("CN=a")), ..OptionsChange::default() }
    }

    fn texts(headers: &RequestHeaders) -> Vec<(String, String)> {
        headers.iter().map(|(name, value)| (name.to_string(), value.expose().to_owned())).collect()
    }

    fn url() -> TargetUrl {
        TargetUrl::from_stored("https://hooks.example/").unwrap()
    }

    fn oauth2() -> Authentication {
        Authentication::oauth2(&ClientCredentials::new(url(), ("id", "secret"), None, None).unwrap())
    }

    fn bearer() -> Option<Authentication> {
        Authentication::bearer("t").ok()
    }

    #[test]
    fn opens_what_it_sealed_for_the_same_place_alone() {
        let options = stored(&[("x-a", "1"), ("x-b", "2")], bearer());
        let headers = [("x-a", "1"), ("x-b", "2"), ("authorization", "Bearer t")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(texts(&options.open(&sealing_keys(&[2, 1]), SUBSCRIPTION).unwrap()), headers);
        assert!(options.open(&sealing_keys(&[1]), SubscriptionId::from_bytes([8; 16])).is_err());
        assert!(options.open(&sealing_keys(&[2]), SUBSCRIPTION).is_err());
        let mut swapped = options.clone();
        swapped.headers.insert(name("x-a"), options.headers[&name("x-b")].clone());
        let mut renamed = options.clone();
        renamed.auth = options.auth.clone().map(|auth| SealedAuth { name: name("x-c"), ..auth });
        let mut changed = options.clone();
        changed.auth = options.auth.clone().map(|auth| SealedAuth { kind: AuthKind::Header, ..auth });
        for moved in [swapped, renamed, changed] {
            assert!(moved.open(&sealing_keys(&[1]), SUBSCRIPTION).is_err());
        }
    }

    #[test]
    fn a_certificate_opens_with_its_facts_alone_and_a_newer_key_seals_it_again() {
        let options = sealed(with_certificate()).applied_to(&SealedOptions::default(), AT).unwrap();
        let opened = |options: &SealedOptions, key| {
            Ok::<_, UnsealError>(options.open(&sealing_keys(&[key]), SUBSCRIPTION)?.certificate().cloned())
        };
        assert_eq!(opened(&options, 1), Ok(Some(certificate("CN=a"))));
        assert!(options.open(&sealing_keys(&[1]), SubscriptionId::from_bytes([8; 16])).is_err());
        let SealedCertificate { facts, value } = *options.certificate.clone().unwrap();
        let moved = |facts| SealedOptions {
            certificate: Some(Box::new(SealedCertificate { facts, value: value.clone() })),
            ..SealedOptions::default()
        };
        for facts in [
            CertificateFacts { subject: "CN=b".to_owned(), ..facts.clone() },
            CertificateFacts { expires_at: Timestamp::MAX, ..facts.clone() },
            CertificateFacts { fingerprint: [8; 32], ..facts },
        ] {
            assert!(opened(&moved(facts), 1).is_err());
        }
        let resealed = options.resealed(&sealing_keys(&[2, 1]), SUBSCRIPTION, &SeededEntropy::new(7)).unwrap();
        assert_eq!(opened(&resealed, 2), opened(&options, 1));
        let shown = format!("{:?} {:?}", certificate("CN=a"), with_certificate());
        assert!(shown.contains("CN=a") && !shown.contains("a key") && !shown.contains("a chain"), "{shown}");
    }

    #[test]
    fn a_certificate_goes_with_any_authentication() {
        for auth in [None, bearer(), Some(oauth2())] {
            let change =
                OptionsChange { certificate: with_certificate().certificate, ..setting(&[("x-a", "1")], auth) };
            assert_eq!(change.request_headers(&url()).unwrap().certificate(), Some(&certificate("CN=a")));
            let stored = sealed(change).applied_to(&SealedOptions::default(), AT).unwrap();
            let opened = stored.open(&sealing_keys(&[1]), SUBSCRIPTION).unwrap();
            assert_eq!(opened.certificate(), Some(&certificate("CN=a")));
        }
        let plain = TargetUrl::from_stored("http://hooks.example/").unwrap();
        assert_eq!(with_certificate().request_headers(&plain).err(), Some(InvalidOptions::WithoutTls));
    }

    #[test]
    fn a_newer_key_seals_the_same_values_again() {
        let options = stored(&[("x-a", "1")], bearer());
        let (entropy, both) = (SeededEntropy::new(7), sealing_keys(&[2, 1]));
        let resealed = options.resealed(&both, SUBSCRIPTION, &entropy).unwrap();
        let opened = resealed.open(&sealing_keys(&[2]), SUBSCRIPTION).unwrap();
        assert_eq!(texts(&opened), texts(&options.open(&sealing_keys(&[1]), SUBSCRIPTION).unwrap()));
        assert_eq!(resealed.resealed(&both, SUBSCRIPTION, &entropy).unwrap(), resealed);
        assert!(options.resealed(&sealing_keys(&[2]), SUBSCRIPTION, &entropy).is_err());
    }

    #[test]
    fn a_change_merges_and_keeps_the_limits_of_the_result() {
        let before = stored(&[("x-a", "1"), ("x-b", "2")], bearer());
        let mut change = sealed(setting(&[("x-c", "3")], None));
        change.headers.insert(name("x-a"), None);
        let after = change.applied_to(&before, AT).unwrap();
        assert_eq!(after.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["x-b", "x-c"]);
        assert_eq!(after.auth, before.auth);
        let none = SealedOptionsChange { replaces_headers: true, auth: Patch::Reset, ..SealedOptionsChange::default() };
        assert!(none.applied_to(&before, AT).unwrap().is_empty());

        let names: Vec<String> = (0..16).map(|number| format!("x-{number:02}")).collect();
        let full: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "v")).collect();
        let full = stored(&full, None);
        let one_more = sealed(setting(&[("x-16", "v")], None));
        assert_eq!(one_more.applied_to(&full, AT), Err(InvalidOptions::TooMany));
        assert!(sealed(setting(&[("x-15", "w")], None)).applied_to(&full, AT).is_ok());

        let value = "v".repeat(1_024);
        let seven = names[..7].iter().map(|name| (name.as_str(), value.as_str()));
        let long = |last: usize| setting(&seven.clone().chain([("last", &value[..last])]).collect::<Vec<_>>(), None);
        // Seven names of 4 characters, and one more.
        let fits = 8_192 - 7 * (4 + 1_024) - 4;
        for (change, refused) in [(long(fits), None), (long(fits + 1), Some(InvalidOptions::TooLong))] {
            assert_eq!(change.request_headers(&url()).err(), refused);
            assert_eq!(sealed(change).applied_to(&SealedOptions::default(), AT).err(), refused);
        }
    }

    #[test]
    fn the_rate_is_changed_alone_and_stays_at_another_origin() {
        let rate = |per_second| DeliveryRate::new(per_second).unwrap();
        let before = SealedOptions { max_per_second: Some(rate(5.0)), ..stored(&[("x-a", "1")], bearer()) };
        for (max_per_second, expected) in
            [(Patch::Keep, Some(rate(5.0))), (Patch::Set(rate(2.5)), Some(rate(2.5))), (Patch::Reset, None)]
        {
            let change = SealedOptionsChange { max_per_second, ..SealedOptionsChange::default() };
            let changed = SealedOptions { max_per_second: expected, ..before.clone() };
            assert_eq!(change.applied_to(&before, AT).unwrap(), changed);
            let (moved, _) = change.at_another_origin(&before, AT).unwrap();
            assert_eq!(moved, SealedOptions { max_per_second: expected, ..SealedOptions::default() });
            assert_eq!(moved.is_empty(), expected.is_none());
        }
        let both = sealing_keys(&[2, 1]);
        let resealed = before.resealed(&both, SUBSCRIPTION, &SeededEntropy::new(7)).unwrap();
        assert_eq!(resealed.max_per_second, before.max_per_second);
    }

    #[test]
    fn no_header_is_that_of_the_authentication() {
        let before = stored(&[("x_api_key", "1")], None);
        let auth = Authentication::header("X-Api-Key", "2").ok();
        let change = sealed(setting(&[], auth.clone()));
        assert_eq!(change.applied_to(&before, AT), Err(InvalidOptions::SameAsAuth));
        assert_eq!(
            setting(&[("x_api_key", "1")], auth).request_headers(&url()).err(),
            Some(InvalidOptions::SameAsAuth)
        );
    }

    #[test]
    fn at_another_origin_stays_what_the_change_sets() {
        let before = stored(&[("x-a", "1"), ("x-b", "2")], bearer());
        let dropped = |change: OptionsChange| {
            let (after, dropped) = sealed(change).at_another_origin(&before, AT).unwrap();
            (after.headers.len(), after.auth.is_some(), dropped.headers, dropped.auth)
        };
        let of_certificate = |change: OptionsChange| {
            let before = sealed(with_certificate()).applied_to(&before, AT).unwrap();
            let (after, dropped) = sealed(change).at_another_origin(&before, AT).unwrap();
            (after.certificate.is_some(), dropped.certificate)
        };
        assert_eq!(of_certificate(OptionsChange::default()), (false, true));
        assert_eq!(of_certificate(with_certificate()), (true, false));
        let without = OptionsChange { certificate: Patch::Reset, ..OptionsChange::default() };
        assert_eq!(of_certificate(without), (false, false));
        assert_eq!(dropped(OptionsChange::default()), (0, false, true, true));
        assert_eq!(dropped(setting(&[("x-a", "3")], None)), (1, false, true, true));
        assert_eq!(dropped(setting(&[("x-a", "3"), ("x-b", "4")], bearer())), (2, true, false, false));
        let removed = OptionsChange { replaces_headers: true, auth: Patch::Reset, ..OptionsChange::default() };
        assert_eq!(dropped(removed), (0, false, false, false));
    }
}
