use std::net::IpAddr;
use std::time::Duration;

use super::session_role::SessionRole;
use super::user_agent::UserAgent;
use crate::organizations::ReadMemberships;
use crate::{CredentialUse, OwnerId, SessionId, Timestamp};

/// A session ends when it is not used for this long: 12 hours, so that a working day needs one sign-in.
pub const SESSION_IDLE_MAX: Duration = Duration::from_hours(12);
/// A session ends this long after it was opened, even if it is in use: a week.
pub const SESSION_LIFETIME: Duration = Duration::from_hours(7 * 24);
/// The most good sessions of one user. When a user signs in once more, the session that was opened first ends.
pub const SESSIONS_MAX: u32 = 50;
/// The longest time after a sign-in for which the session acts for organizations. See decision 129.
pub const SESSION_ROLE_AGE_MAX: Duration = Duration::from_hours(1);

/// One browser that is signed in. Its secret is not stored, only the secret's
/// [`CredentialDigest`](crate::CredentialDigest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Identifies the session. It is not a secret.
    pub id: SessionId,
    /// The user of the session.
    pub owner: OwnerId,
    /// The role. It is fixed when the session is opened.
    pub role: SessionRole,
    /// The organizations that the user belonged to at the sign-in. Visitors belong to none.
    pub memberships: ReadMemberships,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it was last used. A new session was used when it was opened.
    pub seen_at: Timestamp,
    /// The expiry time: from then on the session is not good, even if it is in use.
    pub expires_at: Timestamp,
    /// The browser's user agent when the session was opened.
    pub user_agent: Option<UserAgent>,
    /// The address from which the session was opened.
    pub address: Option<IpAddr>,
}

/// One use of a session.
pub type SessionUse = CredentialUse<SessionId>;

impl Session {
    /// When the session ends if it is not used again. From then on it is not good.
    pub fn ends_at(&self) -> Timestamp {
        self.expires_at.min(self.seen_at.plus(SESSION_IDLE_MAX))
    }

    /// Whether verification accepts the session at `at`.
    pub fn is_good(&self, at: Timestamp) -> bool {
        self.ends_at() > at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::organizations::Memberships;
    use crate::test_samples::at;

    #[test]
    fn the_earlier_of_both_ends_counts_to_the_millisecond() {
        let idle = i64::try_from(SESSION_IDLE_MAX.as_millis()).unwrap();
        // (seen, expires) -> ends
        for (seen, expires, ends) in
            [(5, 100, 100), (5, idle + 4, idle + 4), (5, idle + 5, idle + 5), (5, idle + 6, idle + 5)]
        {
            let session = Session {
                id: SessionId::from_bytes([0; 16]),
                owner: OwnerId::new("https://id.example", "alice").unwrap(),
                role: SessionRole::User,
                memberships: Ok(Memberships::default()),
                created_at: at(1),
                seen_at: at(seen),
                expires_at: at(expires),
                user_agent: None,
                address: None,
            };
            assert_eq!(session.ends_at(), at(ends), "{session:?}");
            assert!(session.is_good(at(ends - 1)) && !session.is_good(at(ends)), "{session:?}");
        }
    }
}
