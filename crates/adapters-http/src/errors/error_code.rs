use std::fmt;

use crate::errors::error_reference::{ENTRIES, ErrorEntry};

/// The stable name of a kind of error: the `code` of a problem document. Discriminants index [`ENTRIES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    CredentialMissing,
    CredentialInvalid,
    BadRequest,
    InvalidJson,
    InvalidField,
    ApiKeyLimitReached,
    SubscriptionLimitReached,
    InsufficientScope,
    KeyNotOwned,
    KeyNotFound,
    SubscriptionNotFound,
    DeliveryNotFound,
    NotFound,
    MethodNotAllowed,
    KeyNotRotatable,
    SubscriptionDisabled,
    EventTooOld,
    EventConflict,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited,
    InternalError,
    Unavailable,
    TooManyStreams,
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
    fn the_table_is_in_the_order_of_the_codes() {
        let order = [
            (ErrorCode::CredentialMissing, "credential_missing"),
            (ErrorCode::CredentialInvalid, "credential_invalid"),
            (ErrorCode::BadRequest, "bad_request"),
            (ErrorCode::InvalidJson, "invalid_json"),
            (ErrorCode::InvalidField, "invalid_field"),
            (ErrorCode::ApiKeyLimitReached, "api_key_limit_reached"),
            (ErrorCode::SubscriptionLimitReached, "subscription_limit_reached"),
            (ErrorCode::InsufficientScope, "insufficient_scope"),
            (ErrorCode::KeyNotOwned, "key_not_owned"),
            (ErrorCode::KeyNotFound, "key_not_found"),
            (ErrorCode::SubscriptionNotFound, "subscription_not_found"),
            (ErrorCode::DeliveryNotFound, "delivery_not_found"),
            (ErrorCode::NotFound, "not_found"),
            (ErrorCode::MethodNotAllowed, "method_not_allowed"),
            (ErrorCode::KeyNotRotatable, "key_not_rotatable"),
            (ErrorCode::SubscriptionDisabled, "subscription_disabled"),
            (ErrorCode::EventTooOld, "event_too_old"),
            (ErrorCode::EventConflict, "event_conflict"),
            (ErrorCode::RequestTimeout, "request_timeout"),
            (ErrorCode::PayloadTooLarge, "payload_too_large"),
            (ErrorCode::UnsupportedMediaType, "unsupported_media_type"),
            (ErrorCode::RateLimited, "rate_limited"),
            (ErrorCode::InternalError, "internal_error"),
            (ErrorCode::Unavailable, "unavailable"),
            (ErrorCode::TooManyStreams, "too_many_streams"),
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
