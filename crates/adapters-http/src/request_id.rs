use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use domain::ports::Entropy;

/// Names a request, in its answer and in the log.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken over from a client, in characters.
const LENGTH_MAX: usize = 128;

/// The id of one request: visible ASCII, safe in a header, in JSON and in a log line.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// The id that the client gave, if it gave exactly one that is harmless; else a new one.
    pub(crate) fn accept_or_mint(headers: &HeaderMap, entropy: &dyn Entropy) -> Self {
        let mut given = headers.get_all(X_REQUEST_ID);
        match (given.next(), given.next()) {
            (Some(id), None) if is_harmless(id.as_bytes()) => Self(id.clone()),
            _ => Self::mint(entropy),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn header_value(&self) -> HeaderValue {
        self.0.clone()
    }

    /// 128 random bits in hexadecimal.
    fn mint(entropy: &dyn Entropy) -> Self {
        let mut random = [0; 16];
        entropy.fill(&mut random);
        let id = format!("{:032x}", u128::from_be_bytes(random));
        Self(HeaderValue::try_from(id).unwrap_or_else(|_| HeaderValue::from_static("")))
    }
}

fn is_harmless(id: &[u8]) -> bool {
    (1..=LENGTH_MAX).contains(&id.len())
        && id.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use domain::memory::SeededEntropy;

    use super::*;

    fn accepted(ids: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for id in ids {
            headers.append(X_REQUEST_ID, HeaderValue::from_bytes(id.as_bytes()).unwrap());
        }
        RequestId::accept_or_mint(&headers, &SeededEntropy::new(1)).as_str().to_owned()
    }

    #[test]
    fn takes_one_harmless_id_and_mints_otherwise() {
        let long = "a".repeat(128);
        for good in ["a", "req-1_2.3", long.as_str()] {
            assert_eq!(accepted(&[good]), good);
        }
        let minted = accepted(&[]);
        assert_eq!(minted.len(), 32);
        let too_long = "a".repeat(129);
        for wrong in [&["a b"][..], &["a\tb"], &["é"], &["a\"b"], &[""], &[&too_long], &["a", "a"]] {
            assert_eq!(accepted(wrong), minted, "{wrong:?}");
        }
    }
}
