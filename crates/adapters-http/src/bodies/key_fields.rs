//! Reads the fields of an API key, in requests that create one and in requests that change one.

use std::collections::BTreeMap;

use domain::{Label, Metadata, MetadataPatch, Patch, RateLimit};
use serde_json::Value;

use crate::bodies::fields::Fields;
use crate::errors::field_fault::FieldFault;

const METADATA: &str = "metadata";

pub(crate) fn label(fields: &Fields) -> Result<Option<Label>, FieldFault> {
    fields.parsed("label", Label::parse)
}

pub(crate) fn rate_limit(fields: &Fields) -> Result<Option<RateLimit>, FieldFault> {
    fields.parsed("rateLimit", str::parse::<RateLimit>)
}

pub(crate) fn rate_limit_patch(fields: &Fields, name: &'static str) -> Result<Patch<RateLimit>, FieldFault> {
    Ok(fields.patch(name, fields.parsed(name, str::parse::<RateLimit>)?))
}

pub(crate) fn metadata(fields: &Fields) -> Result<Metadata, FieldFault> {
    let patch = metadata_patch(fields)?.unwrap_or_default();
    patch.apply_to(&Metadata::default()).map_err(|error| FieldFault::of(METADATA, error))
}

/// `null` removes all names, and the `null` of a name removes this name.
pub(crate) fn metadata_patch(fields: &Fields) -> Result<Option<MetadataPatch>, FieldFault> {
    let object = fields.optional_object(METADATA)?;
    let pairs = object.into_iter().flatten().map(|(name, value)| match value {
        Value::String(text) => Ok((name.clone(), Some(text.clone()))),
        Value::Null => Ok((name.clone(), None)),
        _ => Err(FieldFault::new(METADATA, "must have strings as values")),
    });
    let pairs: BTreeMap<_, _> = pairs.collect::<Result<_, _>>()?;
    let replaces_all = fields.is_null(METADATA);
    Ok((replaces_all || object.is_some()).then_some(MetadataPatch { replaces_all, pairs }))
}
