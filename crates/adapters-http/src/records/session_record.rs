use std::collections::BTreeSet;

use domain::organizations::{DefaultOwner, Memberships};
use domain::sessions::{Capability, SESSION_IDLE_MAX, Session, SessionRole};
use domain::{OwnerId, SessionId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use verifier::VerifiedSession;

/// The session of the browser that calls.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CurrentSession {
    /// Who signed in.
    user: SessionUser,
    /// Identifies the session in the list of sessions. It is not a secret.
    #[schema(example = "ses_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// `user`, `operator`, or `visitor`: a user who came by a link of the host application.
    role: &'static str,
    /// What the session may do with what belongs to the user: `keys` and `webhooks` to change, `keys:read` and
    /// `webhooks:read` to see. Only visitors lack some.
    #[schema(example = json!(["keys", "keys:read", "webhooks", "webhooks:read"]))]
    capabilities: Vec<&'static str>,
    /// When the user signed in.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: String,
    /// When the session ends if it is not used again.
    #[schema(format = DateTime, example = "2026-11-21T13:42:03.120Z")]
    idle_expires_at: String,
    /// When the session ends, however much it is used.
    #[schema(format = DateTime, example = "2026-11-28T01:42:03.120Z")]
    expires_at: String,
    /// The organizations for which the session can act, with `?organization=`; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    organizations: Vec<SessionOrganization>,
    /// When the session can no longer act for them, until the user signs in again; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime, example = "2026-11-21T02:42:03.120Z")]
    roles_expire_at: Option<String>,
    /// The organization with which the console begins; absent if it begins with the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    default_organization_id: Option<String>,
}

/// An organization for which a session can act.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionOrganization {
    /// The id at the identity provider.
    #[schema(example = "org_9ybsU1dN2dKfDkBi")]
    organization_id: String,
    /// The capabilities of the user in the organization.
    #[schema(example = json!(["keys", "keys:read", "webhooks", "webhooks:read"]))]
    capabilities: Vec<&'static str>,
}

/// A user, or the organization for which a visitor came.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionUser {
    /// The `userId` or the `organizationId` of the operator API.
    #[schema(example = "alice")]
    id: String,
    /// The issuer of the identity provider (`iss`).
    #[schema(example = "https://id.example.com")]
    issuer: String,
    /// The subject at the identity provider (`sub`), or the id of the organization.
    #[schema(example = "alice")]
    subject: String,
    /// The id of the organization, if it is one; absent for a user.
    #[serde(rename = "organizationId", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    organization_id: Option<String>,
}

impl CurrentSession {
    /// Counts the call at `now` as a use of the session.
    pub(crate) fn of(session: &VerifiedSession, now: Timestamp) -> Self {
        let VerifiedSession { owner, id, role, created_at, expires_at, .. } = session;
        Self::new(owner, *id, role, [*created_at, (*expires_at).min(now.plus(SESSION_IDLE_MAX)), *expires_at])
    }

    /// The same, with the organizations of the user.
    #[must_use]
    pub(crate) fn with_organizations(self, of: &Memberships, default: DefaultOwner, end: Timestamp) -> Self {
        let organization = |(id, held): (&str, &BTreeSet<Capability>)| SessionOrganization {
            organization_id: id.to_owned(),
            capabilities: names(|capability| capability.is_in(held)),
        };
        let only = of.only().filter(|_| default == DefaultOwner::Organization);
        Self {
            organizations: of.by_id().map(organization).collect(),
            roles_expire_at: Some(end.to_string()),
            default_organization_id: only.map(|only| only.subject().to_owned()),
            ..self
        }
    }

    /// A session that was opened just now.
    pub(crate) fn of_new(session: &Session) -> Self {
        let Session { owner, id, role, created_at, expires_at, .. } = session;
        Self::new(owner, *id, role, [*created_at, session.ends_at(), *expires_at])
    }

    fn new(owner: &OwnerId, id: SessionId, role: &SessionRole, times: [Timestamp; 3]) -> Self {
        let [created_at, idle_expires_at, expires_at] = times.map(|time| time.to_string());
        Self {
            user: SessionUser::of(owner),
            id: id.to_string(),
            role: name_of(role),
            capabilities: names(|capability| role.may(capability)),
            created_at,
            idle_expires_at,
            expires_at,
            organizations: Vec::new(),
            roles_expire_at: None,
            default_organization_id: None,
        }
    }
}

impl SessionUser {
    fn of(user: &OwnerId) -> Self {
        let subject = user.subject().to_owned();
        let organization_id = user.organization_id().map(str::to_owned);
        Self { id: subject.clone(), issuer: user.provider().to_owned(), subject, organization_id }
    }
}

/// A session of the user.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionRecord {
    /// Identifies the session. It is not a secret.
    #[schema(example = "ses_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// Whether it is the session that makes the call.
    current: bool,
    /// `user`, `operator` or `visitor`.
    role: &'static str,
    /// What the session may do with what belongs to the user.
    #[schema(example = json!(["keys", "keys:read", "webhooks", "webhooks:read"]))]
    capabilities: Vec<&'static str>,
    /// When the user signed in.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: String,
    /// When the session was last used.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    seen_at: String,
    /// When the session ends if it is not used again.
    #[schema(format = DateTime, example = "2026-11-21T13:42:03.120Z")]
    idle_expires_at: String,
    /// When the session ends, however much it is used.
    #[schema(format = DateTime, example = "2026-11-28T01:42:03.120Z")]
    expires_at: String,
    /// What the browser said of itself (`User-Agent`) when it signed in; `null` if nothing.
    #[schema(required, example = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0")]
    user_agent: Option<String>,
    /// The address from which the user signed in; `null` if it is not known.
    #[schema(required, example = "192.0.2.1")]
    address: Option<String>,
}

/// The user's sessions, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionList {
    /// The sessions.
    sessions: Vec<SessionRecord>,
}

impl SessionList {
    /// `current` is the session that makes the call.
    pub(crate) fn of(sessions: Vec<Session>, current: Option<SessionId>) -> Self {
        Self { sessions: sessions.into_iter().map(|session| SessionRecord::of(session, current)).collect() }
    }
}

impl SessionRecord {
    fn of(session: Session, current: Option<SessionId>) -> Self {
        Self {
            id: session.id.to_string(),
            current: Some(session.id) == current,
            role: name_of(&session.role),
            capabilities: names(|capability| session.role.may(capability)),
            created_at: session.created_at.to_string(),
            seen_at: session.seen_at.to_string(),
            idle_expires_at: session.ends_at().to_string(),
            expires_at: session.expires_at.to_string(),
            user_agent: session.user_agent.map(|text| text.as_str().to_owned()),
            address: session.address.map(|address| address.to_string()),
        }
    }
}

fn name_of(role: &SessionRole) -> &'static str {
    match role {
        SessionRole::User => "user",
        SessionRole::Operator => "operator",
        SessionRole::Visitor(_) => "visitor",
        SessionRole::Link => "link",
    }
}

/// The names of the granted capabilities. Changing includes reading.
fn names(may: impl Fn(Capability) -> bool) -> Vec<&'static str> {
    Capability::ALL.into_iter().filter(|capability| may(*capability)).map(Capability::name).collect()
}
