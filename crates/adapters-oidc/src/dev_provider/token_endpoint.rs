use domain::IdToken;
use sha2::{Digest, Sha256};

use super::parameters::Parameters;
use super::signer::base64url;
use super::{DevProvider, USER_NAME_GRANT};

/// The answer of the token endpoint.
pub(super) struct Tokens {
    pub(super) id_token: IdToken,
    /// OAuth 2.0 requires an access token. This one gives no access.
    pub(super) access_token: String,
}

/// An error of the token endpoint (RFC 6749 section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenError {
    pub(super) code: &'static str,
    pub(super) description: &'static str,
}

impl DevProvider {
    /// Exchanges the grant of the client for tokens.
    pub(super) fn exchange(&self, parameters: &Parameters) -> Result<Tokens, TokenError> {
        let id_token = match parameters.get("grant_type") {
            Some("authorization_code") => self.exchange_code(parameters)?,
            Some(USER_NAME_GRANT) => {
                let user_name = required(parameters, "username", "username is missing")?;
                self.id_token(user_name).map_err(|_| refusal("invalid_request", "username cannot be a subject"))?
            }
            Some(_) => return Err(refusal("unsupported_grant_type", "grant_type must be authorization_code")),
            None => return Err(refusal("invalid_request", "grant_type is missing")),
        };
        Ok(Tokens { id_token, access_token: self.random_text() })
    }

    fn exchange_code(&self, parameters: &Parameters) -> Result<IdToken, TokenError> {
        let code = required(parameters, "code", "code is missing")?;
        let verifier = required(parameters, "code_verifier", "code_verifier is missing")?;
        let redirect_uri = required(parameters, "redirect_uri", "redirect_uri is missing")?;
        if parameters.get("client_id") != Some(&self.audience) {
            return Err(refusal("invalid_client", "client_id is not the configured audience"));
        }
        let grant = self.codes.take(code, self.clock.now());
        let grant = grant.ok_or(refusal("invalid_grant", "the code is unknown, expired or used"))?;
        if grant.redirect_uri != redirect_uri {
            return Err(refusal("invalid_grant", "redirect_uri is not the one of the authorization request"));
        }
        if !is_verifier(verifier) || base64url(Sha256::digest(verifier)) != grant.code_challenge {
            return Err(refusal("invalid_grant", "code_verifier does not match code_challenge"));
        }
        self.sign_id_token(&grant.subject, grant.nonce.as_deref())
            .map_err(|_| refusal("invalid_grant", "the user name cannot be a subject"))
    }
}

/// RFC 7636 section 4.1.
fn is_verifier(text: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}

fn required<'a>(parameters: &'a Parameters, name: &str, missing: &'static str) -> Result<&'a str, TokenError> {
    parameters.get(name).ok_or(refusal("invalid_request", missing))
}

pub(super) const fn refusal(code: &'static str, description: &'static str) -> TokenError {
    TokenError { code, description }
}
