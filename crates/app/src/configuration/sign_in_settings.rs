use adapters_oidc::OperatorClaim;
use adapters_system::{MASK, Secret};

use super::settings::{Secrecy, Setting, listed, not_empty};

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

fn client_secret(text: &str) -> Option<Secret> {
    (!text.chars().any(char::is_control)).then(|| Secret::new(text))
}
