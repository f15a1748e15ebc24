use domain::RateLimit;

use super::settings::{Setting, parsed, seconds_within, within};

/// The value that switches a limit off.
const OFF: &str = "off";
/// The longest keep-alive, in seconds: an hour.
const KEEP_ALIVE_SECONDS_MAX: u64 = 60 * 60;
/// The most connections: more than one machine has memory for.
const CONNECTIONS_MAX: usize = 1_000_000;

/// The settings of HTTP: how often clients may call, and how long their connections stay.
pub(super) const HTTP_SETTINGS: &[Setting] = &[
    Setting::new(
        "USER_RATE_LIMIT",
        "How often each user may call the API, with all credentials together. Above the limit the answer is 429. \
              Introspection and forward-auth do not count. Each instance counts for itself.",
        allowed_limit,
        |draft, given| given.one(limit).map(|limit| draft.configuration.user_rate_limit = limit),
        |configuration| Some(shown(configuration.user_rate_limit)),
    ),
    Setting::new(
        "MANUAL_SEND_LIMIT",
        "How often each user may retry deliveries, recover subscriptions and send test events, all together. Above the \
              limit the answer is 429. Each instance counts for itself.",
        allowed_limit,
        |draft, given| given.one(limit).map(|limit| draft.configuration.manual_send_limit = limit),
        |configuration| Some(shown(configuration.manual_send_limit)),
    ),
    Setting::new(
        "CREDENTIAL_FAILURE_LIMIT",
        "How many requests with invalid credentials are answered 401 for each client address (for IPv6: each /64). \
              Above the limit the answer is 429. Valid credentials from the same address are not affected. \
              Sign-ins that the identity provider refuses have the same limit with their own count: above it, further \
              sign-ins from the address wait. \
              Introspection and forward-auth do not count. Behind a proxy, set `TRUSTED_PROXIES`.",
        allowed_limit,
        |draft, given| given.one(limit).map(|limit| draft.configuration.credential_failure_limit = limit),
        |configuration| Some(shown(configuration.credential_failure_limit)),
    ),
    Setting::new(
        "KEEP_ALIVE_SECONDS",
        "How long a connection may be idle between two requests. Longer than the idle timeout of the load balancer \
              in front, so that the balancer closes first.",
        || format!("1 to {KEEP_ALIVE_SECONDS_MAX}"),
        |draft, given| {
            given
                .one(|text| seconds_within(1..=KEEP_ALIVE_SECONDS_MAX, text))
                .map(|seconds| draft.configuration.keep_alive = seconds)
        },
        |configuration| Some(configuration.keep_alive.as_secs().to_string()),
    ),
    Setting::new(
        "MAX_CONNECTIONS",
        "Connections of clients that are open at once. At the maximum, the connections that have been idle longest give \
              way to new ones. At most three quarters of the limit on open files are used.",
        allowed_connections,
        |draft, given| {
            given.one(|text| within(1..=CONNECTIONS_MAX, text)).map(|max| draft.configuration.connections_max = max)
        },
        |configuration| Some(configuration.connections_max.to_string()),
    ),
    Setting::new(
        "MAX_CONNECTIONS_PER_ADDRESS",
        "Connections from one client address (for IPv6: one /64) that are open at once. The addresses in \
              `TRUSTED_PROXIES` have no such limit.",
        allowed_connections,
        |draft, given| {
            given
                .one(|text| within(1..=CONNECTIONS_MAX, text))
                .map(|max| draft.configuration.connections_per_address_max = max)
        },
        |configuration| Some(configuration.connections_per_address_max.to_string()),
    ),
];

#[expect(clippy::option_option, reason = "outside: whether the text is allowed; inside: whether there is a limit")]
fn limit(text: &str) -> Option<Option<RateLimit>> {
    if text == OFF { Some(None) } else { parsed(text).map(Some) }
}

fn shown(limit: Option<RateLimit>) -> String {
    limit.map_or_else(|| OFF.to_owned(), |limit| limit.to_string())
}

fn allowed_limit() -> String {
    format!("a count and a unit, such as 100/s, 6000/m or 100000/h; or {OFF}")
}

fn allowed_connections() -> String {
    format!("1 to {CONNECTIONS_MAX}")
}
