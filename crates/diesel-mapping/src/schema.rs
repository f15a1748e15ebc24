//! The tables, as the migrations in `migrations/` leave them.
#![expect(
    missing_docs,
    reason = "`table!` generates undocumented items; the columns are documented in `domain::ApiKey`"
)]

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::sql_types::Instant;

    api_keys (owner_issuer, owner_subject, id) {
        id -> Binary,
        digest -> Binary,
        owner_issuer -> Text,
        owner_subject -> Text,
        label -> Text,
        prefix -> Text,
        created_at -> Instant,
        last_used_at -> Nullable<Instant>,
        expires_at -> Nullable<Instant>,
        revoked_at -> Nullable<Instant>,
        scopes -> Text,
        replaced_by -> Nullable<Binary>,
    }
}

diesel::table! {
    key_owners (owner_issuer, owner_subject) {
        owner_issuer -> Text,
        owner_subject -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Text};
    use crate::sql_types::Instant;

    /// On Postgres only.
    key_changes (changed_at, digest, kind) {
        changed_at -> Instant,
        digest -> Binary,
        kind -> Text,
    }
}

diesel::table! {
    write_probes (id) {
        id -> BigInt,
        writes -> BigInt,
    }
}

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

pub use __diesel_schema_migrations as schema_migrations;
