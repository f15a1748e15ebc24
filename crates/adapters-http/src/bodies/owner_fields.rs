//! Reads the fields of an owner's record and of its state.

use domain::{OwnerChange, OwnerStateChange, OwnerText, Patch};

use crate::bodies::fields::Fields;
use crate::bodies::key_fields::{metadata_patch, rate_limit_patch};
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};

/// The highest maximum number of active keys.
pub(crate) const KEYS_MAX: u16 = 10_000;
/// The highest maximum number of subscriptions.
pub(crate) const SUBSCRIPTIONS_MAX: u16 = 10_000;

pub(crate) fn owner_change(fields: &Fields) -> Result<OwnerChange, Vec<FieldFault>> {
    let keys = maximum(fields, "maxActiveKeys", KEYS_MAX);
    let subscriptions = maximum(fields, "maxSubscriptions", SUBSCRIPTIONS_MAX);
    let rates = (rate_limit_patch(fields, "keyRateLimit"), rate_limit_patch(fields, "requestRateLimit"));
    let people = (text(fields, "name"), text(fields, "email"), metadata_patch(fields));
    let read = (people.together(), keys, subscriptions, rates.together());
    let ((name, email, metadata), max_active_keys, max_subscriptions, (key_rate_limit, request_rate_limit)) =
        read.together()?;
    Ok(OwnerChange {
        name,
        email,
        metadata: metadata.unwrap_or_default(),
        max_active_keys,
        max_subscriptions,
        key_rate_limit,
        request_rate_limit,
        keeps_profile: false,
        seen_at: None,
    })
}

/// An active owner has no reason.
pub(crate) fn owner_state_change(fields: &Fields) -> Result<OwnerStateChange, ApiError> {
    const STATE: &str = "state";
    const REASON: &str = "reason";
    fields.nulls_except(&[])?;
    let reason = fields.parsed(REASON, OwnerText::parse);
    let state = fields.required_text(STATE).and_then(|state| match state {
        "active" => Ok(true),
        "suspended" => Ok(false),
        _ => Err(FieldFault::new(STATE, "must be active or suspended")),
    });
    match (state, reason) {
        (Ok(false), Ok(reason)) => Ok(OwnerStateChange::Suspend { reason }),
        (Ok(true), Ok(None)) => Ok(OwnerStateChange::Activate),
        (Ok(true), _) => Err(FieldFault::new(REASON, "must be absent, because the state is active").into()),
        (state, reason) => Err(ApiError::invalid_fields(state.err().into_iter().chain(reason.err()))),
    }
}

fn text<const LENGTH_MAX: usize>(
    fields: &Fields,
    name: &'static str,
) -> Result<Patch<OwnerText<LENGTH_MAX>>, FieldFault> {
    Ok(fields.patch(name, fields.parsed(name, OwnerText::parse)?))
}

fn maximum(fields: &Fields, name: &'static str, max: u16) -> Result<Patch<u32>, FieldFault> {
    let within = |number| u16::try_from(number).ok().filter(|number| *number <= max).map(u32::from);
    let fault = || FieldFault::new(name, format!("must be at most {max}"));
    let number = fields.optional_number(name)?.map(|number| within(number).ok_or_else(fault)).transpose()?;
    Ok(fields.patch(name, number))
}
