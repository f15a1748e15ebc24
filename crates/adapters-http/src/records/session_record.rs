use domain::sessions::{Capability, SESSION_IDLE_MAX, Session, SessionRole};
use domain::{SessionId, Timestamp, UserId};
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
}

/// A user.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionUser {
    /// The `userId` of the operator API: the subject.
    #[schema(example = "alice")]
    id: String,
    /// The issuer of the identity provider (`iss`).
    #[schema(example = "https://id.example.com")]
    issuer: String,
    /// The subject at the identity provider (`sub`).
    #[schema(example = "alice")]
    subject: String,
}

impl CurrentSession {
    /// The call itself, at `now`, is a use of the session.
    pub(crate) fn of(session: &VerifiedSession, now: Timestamp) -> Self {
        let VerifiedSession { owner, id, role, created_at, expires_at, .. } = session;
        Self::new(owner, *id, role, [*created_at, (*expires_at).min(now.plus(SESSION_IDLE_MAX)), *expires_at])
    }

    /// A session that was opened just now.
    pub(crate) fn of_new(session: &Session) -> Self {
        let Session { owner, id, role, created_at, expires_at, .. } = session;
        Self::new(owner, *id, role, [*created_at, session.ends_at(), *expires_at])
    }

    fn new(owner: &UserId, id: SessionId, role: &SessionRole, times: [Timestamp; 3]) -> Self {
        let [created_at, idle_expires_at, expires_at] = times.map(|time| time.to_string());
        let (user, id) = (SessionUser::of(owner), id.to_string());
        let (capabilities, role) = (capabilities(role), name_of(role));
        Self { user, id, role, capabilities, created_at, idle_expires_at, expires_at }
    }
}

impl SessionUser {
    fn of(user: &UserId) -> Self {
        let subject = user.subject().to_owned();
        Self { id: subject.clone(), issuer: user.issuer().to_owned(), subject }
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
            capabilities: capabilities(&session.role),
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

/// Changing includes reading.
fn capabilities(role: &SessionRole) -> Vec<&'static str> {
    Capability::ALL.into_iter().filter(|capability| role.may(*capability)).map(Capability::name).collect()
}
