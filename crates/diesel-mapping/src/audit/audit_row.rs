use std::net::IpAddr;

use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::audit::{Actor, AuditAction, AuditEvent, AuditTarget, Means, Origin, RequestId};
use domain::ports::{AuditPage, StoreError};
use domain::{AuditId, OwnerId};

use super::changes_json::{changes_json, changes_of};
use crate::place::{Place, id_bytes};
use crate::schema::audit_events;
use crate::values_of;

const USER: &str = "user";
const OPERATOR: &str = "operator";
const SERVICE: &str = "service";

/// A row of `audit_events` as it is stored, without the mark for announcements. Its values are not checked yet.
#[derive(Insertable, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = audit_events, treat_none_as_default_value = false)]
pub struct AuditRow {
    id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    actor: String,
    actor_issuer: Option<String>,
    actor_name: Option<String>,
    means: String,
    action: String,
    target: String,
    pub(crate) changes: String,
    request_id: Option<String>,
    address: Option<String>,
}

/// A whole row of `audit_events`, to insert or to copy.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = audit_events, treat_none_as_default_value = false)]
pub struct NewAuditRow {
    to_announce: bool,
    #[diesel(embed)]
    pub(crate) event: AuditRow,
}

impl From<&AuditEvent> for NewAuditRow {
    fn from(event: &AuditEvent) -> Self {
        Self { to_announce: event.is_announced(), event: event.into() }
    }
}

impl From<&AuditEvent> for AuditRow {
    fn from(event: &AuditEvent) -> Self {
        let origin = &event.origin;
        let (actor, actor_issuer, actor_name) = actor_columns(&origin.actor);
        Self {
            id: event.id.as_bytes().to_vec(),
            owner_issuer: event.owner.issuer().to_owned(),
            owner_subject: event.owner.subject().to_owned(),
            actor: actor.to_owned(),
            actor_issuer: actor_issuer.map(Into::into),
            actor_name: actor_name.map(Into::into),
            means: origin.means.to_string(),
            action: event.action.as_str().to_owned(),
            target: event.target.to_string(),
            changes: changes_json(&event.changes),
            request_id: origin.request.as_ref().map(|id| id.as_str().to_owned()),
            address: origin.address.as_ref().map(IpAddr::to_string),
        }
    }
}

/// The id of an event.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when there are not 16 bytes.
pub fn audit_id(bytes: &[u8]) -> Result<AuditId, StoreError> {
    id_bytes("audit_events", "id", bytes).map(AuditId::from_bytes)
}

/// The columns of an actor: the kind, the issuer and the name.
pub(super) fn actor_columns(actor: &Actor) -> (&'static str, Option<&str>, Option<&str>) {
    match actor {
        Actor::User(user) => (USER, Some(user.issuer()), Some(user.subject())),
        Actor::Operator(name) => (OPERATOR, None, Some(name)),
        Actor::Service => (SERVICE, None, None),
    }
}

fn actor_of(kind: &str, issuer: Option<String>, name: Option<String>) -> Option<Actor> {
    match (kind, issuer, name) {
        (USER, Some(issuer), Some(subject)) => OwnerId::new(issuer, subject).ok().map(Actor::User),
        (OPERATOR, None, Some(name)) => Some(Actor::Operator(name)),
        (SERVICE, None, None) => Some(Actor::Service),
        _ => None,
    }
}

/// The page of these rows, which were read with a limit of `max + 1`. The search went down to `floor`, if there is one.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row with a value that the schema does not promise.
pub fn audit_page(rows: Vec<AuditRow>, floor: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
    let has_more = rows.len() > max as usize;
    let shown: Vec<AuditRow> = rows.into_iter().take(max as usize).collect();
    let events: Vec<AuditEvent> = values_of(shown)?;
    let last = events.last().map(|event| event.id);
    Ok(AuditPage { events, next: if has_more { last } else { floor } })
}

impl TryFrom<AuditRow> for AuditEvent {
    type Error = StoreError;

    fn try_from(row: AuditRow) -> Result<Self, StoreError> {
        let id = audit_id(&row.id)?;
        let place = Place { table: "audit_events", row: &id };
        let request = place.optional("request_id", row.request_id, |text| RequestId::new(&text));
        let address = place.optional("address", row.address, |text| text.parse().ok());
        let actor = place.value("actor", actor_of(&row.actor, row.actor_issuer, row.actor_name))?;
        let means = place.value("means", Means::of_stored(&row.means))?;
        Ok(Self {
            id,
            origin: Origin { actor, means, request: request?, address: address? },
            action: place.value("action", AuditAction::of_stored(&row.action))?,
            target: place.value("target", AuditTarget::of_stored(&row.target))?,
            owner: place.value("owner_subject", OwnerId::new(row.owner_issuer, row.owner_subject).ok())?,
            changes: place.value("changes", changes_of(&row.changes))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> AuditRow {
        AuditRow {
            id: vec![7; 16],
            owner_issuer: "https://id.example".into(),
            owner_subject: "alice".into(),
            actor: "user".into(),
            actor_issuer: Some("https://id.example".into()),
            actor_name: Some("alice".into()),
            means: "id_token".into(),
            action: "key.created".into(),
            target: "keys".into(),
            changes: "[]".into(),
            request_id: Some("a1".into()),
            address: Some("2001:db8::1".into()),
        }
    }

    fn corrupt_column(change: impl Fn(&mut AuditRow)) -> Option<&'static str> {
        let mut row = row();
        change(&mut row);
        match AuditEvent::try_from(row) {
            Err(StoreError::Corrupt { table: "audit_events", column, row }) if !row.is_empty() => Some(column),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        assert_eq!(corrupt_column(|_| ()), None);
        assert_eq!(corrupt_column(|row| row.id.truncate(15)), Some("id"));
        assert_eq!(corrupt_column(|row| row.owner_subject.clear()), Some("owner_subject"));
        assert_eq!(corrupt_column(|row| row.actor = "operator".into()), Some("actor"));
        assert_eq!(corrupt_column(|row| row.actor_name = None), Some("actor"));
        assert_eq!(corrupt_column(|row| row.means = "a b".into()), Some("means"));
        assert_eq!(corrupt_column(|row| row.action = "key lost".into()), Some("action"));
        assert_eq!(corrupt_column(|row| row.action.clear()), Some("action"));
        assert_eq!(corrupt_column(|row| row.target = "é".into()), Some("target"));
        assert_eq!(corrupt_column(|row| row.changes = "{}".into()), Some("changes"));
        assert_eq!(corrupt_column(|row| row.request_id = Some(" ".into())), Some("request_id"));
        assert_eq!(corrupt_column(|row| row.address = Some("localhost".into())), Some("address"));
    }
}
