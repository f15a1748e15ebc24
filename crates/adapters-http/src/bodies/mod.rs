//! Reads request bodies.

pub(crate) mod body;
pub(crate) mod event_body;
pub(crate) mod event_json;
pub(crate) mod event_type_body;
pub(crate) mod fields;
pub(crate) mod import_body;
pub(crate) mod json_body;
pub(crate) mod key_fields;
pub(crate) mod openapi_webhooks;
pub(crate) mod option_fields;
pub(crate) mod owner_fields;
pub(crate) mod pull_fields;
pub(crate) mod subscription_fields;
pub(crate) mod unknown_members;
