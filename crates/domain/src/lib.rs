//! The rules of Gatepost: what an API key is, who may have how many, and what ends it.
//!
//! Nothing here knows the time, draws randomness, speaks HTTP or SQL, or reads the environment: those come in
//! through [`ports`]. Adapter authors read that module, and [`memory`] for the shortest correct implementation.

mod api_key;
mod create_key;
mod full_key;
mod id_token;
mod key_policy;
mod keys;
mod label;
mod list_keys;
pub mod memory;
pub mod ports;
mod purge_keys;
mod rate_limit;
mod report_leaks;
mod revoke_key;
mod rotate_key;
mod scope;
mod timestamp;
mod type_id;
mod user_id;
pub mod webhooks;

pub use api_key::{ApiKey, KeyUse};
pub use create_key::{CreateKey, CreateKeyError, CreatedKey};
pub use full_key::{FullKey, KeyDigest, has_valid_check};
pub use id_token::IdToken;
pub use key_policy::{InvalidKeyPolicy, KeyPolicy, KeyPolicySettings};
pub use keys::Keys;
pub use label::{InvalidLabel, Label};
pub use list_keys::{LISTED_ENDED_KEYS_MAX, ListView};
pub use purge_keys::PURGE_BATCH_MAX;
pub use rate_limit::{InvalidRateLimit, RateLimit};
pub use report_leaks::{LEAKS_MAX, ReportLeaksError};
pub use revoke_key::RevokeKeyError;
pub use rotate_key::{KeyRotation, OVERLAP_MAX, RotateKey, RotateKeyError, Rotated, RotatedKey, RotationRefusal};
pub use scope::{InvalidScope, Scope, Scopes};
pub use timestamp::Timestamp;
pub use type_id::{DeliveryId, EventId, InvalidId, KeyId, SubscriptionId};
pub use user_id::{InvalidUserId, UserId};
