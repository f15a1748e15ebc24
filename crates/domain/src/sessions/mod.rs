//! The rules of sessions: how long a browser stays signed in, its rights, and the end of a session.
//!
//! [`Sessions`] has the use cases, and [`SignIn`] those of signing in at the identity provider. The port that stores
//! implement is [`SessionStore`](crate::ports::SessionStore).

mod capability;
mod end_session;
mod open_session;
mod pending_sign_in;
mod portal_link;
mod return_path;
mod return_url;
mod session;
mod session_role;
mod session_secret;
mod sign_in;
mod sign_in_secrets;
mod spent_states;
mod use_cases;
mod user_agent;

pub use capability::Capability;
pub use end_session::EndSessionError;
pub use open_session::{Browser, OpenSession, OpenedSession};
pub use pending_sign_in::SIGN_IN_MAX;
pub use portal_link::{
    BegunVisit, CreateLinkError, CreatedLink, PORTAL_LINK_MAX, PORTAL_LINKS_MAX, PortalLinks, UseLinkError,
    VISIT_DEFAULT, VISIT_MIN, Visit,
};
pub use return_path::ReturnPath;
pub use return_url::{InvalidReturnUrl, ReturnUrl};
pub use session::{SESSION_IDLE_MAX, SESSION_LIFETIME, SESSION_ROLE_AGE_MAX, SESSIONS_MAX, Session, SessionUse};
pub use session_role::{InvalidSessionRole, SessionRole};
pub use session_secret::SessionSecret;
pub use sign_in::{BegunSignIn, SignIn, SignInError, SignInParameters, SignInSettings, SignedIn};
pub use sign_in_secrets::SignInSecrets;
pub use use_cases::{SESSION_RETENTION, Sessions};
pub use user_agent::UserAgent;
