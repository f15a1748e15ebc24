use std::net::SocketAddr;

use domain::IdToken;
use serde::Serialize;
use url::Url;

use super::{Configuration, Secret, USER_NAME, WebAddress};

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
    subscriptions_url: String,
    events_url: String,
    /// What to write before `gatepost token` and its like, so that they find this instance.
    #[serde(skip)]
    environment: String,
    /// The operator token that `dev` made; `None`: whoever configured one has it.
    #[serde(skip)]
    operator_token: Option<Secret>,
}

/// The welcome in JSON: the only place where the tokens are not in words.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WelcomeAnswer<'a> {
    #[serde(flatten)]
    welcome: &'a Welcome,
    id_token: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_token: Option<&'a str>,
    curl: String,
}

impl Welcome {
    pub(super) fn new(
        configuration: &Configuration,
        address: SocketAddr,
        public_url: &WebAddress,
        issuer: &str,
        audience: &str,
        operator_token: Option<Secret>,
    ) -> Self {
        // `gatepost token` and its like find us by the same configuration, but cannot know which free port we got.
        let port_is_known = configuration.public_url.is_some() || configuration.listen == address;
        let environment = if port_is_known { String::new() } else { format!("PUBLIC_URL={public_url} ") };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            database: configuration.database_url.to_string(),
            api_url: format!("{public_url}/api/api-keys"),
            docs_url: format!("{public_url}/docs"),
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            login_url: login_url(issuer, audience, public_url),
            subscriptions_url: format!("{public_url}/api/webhooks/subscriptions"),
            events_url: format!("{public_url}/api/operator/events"),
            environment,
            operator_token,
        }
    }

    /// For a program.
    pub(super) fn in_json<'a>(&'a self, token: &'a IdToken) -> WelcomeAnswer<'a> {
        let operator_token = self.operator_token.as_ref().map(Secret::expose);
        WelcomeAnswer { welcome: self, id_token: token.expose(), operator_token, curl: self.create_key(token) }
    }

    /// For a person. Every line that starts with `curl`, `ID_TOKEN` or `OPERATOR_TOKEN` works when pasted, in this order.
    pub(super) fn in_words(&self, token: &IdToken) -> String {
        [self.places(), self.about_keys(token), self.about_webhooks()].join("\n")
    }

    fn places(&self) -> String {
        let Self { version, database, api_url, docs_url, issuer, audience, login_url, .. } = self;
        format!(
            "\
Gatepost {version}, for development on this machine. Data in {database}; Ctrl-C stops.

  API                {api_url}
  API page           {docs_url}
  Identity provider  {issuer} (audience {audience})
  Login page         {login_url}
"
        )
    }

    fn about_keys(&self, token: &IdToken) -> String {
        let (Self { api_url, environment, .. }, create_key, token) = (self, self.create_key(token), token.expose());
        format!(
            "\
An ID token of the user {USER_NAME}, good for an hour (`{environment}gatepost token --user NAME` gives more):

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

    fn about_webhooks(&self) -> String {
        let Self { subscriptions_url, events_url, environment, operator_token, .. } = self;
        let operator_token =
            operator_token.as_ref().map(|token| format!("OPERATOR_TOKEN='{}'\n", token.expose())).unwrap_or_default();
        format!(
            "\
Receive webhooks, in another terminal (with --forward-to URL they go on to what you develop):

  {environment}gatepost listen --user {USER_NAME}

Publish an event, as your application will, with the operator token:

{operator_token}\
curl -sS {events_url} -H \"Authorization: Bearer $OPERATOR_TOKEN\" -H 'Content-Type: application/json' -d '{{\"userId\":\"{USER_NAME}\",\"type\":\"invoice.paid\",\"data\":{{\"invoiceId\":\"in_42\"}}}}'

Subscribe a URL; the answer has the secret that signs its webhooks:

curl -sS {subscriptions_url} -H \"Authorization: Bearer $ID_TOKEN\" -H 'Content-Type: application/json' -d '{{\"url\":\"http://127.0.0.1:9000/hook\",\"events\":[\"invoice.*\"]}}'
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
