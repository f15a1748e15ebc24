use std::fmt;

use reqwest::header::{HeaderName, HeaderValue};
use url::Url;

/// The address of a collector of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorUrl(Url);

impl CollectorUrl {
    /// Which addresses are allowed.
    pub const ALLOWED: &'static str = "the collector's URL, such as http://127.0.0.1:4318: http or https; without user, \
                                       query and fragment";

    /// Parses the value of `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_plain = url.query().is_none() && url.fragment().is_none();
        let is_allowed = matches!(url.scheme(), "http" | "https") && is_plain;
        let has_user = !url.username().is_empty() || url.password().is_some();
        (is_allowed && !has_user).then_some(Self(url))
    }

    /// Where the collector takes spans: below the address.
    pub(crate) fn of_traces(&self) -> Option<Url> {
        Url::parse(&format!("{}/v1/traces", self.0.as_str().trim_end_matches('/'))).ok()
    }
}

impl fmt::Display for CollectorUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// A header for the collector. Its value may be a secret: `Debug` does not show it.
#[derive(Clone, Debug)]
pub struct CollectorHeader {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

impl CollectorHeader {
    /// Which headers are allowed.
    pub const ALLOWED: &'static str =
        "headers as name=value, separated by commas, with %20 for a space and %2C for a comma";

    /// Parses an item of `OTEL_EXPORTER_OTLP_HEADERS`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, value) = text.split_once('=')?;
        let mut value = HeaderValue::from_bytes(&percent_decoded(value.trim())?).ok()?;
        value.set_sensitive(true);
        Some(Self { name: name.trim().parse().ok()?, value })
    }
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut decoded = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        decoded.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
        decoded.extend(rest.as_bytes());
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_go_below_the_address() {
        for (address, traces) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://collector.example/", "https://collector.example/v1/traces"),
            ("https://collector.example/team/otlp", "https://collector.example/team/otlp/v1/traces"),
        ] {
            let url = CollectorUrl::parse(address).unwrap();
            assert_eq!(url.of_traces().unwrap().as_str(), traces);
            assert_eq!(url.to_string(), address.trim_end_matches('/'));
        }
        for wrong in ["", "collector:4318", "ftp://c", "http://u:p@c", "http://u@c", "http://c?a=b", "http://c#a"] {
            assert_eq!(CollectorUrl::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_header_is_decoded_and_never_shown() {
        let header = CollectorHeader::parse("Authorization = Basic%20c2VjcmV0+Zg==").unwrap();
        assert_eq!((header.name.as_str(), header.value.as_bytes()), ("authorization", &b"Basic c2VjcmV0+Zg=="[..]));
        assert!(!format!("{header:?}").contains("c2Vj"), "{header:?}");
        for wrong in ["", "name", "na me=a", "=a", "a=%", "a=%2", "a=%+1", "a=%0a", "a=%é"] {
            assert!(CollectorHeader::parse(wrong).is_none(), "{wrong}");
        }
    }
}
