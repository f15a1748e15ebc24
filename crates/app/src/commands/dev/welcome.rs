use std::net::SocketAddr;

use domain::IdToken;
use serde::Serialize;
use url::Url;

use super::{Configuration, USER_NAME, WebAddress};

/// The example of RFC 7636, appendix B: whoever opens the link can finish the exchange with the verifier
/// `dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`.
const CODE_CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// What `dev` says once everything works.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Welcome {
    version: &'static str,
    database: String,
    api_url: String,
    docs_url: String,
    issuer: String,
    audience: String,
    login_url: String,
    /// What to write before `gatepost token`, so that it finds this instance.
    #[serde(skip)]
    token_environment: String,
}

/// The welcome in JSON: the only place where the token is not in words.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WelcomeAnswer<'a> {
    #[serde(flatten)]
    welcome: &'a Welcome,
    id_token: &'a str,
    curl: String,
}

impl Welcome {
    pub(super) fn new(
        configuration: &Configuration,
        address: SocketAddr,
        public_url: &WebAddress,
        issuer: &str,
        audience: &str,
    ) -> Self {
        // `gatepost token` finds us by the same configuration, but cannot know which free port we got.
        let port_is_known = configuration.public_url.is_some() || configuration.listen == address;
        let token_environment = if port_is_known { String::new() } else { format!("PUBLIC_URL={public_url} ") };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            database: configuration.database_url.to_string(),
            api_url: format!("{public_url}/api/api-keys"),
            docs_url: format!("{public_url}/docs"),
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            login_url: login_url(issuer, audience, public_url),
            token_environment,
        }
    }

    /// For a program.
    pub(super) fn in_json<'a>(&'a self, token: &'a IdToken) -> WelcomeAnswer<'a> {
        WelcomeAnswer { welcome: self, id_token: token.expose(), curl: self.create_key(token) }
    }

    /// For a person. Every line that starts with `curl` or `ID_TOKEN` works when pasted, in this order.
    pub(super) fn in_words(&self, token: &IdToken) -> String {
        let Self { version, database, api_url, docs_url, issuer, audience, login_url, token_environment } = self;
        let (create_key, token) = (self.create_key(token), token.expose());
        format!(
            "\
Gatepost {version}, for development on this machine. Data in {database}; Ctrl-C stops.

  API                {api_url}
  API page           {docs_url}
  Identity provider  {issuer} (audience {audience})
  Login page         {login_url}

An ID token of the user {USER_NAME}, good for an hour (`{token_environment}gatepost token --user NAME` gives more):

{token}

Create a key:

{create_key}

List the keys, and revoke one:

ID_TOKEN='{token}'
curl -sS {api_url} -H \"Authorization: Bearer $ID_TOKEN\"
curl -sS -X DELETE {api_url} -H \"Authorization: Bearer $ID_TOKEN\" -H 'Content-Type: application/json' -d '{{\"keyId\":\"key_...\"}}'
"
        )
    }

    fn create_key(&self, token: &IdToken) -> String {
        let (api_url, token) = (&self.api_url, token.expose());
        format!(
            "curl -sS {api_url} -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \
             -d '{{\"label\":\"My first key\"}}'"
        )
    }
}

/// A link that opens the login page; after it the browser is sent on to the API page.
fn login_url(issuer: &str, audience: &str, public_url: &WebAddress) -> String {
    let parameters = [
        ("response_type", "code"),
        ("scope", "openid"),
        ("client_id", audience),
        ("redirect_uri", &format!("{public_url}/docs")),
        ("code_challenge_method", "S256"),
        ("code_challenge", CODE_CHALLENGE),
    ];
    let endpoint = format!("{issuer}/authorize");
    Url::parse_with_params(&endpoint, parameters).map_or(endpoint, String::from)
}
