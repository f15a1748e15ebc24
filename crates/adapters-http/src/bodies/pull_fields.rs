//! Reads the fields of readers of pulled events.

use std::time::Duration;

use domain::ports::SeekTo;
use domain::webhooks::LeaseId;
use domain::{EventId, Timestamp};

use crate::bodies::fields::Fields;
use crate::errors::field_fault::{FieldFault, Together};

/// The limits of `limit`, and its default.
pub(crate) const RECEIVED: (u16, u16) = (1, 500);
const RECEIVED_DEFAULT: u16 = 100;
/// The limits of `wait`.
pub(crate) const WAIT_SECONDS: (u16, u16) = (0, 30);
/// The limits of `leaseSeconds`, and its default.
pub(crate) const LEASE_SECONDS: (u16, u16) = (1, 3_600);
const LEASE_SECONDS_DEFAULT: u16 = 60;

/// The number in a field, within these limits.
fn within(fields: &Fields, name: &'static str, (min, max): (u16, u16), default: u16) -> Result<u16, FieldFault> {
    let number = fields.optional_number(name)?.unwrap_or(default.into());
    let number = u16::try_from(number).ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| FieldFault::new(name, format!("must be a whole number from {min} to {max}")))
}

/// The maximum number of events, the wait and the length of the lease.
pub(crate) fn receive_wish(fields: &Fields) -> Result<(u32, Duration, Duration), Vec<FieldFault>> {
    let limit = within(fields, "limit", RECEIVED, RECEIVED_DEFAULT);
    let wait = within(fields, "wait", WAIT_SECONDS, 0);
    let lease = within(fields, "leaseSeconds", LEASE_SECONDS, LEASE_SECONDS_DEFAULT);
    let (limit, wait, lease) = (limit, wait, lease).together()?;
    Ok((limit.into(), Duration::from_secs(wait.into()), Duration::from_secs(lease.into())))
}

/// The lease, and the last event that was handled.
pub(crate) fn commit_wish(fields: &Fields) -> Result<(LeaseId, Option<EventId>), Vec<FieldFault>> {
    let lease = fields.required_text("lease");
    let lease = lease.and_then(|text| text.parse().map_err(|_| FieldFault::new("lease", "must be a lease")));
    let through = fields.parsed("through", |text| text.parse().map_err(|_| "must be the id of an event"));
    (lease, through).together()
}

/// The place that a consumer moves to.
pub(crate) fn seek_to(fields: &Fields) -> Result<SeekTo, FieldFault> {
    let rule = "must be start, end, or a date and time like 2027-01-31T12:00:00Z (RFC 3339)";
    match fields.required_text("to")? {
        "start" => Ok(SeekTo::Start),
        "end" => Ok(SeekTo::End),
        time => Timestamp::parse_rfc3339(time).map(SeekTo::Time).ok_or(FieldFault::new("to", rule)),
    }
}
