use domain::organizations::Identity;
use domain::sessions::{OpenSession, SessionRole};

use crate::doubles::user;
use crate::server::Server;
use crate::transcript::{Request, Response, request};

/// The header of calls by pages of the service.
pub(crate) const SAME_ORIGIN: (&str, &str) = ("sec-fetch-site", "same-origin");

/// The cookie of a new session of this user.
pub(crate) async fn session_of(server: &Server, subject: &str, role: SessionRole) -> String {
    open(server, user(subject).into(), role).await
}

/// The cookie of a new session in which this user is neither an operator nor a visitor.
pub(crate) async fn user_session(server: &Server, subject: &str) -> String {
    session_of(server, subject, SessionRole::User).await
}

/// The cookie of a new session of this member of organizations.
pub(crate) async fn session_of_member(server: &Server, member: Identity) -> String {
    open(server, member, SessionRole::User).await
}

async fn open(server: &Server, Identity { user, memberships }: Identity, role: SessionRole) -> String {
    let session = OpenSession { role, memberships, user_agent: None, address: None };
    let opened = server.sessions.open(&user, session, &domain::audit::Origin::SERVICE).await.unwrap();
    format!("__Host-gatepost-session={}", opened.secret.expose())
}

/// A call of a page of the service, with these cookies.
pub(super) fn call(line: &str, cookie: &str) -> Request {
    request(line).header(SAME_ORIGIN).header(("cookie", cookie))
}

/// The cookies that an answer sets, each with its attributes.
pub(super) fn cookies_of(response: &Response) -> Vec<&str> {
    let set = response.headers.iter().filter(|(name, _)| name == "set-cookie");
    set.map(|(_, value)| value.as_str()).collect()
}

/// The cookie that an answer sets, as the browser sends it back.
pub(super) fn cookie_in(response: &Response, name: &str) -> String {
    let start = format!("{name}=");
    let found = cookies_of(response).into_iter().find(|line| line.starts_with(&start));
    let line = found.unwrap_or_else(|| panic!("no {name} in {response:?}"));
    line.split(';').next().unwrap().to_owned()
}
