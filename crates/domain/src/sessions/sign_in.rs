use std::sync::Arc;

use super::open_session::{Browser, OpenSession, OpenedSession};
use super::pending_sign_in::PendingSignIn;
use super::return_path::ReturnPath;
use super::session_role::SessionRole;
use super::spent_states::SpentStates;
use super::use_cases::Sessions;
use crate::audit::{Means, Origin, RequestId};
use crate::organizations::{Identity, Memberships};
use crate::ports::{
    Clock, Entropy, IdentityProvider, IdentityUnavailable, SignInAnswer, SignInRequest, SignInVerdict, StoreError,
};
use crate::{CredentialDigest, Owners, SealingKeys};

/// The settings of sign-ins.
#[derive(Clone, Debug)]
pub struct SignInSettings {
    /// The URL to which the provider sends the browser with its answer.
    pub redirect_uri: String,
    /// The subjects of the operators. A claim of the provider makes operators too.
    pub operators: Vec<String>,
}

/// The use cases of signing in at the identity provider.
#[derive(Clone)]
pub struct SignIn {
    provider: Arc<dyn IdentityProvider>,
    sessions: Sessions,
    keys: Arc<SealingKeys>,
    settings: Arc<SignInSettings>,
    spent: Arc<SpentStates>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    owners: Option<Owners>,
}

/// A sign-in that has begun.
#[derive(Debug)]
pub struct BegunSignIn {
    /// The page of the provider to which the browser goes.
    pub url: String,
    /// The state that the browser keeps until it comes back. It can neither read nor change it.
    pub sealed: String,
}

/// The parameters with which the provider sends the browser back.
#[derive(Clone, Debug, Default)]
pub struct SignInParameters {
    /// `code`
    pub code: Option<String>,
    /// `state`
    pub state: Option<String>,
    /// `iss`
    pub issuer: Option<String>,
}

/// The result of a sign-in.
#[derive(Debug)]
pub struct SignedIn {
    /// The new session.
    pub opened: OpenedSession,
    /// The page to show.
    pub next: ReturnPath,
}

/// Why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// This browser did not begin this sign-in, or not in the last ten minutes, or the sign-in has already ended.
    #[error("this browser has not begun this sign-in")]
    NotBegun,
    /// The provider's answer is not valid. The reason is for the log.
    #[error("the sign-in is refused: {0}")]
    Refused(&'static str),
    /// The provider does not answer.
    #[error(transparent)]
    Provider(#[from] IdentityUnavailable),
    /// The store failed.
    #[error("the session could not be opened")]
    Store(#[from] StoreError),
}

impl SignIn {
    /// The use cases on these ports.
    pub fn new(
        provider: Arc<dyn IdentityProvider>,
        sessions: Sessions,
        keys: Arc<SealingKeys>,
        settings: SignInSettings,
        (clock, entropy): (Arc<dyn Clock>, Arc<dyn Entropy>),
    ) -> Self {
        let (settings, spent) = (Arc::new(settings), Arc::default());
        Self { provider, sessions, keys, settings, spent, clock, entropy, owners: None }
    }

    /// The same, which fills the records of these owners from their ID tokens.
    #[must_use]
    pub fn filling(self, owners: Owners) -> Self {
        Self { owners: Some(owners), ..self }
    }

    /// Begins a sign-in that ends on this page. It will end the session with the secret that the browser `presented`.
    ///
    /// # Errors
    ///
    /// If the provider's page is not known.
    pub fn begin(&self, next: ReturnPath, presented: Option<&str>) -> Result<BegunSignIn, IdentityUnavailable> {
        let replaced = presented.and_then(CredentialDigest::of_presented);
        let pending = PendingSignIn::begin(next, replaced, self.clock.now(), &*self.entropy);
        let url = self.provider.sign_in_url(&SignInRequest {
            redirect_uri: &self.settings.redirect_uri,
            state: &pending.secrets.state,
            nonce: &pending.secrets.nonce,
            code_challenge: &pending.secrets.code_challenge(),
        })?;
        Ok(BegunSignIn { url, sealed: pending.seal(&self.keys, &*self.entropy) })
    }

    /// Opens a session for the user whom the provider has identified, if this browser began the sign-in. Ends the session
    /// that the browser had: the cookie of the new session replaces its secret, so its user could not sign out any more.
    ///
    /// # Errors
    ///
    /// See [`SignInError`].
    pub async fn complete(
        &self,
        sealed: &str,
        parameters: &SignInParameters,
        (user_agent, address): Browser,
        request: Option<RequestId>,
    ) -> Result<SignedIn, SignInError> {
        let pending = PendingSignIn::unseal(sealed, &self.keys, self.clock.now()).ok_or(SignInError::NotBegun)?;
        let secrets = &pending.secrets;
        if !secrets.has_state(parameters.state.as_deref().unwrap_or_default()) {
            return Err(SignInError::NotBegun);
        }
        let code = parameters.code.as_deref().ok_or(SignInError::Refused("the provider sent an error and no code"))?;
        let answer = SignInAnswer {
            code,
            issuer: parameters.issuer.as_deref(),
            redirect_uri: &self.settings.redirect_uri,
            code_verifier: &secrets.code_verifier,
            nonce: &secrets.nonce,
        };
        if !self.spent.spend(&secrets.state) {
            return Err(SignInError::NotBegun);
        }
        let verdict = self.provider.verify_sign_in(answer, self.clock.world_time()).await;
        let (identity, has_operator_claim, profile) =
            match verdict.inspect_err(|_| self.spent.restore(&secrets.state))? {
                SignInVerdict::Valid { identity, has_operator_claim, profile, .. } => {
                    (identity, has_operator_claim, profile)
                }
                SignInVerdict::Refused(reason) => return Err(SignInError::Refused(reason)),
            };
        let Identity { user, memberships } = identity;
        let memberships = memberships.and_then(Memberships::for_session);
        let is_named = self.settings.operators.iter().any(|subject| subject == user.subject());
        let role = if has_operator_claim || is_named { SessionRole::Operator } else { SessionRole::User };
        if let Some(replaced) = &pending.replaced {
            self.sessions.end_replaced(replaced, request.clone(), address).await?;
        }
        let origin = Origin { request, address, ..Origin::of_user(&user, Means::IdToken) };
        if let Some(owners) = &self.owners {
            owners.fill(&user, profile, &origin).await?;
        }
        let opened = self.sessions.open(&user, OpenSession { role, memberships, user_agent, address }, &origin).await?;
        Ok(SignedIn { opened, next: pending.next })
    }

    /// The page of the provider at which a person signs out, and which then leads `back_to` this URL, if it has one.
    pub fn sign_out_url(&self, back_to: &str) -> Option<String> {
        self.provider.sign_out_url(back_to)
    }
}
