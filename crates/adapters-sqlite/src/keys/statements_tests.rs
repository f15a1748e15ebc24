//! How SQLite finds the keys of an owner.

use std::time::Duration;

use diesel_mapping::keys::DELETE_ENDED;
use domain::memory::unique_cause;
use domain::ports::{ActiveLimit, InsertKeyRequest, RevokeKeyRequest, RotateKeyRequest, Schema as _};
use domain::{
    ApiKey, CredentialDigest, KeyId, KeyRotation, Label, ListView, OwnerId, Scopes, Timestamp, WebhookAccess,
};

use super::*;
use crate::statements_tests::{Statements, plan};
use crate::{SqliteSettings, SqliteStore};

const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

fn key() -> ApiKey {
    ApiKey {
        id: KeyId::from_bytes([1; 16]),
        owner: OwnerId::new("https://id.example", "alice").unwrap(),
        label: Label::parse("CI").unwrap(),
        prefix: "svc_live_abc...".into(),
        created_at: NOW,
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::default(),
        replaced_by: None,
        created_by: None,
        settings: domain::KeySettings::default(),
    }
}

/// Counts and lists go through the keys of their owner by the time of their end: a count reads the good keys, and a list
/// reads them and the keys that ended last, however many have ended.
#[tokio::test]
async fn statements_go_by_the_end_of_keys() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(SqliteSettings { path: folder.path().join("test.db"), readers: 1 }).await.unwrap();
    store.migrate().await.unwrap();
    let mut connection = store.file.connect().unwrap();
    let statements = Statements::of(&mut connection);
    let (key, view, limit) = (key(), ListView::at(NOW), ActiveLimit { max: 10, at: NOW });
    let digest = CredentialDigest::from_bytes([1; 32]);
    let request = InsertKeyRequest { key: key.clone(), digest, limit, view, cause: unique_cause() };
    create_key::create_key(&mut connection, &request).unwrap();
    let (successor, prefix, hour) = (KeyId::from_bytes([2; 16]), String::new(), Duration::from_hours(1));
    let rotation = KeyRotation {
        successor,
        prefix,
        at: NOW,
        overlap: hour,
        overlapping_max: 10,
        ttl_max: hour,
        ttl_if_endless: None,
        webhooks_max: Some(WebhookAccess::Write),
        created_by: None,
    };
    let digest = CredentialDigest::from_bytes([2; 32]);
    let (owner, id) = (&key.owner, key.id);
    let request = RotateKeyRequest { owner: owner.clone(), id, rotation, digest, view, cause: unique_cause() };
    change_key::rotate_key(&mut connection, &request).unwrap();
    let request = RevokeKeyRequest { owner: owner.clone(), id, at: NOW, view, cause: unique_cause() };
    revoke_key::revoke_key(&mut connection, &request).unwrap();
    let mut plain = store.file.connect().unwrap();
    let performed = statements.performed();
    let steps = performed.iter().map(String::as_str).chain([DELETE_ENDED]).flat_map(|one| plan(&mut plain, one));
    let steps: Vec<String> = steps.collect();
    let reads_all = |step: &&String| step.starts_with("SCAN api_keys") || step.contains("USE TEMP B-TREE");
    assert_eq!(steps.iter().find(reads_all), None, "{steps:#?}");
    let by_end = "SEARCH api_keys USING INDEX api_keys_by_end (owner_issuer=? AND owner_subject=? AND ends_at>?)";
    assert_eq!(
        steps.iter().filter(|step| *step == by_end).count(),
        4,
        "two counts, and a list of two parts: {steps:#?}"
    );
}
