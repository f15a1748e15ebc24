//! The port of the catalogue of event types.

mod event_types;
mod put_event_type;
