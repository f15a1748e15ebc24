use std::fmt;

/// The stable name of a kind of error: the `code` of a problem document. Discriminants index [`ENTRIES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    CredentialMissing,
    CredentialInvalid,
    BadRequest,
    InvalidJson,
    InvalidField,
    ApiKeyLimitReached,
    InsufficientScope,
    KeyNotOwned,
    KeyNotFound,
    NotFound,
    MethodNotAllowed,
    KeyNotRotatable,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited,
    InternalError,
    Unavailable,
}

impl ErrorCode {
    /// What is written about the code.
    pub(crate) fn entry(self) -> &'static ErrorEntry {
        &ENTRIES[self as usize]
    }

    /// The code of an error that the framework answered with this status.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            404 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            408 => Self::RequestTimeout,
            413 => Self::PayloadTooLarge,
            415 => Self::UnsupportedMediaType,
            503 => Self::Unavailable,
            500.. => Self::InternalError,
            _ => Self::BadRequest,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.entry().code)
    }
}

/// What is written about an error code: in every problem document, and on its page under `/docs/errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorEntry {
    /// The code.
    pub code: &'static str,
    /// The HTTP status that it comes with.
    pub status: u16,
    /// What it says, in a few words.
    pub title: &'static str,
    /// What leads to it.
    pub cause: &'static str,
    /// What to do about it.
    pub cure: &'static str,
}

/// Every error code, by status.
pub fn error_reference() -> &'static [ErrorEntry] {
    &ENTRIES
}

