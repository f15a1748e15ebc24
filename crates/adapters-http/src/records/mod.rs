//! The JSON objects that answers are made of.

pub(crate) mod attempt_record;
pub(crate) mod delivery_record;
pub(crate) mod event_record;
pub(crate) mod key_record;
pub(crate) mod subscription_record;
