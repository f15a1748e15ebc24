//! The rules of sessions: how long a browser stays signed in, what it may do, and what ends a session.
//!
//! [`Sessions`] has the use cases, and [`SignIn`] those of signing in at the identity provider. The port that stores implement is [`SessionStore`](crate::ports::SessionStore).

mod capability;
mod end_session;
mod open_session;
mod pending_sign_in;
mod return_path;
mod session;
mod session_role;
mod session_secret;
mod sign_in;
mod use_cases;
mod user_agent;

pub use capability::Capability;
pub use end_session::EndSessionError;
pub use open_session::{OpenSession, OpenedSession};
pub use pending_sign_in::SIGN_IN_MAX;
pub use return_path::ReturnPath;
pub use session::{SESSION_IDLE_MAX, SESSION_LIFETIME, SESSIONS_MAX, Session, SessionUse};
pub use session_role::{InvalidSessionRole, SessionRole};
pub use session_secret::SessionSecret;
pub use sign_in::{BegunSignIn, SignIn, SignInError, SignInParameters, SignInSettings, SignedIn};
pub use use_cases::{SESSION_RETENTION, SESSIONS_PURGE_MAX, Sessions};
pub use user_agent::UserAgent;
