use std::str::FromStr;

use domain::{KeyPolicy, KeyPolicySettings, Metadata};
use verifier::WhenStale;

use super::{Form, RATE_LIMIT, SECONDS_PER_DAY, Setting, flag, form, list, number, one, optional, parsed, seconds};

/// The most keys in the verification cache, which then takes about 6 GB.
const KEY_CACHE_SIZE_MAX: usize = 10_000_000;
/// With a lower age, a round would read the database as often as a look-up of each key does.
const KEY_CACHE_MAX_AGE_MIN: u64 = 10;

/// Keys.
pub(super) fn keys() -> Vec<Setting> {
    vec![
        one("API_KEYS_MAX_ACTIVE", |all| &mut all.keys.max_active, limited(|keys| keys.max_active = 0))
            .doc("The maximum number of active keys for each user."),
        one("API_KEY_PREFIX", |all| &mut all.keys.prefix, limited(|keys| keys.prefix.clear()))
            .doc("The prefix of every new key. Existing keys keep their prefix."),
        one("API_KEY_PREFIX_LENGTH", |all| &mut all.keys.preview_length, limited(|keys| keys.preview_length = 0))
            .doc("The number of characters of a key that its preview shows.")
            .doc("The allowed maximum grows with the prefix."),
        one("API_KEYS_RETENTION_DAYS", |all| &mut all.keys.retention_days, limited(|keys| keys.retention_days = 0))
            .doc("Days after which a revoked or expired key is deleted. Until then it stays listed."),
        one("API_KEYS_MAX_TTL_DAYS", |all| &mut all.keys.max_ttl_days, limited(|keys| keys.max_ttl_days = 0))
            .doc("The maximum number of days until the `expiresAt` of a new key."),
        optional(
            "API_KEYS_DEFAULT_TTL_DAYS",
            |all| &mut all.keys.default_ttl_days,
            form("1 to `API_KEYS_MAX_TTL_DAYS`", parsed),
        )
        .doc("Days until a new key expires whose creator names no `expiresAt`.")
        .when_unset("keys do not expire"),
        one("API_KEYS_REQUIRE_EXPIRY", |all| &mut all.keys.requires_expiry, flag())
            .doc("Whether each new key must have an expiry time. With `API_KEYS_DEFAULT_TTL_DAYS` every key has one."),
    ]
}

/// The verification of keys.
pub(super) fn verification() -> Vec<Setting> {
    vec![
        optional("RATE_LIMIT", |all| &mut all.keys.rate_limit, form(RATE_LIMIT, parsed))
            .doc("How often each key may be used in a period, even all at once, unless the key or [its")
            .doc("owner](hosts.md#what-you-set-for-a-customer) has another limit.")
            .when_unset("no limit"),
        list("FORWARD_METADATA", |all| &mut all.forward_metadata, form("names of metadata", metadata_name))
            .doc("The metadata of a key that `/forward-auth` gives to gateways, in `X-Auth-Metadata`."),
        one("KEY_CACHE_SIZE", |all| &mut all.verifier.keys_max, number(1..=KEY_CACHE_SIZE_MAX))
            .doc("The maximum number of valid keys in memory, which are verified without the database.")
            .doc("Each takes about 550 bytes."),
        one("KEY_CACHE_MAX_AGE", |all| &mut all.verifier.max_age, seconds(KEY_CACHE_MAX_AGE_MIN..=SECONDS_PER_DAY))
            .doc("Seconds until the database must confirm that a key in memory is still valid.")
            .doc("Changes by SQL or by a restored backup take effect within this time."),
        one("VERIFY_WHEN_STALE", |all| &mut all.verifier.when_stale, form(WhenStale::ALLOWED, parsed))
            .doc("What an instance on Postgres does with keys in memory when its last read of the change feed is")
            .doc("older than three seconds. `refuse` looks each key up, and answers 503 while the database is away.")
            .doc("`serve:SECONDS` accepts keys in memory for that long, including a key that another instance has")
            .doc("revoked in the meantime."),
    ]
}

fn metadata_name(text: &str) -> Option<String> {
    let pairs = [(text.to_owned(), String::new())].into();
    Metadata::new(pairs).is_ok().then(|| text.to_owned())
}

/// Values of a policy. The allowed ones are in the error of the domain for a broken policy.
fn limited<T: FromStr + ToString + 'static>(break_it: fn(&mut KeyPolicySettings)) -> Form<T> {
    let mut settings = KeyPolicySettings::default();
    break_it(&mut settings);
    form(KeyPolicy::new(settings).err().map(|error| error.allowed).unwrap_or_default(), parsed)
}
