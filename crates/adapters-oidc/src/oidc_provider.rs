use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{IdentityProvider, IdentityUnavailable, SignInAnswer, SignInRequest, SignInVerdict};
use domain::webhooks::basic_of_client;
use domain::{IdToken, Timestamp};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;
use url::form_urlencoded::Serializer;
use zeroize::Zeroizing;

use crate::OidcVerifier;
use crate::claims::{Refusal, read_profile};
use crate::discovery::Endpoints;
use crate::key_cache::{FETCH_DEADLINE, FetchError};
use crate::oidc_verifier::Failure;
use crate::operator_claim::OperatorClaim;
use crate::provider_client::Answer;
use crate::strict_json::read_object;

/// The most exchanges of codes at a time. Anybody can begin a sign-in, so strangers cause them.
const EXCHANGES_MAX: usize = 16;
/// The longest time that an exchange waits for its turn.
const EXCHANGE_WAIT_MAX: Duration = Duration::from_secs(2);

/// The registration of this service with the provider.
#[derive(Clone)]
pub struct OidcClient {
    /// The client id. ID tokens of sign-ins must be issued for it.
    pub id: String,
    /// The client secret; `None` for a public client, which PKCE alone protects.
    pub secret: Option<Zeroizing<String>>,
    /// The claim that makes a user an operator.
    pub operator_claim: Option<OperatorClaim>,
    /// Whether a sign-in asks for the name and the e-mail address of its user.
    pub wants_profile: bool,
}

/// The identity provider at which people sign in: the authorization code flow of `OpenID` Connect Core 1.0 with PKCE.
/// See decision 66.
pub struct OidcProvider {
    verifier: Arc<OidcVerifier>,
    client: OidcClient,
    /// One permit for each exchange that may run.
    exchanges: Arc<Semaphore>,
    /// Connections live here, and not on the thread of the request that needs one first.
    runtime: Handle,
}

impl OidcProvider {
    /// The provider that the verifier reads. Call it on the main runtime, which opens its connections.
    pub fn new(verifier: Arc<OidcVerifier>, client: OidcClient) -> Arc<Self> {
        let exchanges = Arc::new(Semaphore::new(EXCHANGES_MAX));
        Arc::new(Self { verifier, client, exchanges, runtime: Handle::current() })
    }

    fn endpoints(&self) -> Result<Arc<Endpoints>, IdentityUnavailable> {
        self.verifier.endpoints.get().ok_or_else(|| unavailable(FetchError::NotYet))
    }

    /// The scopes to request: `openid`, the scopes of the profile (`OpenID` Connect Core 1.0, section 5.4), and the scope with
    /// the name of the operators' claim. Scopes that the provider does not list are left out.
    fn scope(&self, endpoints: &Endpoints) -> String {
        let claim = self.client.operator_claim.as_ref().map(OperatorClaim::name);
        let of_profile =
            ["profile", "email"].into_iter().filter(|name| self.client.wants_profile && claim != Some(name));
        let wanted = of_profile.chain(claim).filter(|name| endpoints.scopes.iter().any(|scope| scope == name));
        ["openid"].into_iter().chain(wanted).collect::<Vec<_>>().join(" ")
    }

    async fn sign_in(&self, answer: SignInAnswer<'_>, at: Timestamp) -> Result<SignInVerdict, Failure> {
        let endpoints = self.endpoints().map_err(Failure::Unavailable)?;
        self.check_issuer(answer.issuer, &endpoints)?;
        let token = self.exchange(answer, &endpoints).await?;
        let client = &self.client;
        let (identity, claims) = self.verifier.identify_for_sign_in(&token, &client.id, answer.nonce, at).await?;
        let has_operator_claim = client.operator_claim.as_ref().is_some_and(|claim| claim.is_in(&claims));
        let profile = read_profile(&claims);
        Ok(SignInVerdict::Valid { identity, has_operator_claim, profile, token })
    }

