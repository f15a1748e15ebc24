//! Parses values that occur in bodies, queries and paths.

use domain::{Timestamp, UserId};

use crate::errors::field_fault::FieldFault;

/// Parses the date and time in a field of a body or in a parameter of a query.
pub(crate) fn parse_time(field: &'static str, text: &str) -> Result<Timestamp, FieldFault> {
    let detail = "must be a date and time like 2027-01-31T12:00:00Z (RFC 3339)";
    Timestamp::parse_rfc3339(text).ok_or(FieldFault::new(field, detail))
}

/// The user with this `userId` at this issuer.
pub(crate) fn user_at(issuer: &str, user_id: &str) -> Result<UserId, FieldFault> {
    UserId::new(issuer, user_id).map_err(|error| FieldFault::of("userId", error))
}