static ENTRIES: [ErrorEntry; 18] = [
    ErrorEntry {
        code: "credential_missing",
        status: 401,
        title: "No credential was given",
        cause: "The request carries no credential where this path looks for one. A scheme other than Bearer in \
                Authorization is none.",
        cure: "Key management takes an ID token from Authorization: Bearer, from x-id-token, or from the JSON field \
               idToken. Every other path takes an API key (x-api-key, or Authorization: Bearer) or an ID token \
               (Authorization: Bearer, or x-id-token). The operator API \
               takes the operator token from Authorization: Bearer.",
    },
    ErrorEntry {
        code: "credential_invalid",
        status: 401,
        title: "The credential is not valid",
        cause: "An API key that is unknown, revoked, expired or malformed; an ID token that is expired, not for this \
                service, or not signed by its identity provider; several credentials that differ; an API key where \
                only an ID token is accepted; or, in the operator API, anything but the operator token.",
        cure: "Send one credential. Ask the identity provider for a fresh ID token, or create a new API key. Keys are \
               managed with an ID token only.",
    },
    ErrorEntry {
        code: "bad_request",
        status: 400,
        title: "The request cannot be understood",
        cause: "The request is not one that this path can take; for instance its body broke off, or its encoding is \
                damaged. The status says more.",
        cure: "Send the request again. If it fails again, look at the client or the proxy that wrote it.",
    },
    ErrorEntry {
        code: "invalid_json",
        status: 400,
        title: "The body is not the JSON that is needed",
        cause: "The body is not valid JSON, is not an object, or names a field twice.",
        cure: "Send one JSON object in UTF-8, with each field once.",
    },
    ErrorEntry {
        code: "invalid_field",
        status: 400,
        title: "A field is missing or not valid",
        cause: "The fields listed in errors are missing, of the wrong type, or outside what is allowed.",
        cure: "Correct each field that errors names.",
    },
    ErrorEntry {
        code: "api_key_limit_reached",
        status: 400,
        title: "The maximum of active API keys is reached",
        cause: "The user has as many active keys as API_KEYS_MAX_ACTIVE allows. Revoked and expired keys do not count.",
        cure: "Revoke a key that is no longer used, then create the new one.",
    },
    ErrorEntry {
        code: "insufficient_scope",
        status: 403,
        title: "The API key lacks a scope",
        cause: "The API key is good, but was not given every scope that this call needs: the WWW-Authenticate header \
                names them.",
        cure: "Use a key that has these scopes. What a key may be used for is fixed when it is created.",
    },
    ErrorEntry {
        code: "key_not_owned",
        status: 403,
        title: "The API key belongs to another user",
        cause: "The keyId names a key of another user than the one whom the ID token, or the path of an operator's \
                call, names.",
        cure: "Use an ID token of the key's owner, or a keyId from your own list.",
    },
    ErrorEntry {
        code: "key_not_found",
        status: 404,
        title: "No API key has this id",
        cause: "The keyId names no key: it is mistyped, or the key ended long ago and was deleted.",
        cure: "Take the id from the list of keys. The preview (prefix) and the full key are not ids.",
    },
    ErrorEntry {
        code: "not_found",
        status: 404,
        title: "Nothing is at this path",
        cause: "No endpoint has this path.",
        cure: "Compare the path with /docs. Paths carry no version and no slash at the end.",
    },
    ErrorEntry {
        code: "method_not_allowed",
        status: 405,
        title: "The method is not allowed here",
        cause: "The path exists, but not for this method.",
        cure: "Use one of the methods in the Allow header.",
    },
    ErrorEntry {
        code: "key_not_rotatable",
        status: 409,
        title: "The API key cannot be rotated as it is",
        cause: "The key is revoked, has expired, or was rotated already; or as many keys as may be active are being \
                replaced.",
        cure: "Rotate the key that it was replaced by, or create a new one. Revoke keys that are being replaced and no \
               longer used.",
    },
    ErrorEntry {
        code: "request_timeout",
        status: 408,
        title: "The request took too long to arrive",
        cause: "The body did not arrive in time.",
        cure: "Send the request again, over a connection that keeps up.",
    },
    ErrorEntry {
        code: "payload_too_large",
        status: 413,
        title: "The body is too large",
        cause: "The body is larger than this path takes.",
        cure: "Send less. The calls that manage keys take 16 KiB, a report of leaks 256 KiB.",
    },
    ErrorEntry {
        code: "unsupported_media_type",
        status: 415,
        title: "The media type is not taken here",
        cause: "The Content-Type is missing or other than application/json, or the body is compressed. \
                Introspection takes application/x-www-form-urlencoded as well.",
        cure: "Send Content-Type: application/json, without Content-Encoding.",
    },
    ErrorEntry {
        code: "rate_limited",
        status: 429,
        title: "The API key is used too often",
        cause: "The key has spent its allowance: RateLimit-Policy says how many uses there are in how many seconds.",
        cure: "Wait for the seconds that Retry-After names. Spread the calls, or ask the operator for another limit.",
    },
    ErrorEntry {
        code: "internal_error",
        status: 500,
        title: "Something is wrong on our side",
        cause: "A fault of the service. Nothing more is said here; the log has it under the requestId.",
        cure: "Try again later. If it stays, give the operator the requestId.",
    },
    ErrorEntry {
        code: "unavailable",
        status: 503,
        title: "The service is not available now",
        cause: "The database or the identity provider cannot be reached or is too slow, or the service is shutting \
                down. It says nothing about the credential.",
        cure: "Send the request again after the seconds that Retry-After names. After a failed creation, list the \
               keys first: the key may have been stored.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_codes() {
        let order = [
            (ErrorCode::CredentialMissing, "credential_missing"),
            (ErrorCode::CredentialInvalid, "credential_invalid"),
            (ErrorCode::BadRequest, "bad_request"),
            (ErrorCode::InvalidJson, "invalid_json"),
            (ErrorCode::InvalidField, "invalid_field"),
            (ErrorCode::ApiKeyLimitReached, "api_key_limit_reached"),
            (ErrorCode::InsufficientScope, "insufficient_scope"),
            (ErrorCode::KeyNotOwned, "key_not_owned"),
            (ErrorCode::KeyNotFound, "key_not_found"),
            (ErrorCode::NotFound, "not_found"),
            (ErrorCode::MethodNotAllowed, "method_not_allowed"),
            (ErrorCode::KeyNotRotatable, "key_not_rotatable"),
            (ErrorCode::RequestTimeout, "request_timeout"),
            (ErrorCode::PayloadTooLarge, "payload_too_large"),
            (ErrorCode::UnsupportedMediaType, "unsupported_media_type"),
            (ErrorCode::RateLimited, "rate_limited"),
            (ErrorCode::InternalError, "internal_error"),
            (ErrorCode::Unavailable, "unavailable"),
        ];
        assert_eq!(order.len(), ENTRIES.len());
        for (code, name) in order {
            assert_eq!(code.to_string(), name);
        }
    }

    #[test]
    fn a_status_of_the_framework_has_a_code_of_that_status() {
        for status in [404, 405, 408, 413, 415, 500, 503] {
            assert_eq!(ErrorCode::of_status(status).entry().status, status);
        }
    }
}
