use std::fmt::Display;

use domain::{ApiKey, FullKey, KeyId, Label, Metadata, RateLimit, Timestamp};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, SchemaType, Type};

/// An API key without its secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyRecord {
    /// Identifies the key. To revoke the key, send this id as `keyId`.
    #[schema(value_type = String, example = "key_01h455vb4pex5vsknk084sn02q")]
    id: Text<KeyId>,
    /// The name that the owner gave the key.
    #[schema(value_type = String, example = "CI deploy")]
    label: Text<Label>,
    /// The start of the full key, followed by an ellipsis.
    #[schema(example = "svc_live_a1B...")]
    prefix: String,
    /// When the key was created: UTC, with milliseconds.
    #[schema(value_type = String, format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: Text<Timestamp>,
    /// When the key was last used; `null` if it was never used.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_used_at: Option<Text<Timestamp>>,
    /// When the key was revoked; `null` if it is not revoked.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    revoked_at: Option<Text<Timestamp>>,
    // A plain key has exactly the six fields above: see decision 4.
    /// When the key expires; absent if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    expires_at: Option<Text<Timestamp>>,
    /// The scopes of the key; absent if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["orders:read"]))]
    scopes: Vec<String>,
    /// The key that replaced this key in a rotation; absent if the key was not rotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    replaced_by: Option<Text<KeyId>>,
    /// Pairs for the application; absent if there are none.
    #[serde(skip_serializing_if = "Metadata::is_empty", serialize_with = "pairs")]
    #[schema(schema_with = metadata_schema, required = false)]
    metadata: Metadata,
    /// How often the key may be used; absent if the limit of its owner's keys holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, example = "100/s")]
    rate_limit: Option<Text<RateLimit>>,
    /// When the key was disabled; absent if it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    disabled_at: Option<Text<Timestamp>>,
    /// The member of the organization who created the key, by the `sub` at the identity provider; absent if the owner is a
    /// user, or no member created the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    created_by: Option<String>,
}

/// A value that is a string in JSON. It is written into the answer without a temporary string, because a list has many.
pub(crate) struct Text<Value>(pub(crate) Value);

impl<Value: Display> Serialize for Text<Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

pub(crate) fn pairs<S: Serializer>(metadata: &Metadata, serializer: S) -> Result<S::Ok, S::Error> {
    metadata.pairs().serialize(serializer)
}

/// The user's keys: every active key and the 100 keys that ended last, newest first.
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
    pub(crate) fn of(key: ApiKey) -> Self {
        Self {
            id: Text(key.id),
            label: Text(key.label),
            prefix: key.prefix,
            created_at: Text(key.created_at),
            last_used_at: key.last_used_at.map(Text),
            revoked_at: key.revoked_at.map(Text),
            expires_at: key.expires_at.map(Text),
            scopes: key.scopes.iter().map(str::to_owned).collect(),
            replaced_by: key.replaced_by.map(Text),
            metadata: key.settings.metadata,
            rate_limit: key.settings.rate_limit.map(Text),
            disabled_at: key.settings.disabled_at.map(Text),
            created_by: key.created_by.map(|member| member.subject().to_owned()),
        }
    }
}

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

/// The schema of metadata.
pub(crate) fn metadata_schema() -> Schema {
    metadata_of(SchemaType::new(Type::Object), SchemaType::new(Type::String))
}

/// The schema of a change of metadata.
pub(crate) fn metadata_patch_schema() -> Schema {
    let or_null = |this| SchemaType::from_iter([this, Type::Null]);
    metadata_of(or_null(Type::Object), or_null(Type::String))
}

fn metadata_of(pairs: SchemaType, values: SchemaType) -> Schema {
    let value = ObjectBuilder::new().schema_type(values).max_length(Some(Metadata::VALUE_LENGTH_MAX));
    let value = value.pattern(Some(Metadata::VALUE_PATTERN)).build();
    let name = ObjectBuilder::new().schema_type(Type::String).pattern(Some(Metadata::NAME_PATTERN)).build();
    ObjectBuilder::new()
        .schema_type(pairs)
        .property_names(Some(name))
        .max_properties(Some(Metadata::PAIRS_MAX))
        .additional_properties(Some(AdditionalProperties::from(Schema::Object(value))))
        .description(Some("Pairs for your application, such as the plan of a customer: at most 2 KiB together"))
        .build()
        .into()
}
