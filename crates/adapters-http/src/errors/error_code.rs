use std::fmt;

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
    ENTRIES
}

/// The one place to add an error: the problem document, the page under `/docs/errors` and the responses of the OpenAPI
/// document follow from the table.
macro_rules! error_codes {
    ($($variant:ident = $status:literal $code:literal { title: $title:expr, cause: $cause:expr, cure: $cure:expr, })*) => {
        /// The stable name of a kind of error: the `code` of a problem document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ErrorCode {
            $($variant),*
        }

        /// In the order of the codes: their discriminants are its indices.
        const ENTRIES: &[ErrorEntry] =
            &[$(ErrorEntry { code: $code, status: $status, title: $title, cause: $cause, cure: $cure }),*];
    };
}

error_codes! {
    CredentialMissing = 401 "credential_missing" {
        title: "No credential was given",
        cause: "The request carries no credential where this path looks for one. A scheme other than Bearer in \
                Authorization is none.",
        cure: "Key management takes an ID token from Authorization: Bearer, from x-id-token, or from the JSON field \
               idToken. Every other path takes an API key (x-api-key, or Authorization: Bearer) or an ID token \
               (Authorization: Bearer, or x-id-token). The operator API \
               takes the operator token from Authorization: Bearer.",
    }
    CredentialInvalid = 401 "credential_invalid" {
        title: "The credential is not valid",
        cause: "An API key that is unknown, revoked, expired or malformed; an ID token that is expired, not for this \
                service, or not signed by its identity provider; several credentials that differ; an API key where \
                only an ID token is accepted; or, in the operator API, anything but the operator token.",
        cure: "Send one credential. Ask the identity provider for a fresh ID token, or create a new API key. Keys are \
               managed with an ID token only.",
    }
    BadRequest = 400 "bad_request" {
        title: "The request cannot be understood",
        cause: "The request is not one that this path can take; for instance its body broke off, or its encoding is \
                damaged. The status says more.",
        cure: "Send the request again. If it fails again, look at the client or the proxy that wrote it.",
    }
    InvalidJson = 400 "invalid_json" {
        title: "The body is not the JSON that is needed",
        cause: "The body is not valid JSON, is not an object, or names a field twice.",
        cure: "Send one JSON object in UTF-8, with each field once.",
    }
    InvalidField = 400 "invalid_field" {
        title: "A field is missing or not valid",
        cause: "The fields listed in errors are missing, of the wrong type, or outside what is allowed.",
        cure: "Correct each field that errors names.",
    }
    ApiKeyLimitReached = 400 "api_key_limit_reached" {
        title: "The maximum of active API keys is reached",
        cause: "The user has as many active keys as API_KEYS_MAX_ACTIVE allows. Revoked and expired keys do not count.",
        cure: "Revoke a key that is no longer used, then create the new one.",
    }
    SubscriptionLimitReached = 400 "subscription_limit_reached" {
        title: "The maximum of webhook subscriptions is reached",
        cause: "The user has as many subscriptions as WEBHOOK_MAX_SUBSCRIPTIONS allows. Disabled ones count, deleted ones do not.",
        cure: "Delete a subscription that is no longer used, then create the new one. One subscription can ask for up to 100 \
               event types and patterns.",
    }
    InsufficientScope = 403 "insufficient_scope" {
        title: "The API key lacks a scope",
        cause: "The API key is good, but was not given every scope that this call needs: the WWW-Authenticate header \
                names them.",
        cure: "Use a key that has these scopes. What a key may be used for is fixed when it is created.",
    }
    KeyNotOwned = 403 "key_not_owned" {
        title: "The API key belongs to another user",
        cause: "The keyId names a key of another user than the one whom the ID token, or the path of an operator's \
                call, names.",
        cure: "Use an ID token of the key's owner, or a keyId from your own list.",
    }
    KeyNotFound = 404 "key_not_found" {
        title: "No API key has this id",
        cause: "The keyId names no key: it is mistyped, or the key ended long ago and was deleted.",
        cure: "Take the id from the list of keys. The preview (prefix) and the full key are not ids.",
    }
    SubscriptionNotFound = 404 "subscription_not_found" {
        title: "No webhook subscription has this id",
        cause: "The id names no subscription of the caller: it is mistyped, the subscription was deleted, or it is another user's.",
        cure: "Take the id from the list of subscriptions, with a credential of the user who created it.",
    }
    DeliveryNotFound = 404 "delivery_not_found" {
        title: "No delivery has this id",
        cause: "The id names no delivery to a subscription of the caller: it is mistyped, the delivery is older than \
                WEBHOOK_RETENTION_DAYS and was deleted, or it is another user's.",
        cure: "Take the id from the list of deliveries, with a credential of the user who created the subscription.",
    }
    NotFound = 404 "not_found" {
        title: "Nothing is at this path",
        cause: "No endpoint has this path.",
        cure: "Compare the path with /docs. Paths carry no version and no slash at the end.",
    }
    MethodNotAllowed = 405 "method_not_allowed" {
        title: "The method is not allowed here",
        cause: "The path exists, but not for this method.",
        cure: "Use one of the methods in the Allow header.",
    }
    KeyNotRotatable = 409 "key_not_rotatable" {
        title: "The API key cannot be rotated as it is",
        cause: "The key is revoked, has expired, or was rotated already; or as many keys as may be active are being \
                replaced.",
        cure: "Rotate the key that it was replaced by, or create a new one. Revoke keys that are being replaced and no \
               longer used.",
    }
    SubscriptionDisabled = 409 "subscription_disabled" {
        title: "The subscription is disabled",
        cause: "The subscription is disabled, by its owner or by the service, or it was deleted: nothing is sent to it.",
        cure: "Look at its health for the reason. Enable it (PATCH with enabled true), or recover it, which also brings back \
               what failed.",
    }
    EventTooOld = 409 "event_too_old" {
        title: "The event is too old to be delivered again",
        cause: "The event would be deleted (WEBHOOK_RETENTION_DAYS) before another run of the retry schedule ends.",
        cure: "Have the event published anew, under another id.",
    }
    EventConflict = 409 "event_conflict" {
        title: "The id stands for another event",
        cause: "An event of this user was published under this id before, with another type or other data. Data is compared \
                byte for byte. Nothing of the request was accepted; errors names the event.",
        cure: "Give each event an id of its own, and send the very same bytes when repeating one.",
    }
    RequestTimeout = 408 "request_timeout" {
        title: "The request took too long to arrive",
        cause: "The body did not arrive in time.",
        cure: "Send the request again, over a connection that keeps up.",
    }
    PayloadTooLarge = 413 "payload_too_large" {
        title: "The body is too large",
        cause: "The body is larger than this path takes, or an event makes a payload of more than \
                WEBHOOK_MAX_PAYLOAD_BYTES.",
        cure: "Send less. Publishing takes the largest payload and 16 KiB, a batch 8 MiB, a report of leaks 256 KiB, \
               every other call 16 KiB. In place of large data, send where to fetch it.",
    }
    UnsupportedMediaType = 415 "unsupported_media_type" {
        title: "The media type is not taken here",
        cause: "The Content-Type is missing or other than application/json, or the body is compressed. \
                Introspection takes application/x-www-form-urlencoded as well.",
        cure: "Send Content-Type: application/json, without Content-Encoding.",
    }
    RateLimited = 429 "rate_limited" {
        title: "The API key is used too often",
        cause: "The key has spent its allowance: RateLimit-Policy says how many uses there are in how many seconds.",
        cure: "Wait for the seconds that Retry-After names. Spread the calls, or ask the operator for another limit.",
    }
    InternalError = 500 "internal_error" {
        title: "Something is wrong on our side",
        cause: "A fault of the service. Nothing more is said here; the log has it under the requestId.",
        cure: "Try again later. If it stays, give the operator the requestId.",
    }
    Unavailable = 503 "unavailable" {
        title: "The service is not available now",
        cause: "The database or the identity provider cannot be reached or is too slow, or the service is shutting \
                down. It says nothing about the credential.",
        cure: "Send the request again after the seconds that Retry-After names. After a failed creation, list the \
               keys or subscriptions first: it may have been stored. Publish an event again under the same id.",
    }
    TooManyStreams = 503 "too_many_streams" {
        title: "Too many event streams are open",
        cause: "The user, or all users together, have as many streams of attempts open as this instance serves.",
        cure: "Close streams that are no longer read, and try again after the seconds that Retry-After names. One stream tells \
               of all subscriptions.",
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_of_the_framework_has_a_code_of_that_status() {
        for status in [404, 405, 408, 413, 415, 500, 503] {
            assert_eq!(ErrorCode::of_status(status).entry().status, status);
        }
    }
}
