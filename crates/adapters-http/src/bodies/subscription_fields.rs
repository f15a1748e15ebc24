//! Reads the fields of a subscription, in requests that create one and in requests that change one.

use domain::webhooks::{
    Description, PayloadFilter, SignerWish, SigningKind, SigningSecret, SubscribedEvents, TargetUrl, Webhooks,
};

use crate::bodies::fields::Fields;
use crate::errors::field_fault::{FieldFault, Together};
use crate::errors::refusals::{of_filter, of_subscribed_events};

pub(crate) fn url(fields: &Fields, webhooks: &Webhooks) -> Result<Option<TargetUrl>, FieldFault> {
    fields.parsed("url", |text| webhooks.parse_target(text))
}

pub(crate) fn events(fields: &Fields) -> Result<Option<SubscribedEvents>, FieldFault> {
    let names = fields.optional_texts("events")?;
    names.map(|names| SubscribedEvents::parse(names).map_err(of_subscribed_events)).transpose()
}

/// The filter keeps the digits of its numbers, and the order of its members.
pub(crate) fn filter(fields: &Fields) -> Result<Option<PayloadFilter>, FieldFault> {
    let text = fields.text_of_object("filter")?;
    text.map(|text| PayloadFilter::parse(text).map_err(of_filter)).transpose()
}

pub(crate) fn description(fields: &Fields) -> Result<Option<Description>, FieldFault> {
    fields.parsed("description", Description::parse)
}

/// The fault names the broken rule, and never quotes the secret.
pub(crate) fn secret(fields: &Fields) -> Result<Option<SigningSecret>, FieldFault> {
    fields.parsed("secret", SigningSecret::chosen)
}

pub(crate) fn signing(fields: &Fields) -> Result<Option<SigningKind>, FieldFault> {
    fields.parsed("signing", |text| SigningKind::parse(text).ok_or("must be hmac, ed25519 or both"))
}

/// What signs the webhooks of a new subscription.
pub(crate) fn signer(fields: &Fields) -> Result<SignerWish, Vec<FieldFault>> {
    let (kind, secret) = (signing(fields), secret(fields)).together()?;
    SignerWish::new(kind.unwrap_or_default(), secret).map_err(|error| vec![FieldFault::of("secret", error)])
}

/// The value of a required field.
pub(crate) fn required<T>(field: &'static str, value: Option<T>) -> Result<T, FieldFault> {
    value.ok_or_else(|| FieldFault::new(field, "is required"))
}
