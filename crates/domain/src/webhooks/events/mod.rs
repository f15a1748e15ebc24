//! Events: their types, the payload that is sent, and how a repetition is recognized.

pub(super) mod event;
pub(super) mod event_filter;
pub(super) mod event_pattern;
pub(super) mod event_type;
pub(super) mod payload;
pub(super) mod publication_key;
pub(super) mod publish_events;
