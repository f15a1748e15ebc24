use std::fmt;

use domain::ports::PUBLISHED_EVENTS_MAX;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::bodies::unknown_members::UnknownMembers;

/// The fields of an event.
pub(crate) const EVENT_FIELDS: [&str; 5] = ["userId", "organizationId", "type", "data", "id"];
/// The fields of a body with several events.
pub(crate) const EVENT_LIST_FIELDS: [&str; 1] = ["events"];

/// An event as its publisher sends it. Each field is raw JSON: one pass over the body reads all fields without a copy,
/// so that `data` is delivered byte for byte. See `docs/webhooks/README.md`.
#[derive(Default)]
pub(crate) struct EventJson<'a> {
    pub(crate) user_id: Option<&'a RawValue>,
    pub(crate) organization_id: Option<&'a RawValue>,
    pub(crate) event_type: Option<&'a RawValue>,
    pub(crate) data: Option<&'a RawValue>,
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) names_a_field_twice: bool,
    pub(crate) unknown: UnknownMembers,
}

/// Several events as their publisher sends them: `{"events": [...]}`.
#[derive(Default)]
pub(crate) struct EventListJson<'a> {
    pub(crate) events: Option<Events<'a>>,
    pub(crate) names_a_field_twice: bool,
    pub(crate) unknown: UnknownMembers,
}

/// Events. If there are too many, holds one more than the maximum.
pub(crate) struct Events<'a>(pub(crate) Vec<EventJson<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for EventJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

struct EventVisitor;

/// The name of a field of an event.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum EventField {
    UserId,
    OrganizationId,
    Type,
    Data,
    Id,
    Other(String),
}

impl<'de> Visitor<'de> for EventVisitor {
    type Value = EventJson<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<EventJson<'de>, A::Error> {
        let mut event = EventJson::default();
        while let Some(field) = members.next_key()? {
            let place = match field {
                EventField::UserId => &mut event.user_id,
                EventField::OrganizationId => &mut event.organization_id,
                EventField::Type => &mut event.event_type,
                EventField::Data => &mut event.data,
                EventField::Id => &mut event.id,
                EventField::Other(name) => {
                    event.unknown.add(&name);
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            event.names_a_field_twice |= place.replace(members.next_value()?).is_some();
        }
        Ok(event)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for EventListJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventsVisitor)
    }
}

struct EventsVisitor;

#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum EventsField {
    Events,
    Other(String),
}

impl<'de> Visitor<'de> for EventsVisitor {
    type Value = EventListJson<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("events")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<EventListJson<'de>, A::Error> {
        let mut body = EventListJson::default();
        while let Some(field) = members.next_key()? {
            match field {
                EventsField::Events => {
                    body.names_a_field_twice |= body.events.replace(members.next_value()?).is_some();
                }
                EventsField::Other(name) => {
                    body.unknown.add(&name);
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(body)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Events<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = Events<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of events")
    }

    /// Keeps at most one event more than the maximum, which is enough to refuse the request.
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Events<'de>, A::Error> {
        let mut events = Vec::new();
        while events.len() <= PUBLISHED_EVENTS_MAX {
            match items.next_element()? {
                Some(event) => events.push(event),
                None => return Ok(Events(events)),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Events(events))
    }
}
