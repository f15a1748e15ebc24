//! Values that the tests of several modules need.

use std::time::Duration;

use zeroize::Zeroizing;

use crate::webhooks::{AnswerHeaders, AttemptRecord, FailureReason};
use crate::{ApiKey, KeyId, KeySettings, Label, OwnerId, Scopes, SealingKeys, Timestamp};

pub(crate) fn at(unix_millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(unix_millis).unwrap()
}

/// A key that does not end.
pub(crate) fn key() -> ApiKey {
    ApiKey {
        id: KeyId::from_bytes([0; 16]),
        owner: OwnerId::new("https://id.example", "alice").unwrap(),
        label: Label::parse("CI").unwrap(),
        prefix: "svc_live_abc...".into(),
        created_at: at(1),
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::default(),
        replaced_by: None,
        settings: KeySettings::default(),
        created_by: None,
    }
}

/// Sealing keys of equal bytes, newest first.
pub(crate) fn sealing_keys(bytes: &[u8]) -> SealingKeys {
    SealingKeys::new(bytes.iter().map(|byte| Zeroizing::new([*byte; 32])).collect()).unwrap()
}

/// An attempt of 5 ms from millisecond 10 on.
pub(crate) fn attempt(failure: Option<FailureReason>) -> AttemptRecord {
    AttemptRecord {
        number: 1,
        started_at: at(10),
        duration: Duration::from_millis(5),
        failure,
        status: None,
        headers: AnswerHeaders::default(),
        excerpt: Vec::new(),
    }
}
