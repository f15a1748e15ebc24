use std::time::Duration;

use serde_json::json;

use super::scopes::Scopes;

const REALM: &str = r#"Bearer realm="api""#;
/// `Retry-After` when the end of the outage is unknown.
const RETRY_AFTER_SECONDS: u64 = 1;

/// Why a request is refused. [`Refusal::status`], [`Refusal::headers`] and [`Refusal::body`] are the HTTP answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The request has no API key: 401.
    Missing,
    /// The key is unknown, revoked, expired or malformed, or the request has several different keys: 401. The answer
    /// does not say which.
    Invalid,
    /// The key is valid, but lacks one of these scopes: 403.
    MissingScope(Scopes),
    /// The key is valid, but over its rate limit: 429.
    RateLimited {
        /// How long the caller must wait.
        retry_after: Duration,
    },
    /// Gatepost does not answer, and the cache has no answer that is recent enough: 503.
    Unavailable,
}

impl Refusal {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Missing | Self::Invalid => 401,
            Self::MissingScope(_) => 403,
            Self::RateLimited { .. } => 429,
            Self::Unavailable => 503,
        }
    }

    /// The headers: lower-case names and values.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers =
            vec![("content-type", "application/problem+json".to_owned()), ("cache-control", "no-store".to_owned())];
        match self {
            Self::Missing => headers.push(("www-authenticate", REALM.to_owned())),
            Self::Invalid => headers.push(("www-authenticate", format!(r#"{REALM}, error="invalid_token""#))),
            Self::MissingScope(required) => {
                let scope = required.in_quotes();
                headers.push(("www-authenticate", format!(r#"{REALM}, error="insufficient_scope", scope="{scope}""#)));
            }
            Self::RateLimited { retry_after } => {
                headers.push(("retry-after", whole_seconds(*retry_after).to_string()));
            }
            Self::Unavailable => headers.push(("retry-after", RETRY_AFTER_SECONDS.to_string())),
        }
        headers
    }

    /// A problem document (RFC 9457) with the same `code` that Gatepost uses.
    pub fn body(&self) -> String {
        let (code, title, detail) = self.texts();
        let problem =
            json!({ "type": "about:blank", "title": title, "status": self.status(), "detail": detail, "code": code });
        problem.to_string()
    }

    fn texts(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Missing => (
                "credential_missing",
                "Unauthorized",
                "The request needs an API key in the header x-api-key, or as Authorization: Bearer.",
            ),
            Self::Invalid => ("credential_invalid", "Unauthorized", "The API key is not valid."),
            Self::MissingScope(_) => ("insufficient_scope", "Forbidden", "The API key lacks a scope."),
            Self::RateLimited { .. } => ("rate_limited", "Too Many Requests", "The API key is over its rate limit."),
            Self::Unavailable => (
                "unavailable",
                "Service Unavailable",
                "API keys cannot be verified at the moment. The key may be valid.",
            ),
        }
    }
}

/// Rounded up, and at least one, so that the caller never waits too little.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_says_in_http_what_it_is() {
        let scope = Refusal::MissingScope(Scopes::parse("orders:read orders:write"));
        let limited = |millis| Refusal::RateLimited { retry_after: Duration::from_millis(millis) };
        for (refusal, status, name, value, code) in [
            (Refusal::Missing, 401, "www-authenticate", r#"Bearer realm="api""#, "credential_missing"),
            (
                Refusal::Invalid,
                401,
                "www-authenticate",
                r#"Bearer realm="api", error="invalid_token""#,
                "credential_invalid",
            ),
            (
                scope,
                403,
                "www-authenticate",
                r#"Bearer realm="api", error="insufficient_scope", scope="orders:read orders:write""#,
                "insufficient_scope",
            ),
            (limited(0), 429, "retry-after", "1", "rate_limited"),
            (limited(7_001), 429, "retry-after", "8", "rate_limited"),
            (Refusal::Unavailable, 503, "retry-after", "1", "unavailable"),
        ] {
            let headers = refusal.headers();
            assert_eq!(refusal.status(), status);
            assert!(headers.contains(&("content-type", "application/problem+json".to_owned())));
            assert!(headers.contains(&("cache-control", "no-store".to_owned())));
            assert!(headers.contains(&(name, value.to_owned())), "{headers:?}");
            let body: serde_json::Value = serde_json::from_str(&refusal.body()).unwrap();
            assert_eq!((&body["status"], &body["code"]), (&json!(status), &json!(code)));
        }
    }
}
