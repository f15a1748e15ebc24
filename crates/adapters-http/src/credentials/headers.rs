use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::credentials::presented::{Presented, of_text};

/// The header for an API key.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// The header for an ID token.
pub(crate) const X_ID_TOKEN: HeaderName = HeaderName::from_static("x-id-token");

/// A credential on a path that accepts API keys and ID tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential<'a> {
    /// A value that is verified as an API key.
    ApiKey(&'a str),
    /// A value that is verified as an ID token.
    IdToken(&'a str),
}

/// The ID token in the headers, on a path that does not accept API keys. A request with `x-api-key` is refused.
pub(crate) fn id_token_in(headers: &HeaderMap) -> Presented<&str> {
    if headers.contains_key(X_API_KEY) {
        return Presented::Unusable("an API key where only an ID token is accepted");
    }
    bearer_in(headers).and(plain_in(headers, X_ID_TOKEN))
}

/// The API key in the headers, on a path that accepts only API keys.
pub(crate) fn api_key_in(headers: &HeaderMap) -> Presented<&str> {
    bearer_in(headers).and(plain_in(headers, X_API_KEY))
}

/// The credential in the headers, on a path that accepts both kinds.
pub(crate) fn credential_in(headers: &HeaderMap) -> Presented<Credential<'_>> {
    let bearer = bearer_in(headers)
        .map(|value| if is_id_token(value) { Credential::IdToken(value) } else { Credential::ApiKey(value) });
    bearer
        .and(plain_in(headers, X_API_KEY).map(Credential::ApiKey))
        .and(plain_in(headers, X_ID_TOKEN).map(Credential::IdToken))
}

/// Whether to verify a Bearer value as an ID token. A signed JWT in compact form has exactly two dots (RFC 7515,
/// section 7.1), and a key has none, because neither the prefix nor the body of a key may contain a dot. A wrong guess
/// is harmless: the value is then verified as the wrong kind, and refused.
fn is_id_token(value: &str) -> bool {
    value.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// The Bearer value of `Authorization`.
pub(crate) fn bearer_in(headers: &HeaderMap) -> Presented<&str> {
    headers.get_all(header::AUTHORIZATION).map(bearer).fold(Presented::Nothing, Presented::and)
}

/// The token of `Bearer <token>`. The scheme is case-insensitive (RFC 9110, section 11.1). Other schemes are ignored.
fn bearer(value: &HeaderValue) -> Presented<&str> {
    let bytes = value.as_bytes();
    let scheme_length = bytes.iter().position(|byte| *byte == b' ').unwrap_or(bytes.len());
    let (scheme, token) = bytes.split_at(scheme_length);
    if scheme.eq_ignore_ascii_case(b"bearer") { readable(token) } else { Presented::Nothing }
}

fn plain_in(headers: &HeaderMap, name: HeaderName) -> Presented<&str> {
    headers.get_all(name).map(|value| readable(value.as_bytes())).fold(Presented::Nothing, Presented::and)
}

fn readable(value: &[u8]) -> Presented<&str> {
    match std::str::from_utf8(value).map(str::trim) {
        Ok(text) => of_text(text),
        Err(_) => Presented::Unusable("an unreadable credential"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name.clone(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn id_token(lines: &[(HeaderName, &str)]) -> String {
        format!("{:?}", id_token_in(&headers(lines)))
    }

    fn credential(lines: &[(HeaderName, &str)]) -> String {
        match credential_in(&headers(lines)) {
            Presented::Nothing => "nothing".into(),
            Presented::One(Credential::ApiKey(key)) => format!("key {key}"),
            Presented::One(Credential::IdToken(token)) => format!("token {token}"),
            Presented::Unusable(_) => "unusable".into(),
        }
    }

    #[test]
    fn an_id_token_comes_from_two_headers_that_must_agree() {
        let authorization = header::AUTHORIZATION;
        assert_eq!(id_token(&[]), "Nothing");
        for one in ["Bearer t", "bearer t", "BEARER   t "] {
            assert_eq!(id_token(&[(authorization.clone(), one)]), r#"One("t")"#, "{one}");
        }
        assert_eq!(id_token(&[(X_ID_TOKEN, "t")]), r#"One("t")"#);
        assert_eq!(id_token(&[(authorization.clone(), "Bearer t"), (X_ID_TOKEN, "t")]), r#"One("t")"#);
        for other in ["Basic t", "Bearert", "Token t", ""] {
            assert_eq!(id_token(&[(authorization.clone(), other)]), "Nothing", "{other}");
            assert_eq!(id_token(&[(authorization.clone(), other), (X_ID_TOKEN, "t")]), r#"One("t")"#, "{other}");
        }
        for unusable in [
            &[(authorization.clone(), "Bearer t"), (X_ID_TOKEN, "u")][..],
            &[(authorization.clone(), "Bearer t"), (authorization.clone(), "Bearer u")],
            &[(authorization.clone(), "Bearer")],
            &[(authorization.clone(), "Bearer ")],
            &[(X_ID_TOKEN, "")],
            &[(authorization.clone(), "Bearer t"), (X_API_KEY, "t")],
            &[(X_API_KEY, "t")],
        ] {
            assert!(id_token(unusable).starts_with("Unusable"), "{unusable:?}");
        }
    }

    #[test]
    fn elsewhere_a_bearer_value_with_two_dots_is_an_id_token() {
        let authorization = header::AUTHORIZATION;
        assert_eq!(credential(&[]), "nothing");
        assert_eq!(credential(&[(authorization.clone(), "Bearer svc_live_1")]), "key svc_live_1");
        assert_eq!(credential(&[(authorization.clone(), "Bearer a.b.c")]), "token a.b.c");
        assert_eq!(credential(&[(authorization.clone(), "Bearer a.b.c.d")]), "key a.b.c.d");
        assert_eq!(credential(&[(X_API_KEY, "k")]), "key k");
        assert_eq!(credential(&[(X_ID_TOKEN, "a.b.c")]), "token a.b.c");
        assert_eq!(credential(&[(X_API_KEY, "k"), (authorization.clone(), "Bearer k")]), "key k");
        assert_eq!(credential(&[(X_API_KEY, "k"), (X_ID_TOKEN, "a.b.c")]), "unusable");
        assert_eq!(credential(&[(X_API_KEY, "k"), (authorization.clone(), "Bearer l")]), "unusable");
        assert_eq!(credential(&[(X_API_KEY, "a.b.c"), (authorization.clone(), "Bearer a.b.c")]), "unusable");
    }
}
