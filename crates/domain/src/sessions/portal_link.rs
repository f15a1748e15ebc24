use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::capability::Capability;
use super::open_session::{Browser, OpenSession, OpenedSession};
use super::return_url::ReturnUrl;
use super::session::{SESSION_LIFETIME, SESSIONS_MAX};
use super::session_role::SessionRole;
use super::use_cases::Sessions;
use crate::audit::{Means, Origin, RequestId};
use crate::organizations::Memberships;
use crate::ports::{SessionStores, StoreError};
use crate::{CredentialDigest, OwnerId, SealingKeys, Timestamp};

/// How long a link works: five minutes, enough for a redirect.
pub const PORTAL_LINK_MAX: Duration = Duration::from_mins(5);
/// The most links of one user that wait to be used. One more ends the link that was made first.
pub const PORTAL_LINKS_MAX: u32 = 10;
/// The shortest visit.
pub const VISIT_MIN: Duration = Duration::from_mins(1);
/// The default length of a visit: half a day.
pub const VISIT_DEFAULT: Duration = Duration::from_hours(12);

/// The purpose is used for this only.
const PURPOSE: &[u8] = b"portal-link";

/// The visit that a portal link opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The owner of the keys and webhooks.
    pub user: OwnerId,
    /// The visitor's rights to them.
    pub capabilities: BTreeSet<Capability>,
    /// When the session of the visitor ends, however much it is used.
    pub lifetime: Duration,
    /// The page to which the visitor goes back.
    pub return_url: Option<ReturnUrl>,
}

/// A new portal link.
#[derive(Debug)]
pub struct CreatedLink {
    /// Becomes a session, once.
    pub code: Zeroizing<String>,
    /// The first instant at which the code does not work.
    pub expires_at: Timestamp,
}

/// The begun visit of a person with a link.
#[derive(Debug)]
pub struct BegunVisit {
    /// The new session.
    pub opened: OpenedSession,
    /// The visit of the link.
    pub visit: Visit,
}

/// Why a link was not made.
#[derive(Debug, thiserror::Error)]
pub enum CreateLinkError {
    /// The lifetime is not allowed.
    #[error("must be {} to {}", VISIT_MIN.as_secs(), SESSION_LIFETIME.as_secs())]
    LifetimeOutOfRange,
    /// The store failed.
    #[error("the link could not be stored")]
    Store(#[from] StoreError),
}

/// Why a code did not open a session.
#[derive(Debug, thiserror::Error)]
pub enum UseLinkError {
    /// The code is unknown, was used before, or is too old.
    #[error("the link does not work, or not any more")]
    Spent,
    /// The store failed. The code may be spent anyway.
    #[error("the session could not be opened")]
    Store(#[from] StoreError),
}

/// The use cases of portal links, by which a host application lends its users a part of their account here, without a
/// sign-in. See decision 68.
#[derive(Clone)]
pub struct PortalLinks {
    sessions: Sessions,
    keys: Arc<SealingKeys>,
}

impl PortalLinks {
    /// The use cases on these sessions.
    pub fn new(sessions: Sessions, keys: Arc<SealingKeys>) -> Self {
        Self { sessions, keys }
    }

    /// Makes a link.
    ///
    /// # Errors
    ///
    /// See [`CreateLinkError`].
    pub async fn create(&self, visit: &Visit, origin: &Origin) -> Result<CreatedLink, CreateLinkError> {
        if !(VISIT_MIN..=SESSION_LIFETIME).contains(&visit.lifetime) {
            return Err(CreateLinkError::LifetimeOutOfRange);
        }
        let memberships = Ok(Memberships::default());
        let waiting = OpenSession { role: SessionRole::Link, memberships, user_agent: None, address: None };
        let OpenedSession { secret, session } =
            self.sessions.open_for(&visit.user, waiting, PORTAL_LINK_MAX, PORTAL_LINKS_MAX, origin).await?;
        let (text, purpose) = (visit.to_text(), purpose(&secret.digest()));
        let sealed = self.keys.seal_bytes(text.as_bytes(), &purpose, &*self.sessions.entropy);
        let code = Zeroizing::new(format!("{}.{}", secret.expose(), URL_SAFE_NO_PAD.encode(sealed)));
        Ok(CreatedLink { code, expires_at: session.expires_at })
    }