    async fn exchange(&self, answer: SignInAnswer<'_>, endpoints: &Endpoints) -> Result<IdToken, Failure> {
        let url = endpoints.token.clone().ok_or(FetchError::NoEndpoint("token_endpoint"))?;
        let OidcClient { id, secret, .. } = &self.client;
        let in_form = secret.as_ref().filter(|_| endpoints.takes_secret_in_form);
        let in_header = secret.as_ref().filter(|_| !endpoints.takes_secret_in_form);
        let form = form(answer, id, in_form);
        let authorization = in_header.map(|secret| basic_of_client(id, secret));
        let client = Arc::clone(&self.verifier.client);
        let turn = timeout(EXCHANGE_WAIT_MAX, Arc::clone(&self.exchanges).acquire_owned()).await;
        let turn = turn.map_err(|_| FetchError::TooManyExchanges(EXCHANGES_MAX))?;
        let call = async move {
            // The call holds its turn to its end, even if its caller is gone by then.
            let _turn = turn;
            let answered = timeout(FETCH_DEADLINE, client.post(&url, form, authorization)).await;
            read_exchange(&answered.unwrap_or(Err(FetchError::TimedOut))?, url)
        };
        self.runtime.spawn(call).await.map_err(FetchError::Aborted)?
    }

    /// RFC 9207: an answer that names another issuer comes from another provider, which must not get the code.
    fn check_issuer(&self, issuer: Option<&str>, endpoints: &Endpoints) -> Result<(), Refusal> {
        match issuer {
            Some(issuer) if issuer == self.verifier.issuer.as_str() => Ok(()),
            Some(_) => Err(Refusal("the answer's iss is not the configured issuer")),
            None if endpoints.names_issuer => Err(Refusal("the answer has no iss")),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl IdentityProvider for OidcProvider {
    fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityUnavailable> {
        let endpoints = self.endpoints()?;
        let url = endpoints.authorization.clone();
        let mut url = url.ok_or_else(|| unavailable(FetchError::NoEndpoint("authorization_endpoint")))?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client.id)
            .append_pair("redirect_uri", request.redirect_uri)
            .append_pair("scope", &self.scope(&endpoints))
            .append_pair("state", request.state)
            .append_pair("nonce", request.nonce)
            .append_pair("code_challenge", request.code_challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    async fn verify_sign_in(
        &self,
        answer: SignInAnswer<'_>,
        at: Timestamp,
    ) -> Result<SignInVerdict, IdentityUnavailable> {
        match self.sign_in(answer, at).await {
            Ok(verdict) => Ok(verdict),
            Err(Failure::Refused(Refusal(reason))) => Ok(SignInVerdict::Refused(reason)),
            Err(Failure::Unavailable(unavailable)) => Err(unavailable),
        }
    }

    fn sign_out_url(&self, back_to: &str) -> Option<String> {
        let mut url = self.verifier.endpoints.get()?.end_session.clone()?;
        url.query_pairs_mut()
            .append_pair("client_id", &self.client.id)
            .append_pair("post_logout_redirect_uri", back_to);
        Some(url.into())
    }
}

fn form(answer: SignInAnswer<'_>, client_id: &str, secret: Option<&Zeroizing<String>>) -> Zeroizing<String> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code")
        .append_pair("code", answer.code)
        .append_pair("redirect_uri", answer.redirect_uri)
        .append_pair("client_id", client_id)
        .append_pair("code_verifier", answer.code_verifier);
    if let Some(secret) = secret {
        form.append_pair("client_secret", secret);
    }
    Zeroizing::new(form.finish())
}

/// Reads a token response, or an error (RFC 6749, sections 5.1 and 5.2).
fn read_exchange(answer: &Answer, url: Url) -> Result<IdToken, Failure> {
    let status = answer.status.as_u16();
    let object = read_object(&answer.body);
    let text = |name: &str| object.as_ref().and_then(|object| object.get(name)).and_then(Value::as_str);
    match (status, text("error")) {
        (200, _) => {
            let token = text("id_token").ok_or(FetchError::Malformed("the token endpoint sent no id_token"))?;
            Ok(IdToken::new(token))
        }
        (400 | 401, Some("invalid_client")) => Err(FetchError::ClientRefused("invalid_client").into()),
        (400 | 401 | 403, Some("unauthorized_client")) => Err(FetchError::ClientRefused("unauthorized_client").into()),
        (400, Some("invalid_grant")) => Err(Refusal("the token endpoint does not accept the code").into()),
        (400, Some(_)) => Err(Refusal("the token endpoint refuses the exchange").into()),
        _ => Err(FetchError::Status { url, status }.into()),
    }
}

fn unavailable(error: FetchError) -> IdentityUnavailable {
    IdentityUnavailable(Box::new(error))
}

#[cfg(test)]
mod tests;
