//! Stored values come back unchanged.

use std::sync::Arc;

use crate::KeyPorts;
use domain::Timestamp;
use domain::ports::{InsertKeyRequest, Insertion};

use super::sample::{
    ALL_ENDED, NO_LIMIT, Sample, all_keys, expect_stored, find, insert_request, only_key, put, put_all, view,
};
use crate::sample::{at, user, user_of};

/// A stored key comes back equal in every field, set or not, from each method that answers with keys.
pub async fn every_field_comes_back(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let oldest = Sample::of(&owner).created(at(1));
    let full = Sample::of(&owner).created(at(2)).used(at(3)).expiring(at(4)).revoked(at(5)).labelled("Everything set");
    let full = full.scoped("a b c").replaced().made_by(&user("bob"));
    let revoked = Sample::of(&owner).created(at(3)).revoked(at(-6));
    let expiring = Sample::of(&owner).created(at(4)).expiring(at(7)).scoped("");
    put_all(&*store, &[oldest.clone(), full.clone(), revoked.clone()]).await;
    let request = InsertKeyRequest { view: view(at(0), ALL_ENDED), ..insert_request(&expiring, NO_LIMIT) };
    let answer = store.insert_within(&request).await;

    let samples = [expiring, revoked, full, oldest];
    let expected: Vec<_> = samples.iter().map(|sample| sample.key.clone()).collect();
    let Ok(Insertion::Stored(answered)) = answer else { panic!("a key within the limit must be stored: {answer:?}") };
    assert_eq!(answered, expected, "an insertion must answer with keys equal to what was stored");
    assert_eq!(all_keys(&*store, &owner).await, expected, "a list must hold keys equal to what was stored");
    expect_stored(&*store, &samples, "a look-up must give a key equal to what was stored").await;
}

/// Every time comes back to the millisecond, from the first to the last one that a timestamp can hold.
pub async fn times_keep_their_milliseconds(store: Arc<dyn KeyPorts>) {
    let unix = |millis| Timestamp::from_unix_millis(millis).expect("within the range of timestamps");
    let times = [Timestamp::MIN, unix(-1_001), unix(-1), unix(0), unix(1), at(0), at(1), at(879), Timestamp::MAX];
    for (index, time) in times.into_iter().enumerate() {
        let owner = user(&format!("user-{index}"));
        let sample = Sample::of(&owner).created(time).used(time).expiring(time).revoked(time);
        put(&*store, &sample).await;
        assert_eq!(only_key(&*store, &owner).await, sample.key, "{time} must come back to the millisecond");
    }
}

/// Scopes come back whole: none, the most and longest there can be, and every character that one may have.
pub async fn scopes_come_back(store: Arc<dyn KeyPorts>) {
    let every_character: String = ('!'..='~').filter(|character| !['"', '\\'].contains(character)).collect();
    let (start, end) = every_character.split_at(64);
    let longest: Vec<String> = (0..32).map(|n| format!("{}{n:02}", "s".repeat(62))).collect();
    let texts = ["", "a", "a A", "orders:read orders:write", "',{}[]", &format!("{start} {end}"), &longest.join(" ")];
    for (index, text) in texts.into_iter().enumerate() {
        let owner = user(&format!("user-{index}"));
        let sample = Sample::of(&owner).scoped(text);
        put(&*store, &sample).await;
        assert_eq!(only_key(&*store, &owner).await, sample.key, "scopes must come back whole");
        assert_eq!(find(&*store, &sample).await, Some(sample.key), "scopes must come back whole");
    }
}

/// `replaced_by` comes back, whether its key is stored, deleted or was never stored, and for any owner.
pub async fn replaced_by_comes_back(store: Arc<dyn KeyPorts>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let successor = Sample::of(&alice);
    let mut samples = [&alice, &bob].map(|owner| Sample::of(owner).revoked(at(1)));
    for sample in &mut samples {
        sample.key.replaced_by = Some(successor.id());
    }
    let samples = [&samples[..], &[successor, Sample::of(&alice).replaced(), Sample::of(&bob).replaced()]].concat();
    put_all(&*store, &samples).await;
    expect_stored(&*store, &samples, "the key that one was rotated into must come back").await;
}

/// Labels, previews, issuers and subjects come back byte for byte: not trimmed, folded, escaped or normalized.
pub async fn texts_come_back_byte_for_byte(store: Arc<dyn KeyPorts>) {
    let composed_and_not = "caf\u{e9} cafe\u{301}";
    let longest = "\u{1f511}".repeat(100);
    let labels = [
        composed_and_not,
        &longest,
        "'; DROP TABLE api_keys; --",
        r#"\ \n %s ${x} "quoted" \0"#,
        "\u{202e}rtl \u{200b}",
    ];
    for (index, text) in labels.into_iter().enumerate() {
        let owner = user_of(&format!("https://id.example/{text}"), &format!(" {index} {} ", &"\u{e9}".repeat(50)));
        let mut sample = Sample::of(&owner).labelled(text);
        sample.key.prefix = format!("{}{index}'\\%_...", "p".repeat(32));
        put(&*store, &sample).await;
        assert_eq!(only_key(&*store, &owner).await, sample.key, "texts must come back byte for byte");
    }
    let longest = user_of(&"i".repeat(512), &"s".repeat(255));
    let sample = Sample::of(&longest);
    put(&*store, &sample).await;
    assert_eq!(only_key(&*store, &longest).await, sample.key, "the longest issuer and subject must be stored whole");
}
