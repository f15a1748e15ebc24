use std::str::FromStr;

use domain::{KeyPolicy, KeyPolicySettings};
use verifier::WhenStale;

use super::{Form, RATE_LIMIT, SECONDS_PER_DAY, Setting, form, number, one, optional, parsed, seconds};

/// The most keys in the verification cache, which then takes about 6 GB.
const KEY_CACHE_SIZE_MAX: usize = 10_000_000;
/// With a lower age, a round would read the database as often as a look-up of each key does.
const KEY_CACHE_MAX_AGE_MIN: u64 = 10;

/// Keys.
pub(super) fn keys() -> Vec<Setting> {
    vec![
        one("API_KEYS_MAX_ACTIVE", |all| &mut all.keys.max_active, limited(|keys| keys.max_active = 0))
            .doc("The maximum of active keys for each user."),
        one("API_KEY_PREFIX", |all| &mut all.keys.prefix, limited(|keys| keys.prefix.clear()))
            .doc("The prefix of every new key. Existing keys keep their prefix."),
        one("API_KEY_PREFIX_LENGTH", |all| &mut all.keys.preview_length, limited(|keys| keys.preview_length = 0))
            .doc("The number of characters of a key that its preview shows.")
            .doc("The allowed maximum grows with the prefix."),
        one("API_KEYS_RETENTION_DAYS", |all| &mut all.keys.retention_days, limited(|keys| keys.retention_days = 0))
            .doc("Days after which a revoked or expired key is deleted. Until then it stays listed."),
        one("API_KEYS_MAX_TTL_DAYS", |all| &mut all.keys.max_ttl_days, limited(|keys| keys.max_ttl_days = 0))
            .doc("The maximum of days until the `expiresAt` of a new key."),
    ]
}

/// The verification of keys.
pub(super) fn verification() -> Vec<Setting> {
    vec![
        optional("RATE_LIMIT", |all| &mut all.verifier.rate_limit, form(RATE_LIMIT, parsed))
            .doc("How often each key may be used in a period, also all at once.")
            .doc("Further requests are answered with 429. Each instance counts for itself.")
            .when_unset("no limit"),
        one("KEY_CACHE_SIZE", |all| &mut all.verifier.keys_max, number(1..=KEY_CACHE_SIZE_MAX))
            .doc("The maximum of valid keys in memory, which are verified without the database.")
            .doc("Each takes about 550 bytes."),
        one("KEY_CACHE_MAX_AGE", |all| &mut all.verifier.max_age, seconds(KEY_CACHE_MAX_AGE_MIN..=SECONDS_PER_DAY))
            .doc("Seconds until the database must confirm that a key in memory is still valid.")
            .doc("Gatepost confirms keys in rounds, a thousand in one statement, so that changes by SQL or by a")
            .doc("restored backup take effect within this time."),
        one("VERIFY_WHEN_STALE", |all| &mut all.verifier.when_stale, form(WhenStale::ALLOWED, parsed))
            .doc("What an instance on Postgres does with keys in memory when its last read of the change feed is")
            .doc("older than three seconds. `refuse` looks each key up, and answers 503 while the database is away.")
            .doc("`serve:SECONDS` accepts keys in memory for that long, including a key that another instance has")
            .doc("revoked in the meantime."),
    ]
}

/// Values of a policy. The domain says what it allows when the policy is broken.
fn limited<T: FromStr + ToString + 'static>(break_it: fn(&mut KeyPolicySettings)) -> Form<T> {
    let mut settings = KeyPolicySettings::default();
    break_it(&mut settings);
    form(KeyPolicy::new(settings).err().map(|error| error.allowed).unwrap_or_default(), parsed)
}
