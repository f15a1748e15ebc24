use verifier::WhenStale;

use super::settings::{SECONDS_PER_DAY, Setting, parsed, seconds_within, within};

/// The most keys in the verification cache, which then takes about 6 GB.
const KEY_CACHE_SIZE_MAX: usize = 10_000_000;
/// With a lower age, a round would read the database as often as a look-up of each key does.
const KEY_CACHE_MAX_AGE_MIN: u64 = 10;

/// The settings of verification.
pub(super) const VERIFICATION_SETTINGS: &[Setting] = &[
    Setting::new(
        "RATE_LIMIT",
        "How often each key may be used in a period, also all at once. Further requests are answered with 429. \
              Each instance counts for itself.",
        || "a count and a unit, such as 100/s, 6000/m or 100000/h".into(),
        |draft, given| given.optional(parsed).map(|limit| draft.configuration.verifier.rate_limit = limit),
        |configuration| configuration.verifier.rate_limit.map(|limit| limit.to_string()),
    )
    .when_unset("no limit"),
    Setting::new(
        "KEY_CACHE_SIZE",
        "The maximum of valid keys in memory, which are verified without the database. Each takes about 550 \
              bytes.",
        || format!("1 to {KEY_CACHE_SIZE_MAX}"),
        |draft, given| {
            given
                .one(|text| within(1..=KEY_CACHE_SIZE_MAX, text))
                .map(|size| draft.configuration.verifier.keys_max = size)
        },
        |configuration| Some(configuration.verifier.keys_max.to_string()),
    ),
    Setting::new(
        "KEY_CACHE_MAX_AGE",
        "Seconds until the database must confirm that a key in memory is still valid. Gatepost confirms keys in rounds, \
         a thousand in one statement, so that changes by SQL or by a restored backup take effect within this time.",
        || format!("{KEY_CACHE_MAX_AGE_MIN} to {SECONDS_PER_DAY}"),
        |draft, given| {
            given
                .one(|text| seconds_within(KEY_CACHE_MAX_AGE_MIN..=SECONDS_PER_DAY, text))
                .map(|seconds| draft.configuration.verifier.max_age = seconds)
        },
        |configuration| Some(configuration.verifier.max_age.as_secs().to_string()),
    ),
    Setting::new(
        "VERIFY_WHEN_STALE",
        "What an instance on Postgres does with keys in memory when its last read of the change feed is older than three \
         seconds. `refuse` looks each key up, and answers 503 while the database is away. `serve:SECONDS` accepts keys \
         in memory for that long, including a key that another instance has revoked in the meantime.",
        || WhenStale::ALLOWED.into(),
        |draft, given| given.one(parsed).map(|when| draft.configuration.verifier.when_stale = when),
        |configuration| Some(configuration.verifier.when_stale.to_string()),
    ),
];
