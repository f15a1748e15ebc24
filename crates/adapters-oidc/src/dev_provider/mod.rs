//! The identity provider of `gatepost dev`: real `OpenID` Connect under `{public_url}/dev/oidc`, but a user name alone
//! is enough to log in. It answers only callers on loopback. The user [`OPERATOR`] is in the group [`OPERATOR_GROUP`], and
//! `carol` and `dave` belong to organizations. See decision 69.
//!
//! Besides the authorization code flow, its token endpoint accepts the grant [`USER_NAME_GRANT`], with which a terminal
//! gets an ID token in one call:
//!
//! ```text
//! curl -d grant_type=urn:gatepost:grant-type:user-name -d username=alice http://127.0.0.1:8080/dev/oidc/token
//! ```

mod authorization;
mod codes;
mod documents;
mod guard;
mod pages;
mod parameters;
mod routes;
mod signer;
mod token_endpoint;

use std::sync::Arc;

use actix_web::web::ServiceConfig;
use domain::ports::{Clock, Entropy};
use domain::{IdToken, InvalidOwnerId, OwnerId};
use url::Url;
use zeroize::Zeroizing;

use crate::loopback::is_on_loopback;
use codes::Codes;
pub use guard::is_for_this_machine;
use signer::{IdTokenClaims, Signer};

/// The `grant_type` that returns an ID token for the `username` in the same form.
pub const USER_NAME_GRANT: &str = "urn:gatepost:grant-type:user-name";

/// The user with ID tokens that have [`OPERATOR_GROUP`] in the claim `groups`.
pub const OPERATOR: &str = "operator";
/// The group of operators.
pub const OPERATOR_GROUP: &str = "gatepost-operators";

/// The JSON pointer to the organizations of a user, in the ID tokens of this provider.
pub const ORGANIZATION_CLAIM: &str = "/organizations";
/// The JSON pointer to the roles, each after the id of its organization and a colon.
pub const ROLE_CLAIM: &str = "/organization_roles";

/// The users whom the login page offers.
const QUICK_USERS: [&str; 5] = ["alice", "bob", CAROL.name, DAVE.name, OPERATOR];
/// Administers one organization, and sees another.
const CAROL: Member =
    Member { name: "carol", organizations: &["acme", "globex"], roles: &["acme:admin", "globex:viewer"] };
/// Works on the webhooks of one organization.
const DAVE: Member = Member { name: "dave", organizations: &["acme"], roles: &["acme:dev"] };
/// The path of the provider under the public URL.
const PATH: &str = "/dev/oidc";
/// The lifetime of an ID token, in seconds.
const ID_TOKEN_LIFETIME_SECONDS: i64 = 60 * 60;

/// A user who belongs to organizations.
struct Member {
    name: &'static str,
    organizations: &'static [&'static str],
    roles: &'static [&'static str],
}

/// The settings of a [`DevProvider`].
pub struct DevProviderSettings {
    /// The URL of the server without `/dev/oidc`: http or https on loopback.
    pub public_url: String,
    /// The `client_id` of the only client, and the audience of every ID token.
    pub audience: String,
    /// The signing key, as [`DevProvider::generate_key`] returned it. If it is the same after a restart, ID tokens stay
    /// valid.
    pub signing_key: Zeroizing<String>,
}

/// Why the provider cannot run.
#[derive(Debug, thiserror::Error)]
pub enum DevProviderError {
    /// The public URL is not on loopback. Only this machine may reach the provider.
    #[error("the development identity provider needs a public URL whose host is loopback")]
    NotOnLoopback,
    /// The signing key is something else.
    #[error("the signing key is not a private Ed25519 key as a JSON Web Key")]
    NotAKey,
}

/// The development identity provider. See the [module](self).
pub struct DevProvider {
    issuer: String,
    audience: String,
    signer: Signer,
    codes: Codes,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl DevProvider {
    /// Draws a signing key: a private Ed25519 key as a JSON Web Key.
    pub fn generate_key(entropy: &dyn Entropy) -> Zeroizing<String> {
        Signer::generate_key(entropy)
    }

    /// Opens the provider.
    ///
    /// # Errors
    ///
    /// When the public URL is not on loopback, or the key is not a key.
    pub fn open(
        settings: DevProviderSettings,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Arc<Self>, DevProviderError> {
        let public_url = settings.public_url.trim_end_matches('/');
        let is_local = |url: Url| matches!(url.scheme(), "http" | "https") && is_on_loopback(&url);
        if !Url::parse(public_url).is_ok_and(is_local) {
            return Err(DevProviderError::NotOnLoopback);
        }
        let signer = Signer::of_key(&settings.signing_key).ok_or(DevProviderError::NotAKey)?;
        let issuer = format!("{public_url}{PATH}");
        Ok(Arc::new(Self { issuer, audience: settings.audience, signer, codes: Codes::default(), clock, entropy }))
    }

    /// The issuer of its ID tokens: `{public_url}/dev/oidc`.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// An ID token for the user with this name, valid for an hour.
    ///
    /// # Errors
    ///
    /// When the name is not a valid subject.
    pub fn id_token(&self, subject: &str) -> Result<IdToken, InvalidOwnerId> {
        self.sign_id_token(subject, None)
    }

    /// The routes under `/dev/oidc`.
    pub fn routes(self: &Arc<Self>) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
        let provider = Arc::clone(self);
        move |config| routes::register(config, Arc::clone(&provider))
    }

    fn sign_id_token(&self, subject: &str, nonce: Option<&str>) -> Result<IdToken, InvalidOwnerId> {
        let user = OwnerId::new(&self.issuer, subject)?;
        let member = [CAROL, DAVE].into_iter().find(|member| member.name == subject);
        let issued_at = self.clock.world_time().unix_millis().div_euclid(1_000);
        Ok(self.signer.sign(&IdTokenClaims {
            iss: user.issuer(),
            sub: user.subject(),
            aud: &self.audience,
            iat: issued_at,
            exp: issued_at + ID_TOKEN_LIFETIME_SECONDS,
            nonce,
            groups: (subject == OPERATOR).then_some([OPERATOR_GROUP]),
            organizations: member.as_ref().map(|member| member.organizations),
            organization_roles: member.as_ref().map(|member| member.roles),
        }))
    }

    /// 256 random bits as a string.
    fn random_text(&self) -> String {
        let mut bytes = [0; 32];
        self.entropy.fill(&mut bytes);
        signer::base64url(bytes)
    }
}

#[cfg(test)]
mod tests;
