use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use crate::claims::Refusal;
use crate::strict_json::read_object;
use crate::token_kind::TokenKind;

/// The longest token that is parsed, in bytes. Real tokens have 1 to 4 KiB.
pub(crate) const TOKEN_SIZE_BYTES_MAX: usize = 16 * 1024;

/// A signed token in compact form (RFC 7515 section 7.1), parsed but not verified.
///
/// Header fields that offer a key (`jku`, `x5u`, `jwk`, `x5c`) are not even read.
pub(crate) struct CompactToken<'a> {
    /// The purpose that the token claims.
    pub(crate) kind: TokenKind,
    /// The algorithm that the token claims. The key decides whether it is allowed.
    pub(crate) algorithm: Algorithm,
    /// The id of the key that the token claims.
    pub(crate) key_id: Option<String>,
    /// The claims.
    pub(crate) claims: Map<String, Value>,
    /// The signed bytes: header, dot and payload as received.
    pub(crate) signed: &'a str,
    /// The signature, in base64url.
    pub(crate) signature: &'a str,
}

impl<'a> CompactToken<'a> {
    pub(crate) fn parse(token: &'a str) -> Result<Self, Refusal> {
        if token.len() > TOKEN_SIZE_BYTES_MAX {
            return Err(Refusal("longer than 16 KiB"));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(NOT_THREE_PARTS)?;
        let (header, payload) = signed.split_once('.').ok_or(NOT_THREE_PARTS)?;
        if payload.contains('.') || header.is_empty() || payload.is_empty() || signature.is_empty() {
            return Err(NOT_THREE_PARTS);
        }
        let header = read_part(header).ok_or(Refusal("the header is not base64url of one JSON object"))?;
        let claims = read_part(payload).ok_or(Refusal("the payload is not base64url of one JSON object"))?;
        check_understood(&header)?;
        let (kind, algorithm, key_id) = (read_kind(&header)?, read_algorithm(&header)?, read_key_id(&header)?);
        Ok(Self { kind, algorithm, key_id, claims, signed, signature })
    }
}

const NOT_THREE_PARTS: Refusal = Refusal("not three parts");

/// The decoder is strict: no padding, no characters of standard base64, no trailing bits.
fn read_part(part: &str) -> Option<Map<String, Value>> {
    read_object(&URL_SAFE_NO_PAD.decode(part).ok()?)
}

fn check_understood(header: &Map<String, Value>) -> Result<(), Refusal> {
    // RFC 7515 section 4.1.11: an extension that is not understood makes the token invalid. This verifier understands
    // none.
    if header.contains_key("crit") { Err(Refusal("the header has crit")) } else { Ok(()) }
}

fn read_kind(header: &Map<String, Value>) -> Result<TokenKind, Refusal> {
    const UNKNOWN: Refusal = Refusal("the header's typ is neither JWT nor at+jwt");
    let name = header.get("typ").map(|name| name.as_str().ok_or(UNKNOWN)).transpose()?;
    TokenKind::of_type(name).ok_or(UNKNOWN)
}

fn read_algorithm(header: &Map<String, Value>) -> Result<Algorithm, Refusal> {
    let name = header.get("alg").and_then(Value::as_str).ok_or(Refusal("the header has no alg"))?;
    algorithm_named(name).ok_or(Refusal("the header's alg is not accepted"))
}

fn read_key_id(header: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    match header.get("kid") {
        None => Ok(None),
        Some(Value::String(key_id)) => Ok(Some(key_id.clone())),
        Some(_) => Err(Refusal("the header's kid is not text")),
    }
}

/// The accepted algorithms by their names, which are case-sensitive (RFC 7518 section 3.1; `Ed25519` is the
/// name in RFC 9864 for the supported kind of `EdDSA`). `none` and algorithms with a shared secret have no entry.
pub(crate) fn algorithm_named(name: &str) -> Option<Algorithm> {
    Some(match name {
        "RS256" => Algorithm::RS256,
        "RS384" => Algorithm::RS384,
        "RS512" => Algorithm::RS512,
        "PS256" => Algorithm::PS256,
        "PS384" => Algorithm::PS384,
        "PS512" => Algorithm::PS512,
        "ES256" => Algorithm::ES256,
        "ES384" => Algorithm::ES384,
        "EdDSA" | "Ed25519" => Algorithm::EdDSA,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::test_keys::with;

    fn encode(text: &str) -> String {
        URL_SAFE_NO_PAD.encode(text)
    }

    fn refusal(token: &str) -> Option<Refusal> {
        CompactToken::parse(token).err()
    }

    #[test]
    fn reads_the_parts() {
        let signed =
            format!("{}.{}", encode(r#"{"alg":"ES256","kid":"a","jku":"https://x"}"#), encode(r#"{"sub":"b"}"#));
        let text = format!("{signed}.AAAA");
        let token = CompactToken::parse(&text).ok().unwrap();
        assert_eq!((token.kind, token.algorithm), (TokenKind::Id, Algorithm::ES256));
        assert_eq!(token.key_id.as_deref(), Some("a"));
        assert_eq!((token.signed, token.signature), (signed.as_str(), "AAAA"));
        assert_eq!(token.claims["sub"], "b");
    }

    #[test]
    fn wants_exactly_three_parts() {
        let (header, payload) = (encode(r#"{"alg":"ES256"}"#), encode("{}"));
        for wrong in [
            String::new(),
            ".".into(),
            "..".into(),
            header.clone(),
            format!("{header}.{payload}"),
            format!("{header}.{payload}."),
            format!("{header}..AAAA"),
            format!(".{payload}.AAAA"),
            format!(".{header}.{payload}.AAAA"),
            format!("{header}.{payload}.AAAA."),
            format!("{header}.{payload}.AAAA.AAAA.AAAA"),
        ] {
            assert_eq!(refusal(&wrong), Some(NOT_THREE_PARTS), "{wrong}");
        }
    }

    #[test]
    fn the_length_has_a_limit() {
        let header = encode(r#"{"alg":"ES256"}"#);
        let room = TOKEN_SIZE_BYTES_MAX - header.len() - ".e30.".len();
        assert_eq!(refusal(&format!("{header}.e30.{}", "A".repeat(room))), None);
        assert!(refusal(&format!("{header}.e30.{}", "A".repeat(room + 1))).is_some());
    }

    #[test]
    fn base64_has_one_form_only() {
        // `{}` is e30; e31 differs in the bits that are cut off, and e30= is padded.
        let header = encode(r#"{"alg":"ES256"}"#);
        assert_eq!(refusal(&format!("{header}.e30.AAAA")), None);
        for payload in ["e31", "e30=", "e3 0", "e30\n", "+/+/", "é"] {
            assert!(refusal(&format!("{header}.{payload}.AAAA")).is_some(), "{payload}");
        }
    }

    #[test]
    fn headers_that_are_refused() {
        let refused = |header: &str| refusal(&format!("{}.e30.AAAA", encode(header))).is_some();
        let wrong = json!({
            "alg": [
                null, ["ES256"], "none", "None", "NONE", "nOnE", "", "es256", "ES256 ", "HS256", "ES512", "ES256K",
                "RSA-OAEP",
            ],
            "kid": [1, null, ["a"]],
            "crit": [[], null],
            "typ": ["at+jwt ", "application/jwt+at", "logout+jwt", 1],
        });
        for (name, values) in wrong.as_object().unwrap() {
            for value in values.as_array().unwrap() {
                assert!(refused(&with(&json!({"alg": "ES256"}), name, value.clone()).to_string()), "{name}: {value}");
            }
        }
        let unsigned = r#"{"alg":"ES256","crit":["b64"],"b64":false}"#;
        for header in ["{}", r#"{"alg":"ES256","alg":"ES256"}"#, unsigned, r#"["ES256"]"#, "null"] {
            assert!(refused(header), "{header}");
        }
        for header in [r#"{"alg":"ES256"}"#, r#"{"alg":"ES256","typ":"jwt","kid":"","x5u":"http://x"}"#] {
            assert!(!refused(header), "{header}");
        }
    }
}
