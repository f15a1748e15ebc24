//! The catalogue of event types, for everybody with a credential.
//!
//! See decision 134.

mod catalogue;
mod catalogue_document;

endpoints! {
    catalogue::list_event_types,
    catalogue::find_event_type,
    catalogue::export_event_types,
}
