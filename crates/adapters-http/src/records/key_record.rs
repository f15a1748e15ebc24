use domain::{ApiKey, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// An API key without its secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyRecord {
    /// Identifies the key: what `keyId` is when it is revoked.
    #[schema(example = "key_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// What its owner called it.
    #[schema(example = "CI deploy")]
    label: String,
    /// The start of the full key and an ellipsis.
    #[schema(example = "svc_live_a1B...")]
    prefix: String,
    /// When it was created: UTC, with milliseconds.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: String,
    /// When it was last used; `null` when never.
    #[schema(format = DateTime, required)]
    last_used_at: Option<String>,
    /// When it was revoked; `null` while it is not.
    #[schema(format = DateTime, required)]
    revoked_at: Option<String>,
    /// The instant at which it ends by itself; absent when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    expires_at: Option<String>,
    /// What it may be used for; absent when no scope was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["orders:read"]))]
    scopes: Vec<String>,
    /// The key that it was rotated into; absent when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    replaced_by: Option<String>,
}

/// The keys of the caller: every active one and the 100 that ended last, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyList {
    /// The keys.
    pub(crate) keys: Vec<KeyRecord>,
}

impl KeyList {
    pub(crate) fn of(keys: Vec<ApiKey>) -> Self {
        Self { keys: keys.into_iter().map(KeyRecord::of).collect() }
    }
}

impl KeyRecord {
    fn of(key: ApiKey) -> Self {
        let text = |at: Timestamp| at.to_string();
        Self {
            id: key.id.to_string(),
            label: key.label.to_string(),
            prefix: key.prefix,
            created_at: key.created_at.to_string(),
            last_used_at: key.last_used_at.map(text),
            revoked_at: key.revoked_at.map(text),
            expires_at: key.expires_at.map(text),
            scopes: key.scopes.iter().map(str::to_owned).collect(),
            replaced_by: key.replaced_by.map(|id| id.to_string()),
        }
    }
}
