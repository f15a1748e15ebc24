use std::sync::Arc;
use std::time::Duration;

use domain::audit::Audit;
use domain::catalogue::Catalogue;
use domain::organizations::DefaultOwner;
use domain::ports::{Clock, Entropy, IdentityVerifier, SystemStatus};
use domain::sessions::{PortalLinks, Sessions, SignIn};
use domain::webhooks::Webhooks;
use domain::{Keys, LogControl, Owners, Tracer};
use verifier::{OwnerStates, Verifier};

use crate::OperatorTokens;
use crate::readiness::NamedCheck;

/// The use cases, engines and ports that the endpoints call.
#[derive(Clone)]
pub struct Api {
    /// Creates, lists, rotates and revokes API keys.
    pub keys: Keys,
    /// Shows and changes the records of owners.
    pub owners: Owners,
    /// Says whether an owner is suspended.
    pub owner_states: Arc<OwnerStates>,
    /// Whether the records of users have the last sign-in.
    pub notes_sign_ins: bool,
    /// Manages subscriptions, publishes events and shows deliveries.
    pub webhooks: Webhooks,
    /// Shows and changes the catalogue of event types.
    pub catalogue: Arc<Catalogue>,
    /// Lists and ends sessions.
    pub sessions: Sessions,
    /// Signs people in at the identity provider.
    pub sign_in: SignIn,
    /// The public client of the provider with which command lines sign in, if there is one.
    pub command_line_client: Option<String>,
    /// Lets users enter the console by a link of the host application.
    pub portal_links: PortalLinks,
    /// Whether a person who signs in can be an operator.
    pub operators_sign_in: bool,
    /// Shows the audit log.
    pub audit: Audit,
    /// Shows and chooses the lines of the log.
    pub log: LogControl,
    /// Verifies API keys and sessions.
    pub verifier: Arc<Verifier>,
    /// Reports the state of the instance and of the store.
    pub system: Arc<dyn SystemStatus>,
    /// Verifies ID tokens.
    pub identity: Arc<dyn IdentityVerifier>,
    /// The issuer (`iss`) of the ID tokens. A `userId` in the operator API is a user of this issuer.
    pub issuer: String,
    /// The owner of a call with an ID token that names no organization.
    pub default_owner: DefaultOwner,
    /// The time after a sign-in in which its session acts for organizations.
    pub session_role_max_age: Duration,
    /// The tokens of the operator API. Without tokens, and without operators who sign in, the operator API is off.
    pub operator_tokens: OperatorTokens,
    /// The checks behind `/readyz`.
    pub readiness: Vec<NamedCheck>,
    /// The time at which an ID token is verified.
    pub clock: Arc<dyn Clock>,
    /// The randomness of request ids.
    pub entropy: Arc<dyn Entropy>,
    /// Records requests; `None` without tracing.
    pub tracer: Option<Arc<Tracer>>,
}
