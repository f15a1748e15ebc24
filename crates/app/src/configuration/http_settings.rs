use std::time::Duration;

use domain::RateLimit;

use super::settings::{Secrecy, Setting, parsed};

/// The value that switches a limit off.
const OFF: &str = "off";
/// The longest keep-alive, in seconds: an hour.
const KEEP_ALIVE_SECONDS_MAX: u64 = 60 * 60;

/// The settings of HTTP: how often clients may call, and how long their connections stay.
pub(super) const HTTP_SETTINGS: &[Setting] = &[
    Setting {
        name: "USER_RATE_LIMIT",
        doc: "How often each user may call the API, with all credentials together. Above the limit the answer is 429. \
              Introspection and forward-auth do not count. Each instance counts for itself.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: allowed_limit,
        set: |draft, given| given.one(limit).map(|limit| draft.configuration.user_rate_limit = limit),
        show: |configuration| Some(shown(configuration.user_rate_limit)),
    },
    Setting {
        name: "CREDENTIAL_FAILURE_LIMIT",
        doc: "How many requests with invalid credentials are answered 401 for each client address (for IPv6: each /64). \
              Above the limit the answer is 429. Valid credentials from the same address are not affected. \
              Introspection and forward-auth do not count. Behind a proxy, set `TRUSTED_PROXIES`.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: allowed_limit,
        set: |draft, given| given.one(limit).map(|limit| draft.configuration.credential_failure_limit = limit),
        show: |configuration| Some(shown(configuration.credential_failure_limit)),
    },
    Setting {
        name: "KEEP_ALIVE_SECONDS",
        doc: "How long a connection may be idle between two requests. Longer than the idle timeout of the load balancer \
              in front, so that the balancer closes first.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || format!("1 to {KEEP_ALIVE_SECONDS_MAX}"),
        set: |draft, given| given.one(keep_alive).map(|keep_alive| draft.configuration.keep_alive = keep_alive),
        show: |configuration| Some(configuration.keep_alive.as_secs().to_string()),
    },
];

fn limit(text: &str) -> Option<Option<RateLimit>> {
    if text == OFF { Some(None) } else { parsed(text).map(Some) }
}

fn shown(limit: Option<RateLimit>) -> String {
    limit.map_or_else(|| OFF.to_owned(), |limit| limit.to_string())
}

fn allowed_limit() -> String {
    format!("a count and a unit, such as 100/s, 6000/m or 100000/h; or {OFF}")
}

fn keep_alive(text: &str) -> Option<Duration> {
    let seconds = parsed(text).filter(|seconds| (1..=KEEP_ALIVE_SECONDS_MAX).contains(seconds));
    seconds.map(Duration::from_secs)
}
