use adapters_system::{MASK, Secret};
use domain::webhooks::{EventPattern, SigningSecret, SubscribedEvents, TargetUrl};

use super::given::Refused;
use super::settings::{Secrecy, Setting, listed};
use super::{Configuration, Problem};

/// What signing secrets begin with.
const SECRET_PREFIX: &str = "whsec_";
/// What the patterns of operational events begin with.
const EVENTS_PREFIX: &str = "gatepost.";

/// The settings of the webhook that tells the operator of operational events.
pub(super) const OPERATOR_WEBHOOK_SETTINGS: &[Setting] = &[
    Setting::new(
        "OPERATOR_WEBHOOK_URL",
        "Where [operational events](webhooks/operational-events.md) are sent: what happens to keys and subscriptions of all \
              users. The rules for URLs of webhooks hold for it.",
        || "an absolute URL".into(),
        |draft, given| given.optional(url).map(|url| draft.configuration.operator_webhook.url = url),
        |configuration| configuration.operator_webhook.url.as_ref().map(shown),
    )
    .showing(Secrecy::Secret)
    .when_unset("no operational events for the operator"),
    Setting::new(
        "OPERATOR_WEBHOOK_SECRET",
        "Signs what is sent to `OPERATOR_WEBHOOK_URL`, which requires it. After a change of it, the old secret signs as well \
              for a day.",
        || format!("{SECRET_PREFIX} and base64, such as what `echo whsec_$(openssl rand -base64 32)` prints"),
        |draft, given| given.optional(secret).map(|secret| draft.configuration.operator_webhook.secret = secret),
        |configuration| configuration.operator_webhook.secret.as_ref().map(|_| MASK.to_owned()),
    )
    .showing(Secrecy::Secret),
    Setting::new(
        "OPERATOR_WEBHOOK_EVENTS",
        "Which operational events are sent to `OPERATOR_WEBHOOK_URL`.",
        || format!("event types or patterns that begin with {EVENTS_PREFIX}, separated by commas"),
        |draft, given| {
            let names = given.many(event_name)?;
            let names = names.iter().map(String::as_str);
            draft.configuration.operator_webhook.events = SubscribedEvents::parse(names).map_err(|_| Refused)?;
            Ok(())
        },
        |configuration| listed(configuration.operator_webhook.events.patterns()),
    ),
];

/// `OPERATOR_WEBHOOK_*`
#[derive(Clone, Debug)]
pub(crate) struct OperatorWebhookConfiguration {
    /// The URL. The egress policy has not judged it.
    pub(crate) url: Option<TargetUrl>,
    /// The signing secret.
    pub(crate) secret: Option<Secret>,
    /// The event types.
    pub(crate) events: SubscribedEvents,
}

impl Default for OperatorWebhookConfiguration {
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "the pattern is valid, as the test of the defaults shows")]
        let events = SubscribedEvents::parse(["gatepost.*"]).expect("a valid pattern");
        Self { url: None, secret: None, events }
    }
}

impl Configuration {
    /// What is missing beside `OPERATOR_WEBHOOK_URL`.
    pub(crate) fn operator_webhook_problem(&self) -> Option<Problem> {
        let webhook = &self.operator_webhook;
        let what = "a secret that signs what is sent to OPERATOR_WEBHOOK_URL: whsec_ and base64 of 32 random bytes";
        let is_missing = webhook.url.is_some() && webhook.secret.is_none();
        is_missing.then(|| Problem::Missing { name: "OPERATOR_WEBHOOK_SECRET", what: what.to_owned() })
    }
}

fn url(text: &str) -> Option<TargetUrl> {
    TargetUrl::from_stored(text).filter(|target| matches!(target.url().scheme(), "http" | "https"))
}

/// Scheme, host and port: receivers put secrets into the rest.
fn shown(url: &TargetUrl) -> String {
    url.url().origin().ascii_serialization()
}

fn secret(text: &str) -> Option<Secret> {
    let is_valid = text.starts_with(SECRET_PREFIX) && SigningSecret::parse(text).is_ok();
    is_valid.then(|| Secret::new(text))
}

fn event_name(text: &str) -> Option<String> {
    let is_valid = text.starts_with(EVENTS_PREFIX) && EventPattern::parse(text).is_ok();
    is_valid.then(|| text.to_owned())
}
