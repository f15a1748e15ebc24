//! The JSON objects in answers.

pub(crate) mod attempt_record;
pub(crate) mod audit_record;
pub(crate) mod check_outcome;
pub(crate) mod delivery_record;
pub(crate) mod event_record;
pub(crate) mod event_type_record;
pub(crate) mod filter_schema;
pub(crate) mod hours_record;
pub(crate) mod key_record;
pub(crate) mod owner_record;
pub(crate) mod pulled_record;
pub(crate) mod session_record;
pub(crate) mod subscription_record;
pub(crate) mod system_record;
