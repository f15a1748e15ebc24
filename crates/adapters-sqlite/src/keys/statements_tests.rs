//! How SQLite finds the keys of an owner.

use diesel_mapping::keys::DELETE_ENDED;
use domain::ports::{RevokeKeyRequest, RotateKeyRequest, Schema as _};
use storage_conformance::requests::{at, new_key_request, revoke_request, rotate_request, user};

use super::*;
use crate::statements_tests::{Statements, plan};
use crate::{SqliteSettings, SqliteStore};

/// Counts and lists go through the keys of their owner by the time of their end: a count reads the good keys, and a list
/// reads them and the keys that ended last, however many have ended.
#[tokio::test]
async fn statements_go_by_the_end_of_keys() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(SqliteSettings { path: folder.path().join("test.db"), readers: 1 }).await.unwrap();
    store.migrate().await.unwrap();
    let mut connection = store.file.connect().unwrap();
    let statements = Statements::of(&mut connection);
    let (owner, new) = (user("alice"), new_key_request(&user("alice"), 10));
    create_key::create_key(&mut connection, &new).unwrap();
    let (id, view) = (new.key.id, new.view);
    let request = RotateKeyRequest { view, ..rotate_request(&owner, id, 10) };
    change_key::rotate_key(&mut connection, &request).unwrap();
    let request = RevokeKeyRequest { view, ..revoke_request(&owner, id, at(0)) };
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
