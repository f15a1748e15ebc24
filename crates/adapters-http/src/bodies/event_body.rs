//! Turns the bodies of the two publishing endpoints into events.

use std::borrow::Cow;

use domain::OwnerId;
use domain::webhooks::{EventType, PublishEvent, PublisherId};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::bodies::event_json::{EVENT_FIELDS, EVENT_LIST_FIELDS, EventJson, EventListJson};
use crate::bodies::fields::{named_twice, unreadable};
use crate::bodies::unknown_members::unless_unknown;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::parameters::path::owner_at;

impl<'a> EventJson<'a> {
    /// Parses a body that is one event.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, ApiError> {
        serde_json::from_slice(body).map_err(|error| unreadable(&error))
    }

    /// The event to publish for a user of `issuer`, or all faults of the body.
    pub(crate) fn to_event(&self, issuer: &str) -> Result<PublishEvent<'a>, ApiError> {
        self.check_names()?;
        unless_unknown(self.unknown.faults(&EVENT_FIELDS), self.read(issuer).map_err(ApiError::invalid_fields))
    }

    fn check_names(&self) -> Result<(), ApiError> {
        if self.names_a_field_twice { Err(named_twice()) } else { Ok(()) }
    }

    fn read(&self, issuer: &str) -> Result<PublishEvent<'a>, Vec<FieldFault>> {
        let (owner, event_type, data, id) =
            (self.owner(issuer), self.event_type(), self.data(), self.id()).together()?;
        Ok(PublishEvent { owner, event_type, data, id })
    }

    fn owner(&self, issuer: &str) -> Result<OwnerId, FieldFault> {
        let user_id = optional_text("userId", self.user_id)?;
        let organization_id = optional_text("organizationId", self.organization_id)?;
        owner_at(issuer, user_id.as_deref(), organization_id.as_deref())
    }

    fn event_type(&self) -> Result<EventType, FieldFault> {
        let text = required_text("type", self.event_type)?;
        EventType::parse_published(&text).map_err(|error| FieldFault::of("type", error))
    }

    fn data(&self) -> Result<&'a str, FieldFault> {
        self.data.map(RawValue::get).ok_or_else(|| FieldFault::new("data", "is required"))
    }

    fn id(&self) -> Result<Option<PublisherId>, FieldFault> {
        let Some(text) = optional_text("id", self.id)? else {
            return Ok(None);
        };
        PublisherId::parse(&text).map(Some).map_err(|error| FieldFault::of("id", error))
    }
}

impl<'a> EventListJson<'a> {
    /// Parses a body of the form `{"events": [...]}`.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, ApiError> {
        serde_json::from_slice(body).map_err(|error| {
            let is_object = body.trim_ascii_start().starts_with(b"{");
            match error.classify() {
                Category::Data if is_object => FieldFault::new("events", "must be a list of objects").into(),
                _ => unreadable(&error),
            }
        })
    }

    /// The events to publish for users of `issuer`, or all faults of the body.
    pub(crate) fn to_events(&self, issuer: &str) -> Result<Vec<PublishEvent<'a>>, ApiError> {
        if self.names_a_field_twice {
            return Err(named_twice());
        }
        let mut unknown = self.unknown.faults(&EVENT_LIST_FIELDS);
        let Some(events) = &self.events else {
            return unless_unknown(unknown, Err(FieldFault::new("events", "is required").into()));
        };
        let mut faults = Vec::new();
        let mut published = Vec::with_capacity(events.0.len());
        for (index, event) in events.0.iter().enumerate() {
            event.check_names()?;
            unknown.extend(event.unknown.faults(&EVENT_FIELDS).into_iter().map(|fault| fault.of_event(index)));
            match event.read(issuer) {
                Ok(event) => published.push(event),
                Err(of_event) => faults.extend(of_event.into_iter().map(|fault| fault.of_event(index))),
            }
        }
        let read = if faults.is_empty() { Ok(published) } else { Err(ApiError::invalid_fields(faults)) };
        unless_unknown(unknown, read)
    }
}

fn required_text<'a>(field: &'static str, value: Option<&'a RawValue>) -> Result<Cow<'a, str>, FieldFault> {
    optional_text(field, value)?.ok_or_else(|| FieldFault::new(field, "is required"))
}

/// The string in a JSON value; `null` counts as absent.
fn optional_text<'a>(field: &'static str, value: Option<&'a RawValue>) -> Result<Option<Cow<'a, str>>, FieldFault> {
    let Some(json) = value.map(RawValue::get).filter(|json| *json != "null") else {
        return Ok(None);
    };
    let plain = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).filter(|text| !text.contains('\\'));
    match plain {
        Some(text) => Ok(Some(text.into())),
        None => serde_json::from_str(json).map(Some).map_err(|_| FieldFault::new(field, "must be a string")),
    }
}
