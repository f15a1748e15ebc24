//! The values that several settings give together, and the checks of settings against each other.

use std::net::SocketAddr;

use adapters_http::{CertificateError, OperatorTokens, ServerCertificate};
use adapters_oidc::TokenKind;
use cli::WebAddress;

use super::{Configuration, Problem, TlsConfiguration};

impl Configuration {
    /// Whether a person who signs in can be an operator.
    pub(crate) fn operators_sign_in(&self) -> bool {
        self.operator_claim.is_some() || !self.operators.is_empty()
    }

    /// All tokens of operators: `OPERATOR_TOKEN` has all scopes.
    pub(crate) fn all_operator_tokens(&self) -> OperatorTokens {
        let named = self.operator_tokens.clone();
        self.operator_token.iter().fold(named, |tokens, token| tokens.and_admin(token.expose()))
    }

    /// Where clients on this machine find the service, if it listens at `address`.
    pub(crate) fn address_at(&self, address: SocketAddr) -> WebAddress {
        let scheme = if self.tls.is_on() { "https" } else { "http" };
        self.public_url.clone().unwrap_or_else(|| WebAddress::of_listener(scheme, address))
    }

    /// The client of the provider that people sign in with.
    pub(crate) fn sign_in_client_id(&self) -> Option<&str> {
        self.oidc_client_ids.first().or(self.oidc_audiences.first()).map(String::as_str)
    }

    /// The audiences and the clients of the ID tokens that are accepted, with the client of command lines. No client
    /// means every client.
    pub(crate) fn token_recipients(&self) -> (Vec<String>, Vec<String>) {
        let and_command_lines = |names: &[String]| names.iter().chain(&self.oidc_cli_client_id).cloned().collect();
        let clients = Some(&*self.oidc_client_ids).filter(|clients| !clients.is_empty());
        (and_command_lines(&self.oidc_audiences), clients.map(and_command_lines).unwrap_or_default())
    }

    /// The problem of the number of shards for this database.
    pub(super) fn shards_problem(&self) -> Option<Problem> {
        let rule = self.database_url.misfit(self.database_shards)?;
        let (shown, rule) = (self.database_shards.to_string(), format!("DATABASE_URL names {rule}"));
        Some(Problem::unfit("DATABASE_SHARDS", &shown, &rule))
    }

    /// The problem of the client of command lines.
    pub(crate) fn cli_client_problem(&self) -> Option<Problem> {
        let shown = self.oidc_cli_client_id.as_deref()?;
        if !self.oidc_tokens.contains(&TokenKind::Id) {
            let rule = "a command line signs in with an ID token, which OIDC_TOKENS does not accept";
            return Some(Problem::unfit("OIDC_CLI_CLIENT_ID", shown, rule));
        }
        let is_secret = self.oidc_client_secret.is_some() && self.sign_in_client_id() == Some(shown);
        let rule = "this client has a secret (OIDC_CLIENT_SECRET), which a command line cannot keep; register a public \
                    client for command lines";
        is_secret.then(|| Problem::unfit("OIDC_CLI_CLIENT_ID", shown, rule))
    }

    /// The missing secret of `OPERATOR_WEBHOOK_URL`.
    pub(crate) fn operator_webhook_problem(&self) -> Option<Problem> {
        let webhook = &self.operator_webhook;
        let what = "a secret that signs what is sent to OPERATOR_WEBHOOK_URL: whsec_ and base64 of 32 random bytes";
        let is_missing = webhook.url.is_some() && webhook.secret.is_none();
        is_missing.then(|| Problem::missing("OPERATOR_WEBHOOK_SECRET", what))
    }
}

impl TlsConfiguration {
    /// Whether the server speaks HTTPS.
    pub(crate) fn is_on(&self) -> bool {
        self.chain.is_some()
    }

    /// The certificate with its key; `None` if neither is set.
    ///
    /// # Errors
    ///
    /// When one of the two is missing, or they do not belong together.
    pub(crate) fn certificate(&self) -> Result<Option<ServerCertificate>, Problem> {
        match (&self.chain, &self.key) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(Problem::missing("TLS_KEY", "the private key of the certificate in TLS_CERT")),
            (None, Some(_)) => Err(Problem::missing("TLS_CERT", "the certificate of the private key in TLS_KEY")),
            (Some(chain), Some(key)) => {
                ServerCertificate::from_pem(chain, key.expose()).map(Some).map_err(|error| unusable(&error))
            }
        }
    }
}

fn unusable(error: &CertificateError) -> Problem {
    let name = match error {
        CertificateError::Chain(_) | CertificateError::NoCertificate => "TLS_CERT",
        CertificateError::Key(_) | CertificateError::Unfit(_) => "TLS_KEY",
    };
    Problem::Unmet { name, text: format!("{name} cannot be used: {error}") }
}
