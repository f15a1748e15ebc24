//! The tables, as the migrations in `migrations/` leave them.
#![expect(missing_docs, reason = "`table!` generates undocumented items; the columns are documented in `domain`")]

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::sql_types::Instant;

    api_keys (id) {
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
        settings -> Nullable<Text>,
        created_by -> Nullable<Text>,
        /// Generated.
        ends_at -> Instant,
    }
}

diesel::table! {
    key_owners (owner_issuer, owner_subject) {
        owner_issuer -> Text,
        owner_subject -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::Instant;

    owners (owner_issuer, owner_subject) {
        owner_issuer -> Text,
        owner_subject -> Text,
        number -> BigInt,
        name -> Nullable<Text>,
        email -> Nullable<Text>,
        /// JSON.
        metadata -> Nullable<Text>,
        max_active_keys -> Nullable<BigInt>,
        max_subscriptions -> Nullable<BigInt>,
        suspended_at -> Nullable<Instant>,
        reason -> Nullable<Text>,
        rested_until -> Nullable<Instant>,
        /// `provider` or `both`; NULL for a suspension by the host.
        suspended_by -> Nullable<Text>,
        erasing_since -> Nullable<Instant>,
        key_rate_limit -> Nullable<Text>,
        request_rate_limit -> Nullable<Text>,
        seen_at -> Nullable<Instant>,
        suspends_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::sql_types::Instant;

    webhook_subscriptions (owner_issuer, owner_subject, id) {
        id -> Binary,
        owner_issuer -> Text,
        owner_subject -> Text,
        url -> Text,
        events -> Text,
        description -> Text,
        status -> Text,
        url_set_by -> Nullable<Binary>,
        secret -> Nullable<Binary>,
        previous_secret -> Nullable<Binary>,
        previous_secret_until -> Nullable<Instant>,
        created_at -> Instant,
        updated_at -> Instant,
        deleted_at -> Nullable<Instant>,
        created_by -> Nullable<Text>,
        options -> Nullable<Text>,
        filter -> Nullable<Text>,
    }
}

diesel::table! {
    webhook_patterns (owner_issuer, owner_subject, pattern, subscription_id) {
        owner_issuer -> Text,
        owner_subject -> Text,
        pattern -> Text,
        subscription_id -> Binary,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Bool, Nullable};
    use crate::sql_types::Instant;

    webhook_lanes (subscription_id) {
        subscription_id -> Binary,
        owner -> BigInt,
        is_open -> Bool,
        ready_at -> Nullable<Instant>,
        /// Exists on Postgres only.
        wakes -> BigInt,
        failures_in_a_row -> BigInt,
        failing_since -> Nullable<Instant>,
        paused_until -> Nullable<Instant>,
        pause_millis -> BigInt,
        rests_until -> Nullable<Instant>,
        last_sequence -> Nullable<BigInt>,
        is_pulled -> Bool,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::sql_types::Instant;

    webhook_events (id) {
        id -> Binary,
        owner_issuer -> Text,
        owner_subject -> Text,
        event_type -> Text,
        created_at -> Instant,
        deliveries -> BigInt,
        trace -> Nullable<Binary>,
        payload -> Binary,
    }
}

diesel::table! {
    webhook_publications (owner_issuer, owner_subject, publisher_id) {
        owner_issuer -> Text,
        owner_subject -> Text,
        publisher_id -> Text,
        content -> Binary,
        event_id -> Binary,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, SmallInt};
    use crate::sql_types::Instant;

    webhook_due (subscription_id, delivery_id) {
        subscription_id -> Binary,
        delivery_id -> Binary,
        event_id -> Binary,
        phase -> SmallInt,
        due_at -> Instant,
        claim -> Nullable<BigInt>,
        /// Exists on Postgres only.
        claimed_until -> Nullable<Instant>,
        attempts -> BigInt,
        attempts_before_run -> BigInt,
        run_started_at -> Instant,
        sequence -> Nullable<BigInt>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Text};
    use crate::sql_types::Instant;

    webhook_deliveries (subscription_id, id) {
        subscription_id -> Binary,
        id -> Binary,
        event_id -> Binary,
        event_type -> Text,
        ended -> Text,
        ended_at -> Instant,
        attempts -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::sql_types::Instant;

    webhook_attempts (subscription_id, delivery_id, number) {
        subscription_id -> Binary,
        delivery_id -> Binary,
        number -> BigInt,
        event_id -> Binary,
        started_at -> Instant,
        ended_at -> Instant,
        failure -> Nullable<Text>,
        status -> Nullable<BigInt>,
        headers -> Nullable<Text>,
        excerpt -> Binary,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary};

    webhook_pulled (subscription_id, sequence) {
        subscription_id -> Binary,
        sequence -> BigInt,
        event_id -> Binary,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::sql_types::Instant;

    webhook_consumers (subscription_id, name) {
        subscription_id -> Binary,
        name -> Text,
        position -> BigInt,
        lease -> Nullable<BigInt>,
        leased_through -> Nullable<BigInt>,
        leased_until -> Nullable<Instant>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(api_keys, usage_by_hour);
diesel::allow_tables_to_appear_in_same_query!(api_keys, owners);
diesel::allow_tables_to_appear_in_same_query!(owners, sessions);

diesel::allow_tables_to_appear_in_same_query!(
    deliveries_by_hour,
    owners,
    webhook_attempts,
    webhook_consumers,
    webhook_deliveries,
    webhook_due,
    webhook_events,
    webhook_lanes,
    webhook_patterns,
    webhook_publications,
    webhook_pulled,
    webhook_subscriptions,
);

diesel::table! {
    write_probes (id) {
        id -> BigInt,
        writes -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::sql_types::Instant;

    sessions (owner_issuer, owner_subject, id) {
        id -> Binary,
        digest -> Binary,
        owner_issuer -> Text,
        owner_subject -> Text,
        role -> Text,
        created_at -> Instant,
        seen_at -> Instant,
        expires_at -> Instant,
        user_agent -> Nullable<Text>,
        address -> Nullable<Text>,
        memberships -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Bool, Nullable, Text};

    audit_events (id) {
        id -> Binary,
        owner_issuer -> Text,
        owner_subject -> Text,
        actor -> Text,
        actor_issuer -> Nullable<Text>,
        actor_name -> Nullable<Text>,
        means -> Text,
        action -> Text,
        target -> Text,
        /// JSON.
        changes -> Text,
        request_id -> Nullable<Text>,
        address -> Nullable<Text>,
        to_announce -> Bool,
    }
}

diesel::table! {
    usage_by_hour (hour, key_id) {
        hour -> BigInt,
        key_id -> Binary,
        good -> BigInt,
        limited -> BigInt,
        refused -> BigInt,
    }
}

diesel::table! {
    deliveries_by_hour (hour, subscription_id) {
        hour -> BigInt,
        subscription_id -> Binary,
        delivered -> BigInt,
        retried -> BigInt,
        exhausted -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::sql_types::Instant;

    event_types (name) {
        name -> Text,
        title -> Text,
        description -> Text,
        schema -> Nullable<Text>,
        /// JSON.
        examples -> Text,
        validation -> Text,
        visibility -> Text,
        deprecated_since -> Nullable<Instant>,
        replacement -> Nullable<Text>,
        archived -> Bool,
        version -> BigInt,
        updated_at -> Instant,
        revision -> BigInt,
    }
}

diesel::table! {
    encryption_checks (id) {
        id -> Integer,
        sealed -> Binary,
    }
}

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

pub use __diesel_schema_migrations as schema_migrations;
