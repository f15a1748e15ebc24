//! `/api/api-keys/{keyId}/usage`.

use std::sync::Arc;

use domain::memory::MemoryKeyStore;
use domain::ports::KeyStore;
use domain::{Hour, KeyUsage, Timestamp};
use insta::assert_snapshot;

use crate::server::Setup;
use crate::transcript::{ALICE, BOB, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_the_usage_of_a_key_by_the_hour() {
    let store = Arc::new(MemoryKeyStore::default());
    let (server, mut transcript) = (Setup { store: store.clone(), ..Setup::default() }.start(), Transcript::default());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let id = created.field("keyId");
    let counted = |time: &str, counts: [u64; 3]| KeyUsage {
        id: id.parse().unwrap(),
        hour: Hour::of(Timestamp::parse_rfc3339(time).unwrap()),
        counts: counts.into(),
    };
    let usage = [counted("2026-11-21T01:42:03Z", [7, 2, 3]), counted("2026-11-20T23:00:00Z", [1_000, 0, 0])];
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
