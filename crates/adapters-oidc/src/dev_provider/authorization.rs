use domain::OwnerId;
use url::Url;

use super::DevProvider;
use super::codes::Grant;
use super::parameters::Parameters;
use crate::loopback::is_on_loopback;

/// A valid authorization request.
#[derive(Debug)]
pub(super) struct AuthorizationRequest {
    redirect_uri: Url,
    /// As received: the token request must repeat it exactly.
    redirect_uri_as_sent: String,
    state: Option<String>,
    nonce: Option<String>,
    code_challenge: String,
}

/// How an invalid request is answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// There is no safe URL to redirect the browser to, so the user sees the error.
    Page(&'static str),
    /// The client receives the error (RFC 6749 section 4.1.2.1).
    Redirect(Url),
}

/// The parameters of the request, which the login form sends back.
pub(super) const CARRIED_PARAMETERS: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "nonce",
    "code_challenge",
    "code_challenge_method",
];

impl DevProvider {
    /// Checks an authorization request: the code flow with PKCE by S256, and a redirect to this machine.
    pub(super) fn check_authorization(&self, parameters: &Parameters) -> Result<AuthorizationRequest, Rejection> {
        if parameters.get("client_id") != Some(&self.audience) {
            return Err(Rejection::Page("client_id is not the audience that this server is configured with"));
        }
        let redirect_uri_as_sent = parameters.get("redirect_uri").ok_or(Rejection::Page("redirect_uri is missing"))?;
        let redirect_uri = local_redirect(redirect_uri_as_sent)
            .ok_or(Rejection::Page("redirect_uri must be http or https on loopback, without a fragment"))?;
        let request = AuthorizationRequest {
            redirect_uri,
            redirect_uri_as_sent: redirect_uri_as_sent.to_owned(),
            state: parameters.get("state").map(str::to_owned),
            nonce: parameters.get("nonce").map(str::to_owned),
            code_challenge: parameters.get("code_challenge").unwrap_or_default().to_owned(),
        };
        match fault(parameters) {
            None => Ok(request),
            Some((error, description)) => {
                Err(Rejection::Redirect(self.answer(&request, &[("error", error), ("error_description", description)])))
            }
        }
    }

    /// The redirect after the user gave a name; `Err` has the message for the form.
    pub(super) fn log_in(&self, request: &AuthorizationRequest, user_name: &str) -> Result<Url, &'static str> {
        if OwnerId::new(&self.issuer, user_name).is_err() {
            return Err("Please enter a user name of 1 to 255 bytes.");
        }
        let grant = Grant {
            subject: user_name.to_owned(),
            redirect_uri: request.redirect_uri_as_sent.clone(),
            code_challenge: request.code_challenge.clone(),
            nonce: request.nonce.clone(),
        };
        let code = self.random_text();
        let is_kept = self.codes.keep(code.clone(), grant, self.clock.now());
        let answer = if is_kept { ("code", &*code) } else { ("error", "temporarily_unavailable") };
        Ok(self.answer(request, &[answer]))
    }

    /// The URL of the client with the answer, its state, and `iss` against mix-up attacks (RFC 9207).
    fn answer(&self, request: &AuthorizationRequest, parameters: &[(&str, &str)]) -> Url {
        let mut url = request.redirect_uri.clone();
        url.query_pairs_mut()
            .extend_pairs(parameters)
            .extend_pairs(request.state.as_deref().map(|state| ("state", state)))
            .append_pair("iss", &self.issuer);
        url
    }
}

/// A redirect must stay on this machine, so that no page elsewhere gets a code.
pub(super) fn local_redirect(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && is_on_loopback(&url) && is_plain).then_some(url)
}

/// An error of the client: the error code of OAuth 2.0 or `OpenID` Connect, and an explanation.
fn fault(parameters: &Parameters) -> Option<(&'static str, &'static str)> {
    let is = |name, value| parameters.get(name) == Some(value);
    let has_scope = parameters.get("scope").is_some_and(|scopes| scopes.split(' ').any(|scope| scope == "openid"));
    let challenge = parameters.get("code_challenge").unwrap_or_default();
    if !is("response_type", "code") {
        return Some(("unsupported_response_type", "response_type must be code"));
    }
    if parameters.get("request").is_some() {
        return Some(("request_not_supported", "request objects are not supported"));
    }
    if parameters.get("request_uri").is_some() {
        return Some(("request_uri_not_supported", "request objects are not supported"));
    }
    if parameters.get("response_mode").is_some_and(|mode| mode != "query") {
        return Some(("invalid_request", "response_mode must be query"));
    }
    if !has_scope {
        return Some(("invalid_scope", "scope must contain openid"));
    }
    if !is("code_challenge_method", "S256") || !is_sha256_in_base64url(challenge) {
        return Some(("invalid_request", "PKCE is required: code_challenge, and code_challenge_method S256"));
    }
    is("prompt", "none").then_some(("login_required", "nobody stays logged in here"))
}

fn is_sha256_in_base64url(text: &str) -> bool {
    text.len() == 43 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
