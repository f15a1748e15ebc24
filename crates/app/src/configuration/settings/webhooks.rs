use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use adapters_system::Secret;
use domain::catalogue::UncataloguedTypes;
use domain::webhooks::{
    EventPattern, RetrySchedule, RetryWait, SigningSecret, SubscribedEvents, TargetUrl, WebhookPolicy,
    WebhookPolicySettings,
};
use ipnet::IpNet;

use super::{
    Form, SECONDS_PER_DAY, Setting, flag, form, list, masked, number, one, optional, parsed, seconds, whole, word,
};

/// The longest attempt: half of a lease, so that no lease ends during an attempt.
const TIMEOUT_SECONDS_MAX: u64 = 30;
const CONCURRENCY_MAX: u32 = 10_000;
/// The start of a signing secret.
const SECRET_PREFIX: &str = "whsec_";
/// The start of the patterns of operational events.
const EVENTS_PREFIX: &str = "gatepost.";

/// The webhooks of users, and their allowed targets.
pub(super) fn webhooks() -> Vec<Setting> {
    vec![
        one("DISPATCH", |all| &mut all.webhooks.dispatch, flag())
            .doc("Whether this instance delivers webhooks.")
            .doc("With `false` it still accepts events, which another instance must deliver."),
        one("EVENT_TYPES", |all| &mut all.webhooks.event_types, event_types())
            .doc("Whether events of types that the [catalogue](webhooks/event-types.md) does not have, or has archived, are")
            .doc("accepted. With `closed` publishing one fails with status 422."),
        one("WEBHOOK_ALLOW_HTTP", |all| &mut all.webhooks.allow_http, flag())
            .doc("Whether webhooks may be sent to `http` URLs. `dev` allows them."),
        list("WEBHOOK_ALLOWED_NETWORKS", |all| &mut all.webhooks.allowed_networks, networks())
            .doc("Private or otherwise refused networks to which webhooks may be sent. `dev` allows loopback."),
        one(
            "WEBHOOK_MAX_SUBSCRIPTIONS",
            |all| &mut all.webhooks.settings.max_subscriptions,
            limited(|webhooks| webhooks.max_subscriptions = 0),
        )
        .doc("The maximum number of subscriptions for each user.")
        .doc("A user may have 100 times that number of deleted ones in the log."),
        one(
            "WEBHOOK_MAX_PAYLOAD_BYTES",
            |all| &mut all.webhooks.settings.max_payload_bytes,
            limited(|webhooks| webhooks.max_payload_bytes = 0),
        )
        .doc("The largest payload of a webhook, in bytes. Publishing a larger one fails with status 413."),
    ]
}

fn event_types() -> Form<UncataloguedTypes> {
    word(&[("open", UncataloguedTypes::Open), ("closed", UncataloguedTypes::Closed)])
}

/// How webhooks are delivered.
pub(super) fn deliveries() -> Vec<Setting> {
    vec![
        one("WEBHOOK_TIMEOUT_SECONDS", |all| &mut all.webhooks.timeout, seconds(1..=TIMEOUT_SECONDS_MAX))
            .doc("How long one attempt may take, from resolving the host name to reading the answer."),
        whole("WEBHOOK_RETRY_SCHEDULE", |all| &mut all.webhooks.settings.retry_schedule, wait(), schedule, waits)
            .doc("The waits after failed attempts of a delivery.")
            .doc("The first attempt is immediate, and the delivery fails after the attempt that follows the last")
            .doc("wait. Each wait is extended by up to 20 % at random.")
            .when_unset("no retries"),
        one("WEBHOOK_CONCURRENCY", |all| &mut all.webhooks.concurrency, number(1..=CONCURRENCY_MAX))
            .doc("The maximum number of attempts that this instance makes at the same time."),
        one("WEBHOOK_TRACEPARENT", |all| &mut all.webhooks.traceparent, flag())
            .doc("Whether receivers get the header `traceparent` with deliveries that are [traced](tracing.md)."),
        one("WEBHOOK_RETENTION_DAYS", |all| &mut all.webhooks.settings.retention, retention())
            .doc("Days after which events, deliveries and attempts are deleted.")
            .doc("A delivery may last for the retry schedule plus a fifth of it plus 3 days, and the retention must")
            .doc("be at least a day longer."),
    ]
}

