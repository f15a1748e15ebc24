use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use url::Url;

use crate::issuer::Issuer;
use crate::key_cache::FetchError;
use crate::strict_json::read_object;

/// The provider's discovery document (`OpenID` Connect Discovery 1.0).
#[derive(Debug)]
pub(crate) struct Discovery {
    /// Where its keys are.
    pub(crate) keys_at: Url,
    pub(crate) endpoints: Endpoints,
}

/// Where people sign in and out. Endpoints that are missing or not safe are `None`: tokens are verified without them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Endpoints {
    pub(crate) authorization: Option<Url>,
    pub(crate) token: Option<Url>,
    pub(crate) end_session: Option<Url>,
    /// Whether every answer names the issuer (RFC 9207).
    pub(crate) names_issuer: bool,
    /// Whether a client secret goes into the form. The default is the header `Authorization`.
    pub(crate) takes_secret_in_form: bool,
    pub(crate) scopes: Vec<String>,
}

/// The endpoints in the newest discovery document; `None` before the first one. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct KnownEndpoints(Arc<Mutex<Option<Arc<Endpoints>>>>);

impl KnownEndpoints {
    pub(crate) fn get(&self) -> Option<Arc<Endpoints>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, endpoints: Endpoints) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(endpoints));
    }
}

impl Discovery {
    pub(crate) fn parse(document: &[u8], issuer: &Issuer) -> Result<Self, FetchError> {
        let malformed = FetchError::Malformed;
        let document = read_object(document)
            .ok_or_else(|| malformed("the discovery document is not one JSON object without repeated names"))?;
        let found = document.get("issuer").and_then(Value::as_str);
        let found = found.ok_or_else(|| malformed("the discovery document has no issuer"))?;
        // OpenID Connect Discovery 1.0 section 4.3: the two must be identical.
        if found != issuer.as_str() {
            return Err(FetchError::OtherIssuer { configured: issuer.as_str().to_owned(), found: found.to_owned() });
        }
        let keys_at = url(&document, "jwks_uri").ok_or_else(|| malformed("the discovery document has no jwks_uri"))?;
        if !issuer.may_have_endpoint(&keys_at) {
            return Err(malformed("jwks_uri is not https"));
        }
        Ok(Self { keys_at, endpoints: Endpoints::read(&document, issuer) })
    }
}

impl Endpoints {
    fn read(document: &Map<String, Value>, issuer: &Issuer) -> Self {
        let endpoint = |name| url(document, name).filter(|url| issuer.may_have_endpoint(url));
        let methods = texts(document, "token_endpoint_auth_methods_supported");
        let takes = |method: &str| methods.iter().any(|known| known == method);
        Self {
            authorization: endpoint("authorization_endpoint"),
            token: endpoint("token_endpoint"),
            end_session: endpoint("end_session_endpoint"),
            names_issuer: document.get("authorization_response_iss_parameter_supported") == Some(&Value::Bool(true)),
            takes_secret_in_form: takes("client_secret_post") && !takes("client_secret_basic"),
            scopes: texts(document, "scopes_supported"),
        }
    }
}

fn url(document: &Map<String, Value>, name: &str) -> Option<Url> {
    document.get(name).and_then(Value::as_str).and_then(|text| Url::parse(text).ok())
}

fn texts(document: &Map<String, Value>, name: &str) -> Vec<String> {
    let values = document.get(name).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(issuer: &str, document: &Value) -> Result<Discovery, FetchError> {
        Discovery::parse(document.to_string().as_bytes(), &Issuer::parse(issuer).unwrap())
    }

    #[test]
    fn an_issuer_mismatch_names_both_issuers() {
        let document = json!({"issuer": "https://id.example/a/", "jwks_uri": "https://keys.example/x"});
        let error = parse("https://id.example/a", &document).unwrap_err().to_string();
        assert!(error.contains(r#""https://id.example/a""#) && error.contains(r#""https://id.example/a/""#), "{error}");
    }

    #[test]
    fn the_document_must_be_the_issuers_and_its_keys_safe() {
        let read = |document: &Value| parse("https://id.example/a", document).map(|discovery| discovery.keys_at);
        let good = json!({"issuer": "https://id.example/a", "jwks_uri": "https://keys.example/x", "more": [1]});
        assert_eq!(read(&good).unwrap().as_str(), "https://keys.example/x");
        for wrong in [
            json!({"issuer": "https://id.example/a/", "jwks_uri": "https://keys.example/x"}),
            json!({"issuer": "https://id.example", "jwks_uri": "https://keys.example/x"}),
            json!({"issuer": ["https://id.example/a"], "jwks_uri": "https://keys.example/x"}),
            json!({"jwks_uri": "https://keys.example/x"}),
            json!({"issuer": "https://id.example/a"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "/x"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "http://keys.example/x"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "http://127.0.0.1/x"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "file:///etc/passwd"}),
            json!([]),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        assert!(Discovery::parse(b"<html>", &Issuer::parse("https://id.example/a").unwrap()).is_err());
    }

    #[test]
    fn endpoints_that_are_not_safe_are_not_known() {
        let read = |changes: Value| {
            let mut document = json!({"issuer": "https://id.example", "jwks_uri": "https://id.example/jwks"});
            document.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            parse("https://id.example", &document).unwrap().endpoints
        };
        assert_eq!(read(json!({})), Endpoints::default());
        let endpoints = read(json!({
            "authorization_endpoint": "https://id.example/authorize?tenant=a",
            "token_endpoint": "http://127.0.0.1/token",
            "end_session_endpoint": "javascript:alert(1)",
            "scopes_supported": ["openid", "groups", 1],
            "authorization_response_iss_parameter_supported": "true",
        }));
        assert_eq!(endpoints.authorization.unwrap().as_str(), "https://id.example/authorize?tenant=a");
        assert_eq!((endpoints.token, endpoints.end_session, endpoints.names_issuer), (None, None, false));
        assert_eq!(endpoints.scopes, ["openid", "groups"]);
    }

    #[test]
    fn a_secret_goes_into_the_form_only_where_the_header_is_not_taken() {
        for (methods, in_form) in [
            (json!(null), false),
            (json!(["client_secret_basic"]), false),
            (json!(["client_secret_post", "client_secret_basic"]), false),
            (json!(["client_secret_post"]), true),
            (json!(["private_key_jwt"]), false),
        ] {
            let document = json!({
                "issuer": "https://id.example", "jwks_uri": "https://id.example/jwks",
                "token_endpoint_auth_methods_supported": methods,
            });
            assert_eq!(parse("https://id.example", &document).unwrap().endpoints.takes_secret_in_form, in_form);
        }
    }
}
