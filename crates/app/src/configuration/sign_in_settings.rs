use adapters_oidc::OperatorClaim;
use adapters_system::{MASK, Secret};

use super::settings::{Secrecy, Setting, listed, not_empty};
use super::{Configuration, Problem};

/// The settings of signing in.
pub(super) const SIGN_IN_SETTINGS: &[Setting] = &[
    Setting::new(
        "OIDC_CLIENT_SECRET",
        "The secret of the client that people [sign in](console.md) with, if the provider gave it one. Without it the \
              client is public, and PKCE alone protects the sign-in.",
        || "the client secret, without line breaks".into(),
        |draft, given| given.optional(client_secret).map(|secret| draft.configuration.oidc_client_secret = secret),
        |configuration| configuration.oidc_client_secret.as_ref().map(|_| MASK.to_owned()),
    )
    .when_unset("a public client")
    .showing(Secrecy::Secret),
    Setting::new(
        "OIDC_CLI_CLIENT_ID",
        "The public client of the provider with which [`gatepost login`](cli.md#sign-in-with-a-browser) signs people in. \
              Everybody may read it. Its ID tokens are accepted as those for `OIDC_AUDIENCE` are. It must not be the client \
              that has `OIDC_CLIENT_SECRET`.",
        || "a client id".into(),
        |draft, given| given.optional(not_empty).map(|client| draft.configuration.oidc_cli_client_id = client),
        |configuration| configuration.oidc_cli_client_id.clone(),
    )
    .when_unset("command lines cannot sign in"),
    Setting::new(
        "OPERATORS",
        "The subjects (`sub`) of the users who get the role of operators when they [sign in](console.md#operators).",
        || "one or more subjects, separated by commas".into(),
        |draft, given| given.many(not_empty).map(|operators| draft.configuration.operators = operators),
        |configuration| listed(&configuration.operators),
    ),
    Setting::new(
        "OPERATOR_CLAIM",
        "The claim of the ID token that makes its user an operator: the claim has the value, or is a list with the \
              value. If the provider has a scope with the name of the claim, it is requested.",
        || OperatorClaim::ALLOWED.into(),
        |draft, given| given.optional(OperatorClaim::parse).map(|claim| draft.configuration.operator_claim = claim),
        |configuration| configuration.operator_claim.as_ref().map(ToString::to_string),
    ),
];

impl Configuration {
    /// The client of the provider that people sign in with.
    pub(crate) fn sign_in_client_id(&self) -> Option<&str> {
        self.oidc_client_ids.first().or(self.oidc_audiences.first()).map(String::as_str)
    }

    /// The audiences and the clients of the ID tokens that are accepted, with those of command lines. No client means
    /// every client.
    pub(crate) fn token_recipients(&self) -> (Vec<String>, Vec<String>) {
        let and_command_lines = |names: &[String]| names.iter().chain(&self.oidc_cli_client_id).cloned().collect();
        let clients = Some(&*self.oidc_client_ids).filter(|clients| !clients.is_empty());
        (and_command_lines(&self.oidc_audiences), clients.map(and_command_lines).unwrap_or_default())
    }

    /// What is wrong with the client of command lines.
    pub(crate) fn cli_client_problem(&self) -> Option<Problem> {
        let shown = self.oidc_cli_client_id.clone()?;
        let is_secret = self.oidc_client_secret.is_some() && self.sign_in_client_id() == Some(&*shown);
        let rule = "this client has a secret (OIDC_CLIENT_SECRET), which a command line cannot keep; register a public \
                    client for command lines";
        is_secret.then(|| Problem::NotForThisCommand { name: "OIDC_CLI_CLIENT_ID", shown, rule: rule.to_owned() })
    }
}

fn client_secret(text: &str) -> Option<Secret> {
    (!text.chars().any(char::is_control)).then(|| Secret::new(text))
}
