use std::time::Duration;

use domain::webhooks::{RetrySchedule, WebhookPolicy, WebhookPolicySettings};

use super::given::Refused;
use super::settings::{SECONDS_PER_DAY, Secrecy, Setting, listed, network, parsed};

/// The longest attempt: half a lease, so that no lease ends under an attempt.
const TIMEOUT_SECONDS_MAX: u64 = 30;
const CONCURRENCY_MAX: u32 = 10_000;

/// The settings of webhooks, in the order of the reference page.
pub(super) const WEBHOOK_SETTINGS: &[Setting] = &[
    Setting {
        name: "DISPATCH",
        doc: "Whether this instance delivers webhooks. One that does not still accepts events; another has to deliver \
              them.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "true or false".into(),
        set: |draft, given| given.one(parsed).map(|dispatch| draft.configuration.webhooks.dispatch = dispatch),
        show: |configuration| Some(configuration.webhooks.dispatch.to_string()),
    },
    Setting {
        name: "WEBHOOK_ALLOW_HTTP",
        doc: "Whether webhooks may go to `http` URLs. `dev` allows it.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "true or false".into(),
        set: |draft, given| given.one(parsed).map(|allow| draft.configuration.webhooks.allow_http = allow),
        show: |configuration| Some(configuration.webhooks.allow_http.to_string()),
    },
    Setting {
        name: "WEBHOOK_ALLOWED_NETWORKS",
        doc: "Networks that webhooks may go to although they are private or otherwise refused: the office's, or a \
              test's. `dev` allows loopback.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "addresses or CIDR ranges such as 10.0.0.0/8, separated by commas".into(),
        set: |draft, given| {
            given.many(network).map(|networks| draft.configuration.webhooks.allowed_networks = networks)
        },
        show: |configuration| listed(&configuration.webhooks.allowed_networks),
    },
    Setting {
        name: "WEBHOOK_MAX_SUBSCRIPTIONS",
        doc: "Subscriptions of each user, at most.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|webhooks| webhooks.max_subscriptions = 0),
        set: |draft, given| given.one(parsed).map(|max| draft.webhooks.max_subscriptions = max),
        show: |configuration| Some(configuration.webhooks.policy.max_subscriptions().to_string()),
    },
    Setting {
        name: "WEBHOOK_MAX_PAYLOAD_BYTES",
        doc: "The largest payload of a webhook, in bytes. Past it publishing is refused with 413.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|webhooks| webhooks.max_payload_bytes = 0),
        set: |draft, given| given.one(parsed).map(|max| draft.webhooks.max_payload_bytes = max),
        show: |configuration| Some(configuration.webhooks.policy.max_payload_bytes().to_string()),
    },
    Setting {
        name: "WEBHOOK_TIMEOUT_SECONDS",
        doc: "How long one attempt may take, from resolving the name to reading the answer.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || format!("1 to {TIMEOUT_SECONDS_MAX}"),
        set: |draft, given| {
            let seconds = given.one(|text| parsed(text).filter(|seconds| (1..=TIMEOUT_SECONDS_MAX).contains(seconds)));
            seconds.map(|seconds| draft.configuration.webhooks.timeout = Duration::from_secs(seconds))
        },
        show: |configuration| Some(configuration.webhooks.timeout.as_secs().to_string()),
    },
    Setting {
        name: "WEBHOOK_RETRY_SCHEDULE",
        doc: "How long to wait after each failed attempt of a delivery. The first attempt is at once; when the list \
              ends, so do the attempts. Each wait is lengthened by up to 20 % at random.",
        when_unset: "no retries",
        secrecy: Secrecy::Open,
        allowed: || format!("at most {} waits of 1s to 7d, such as 5s,5m,2h,1d", RetrySchedule::RETRIES_MAX),
        set: |draft, given| {
            draft.webhooks.retry_schedule = RetrySchedule::new(given.many(wait)?).map_err(|_| Refused)?;
            Ok(())
        },
        show: |configuration| {
            let waits = configuration.webhooks.policy.retry_schedule().waits();
            listed(&waits.iter().copied().map(shown_wait).collect::<Vec<_>>())
        },
    },
    Setting {
        name: "WEBHOOK_CONCURRENCY",
        doc: "Attempts that this instance makes at once, at most.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || format!("1 to {CONCURRENCY_MAX}"),
        set: |draft, given| {
            let max = given.one(|text| parsed(text).filter(|max| (1..=CONCURRENCY_MAX).contains(max)));
            max.map(|max| draft.configuration.webhooks.concurrency = max)
        },
        show: |configuration| Some(configuration.webhooks.concurrency.to_string()),
    },
    Setting {
        name: "WEBHOOK_RETENTION_DAYS",
        doc: "Days that events, deliveries and attempts stay in the log. A delivery may live for the retry schedule, \
              a fifth of it, and 3 days; the log is kept for a day longer at least.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|webhooks| webhooks.retention = Duration::ZERO),
        set: |draft, given| {
            let days = given.one(|text| parsed::<u64>(text)?.checked_mul(SECONDS_PER_DAY));
            days.map(|seconds| draft.webhooks.retention = Duration::from_secs(seconds))
        },
        show: |configuration| Some((configuration.webhooks.policy.retention().as_secs() / SECONDS_PER_DAY).to_string()),
    },
];

/// What the domain allows, in its own words: the rule is stated there.
fn allowed_by_policy(break_it: fn(&mut WebhookPolicySettings)) -> String {
    let mut webhooks = WebhookPolicySettings::default();
    break_it(&mut webhooks);
    WebhookPolicy::new(webhooks).err().map(|error| error.allowed).unwrap_or_default()
}

/// The units of a wait, the largest first, with their seconds.
const UNITS: [(char, u64); 4] = [('d', SECONDS_PER_DAY), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// A whole number and a unit.
fn wait(text: &str) -> Option<Duration> {
    let (_, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let count: u64 = parsed(&text[..text.len() - 1])?;
    count.checked_mul(seconds).map(Duration::from_secs)
}

/// The wait in its largest whole unit.
fn shown_wait(wait: Duration) -> String {
    let seconds = wait.as_secs();
    let unit = UNITS.into_iter().find(|(_, unit)| seconds.is_multiple_of(*unit)).unwrap_or(('s', 1));
    format!("{}{}", seconds / unit.1, unit.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_a_number_and_a_unit() {
        for (text, seconds) in [("5s", 5), ("90s", 90), ("5m", 300), ("2h", 7_200), ("7d", 604_800)] {
            assert_eq!(wait(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for wrong in ["", "5", "s", "5 s", "-5s", "1.5h", "5x", "99999999999999999999d", "9999999999999999999d", "5é"]
        {
            assert_eq!(wait(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_wait_is_shown_in_its_largest_whole_unit() {
        for text in ["5s", "5m", "90s", "2h", "1d", "7d"] {
            assert_eq!(wait(text).map(shown_wait).as_deref(), Some(text));
        }
    }
}
