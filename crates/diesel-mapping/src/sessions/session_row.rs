use std::net::IpAddr;

use diesel::prelude::{Insertable, Queryable, Selectable};
use domain::organizations::Memberships;
use domain::ports::StoreError;
use domain::sessions::{Session, UserAgent};
use domain::{CredentialDigest, OwnerId, SessionId};

use super::memberships_json::{memberships_json, memberships_of};
use crate::StoredInstant;
use crate::place::{Place, id_bytes};
use crate::schema::sessions;

/// A row of `sessions` as it is stored, without the digest, which few queries need. Its values are not checked yet.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
pub struct SessionRow {
    id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    role: String,
    created_at: StoredInstant,
    seen_at: StoredInstant,
    expires_at: StoredInstant,
    user_agent: Option<String>,
    address: Option<String>,
    memberships: Option<String>,
}

/// A whole row of `sessions`, to insert or to copy.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
pub struct NewSessionRow {
    digest: Vec<u8>,
    #[diesel(embed)]
    session: SessionRow,
}

impl NewSessionRow {
    /// The row of `session` under `digest`.
    pub fn new(session: &Session, digest: &CredentialDigest) -> Self {
        Self { digest: digest.as_bytes().to_vec(), session: session.into() }
    }
}

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        Self {
            id: session.id.as_bytes().to_vec(),
            owner_issuer: session.owner.issuer().to_owned(),
            owner_subject: session.owner.subject().to_owned(),
            role: session.role.to_string(),
            created_at: session.created_at.into(),
            seen_at: session.seen_at.into(),
            expires_at: session.expires_at.into(),
            user_agent: session.user_agent.as_ref().map(|agent| agent.as_str().to_owned()),
            address: session.address.as_ref().map(IpAddr::to_string),
            memberships: memberships_json(&session.memberships),
        }
    }
}

impl TryFrom<SessionRow> for Session {
    type Error = StoreError;

    fn try_from(row: SessionRow) -> Result<Self, StoreError> {
        let id = id_bytes("sessions", "id", &row.id).map(SessionId::from_bytes)?;
        let place = Place { table: "sessions", row: &id };
        let provider = row.owner_issuer.clone();
        let memberships =
            row.memberships.map_or(Some(Ok(Memberships::default())), |json| memberships_of(&provider, &json));
        Ok(Self {
            id,
            owner: place.value("owner_subject", OwnerId::new(row.owner_issuer, row.owner_subject).ok())?,
            role: place.value("role", row.role.parse().ok())?,
            memberships: place.value("memberships", memberships)?,
            created_at: place.instant("created_at", row.created_at)?,
            seen_at: place.instant("seen_at", row.seen_at)?,
            expires_at: place.instant("expires_at", row.expires_at)?,
            user_agent: place.optional("user_agent", row.user_agent, |text| UserAgent::new(&text))?,
            address: place.optional("address", row.address, |text| text.parse().ok())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    fn row() -> SessionRow {
        SessionRow {
            id: vec![7; 16],
            owner_issuer: "https://id.example".into(),
            owner_subject: "alice".into(),
            role: "visitor keys".into(),
            created_at: Timestamp::MIN.into(),
            seen_at: Timestamp::MIN.into(),
            expires_at: Timestamp::MAX.into(),
            user_agent: Some("curl/8".into()),
            address: Some("2001:db8::1".into()),
            memberships: Some(r#"{"acme":["keys"]}"#.into()),
        }
    }

    fn corrupt_column(change: impl Fn(&mut SessionRow)) -> Option<&'static str> {
        let mut row = row();
        change(&mut row);
        match Session::try_from(row) {
            Err(StoreError::Corrupt { table: "sessions", column, row }) if !row.is_empty() => Some(column),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        assert_eq!(corrupt_column(|_| ()), None);
        assert_eq!(corrupt_column(|row| row.id.truncate(15)), Some("id"));
        assert_eq!(corrupt_column(|row| row.owner_subject.clear()), Some("owner_subject"));
        assert_eq!(corrupt_column(|row| row.role = "admin".into()), Some("role"));
        assert_eq!(corrupt_column(|row| row.user_agent = Some(" ".into())), Some("user_agent"));
        assert_eq!(corrupt_column(|row| row.address = Some("localhost".into())), Some("address"));
        for wrong in ["", "{", "[]", r#"{"acme":["admin"]}"#, r#"{"":[]}"#, r#""unreadable""#] {
            assert_eq!(corrupt_column(|row| row.memberships = Some(wrong.into())), Some("memberships"), "{wrong}");
        }
    }
}