/// The webhook that informs the operator of operational events.
pub(super) fn operator_webhook() -> Vec<Setting> {
    vec![
        optional("OPERATOR_WEBHOOK_URL", |all| &mut all.operator_webhook.url, hook_url())
            .doc("Where [operational events](webhooks/operational-events.md) are sent: what happens to keys and")
            .doc("subscriptions of all users. The rules for URLs of webhooks hold for it.")
            .when_unset("no operational events for the operator"),
        optional("OPERATOR_WEBHOOK_SECRET", |all| &mut all.operator_webhook.secret, secret())
            .doc("Signs what is sent to `OPERATOR_WEBHOOK_URL`, which requires it.")
            .doc("After a change of it, the old secret signs as well for a day."),
        whole(
            "OPERATOR_WEBHOOK_EVENTS",
            |all| &mut all.operator_webhook.events,
            event_name(),
            |names| SubscribedEvents::parse(names.iter().map(String::as_str)).ok(),
            names,
        )
        .doc("Which operational events are sent to `OPERATOR_WEBHOOK_URL`."),
    ]
}

/// Ranges, or single addresses.
pub(super) fn networks() -> Form<IpNet> {
    form("addresses or CIDR ranges such as 10.0.0.0/8, separated by commas", |text| {
        parsed(text).or_else(|| parsed::<IpAddr>(text).map(IpNet::from))
    })
}

fn wait() -> Form<RetryWait> {
    form(format!("at most {} waits of 1s to 7d, such as 5s,5m,2h,1d", RetrySchedule::RETRIES_MAX), parsed)
}

fn schedule(waits: Vec<RetryWait>) -> Option<RetrySchedule> {
    RetrySchedule::new(waits.into_iter().map(|RetryWait(wait)| wait).collect()).ok()
}

fn waits(schedule: &RetrySchedule) -> Vec<RetryWait> {
    schedule.waits().iter().copied().map(RetryWait).collect()
}

/// A number of days.
fn retention() -> Form<Duration> {
    let parse = |text: &str| parsed::<u64>(text)?.checked_mul(SECONDS_PER_DAY).map(Duration::from_secs);
    let show = |kept: &Duration| (kept.as_secs() / SECONDS_PER_DAY).to_string();
    Form::new(limited::<u64>(|webhooks| webhooks.retention = Duration::ZERO).allowed, parse, show)
}

/// Only scheme, host and port are shown: receivers put secrets into the rest.
fn hook_url() -> Form<TargetUrl> {
    let is_http = |target: &TargetUrl| matches!(target.url().scheme(), "http" | "https");
    let parse = move |text: &str| TargetUrl::from_stored(text).filter(is_http);
    Form::new("an absolute URL", parse, |target| target.url().origin().ascii_serialization()).secret()
}

fn secret() -> Form<Secret> {
    let allowed = format!("{SECRET_PREFIX} and base64, such as what `echo whsec_$(openssl rand -base64 32)` prints");
    masked(allowed, |text| {
        let is_valid = text.starts_with(SECRET_PREFIX) && SigningSecret::parse(text).is_ok();
        is_valid.then(|| Secret::new(text))
    })
}

fn event_name() -> Form<String> {
    form(format!("event types or patterns that begin with {EVENTS_PREFIX}, separated by commas"), |text| {
        let is_valid = text.starts_with(EVENTS_PREFIX) && EventPattern::parse(text).is_ok();
        is_valid.then(|| text.to_owned())
    })
}

fn names(events: &SubscribedEvents) -> Vec<String> {
    events.patterns().iter().map(ToString::to_string).collect()
}

/// Values of a policy. The allowed ones are in the error of the domain for a broken policy.
fn limited<T: FromStr + ToString + 'static>(break_it: fn(&mut WebhookPolicySettings)) -> Form<T> {
    let mut settings = WebhookPolicySettings::default();
    break_it(&mut settings);
    form(WebhookPolicy::new(settings).err().map(|error| error.allowed).unwrap_or_default(), parsed)
}
