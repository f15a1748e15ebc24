use gatepost_client::{IdToken, OperatorToken};
use serde::Serialize;
use url::Url;

use crate::open_key::KEY;

/// The example of RFC 7636, appendix B: with the verifier `dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk` a person who
/// opens the link can finish the exchange.
const CODE_CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// The body of the call that creates a key.
const CREATE_BODY: &str = r#"{"label":"My first key"}"#;

/// A running `gatepost dev`, which prints this once its API answers.
#[derive(Debug)]
pub struct Welcome {
    /// The database's URL, without a password.
    pub database: String,
    /// Where clients find the server.
    pub public_url: String,
    /// Whether the server has the console.
    pub has_console: bool,
    /// Whether `o` opens the console: a person types, and the server has a console.
    pub opens_at_key: bool,
    /// Whether a client with the same configuration finds the server. It does not where the system chose the port.
    pub is_found: bool,
    /// The issuer of the development identity provider.
    pub issuer: String,
    /// The audience of its ID tokens.
    pub audience: String,
    /// The operator token that `gatepost dev` made; `None` where the configuration has one.
    pub operator_token: Option<OperatorToken>,
}

/// The welcome in JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WelcomeAnswer<'a> {
    version: &'static str,
    database: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    console_url: Option<String>,
    api_url: String,
    docs_url: String,
    issuer: &'a str,
    audience: &'a str,
    login_url: String,
    subscriptions_url: String,
    events_url: String,
    id_token: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_token: Option<&'a str>,
    curl: String,
}

impl Welcome {
    /// The user of the ID token in the welcome.
    pub const USER_NAME: &str = "alice";

    /// The operator of the development provider.
    const OPERATOR_NAME: &str = "operator";

    /// The URL that `o` opens, if it opens one.
    pub fn opened_at_key(&self) -> Option<String> {
        self.console_url().filter(|_| self.opens_at_key)
    }

    /// The welcome for a program, as one line of JSON.
    ///
    /// # Errors
    ///
    /// None in practice: every part is a string.
    pub fn in_json(&self, token: &IdToken) -> serde_json::Result<String> {
        let Self { database, public_url, issuer, audience, .. } = self;
        serde_json::to_string(&WelcomeAnswer {
            version: env!("CARGO_PKG_VERSION"),
            database,
            console_url: self.console_url(),
            api_url: format!("{public_url}/api/api-keys"),
            docs_url: format!("{public_url}/docs"),
            issuer,
            audience,
            login_url: login_url(issuer, audience, public_url),
            subscriptions_url: format!("{public_url}/api/webhooks/subscriptions"),
            events_url: format!("{public_url}/api/operator/events"),
            id_token: token.expose(),
            operator_token: self.operator_token.as_ref().map(OperatorToken::expose),
            curl: self.create_key(token),
        })
    }

    /// The welcome for a person. Every line that starts with `curl`, `ID_TOKEN` or `OPERATOR_TOKEN` works when pasted,
    /// in this order.
    pub fn in_words(&self, token: &IdToken) -> String {
        [self.places(), self.about_keys(token), self.about_webhooks()].join("\n")
    }

    fn console_url(&self) -> Option<String> {
        self.has_console.then(|| format!("{}/console/", self.public_url))
    }

    /// The variables to write before `gatepost token` and similar commands, so that they find this server.
    fn environment(&self) -> String {
        if self.is_found { String::new() } else { format!("PUBLIC_URL={} ", self.public_url) }
    }

    fn places(&self) -> String {
        let Self { database, public_url, issuer, audience, .. } = self;
        let (user, operator, version) = (Self::USER_NAME, Self::OPERATOR_NAME, env!("CARGO_PKG_VERSION"));
        let console = self.console_url();
        let console = console
            .map(|url| format!("  Console            {url} (sign in as {user}, or as {operator} to see everybody)\n"));
        let console = console.unwrap_or_default();
        let key = self.opened_at_key().map(|_| format!(" {KEY} and Enter open the console.")).unwrap_or_default();
        format!(
            "\
Gatepost {version}, for development on this machine. Data: {database}. Ctrl-C stops it.{key}

{console}  API                {public_url}/api/api-keys
  API page           {public_url}/docs
  Identity provider  {issuer} (audience {audience})
"
        )
    }

    fn about_keys(&self, token: &IdToken) -> String {
        let (public_url, user, environment) = (&self.public_url, Self::USER_NAME, self.environment());
        let token = token.expose();
        format!(
            "\
An ID token of the user {user}, valid for one hour (`{environment}gatepost token --user NAME` prints another):

ID_TOKEN='{token}'

Create a key, list the keys, and revoke one:

curl -sS {public_url}/api/api-keys -H \"Authorization: Bearer $ID_TOKEN\" -H 'Content-Type: application/json' -d '{CREATE_BODY}'
curl -sS {public_url}/api/api-keys -H \"Authorization: Bearer $ID_TOKEN\"
curl -sS -X DELETE {public_url}/api/api-keys -H \"Authorization: Bearer $ID_TOKEN\" -H 'Content-Type: application/json' -d '{{\"keyId\":\"key_...\"}}'
"
        )
    }

    fn about_webhooks(&self) -> String {
        let (Self { public_url, operator_token, .. }, user, environment) = (self, Self::USER_NAME, self.environment());
        let operator_token =
            operator_token.as_ref().map(|token| format!("OPERATOR_TOKEN='{}'\n", token.expose())).unwrap_or_default();
        format!(
            "\
Receive webhooks in another terminal (--forward-to URL forwards them to the service that you develop):

  {environment}gatepost listen --user {user}

Publish an event with the operator token, as your application will:

{operator_token}\
curl -sS {public_url}/api/operator/events -H \"Authorization: Bearer $OPERATOR_TOKEN\" -H 'Content-Type: application/json' -d '{{\"userId\":\"{user}\",\"type\":\"invoice.paid\",\"data\":{{\"invoiceId\":\"in_42\"}}}}'

Subscribe a URL. The answer contains the secret that signs its webhooks:

curl -sS {public_url}/api/webhooks/subscriptions -H \"Authorization: Bearer $ID_TOKEN\" -H 'Content-Type: application/json' -d '{{\"url\":\"http://127.0.0.1:9000/hook\",\"events\":[\"invoice.*\"]}}'
"
        )
    }

    fn create_key(&self, token: &IdToken) -> String {
        let (public_url, token) = (&self.public_url, token.expose());
        format!(
            "curl -sS {public_url}/api/api-keys -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \
             -d '{CREATE_BODY}'"
        )
    }
}

/// A link that opens the login page, which then redirects the browser to the API page.
fn login_url(issuer: &str, audience: &str, public_url: &str) -> String {
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
