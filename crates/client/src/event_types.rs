use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::rest_client::{NO_BODY, segment};
use crate::{Client, Error};

const PATH: &str = "/api/operator/event-types";

/// The name and all settings of an event type. What is not set has its default.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NewEventType {
    /// The type, such as `invoice.paid`.
    pub name: String,
    /// A short name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When the event happens and what it means: Markdown without HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema (2020-12) of `data`, which is sent as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
    /// Up to 5 examples of `data`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Box<RawValue>>,
    /// `off`, `warn` or `enforce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<String>,
    /// `public` or `hidden`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// Says that receivers should stop using the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<EventTypeDeprecation>,
}

/// From when on receivers should stop using an event type.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EventTypeDeprecation {
    /// From when on: RFC 3339.
    pub since: String,
    /// The type to use in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

/// An event type of the catalogue.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventType {
    /// The type, such as `invoice.paid`.
    pub name: String,
    /// A short name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When the event happens and what it means: Markdown without HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema (2020-12) of `data`. Lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
    /// Examples of `data`. Lists leave them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Box<RawValue>>,
    /// `off`, `warn` or `enforce`.
    pub validation: String,
    /// `public` or `hidden`.
    pub visibility: String,
    /// Present if receivers should stop using the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<EventTypeDeprecation>,
    /// Whether the type is not to be published any more.
    pub archived: bool,
    /// The number of the schema, from 1.
    pub version: u32,
    /// When the entry was changed last.
    pub updated_at: String,
}

/// An event type after a call that changes it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WrittenEventType {
    /// The event type.
    pub event_type: EventType,
    /// Whether the call has changed it.
    pub changed: bool,
}

/// How [`Client::apply_event_types`] works.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEventTypes {
    /// Says what would change, and changes nothing.
    pub dry_run: bool,
    /// Archives the types that are not given.
    pub prune: bool,
    /// Allows changes of schemas that break what was good before.
    pub force: bool,
}

/// A change that [`Client::apply_event_types`] has made, or would make.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AppliedEventType {
    /// The event type.
    pub name: String,
    /// `created`, `changed` or `archived`.
    pub change: String,
}

#[derive(Deserialize)]
struct List {
    #[serde(rename = "eventTypes")]
    event_types: Vec<EventType>,
}

/// The body of an import.
#[derive(Serialize)]
struct Import<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    types: Option<&'a [NewEventType]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    openapi: Option<&'a RawValue>,
    #[serde(flatten)]
    options: ApplyEventTypes,
}

#[derive(Deserialize)]
struct Imported {
    changes: Vec<AppliedEventType>,
}

/// The body of a change, without the name.
#[derive(Serialize)]
struct Settings<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    examples: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a EventTypeDeprecation>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    force: bool,
}

/// The catalogue of event types. The calls that begin with `list_all`, `find_any`, `put`, `archive` and `apply` need an
/// [`OperatorToken`](crate::OperatorToken) with the scope `catalogue` as credential.
impl Client {
    /// The public event types, sorted by name, without schemas and examples.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_event_types(&self) -> Result<Vec<EventType>, Error> {
        let list: List = self.call(Method::GET, "/api/event-types", NO_BODY).await?;
        Ok(list.event_types)
    }

    /// A public event type with its schema and examples.
    ///
    /// # Errors
    ///
    /// Code `event_type_not_found`. Otherwise see [`Error`].
    pub async fn find_event_type(&self, name: &str) -> Result<EventType, Error> {
        self.call(Method::GET, &format!("/api/event-types/{}", segment(name)), NO_BODY).await
    }

    /// The public event types as an OpenAPI 3.1 document with `webhooks`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn export_event_types(&self) -> Result<Value, Error> {
        self.call(Method::GET, "/api/event-types/openapi.json", NO_BODY).await
    }

    /// All event types, also hidden and archived ones, without schemas and examples.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_all_event_types(&self) -> Result<Vec<EventType>, Error> {
        let list: List = self.call(Method::GET, PATH, NO_BODY).await?;
        Ok(list.event_types)
    }

    /// An event type, also a hidden or archived one.
    ///
    /// # Errors
    ///
    /// Code `event_type_not_found`. Otherwise see [`Error`].
    pub async fn find_any_event_type(&self, name: &str) -> Result<EventType, Error> {
        self.call(Method::GET, &format!("{PATH}/{}", segment(name)), NO_BODY).await
    }

    /// Creates or changes an event type. `force` allows a change of the schema that breaks what was good before.
    ///
    /// # Errors
    ///
    /// Codes `schema_breaks`, `invalid_field` and `event_type_limit_reached`. Otherwise see [`Error`].
    pub async fn put_event_type(&self, new: &NewEventType, force: bool) -> Result<WrittenEventType, Error> {
        let settings = Settings {
            title: new.title.as_deref(),
            description: new.description.as_deref(),
            schema: new.schema.as_deref(),
            examples: &new.examples,
            validation: new.validation.as_deref(),
            visibility: new.visibility.as_deref(),
            deprecated: new.deprecated.as_ref(),
            force,
        };
        self.call(Method::PUT, &format!("{PATH}/{}", segment(&new.name)), Some(&settings)).await
    }

    /// Archives an event type.
    ///
    /// # Errors
    ///
    /// Code `event_type_not_found`. Otherwise see [`Error`].
    pub async fn archive_event_type(&self, name: &str) -> Result<WrittenEventType, Error> {
        self.call(Method::DELETE, &format!("{PATH}/{}", segment(name)), NO_BODY).await
    }

    /// Makes the catalogue have these event types, and returns the changes. All types are checked before the first change, and
    /// the same call twice changes nothing. It is not one transaction: after an error 503, repeat the call.
    ///
    /// # Errors
    ///
    /// As [`Client::put_event_type`].
    pub async fn apply_event_types(
        &self,
        wanted: &[NewEventType],
        options: ApplyEventTypes,
    ) -> Result<Vec<AppliedEventType>, Error> {
        self.import(Import { types: Some(wanted), openapi: None, options }).await
    }

    /// The same for an OpenAPI 3.1 document: each of its `webhooks` is an event type. `validation` and `visibility` stay as
    /// they are.
    ///
    /// # Errors
    ///
    /// As [`Client::put_event_type`].
    pub async fn apply_openapi(
        &self,
        document: &RawValue,
        options: ApplyEventTypes,
    ) -> Result<Vec<AppliedEventType>, Error> {
        self.import(Import { types: None, openapi: Some(document), options }).await
    }

    async fn import(&self, import: Import<'_>) -> Result<Vec<AppliedEventType>, Error> {
        let imported: Imported = self.call(Method::POST, &format!("{PATH}/import"), Some(&import)).await?;
        Ok(imported.changes)
    }
}
