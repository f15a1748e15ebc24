use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use domain::ports::Entropy;

/// Carries the id of a request, in the request and in its answer.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is accepted from a client, in characters: a UUID with hyphens.
const LENGTH_MAX: usize = 36;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The id of one request. Visible ASCII, which is safe in a header, in JSON and in a log line. It is kept in place, because
/// every request has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestId {
    text: [u8; LENGTH_MAX],
    length: usize,
}

impl RequestId {
    /// The id that the client sent, if it sent exactly one and it is harmless. Otherwise a new id.
    pub(crate) fn accept_or_mint(headers: &HeaderMap, entropy: &dyn Entropy) -> Self {
        let mut given = headers.get_all(X_REQUEST_ID);
        match (given.next(), given.next()) {
            (Some(id), None) if is_harmless(id.as_bytes()) => Self::of(id.as_bytes().iter().copied()),
            _ => Self::mint(entropy),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.text[..self.length]).unwrap_or_default()
    }

    pub(crate) fn header_value(&self) -> HeaderValue {
        HeaderValue::from_bytes(&self.text[..self.length]).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    /// 128 random bits in hexadecimal.
    fn mint(entropy: &dyn Entropy) -> Self {
        let mut random = [0; 16];
        entropy.fill(&mut random);
        Self::of(random.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| HEX[usize::from(digit)]))
    }

    /// An id with these characters, of which there are at most [`LENGTH_MAX`].
    fn of(characters: impl Iterator<Item = u8>) -> Self {
        let (mut text, mut length) = ([0; LENGTH_MAX], 0);
        for (place, character) in text.iter_mut().zip(characters) {
            *place = character;
            length += 1;
        }
        Self { text, length }
    }
}

/// Whether the id has only hexadecimal digits and hyphens, like UUIDs, trace ids and the ids of common proxies. The id
/// goes into the log and into answers, so it must not be able to hold a secret that a client sent in the wrong header:
/// a key, a token, or the 64 digits of a digest.
fn is_harmless(id: &[u8]) -> bool {
    (1..=LENGTH_MAX).contains(&id.len()) && id.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
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
        let long = "a".repeat(36);
        for good in ["a", "0af7651916cd43dd8448eb211c80319c", "7B0E8C2A-91d4-4c55-8e38-2f6a0c1d9e77", long.as_str()] {
            assert_eq!(accepted(&[good]), good);
        }
        let minted = accepted(&[]);
        assert_eq!(minted.len(), 32);
        let too_long = "a".repeat(37);
        for wrong in
            [&["a b"][..], &["a\tb"], &["é"], &["a\"b"], &["svc_live_a1"], &["req-1"], &[""], &[&too_long], &["a", "a"]]
        {
            assert_eq!(accepted(wrong), minted, "{wrong:?}");
        }
    }
}
