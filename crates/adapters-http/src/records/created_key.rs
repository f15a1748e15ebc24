use domain::{ApiKey, FullKey, KeyId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::key_record::{KeyList, KeyRecord};

/// The new key, which is shown only this once, and the user's list of keys.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedApiKey)]
pub(crate) struct CreatedKey {
    /// The full key. There is no way to retrieve it later.
    #[schema(example = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O")]
    key: String,
    /// The new key's id.
    #[schema(example = "key_01h455vb4pex5vsknk084sn02q")]
    key_id: String,
    /// The user's keys, including the new key, newest first.
    keys: Vec<KeyRecord>,
}

impl CreatedKey {
    pub(crate) fn of(full_key: &FullKey, id: KeyId, keys: Vec<ApiKey>) -> Self {
        Self { key: full_key.expose().to_owned(), key_id: id.to_string(), keys: KeyList::of(keys).keys }
    }
}