    /// Opens the session of a visitor. Of all calls with one code, from any number of instances, one succeeds: the one
    /// that ends the waiting session. Also ends the session with the secret that the browser `presented`, as a sign-in
    /// does: the cookie of the visit replaces it.
    ///
    /// # Errors
    ///
    /// See [`UseLinkError`].
    pub async fn begin_visit(
        &self,
        code: &str,
        presented: Option<&str>,
        browser: Browser,
        request: Option<RequestId>,
    ) -> Result<BegunVisit, UseLinkError> {
        let (digest, visit) = self.read(code).ok_or(UseLinkError::Spent)?;
        let Sessions { stores: SessionStores { store, credentials }, clock, .. } = &self.sessions;
        let waiting = credentials.find_by_digest(&digest).await?.ok_or(UseLinkError::Spent)?;
        // The end of all sessions of a user ends the links of this user alone.
        let is_theirs = waiting.owner == visit.user && waiting.role == SessionRole::Link;
        if !is_theirs || !waiting.is_good(clock.now()) {
            return Err(UseLinkError::Spent);
        }
        let (user_agent, address) = browser;
        // The event of the waiting session names the maker of the link.
        let by_link = Origin::of_user(&visit.user, Means::Session(waiting.id));
        let origin = Origin { request: request.clone(), address, ..by_link };
        let role = SessionRole::Visitor(visit.capabilities.clone());
        let opening = OpenSession { role, memberships: Ok(Memberships::default()), user_agent, address };
        let opened = self.sessions.open_for(&visit.user, opening, visit.lifetime, SESSIONS_MAX, &origin).await?;
        // Only now: a call that ends all sessions and links of a user must find one of the two.
        let spent = store.end(&waiting.owner, waiting.id, &self.sessions.cause(&origin)).await;
        if !matches!(spent, Ok(Some(_))) {
            store.end(&visit.user, opened.session.id, &self.sessions.cause(&origin)).await?;
            return Err(spent.map_or_else(UseLinkError::from, |_| UseLinkError::Spent));
        }
        if let Some(replaced) = presented.and_then(CredentialDigest::of_presented) {
            // The visit has begun. A session that cannot be ended now ends at its time.
            let _ = self.sessions.end_replaced(&replaced, request, address).await;
        }
        Ok(BegunVisit { opened, visit })
    }

    /// The digest and the content of a code that this service has made. Costs no read of the store.
    fn read(&self, code: &str) -> Option<(CredentialDigest, Visit)> {
        let (secret, sealed) = code.split_once('.')?;
        let digest = CredentialDigest::of_presented(secret)?;
        let opened = self.keys.open_bytes(&URL_SAFE_NO_PAD.decode(sealed).ok()?, &purpose(&digest))?;
        Some((digest, Visit::of_text(str::from_utf8(&opened.content).ok()?)?))
    }
}

impl Visit {
    fn to_text(&self) -> String {
        let capabilities: Vec<&str> = self.capabilities.iter().map(|capability| capability.name()).collect();
        let lifetime = self.lifetime.as_secs().to_string();
        let return_url = self.return_url.as_ref().map_or("", ReturnUrl::as_str);
        [self.user.issuer(), self.user.subject(), &capabilities.join(" "), &lifetime, return_url].join("\n")
    }

    fn of_text(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let user = OwnerId::new(lines.next()?, lines.next()?).ok()?;
        let names = lines.next()?.split(' ').filter(|name| !name.is_empty());
        let capabilities = names.map(Capability::of_name).collect::<Option<_>>()?;
        let lifetime = Duration::from_secs(lines.next()?.parse().ok()?);
        let return_url = lines.next().filter(|url| !url.is_empty()).map(ReturnUrl::parse).transpose().ok()?;
        Some(Self { user, capabilities, lifetime, return_url })
    }
}

/// The content of one code does not open with another.
fn purpose(digest: &CredentialDigest) -> Vec<u8> {
    [PURPOSE, digest.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_read_as_it_was_written() {
        let user = OwnerId::new("https://id.example", "auth0|Zoë 1").unwrap();
        for capabilities in [BTreeSet::new(), Capability::ALL.into(), [Capability::WebhooksRead].into()] {
            for return_url in [None, ReturnUrl::parse("https://app.example/?a=b").ok()] {
                let (user, capabilities) = (user.clone(), capabilities.clone());
                let visit = Visit { user, capabilities, lifetime: VISIT_MIN, return_url };
                assert_eq!(Visit::of_text(&visit.to_text()), Some(visit));
            }
        }
        for wrong in ["", "a", "a\nb", "a\nb\nkeys", "a\nb\nadmin\n60\n", "a\nb\nkeys\nx\n", "\nb\nkeys\n60\n"] {
            assert_eq!(Visit::of_text(wrong), None, "{wrong:?}");
        }
    }
}
