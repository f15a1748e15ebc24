use std::collections::BTreeMap;

use domain::Timestamp;
use domain::webhooks::{
    AuthKind, CertificateFacts, DeliveryRate, HeaderName, OnExhausted, SealedAuth, SealedCertificate, SealedOptions,
    SealedSecret, SealedValue,
};
use serde::{Deserialize, Serialize};

/// The options of a subscription, as they are stored. Later options get other members.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct StoredOptions {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, StoredValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth: Option<StoredAuth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_per_second: Option<f64>,
    /// The rule of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_exhausted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<StoredCertificate>,
}

/// A sealed value in base64, and when it was set, in Unix milliseconds.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredValue {
    sealed: String,
    set_at: i64,
}

#[derive(Serialize, Deserialize)]
struct StoredAuth {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    value: StoredValue,
}

/// A client certificate: its expiry in Unix milliseconds, and its fingerprint in hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCertificate {
    subject: String,
    expires_at: i64,
    fingerprint: String,
    value: StoredValue,
}

impl From<&SealedValue> for StoredValue {
    fn from(value: &SealedValue) -> Self {
        Self { sealed: value.sealed.to_base64(), set_at: value.set_at.unix_millis() }
    }
}

impl StoredValue {
    fn value(&self) -> Option<SealedValue> {
        let sealed = SealedSecret::from_base64(&self.sealed)?;
        Some(SealedValue { sealed, set_at: Timestamp::from_unix_millis(self.set_at)? })
    }
}

impl StoredAuth {
    fn auth(&self) -> Option<SealedAuth> {
        let (kind, name) = (AuthKind::parse(&self.kind)?, HeaderName::from_stored(&self.name)?);
        Some(SealedAuth { kind, name, value: self.value.value()? })
    }
}

impl From<&SealedCertificate> for StoredCertificate {
    fn from(SealedCertificate { facts, value }: &SealedCertificate) -> Self {
        let (expires_at, fingerprint) = (facts.expires_at.unix_millis(), facts.fingerprint_hex());
        Self { subject: facts.subject.clone(), expires_at, fingerprint, value: value.into() }
    }
}

impl StoredCertificate {
    fn certificate(self) -> Option<SealedCertificate> {
        let (expires_at, value) = (Timestamp::from_unix_millis(self.expires_at)?, self.value.value()?);
        let fingerprint = CertificateFacts::parse_fingerprint(&self.fingerprint)?;
        Some(SealedCertificate { facts: CertificateFacts { subject: self.subject, expires_at, fingerprint }, value })
    }
}

/// The JSON of these options; `None` for those of a plain subscription.
pub fn stored_options(options: &SealedOptions) -> Option<String> {
    if options.is_empty() {
        return None;
    }
    let headers = options.headers.iter().map(|(name, value)| (name.to_string(), value.into()));
    let auth = options.auth.as_ref().map(|auth| StoredAuth {
        kind: auth.kind.as_str().to_owned(),
        name: auth.name.to_string(),
        value: (&auth.value).into(),
    });
    let max_per_second = options.max_per_second.map(DeliveryRate::per_second);
    let on_exhausted = options.order.map(|order| order.code().to_owned());
    let (headers, certificate) = (headers.collect(), options.certificate.as_deref().map(Into::into));
    serde_json::to_string(&StoredOptions { headers, auth, max_per_second, on_exhausted, certificate }).ok()
}

/// The options of this column; `None` if it has other JSON than [`stored_options`] writes.
pub(super) fn options_of(column: Option<&str>) -> Option<SealedOptions> {
    let Some(json) = column else { return Some(SealedOptions::default()) };
    let StoredOptions { headers, auth, max_per_second, on_exhausted, certificate } = serde_json::from_str(json).ok()?;
    let header = |(name, value): (String, StoredValue)| Some((HeaderName::from_stored(&name)?, value.value()?));
    let auth = match auth {
        Some(auth) => Some(auth.auth()?),
        None => None,
    };
    let certificate = match certificate {
        Some(certificate) => Some(Box::new(certificate.certificate()?)),
        None => None,
    };
    let headers = headers.into_iter().map(header).collect::<Option<_>>()?;
    let max_per_second = max_per_second.map(DeliveryRate::new).transpose().ok()?;
    let order = match on_exhausted {
        Some(code) => Some(OnExhausted::from_code(&code)?),
        None => None,
    };
    Some(SealedOptions { headers, auth, max_per_second, order, certificate })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(byte: u8) -> SealedValue {
        SealedValue { sealed: SealedSecret::from_bytes(vec![byte; 3]), set_at: Timestamp::MAX }
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let name = |text| HeaderName::from_stored(text).unwrap();
        let auth = SealedAuth { kind: AuthKind::Basic, name: name("authorization"), value: value(2) };
        let headers = [(name("x-a"), value(1)), (name("x-b"), value(3))].into();
        let fingerprint = std::array::from_fn(|place| u8::try_from(place * 8).unwrap());
        let facts = CertificateFacts { subject: "CN=ü".to_owned(), expires_at: Timestamp::MIN, fingerprint };
        let certificate = Some(Box::new(SealedCertificate { facts, value: value(4) }));
        let rate = DeliveryRate::new(0.1).ok();
        for options in [
            SealedOptions { order: Some(OnExhausted::Skip), ..SealedOptions::default() },
            SealedOptions { order: Some(OnExhausted::Stop), ..SealedOptions::default() },
            SealedOptions {
                headers,
                auth: Some(auth),
                max_per_second: rate,
                order: None,
                certificate: certificate.clone(),
            },
            SealedOptions { certificate, ..SealedOptions::default() },
            SealedOptions { headers: [(name("x-a"), value(1))].into(), ..SealedOptions::default() },
            SealedOptions { max_per_second: DeliveryRate::new(333.333).ok(), ..SealedOptions::default() },
        ] {
            let json = stored_options(&options).unwrap();
            assert_eq!(options_of(Some(&json)), Some(options));
        }
        assert_eq!(stored_options(&SealedOptions::default()), None);
        assert_eq!(options_of(None), Some(SealedOptions::default()));
        for wrong in [
            "",
            "null",
            r#"{"headers":{"a b":{"sealed":"AQ==","setAt":1}}}"#,
            r#"{"headers":{"a":{"sealed":"?","setAt":1}}}"#,
            r#"{"headers":{"a":{"sealed":"AQ=="}}}"#,
            r#"{"maxPerSecond":0}"#,
            r#"{"maxPerSecond":"1"}"#,
            r#"{"onExhausted":"wait"}"#,
            r#"{"certificate":{"subject":"","expiresAt":1,"fingerprint":"","value":{"sealed":"AQ==","setAt":1}}}"#,
            r#"{"certificate":{"subject":"","expiresAt":1,"fingerprint":"00"}}"#,
            r#"{"auth":{"type":"digest","name":"a","value":{"sealed":"AQ==","setAt":1}}}"#,
        ] {
            assert_eq!(options_of(Some(wrong)), None, "{wrong:?}");
        }
    }
}
