use std::collections::BTreeMap;

use domain::{KeySettings, Metadata, Timestamp};
use serde::{Deserialize, Serialize};

/// The settings of a key, as they are stored.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StoredSettings {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<String>,
    /// Absent from the settings of earlier versions, which count as the owner's.
    #[serde(skip_serializing_if = "is_false")]
    rate_limit_of_host: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<i64>,
}

/// The JSON of these settings; `None` for the settings of a plain key.
pub(super) fn settings_json(settings: &KeySettings) -> Option<String> {
    if *settings == KeySettings::default() {
        return None;
    }
    let stored = StoredSettings {
        metadata: settings.metadata.pairs().clone(),
        rate_limit: settings.rate_limit.map(|limit| limit.to_string()),
        rate_limit_of_host: settings.is_rate_limit_of_host,
        disabled_at: settings.disabled_at.map(Timestamp::unix_millis),
    };
    serde_json::to_string(&stored).ok()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The settings of this JSON; `None` if [`settings_json`] does not write such JSON.
pub(super) fn settings_of(json: &str) -> Option<KeySettings> {
    let mut stored: StoredSettings = serde_json::from_str(json).ok()?;
    // The first version with metadata took empty values.
    stored.metadata.retain(|_, value| !value.is_empty());
    Some(KeySettings {
        metadata: Metadata::new(stored.metadata).ok()?,
        rate_limit: stored.rate_limit.map(|limit| limit.parse()).transpose().ok()?,
        is_rate_limit_of_host: stored.rate_limit_of_host,
        disabled_at: stored.disabled_at.map(|at| Timestamp::from_unix_millis(at).ok_or(())).transpose().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let metadata = Metadata::new([("plan".to_owned(), "\"é".to_owned())].into()).unwrap();
        let (rate_limit, disabled_at) = ("5/m".parse().ok(), Timestamp::from_unix_millis(7));
        for is_rate_limit_of_host in [true, false] {
            let settings = KeySettings { metadata: metadata.clone(), rate_limit, is_rate_limit_of_host, disabled_at };
            let json = settings_json(&settings).unwrap();
            assert_eq!(json.contains("OfHost"), is_rate_limit_of_host, "{json}");
            assert_eq!(settings_of(&json), Some(settings));
        }
        assert_eq!(settings_json(&KeySettings::default()), None);
        assert_eq!(settings_of("{}"), Some(KeySettings::default()));
        for wrong in ["", "null", r#"{"rateLimit":"5"}"#, r#"{"metadata":{"A":"b"}}"#, r#"{"disabledAt":"x"}"#] {
            assert_eq!(settings_of(wrong), None, "{wrong:?}");
        }
    }
}
