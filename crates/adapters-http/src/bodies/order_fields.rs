//! Reads the order of a subscription, in requests that create or change one.

use domain::webhooks::{InvalidOptions, OnExhausted};

use crate::bodies::fields::Fields;
use crate::errors::field_fault::FieldFault;
use crate::errors::refusals::of_options;

const ORDERING: &str = "ordering";
const ON_EXHAUSTED: &str = "onExhausted";

/// The order of a new subscription; `None` without one.
pub(crate) fn order(fields: &Fields) -> Result<Option<OnExhausted>, FieldFault> {
    let on_exhausted = on_exhausted(fields)?;
    match fields.optional_text(ORDERING)? {
        Some("subscription") => Ok(Some(on_exhausted.unwrap_or(OnExhausted::Skip))),
        None | Some("none") if on_exhausted.is_some() => Err(of_options(InvalidOptions::NotOrdered)),
        None | Some("none") => Ok(None),
        Some(_) => Err(FieldFault::new(ORDERING, "must be none or subscription")),
    }
}

/// The rule of an order; `None` if the request has none.
pub(crate) fn on_exhausted(fields: &Fields) -> Result<Option<OnExhausted>, FieldFault> {
    let text = fields.optional_text(ON_EXHAUSTED)?;
    let rule = text.map(|text| OnExhausted::from_code(text).ok_or("must be skip or stop")).transpose();
    rule.map_err(|fault| FieldFault::new(ON_EXHAUSTED, fault))
}
