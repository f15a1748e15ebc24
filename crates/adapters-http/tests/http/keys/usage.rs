//! `/api/api-keys/{keyId}/usage`.

use std::sync::Arc;

use domain::memory::MemoryKeyStore;
use domain::ports::{KeyStores, KeyUsageStore as _};
use domain::{Hour, KeyUsage, Timestamp};
use insta::assert_snapshot;

use crate::server::Setup;
use crate::transcript::{ALICE, BOB, Transcript, request};

fn usage_of(key_id: &str, time: &str, counts: [u64; 3]) -> KeyUsage {
    let hour = Hour::of(Timestamp::parse_rfc3339(time).unwrap());
    KeyUsage { id: key_id.parse().unwrap(), hour, counts: counts.into() }
}

/// The present hour is the last one of the last day, and an unused key has a line of zeros.
#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_the_uses_of_all_keys_by_the_day() {
    let store = Arc::new(MemoryKeyStore::default());
    let (server, mut transcript) =
        (Setup { store: KeyStores::of(&store), ..Setup::default() }.start(), Transcript::default());
    let create = |label: &str| request("POST /api/api-keys").header(ALICE).json(&format!(r#"{{"label":"{label}"}}"#));
    let (used, unused) = (create("CI").send(&server).await, create("Spare").send(&server).await);
    let revoked = create("Old").send(&server).await;
    let revoke = request("DELETE /api/api-keys").header(ALICE);
    let _ = revoke.json(&format!(r#"{{"keyId":"{}"}}"#, revoked.field("keyId"))).send(&server).await;
    let counted = |time: &str, counts: [u64; 3]| usage_of(used.field("keyId"), time, counts);
    let usage = [
        counted("2026-11-21T01:42:03Z", [7, 2, 3]),
        counted("2026-11-20T02:00:00Z", [1, 0, 0]),
        counted("2026-11-20T01:59:59Z", [10, 0, 0]),
        counted("2026-10-22T02:00:00Z", [100, 0, 0]),
        counted("2026-10-22T01:59:59Z", [1_000, 0, 0]),
    ];
    store.add_usage(&usage).await.unwrap();
    transcript.send(&server, request("GET /api/api-keys/usage").header(ALICE)).await;
    transcript.send(&server, request("GET /api/api-keys/usage").header(BOB)).await;
    assert!(transcript.text().contains(unused.field("keyId")) && !transcript.text().contains(revoked.field("keyId")));
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_the_usage_of_a_key_by_the_hour() {
    let store = Arc::new(MemoryKeyStore::default());
    let (server, mut transcript) =
        (Setup { store: KeyStores::of(&store), ..Setup::default() }.start(), Transcript::default());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let id = created.field("keyId");
    let usage = [usage_of(id, "2026-11-21T01:42:03Z", [7, 2, 3]), usage_of(id, "2026-11-20T23:00:00Z", [1_000, 0, 0])];
    store.add_usage(&usage).await.unwrap();
    let show = |query: &str| request(&format!("GET /api/api-keys/{id}/usage{query}"));
    transcript.send(&server, show("?hours=3").header(ALICE)).await;
    transcript.send(&server, show("?hours=1&until=2026-11-20T23:59:59.999Z").header(ALICE)).await;
    let day = show("").header(ALICE).send(&server).await;
    assert_eq!(day.body.matches("\"start\"").count(), 24);
    transcript.send(&server, show("?hours=745").header(ALICE)).await;
    transcript.send(&server, show("?days=1").header(ALICE)).await;
    transcript.send(&server, show("").header(BOB)).await;
    transcript.send(&server, request("GET /api/api-keys/key_1/usage").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}
