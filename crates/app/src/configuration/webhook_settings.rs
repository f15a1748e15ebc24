use std::time::Duration;

use domain::webhooks::{RetrySchedule, RetryWait, WebhookPolicy, WebhookPolicySettings};

use super::given::Refused;
use super::settings::{SECONDS_PER_DAY, Setting, listed, network, parsed};

/// The longest attempt: half of a lease, so that no lease ends during an attempt.
const TIMEOUT_SECONDS_MAX: u64 = 30;
const CONCURRENCY_MAX: u32 = 10_000;

/// The settings of webhooks, in the order of the reference page.
pub(super) const WEBHOOK_SETTINGS: &[Setting] = &[
    Setting::new(
        "DISPATCH",
        "Whether this instance delivers webhooks. With `false` it still accepts events, which another instance \
              must deliver.",
        || "true or false".into(),
        |draft, given| given.one(parsed).map(|dispatch| draft.configuration.webhooks.dispatch = dispatch),
        |configuration| Some(configuration.webhooks.dispatch.to_string()),
    ),
    Setting::new(
        "WEBHOOK_ALLOW_HTTP",
        "Whether webhooks may be sent to `http` URLs. `dev` allows them.",
        || "true or false".into(),
        |draft, given| given.one(parsed).map(|allow| draft.configuration.webhooks.allow_http = allow),
        |configuration| Some(configuration.webhooks.allow_http.to_string()),
    ),
    Setting::new(
        "WEBHOOK_ALLOWED_NETWORKS",
        "Private or otherwise refused networks to which webhooks may be sent, such as an office network or a \
              test network. `dev` allows loopback.",
        || "addresses or CIDR ranges such as 10.0.0.0/8, separated by commas".into(),
        |draft, given| given.many(network).map(|networks| draft.configuration.webhooks.allowed_networks = networks),
        |configuration| listed(&configuration.webhooks.allowed_networks),
    ),
    Setting::new(
        "WEBHOOK_MAX_SUBSCRIPTIONS",
        "The maximum of subscriptions for each user. A user may have 100 times as many deleted ones that were deleted \
              in the last `WEBHOOK_RETENTION_DAYS` or still have deliveries in the log.",
        || allowed_by_policy(|webhooks| webhooks.max_subscriptions = 0),
        |draft, given| given.one(parsed).map(|max| draft.webhooks.max_subscriptions = max),
        |configuration| Some(configuration.webhooks.policy.max_subscriptions().to_string()),
    ),
    Setting::new(
        "WEBHOOK_MAX_PAYLOAD_BYTES",
        "The largest payload of a webhook, in bytes. Publishing a larger one fails with status 413.",
        || allowed_by_policy(|webhooks| webhooks.max_payload_bytes = 0),
        |draft, given| given.one(parsed).map(|max| draft.webhooks.max_payload_bytes = max),
        |configuration| Some(configuration.webhooks.policy.max_payload_bytes().to_string()),
    ),
    Setting::new(
        "WEBHOOK_TIMEOUT_SECONDS",
        "How long one attempt may take, from resolving the host name to reading the answer.",
        || format!("1 to {TIMEOUT_SECONDS_MAX}"),
        |draft, given| {
            let seconds = given.one(|text| parsed(text).filter(|seconds| (1..=TIMEOUT_SECONDS_MAX).contains(seconds)));
            seconds.map(|seconds| draft.configuration.webhooks.timeout = Duration::from_secs(seconds))
        },
        |configuration| Some(configuration.webhooks.timeout.as_secs().to_string()),
    ),
    Setting::new(
        "WEBHOOK_RETRY_SCHEDULE",
        "The waits after failed attempts of a delivery. The first attempt is immediate, and the delivery fails \
              after the attempt that follows the last wait. Each wait is extended by up to 20 % at random.",
        || format!("at most {} waits of 1s to 7d, such as 5s,5m,2h,1d", RetrySchedule::RETRIES_MAX),
        |draft, given| {
            draft.webhooks.retry_schedule =
                RetrySchedule::new(given.many(|text| parsed(text).map(|RetryWait(wait)| wait))?)
                    .map_err(|_| Refused)?;
            Ok(())
        },
        |configuration| {
            let waits = configuration.webhooks.policy.retry_schedule().waits();
            listed(&waits.iter().copied().map(RetryWait).collect::<Vec<_>>())
        },
    )
    .when_unset("no retries"),
    Setting::new(
        "WEBHOOK_CONCURRENCY",
        "The maximum of attempts that this instance makes at the same time.",
        || format!("1 to {CONCURRENCY_MAX}"),
        |draft, given| {
            let max = given.one(|text| parsed(text).filter(|max| (1..=CONCURRENCY_MAX).contains(max)));
            max.map(|max| draft.configuration.webhooks.concurrency = max)
        },
        |configuration| Some(configuration.webhooks.concurrency.to_string()),
    ),
    Setting::new(
        "WEBHOOK_TRACEPARENT",
        "Whether receivers get the header `traceparent` with deliveries that are [traced](tracing.md).",
        || "true or false".into(),
        |draft, given| given.one(parsed).map(|sends| draft.configuration.webhooks.traceparent = sends),
        |configuration| Some(configuration.webhooks.traceparent.to_string()),
    ),
    Setting::new(
        "WEBHOOK_RETENTION_DAYS",
        "Days after which events, deliveries and attempts are deleted. A delivery may last for the retry \
              schedule plus a fifth of it plus 3 days, and the retention must be at least a day longer.",
        || allowed_by_policy(|webhooks| webhooks.retention = Duration::ZERO),
        |draft, given| {
            let days = given.one(|text| parsed::<u64>(text)?.checked_mul(SECONDS_PER_DAY));
            days.map(|seconds| draft.webhooks.retention = Duration::from_secs(seconds))
        },
        |configuration| Some((configuration.webhooks.policy.retention().as_secs() / SECONDS_PER_DAY).to_string()),
    ),
];

/// What the domain allows: the domain states the rule.
fn allowed_by_policy(break_it: fn(&mut WebhookPolicySettings)) -> String {
    let mut webhooks = WebhookPolicySettings::default();
    break_it(&mut webhooks);
    WebhookPolicy::new(webhooks).err().map(|error| error.allowed).unwrap_or_default()
}
