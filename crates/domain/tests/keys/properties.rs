//! Properties that hold for any input, tested on many inputs.

use std::collections::BTreeSet;

use domain::memory::SeededEntropy;
use domain::{
    ApiKey, FullKey, InvalidLabel, KeyId, KeyPolicy, KeyPolicySettings, Label, ListView, OwnerId, Scopes, Timestamp,
};
use proptest::prelude::*;

/// Times within a few milliseconds, so that keys often have the same times, and times are often on a boundary.
fn time() -> impl Strategy<Value = Timestamp> {
    (0..8_i64).prop_map(timestamp)
}

fn any_time() -> impl Strategy<Value = Timestamp> {
    (Timestamp::MIN.unix_millis()..=Timestamp::MAX.unix_millis()).prop_map(timestamp)
}

fn timestamp(unix_millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(unix_millis).expect("within the range")
}

fn keys() -> impl Strategy<Value = Vec<ApiKey>> {
    let fate = (time(), prop::option::of(time()), prop::option::of(time()), prop::option::of(any::<[u8; 16]>()));
    prop::collection::btree_map(any::<[u8; 16]>(), fate, 0..40).prop_map(|keys| {
        let key = |(id, (created_at, expires_at, revoked_at, replaced_by)): (_, (_, _, _, Option<[u8; 16]>))| ApiKey {
            id: KeyId::from_bytes(id),
            owner: OwnerId::new("https://id.example", "alice").expect("a valid user"),
            label: Label::parse("CI").expect("a valid label"),
            prefix: "svc_live_abc...".into(),
            created_at,
            last_used_at: None,
            expires_at,
            revoked_at,
            scopes: Scopes::default(),
            replaced_by: replaced_by.map(KeyId::from_bytes),
            created_by: None,
            settings: domain::KeySettings::default(),
        };
        keys.into_iter().map(key).collect()
    })
}

proptest! {
    #[test]
    fn a_view_shows_every_good_key_and_those_that_ended_last(keys in keys(), at in time(), ended_max in 0..45_u32) {
        let view = ListView { at, ended_max };
        let shown = view.select(keys.clone());
        let place = |key: &ApiKey| (key.created_at, key.id);
        prop_assert!(shown.windows(2).all(|pair| place(&pair[0]) > place(&pair[1])), "newest first, none twice");
        prop_assert!(shown.iter().all(|key| keys.contains(key)), "unchanged, and none made up");

        let shown_ids: BTreeSet<KeyId> = shown.iter().map(|key| key.id).collect();
        let is_shown = |key: &&ApiKey| shown_ids.contains(&key.id);
        let (good, ended): (Vec<&ApiKey>, Vec<&ApiKey>) = keys.iter().partition(|key| key.is_good(at));
        prop_assert!(good.iter().all(is_shown), "every good key");
        let (ended_shown, hidden): (Vec<&ApiKey>, Vec<&ApiKey>) = ended.iter().copied().partition(is_shown);
        prop_assert_eq!(ended_shown.len(), ended.len().min(ended_max as usize));
        let end = |key: &&ApiKey| (key.ended_at(at), key.id);
        if let (Some(first_shown), Some(last_hidden)) =
            (ended_shown.iter().map(end).min(), hidden.iter().map(end).max())
        {
            prop_assert!(first_shown > last_hidden, "no hidden key ended later than a shown one");
        }
        prop_assert_eq!(view.select(shown.clone()), shown, "selecting again changes nothing");
    }

    #[test]
    fn any_id_is_read_back_from_its_text(bytes in any::<[u8; 16]>()) {
        let id = KeyId::from_bytes(bytes);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn an_id_has_one_text(text in "key_[0-9][0-9a-hjkmnp-tv-z]{25}") {
        if let Ok(id) = text.parse::<KeyId>() {
            prop_assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn ids_sort_by_their_text(one in any::<[u8; 16]>(), other in any::<[u8; 16]>()) {
        let (one, other) = (KeyId::from_bytes(one), KeyId::from_bytes(other));
        prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
    }

    #[test]
    fn a_label_is_trimmed_short_and_printable(text in "\\PC{0,60}|[ \\t\\n]{0,3}.{0,120}[ \\t]{0,3}|\\PC{95,110}") {
        let trimmed = text.trim();
        match Label::parse(&text) {
            Ok(label) => {
                prop_assert_eq!(label.as_str(), trimmed);
                prop_assert!((1..=100).contains(&trimmed.chars().count()) && !trimmed.chars().any(char::is_control));
                prop_assert_eq!(Label::parse(label.as_str()), Ok(label));
            }
            Err(InvalidLabel::Empty) => prop_assert!(!trimmed.chars().any(char::is_alphanumeric)),
            Err(InvalidLabel::TooLong) => prop_assert!(trimmed.chars().count() > 100),
            Err(InvalidLabel::ControlCharacter) => prop_assert!(trimmed.chars().any(char::is_control)),
        }
    }

    #[test]
    fn a_timestamp_is_read_back_and_sorts_by_its_text(one in any_time(), other in any_time()) {
        prop_assert_eq!(Timestamp::parse_rfc3339(&one.to_string()), Some(one));
        prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
    }

    #[test]
    fn a_preview_never_shows_more_than_eight_characters_of_the_body(
        prefix in "[A-Za-z0-9_-]{1,32}",
        preview_length in 1..50_usize,
        seed in any::<u64>(),
    ) {
        let policy = KeyPolicy::new(KeyPolicySettings { prefix: prefix.clone(), preview_length, ..Default::default() });
        if let Ok(policy) = policy {
            let key = FullKey::generate(&policy, &SeededEntropy::new(seed));
            let preview = key.preview(&policy);
            let start = preview.strip_suffix("...").expect("an ellipsis");
            prop_assert!(key.expose().starts_with(start) && start.len() == preview_length);
            prop_assert!(start.len() <= prefix.len() + 8);
        } else {
            prop_assert!(preview_length > prefix.len() + 8, "only a preview that shows too much is refused");
        }
    }
}
