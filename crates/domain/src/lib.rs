//! The rules of Gatepost: the life of API keys, the time for which a browser stays signed in, and the publication,
//! queue, signatures and delivery of webhooks.
//!
//! The rules read no clock and no environment, draw no randomness, and speak no HTTP or SQL: they call adapters through
//! [`ports`]. Adapter authors read that module, and [`memory`] for the shortest correct implementation.

pub mod announcements;
pub mod audit;
mod by_hour;
pub mod catalogue;
mod closest_name;
mod credential_digest;
mod credential_use;
mod failures_in_a_row;
mod home;
mod keys;
mod leaked_keys;
mod log_control;
pub mod memory;
mod metadata;
mod named;
pub mod organizations;
mod owner_id;
mod owners;
mod patch;
mod patterns;
mod placement;
pub mod ports;
mod purges;
mod sealing_keys;
pub mod sessions;
mod span;
#[cfg(test)]
mod test_samples;
mod timestamp;
mod trace_context;
mod tracer;
mod type_id;
mod webhook_access;
pub mod webhooks;

pub use by_hour::{COUNTS_KEPT, HOURS_READ_MAX, Hour, HourRange, InHour};
pub use closest_name::closest_name;
pub use credential_digest::CredentialDigest;
pub use credential_use::CredentialUse;
pub use failures_in_a_row::{FailuresInARow, Streak};
pub use home::Home;
pub use keys::api_key::{ApiKey, KeySettings, KeyUse};
pub use keys::change_key::ChangeKeyError;
pub use keys::create_key::{CreateKey, CreateKeyError, CreatedKey};
pub use keys::daily_uses::{DailyUses, KEYS_WITH_USES_MAX, USE_DAYS};
pub use keys::full_key::{FullKey, has_valid_check, is_mistyped};
pub use keys::key_change::{KeyChange, KeyChangeRefusal, RateLimitTooHigh};
pub use keys::key_policy::{InvalidExpiry, InvalidKeyPolicy, KeyPolicy, KeyPolicyField, KeyPolicySettings};
pub use keys::key_rotation::{KeyRotation, Rotated, RotationRefusal};
pub use keys::key_usage::{KeyUsage, UsageCounts};
pub use keys::label::{InvalidLabel, Label};
pub use keys::list_view::{LISTED_ENDED_KEYS_MAX, ListView};
pub use keys::rate_limit::{InvalidRateLimit, RateLimit};
pub use keys::report_leaks::{LEAKS_MAX, ReportLeaksError};
pub use keys::revoke_key::{REVOKE_BATCH_MAX, RevokeKeyError};
pub use keys::rotate_key::{RotateKey, RotateKeyError};
pub use keys::scope::{InvalidScope, Scope, Scopes};
pub use keys::use_cases::Keys;
pub use leaked_keys::{confirm_key, report_leaks};
pub use log_control::{ChangeLogError, LogControl};
pub use metadata::{InvalidMetadata, Metadata, MetadataPatch};
pub use owner_id::{InvalidOwnerId, OwnerId, OwnerKind};
pub use owners::absences::{Absences, LookedForAbsences};
pub use owners::erasures::Erasures;
pub use owners::listed_owner::{FoundBy, FoundOwner, ListedOwner, OWNER_COUNT_MAX, OwnerCounts, OwnerPage, OwnerPlace};
pub use owners::owner_change::{OwnerChange, OwnerProfile, OwnerStateChange};
pub use owners::owner_query::{InvalidOwnerQuery, OwnerQuery};
pub use owners::owner_record::{OwnerLimits, OwnerRates, OwnerRecord, SuspendedBy, Suspension};
pub use owners::owner_search::{OwnerRead, OwnerSearch, OwnersRead};
pub use owners::owner_text::{InvalidOwnerText, OwnerEmail, OwnerName, OwnerText, SuspensionReason};
pub use owners::use_cases::{ChangeOwnerError, OwnerFilter, Owners};
pub use patch::Patch;
pub use placement::Placement;
pub use ports::identity::IdToken;
pub use purges::{PURGED_AT_ONCE_MAX, Purges};
pub use sealing_keys::{InvalidSealingKeys, SealingKeys};
pub use span::{Attribute, AttributeValue, Span, SpanKind};
pub use timestamp::Timestamp;
pub use trace_context::{SpanId, TraceContext, TraceId, Traceparent};
pub use tracer::{OpenSpan, SamplingRatio, SpanEnd, Tracer};
pub use type_id::{AuditId, DeliveryId, EventId, InvalidId, KeyId, SessionId, SubscriptionId};
pub use webhook_access::WebhookAccess;

/// The longest time for which a secret and its successor are both valid: a week. The limit holds for rotated API keys
/// and for rotated signing secrets.
pub const OVERLAP_MAX: std::time::Duration = std::time::Duration::from_hours(7 * 24);
